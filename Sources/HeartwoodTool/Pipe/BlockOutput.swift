import Dispatch
import Heartwood

/// Hands finished lines to the file logger, a block at a time: while one is written, the next is filled.
///
/// Owned by the pump's thread; the logger's queue gives blocks back.
final class BlockOutput {
    private let file: FileLogger
    private let free: Locked<[LineBlock]>
    private let returned = DispatchSemaphore(value: BlockOutput.count)
    private var owner = ThreadOwner("the output of blocks")

    /// How many blocks there are: so much may be on its way.
    private static let count = 3
    private static let capacity = 640 * 1024

    init(_ file: FileLogger) {
        self.file = file
        free = Locked((0..<BlockOutput.count).map { _ in LineBlock(capacity: BlockOutput.capacity) })
    }

    /// An empty block, as soon as one is free.
    ///
    /// Once the process is asked to end, a writer that hangs is not waited for: then it is a new one.
    func next(unless stop: StopSignal) -> LineBlock {
        owner.enter()
        while returned.wait(timeout: .now() + .milliseconds(100)) == .timedOut {
            if stop.isRequested { return LineBlock(capacity: BlockOutput.capacity) }
        }
        return free.withLock { $0.popLast() } ?? LineBlock(capacity: BlockOutput.capacity)
    }

    /// Has the block written after those before it.
    func write(_ block: LineBlock) {
        owner.enter()
        file.write(block) { [free, returned] in
            free.withLock { $0.append(block) }
            returned.signal()
        }
    }
}
