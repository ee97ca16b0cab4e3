import Foundation

/// Writes numbered lines into a pipe until it is told to finish, as a server under a supervisor does.
final class EndlessWriter: @unchecked Sendable {
    static let atLeast = 150_000

    private let output: FileHandle
    private let lock = NSLock()
    // MARK: Guarded by 'lock'
    private var written = 0
    private var isFinishing = false

    init(to output: FileHandle) { self.output = output }

    /// How many lines were written.
    var count: Int { lock.withLock { written } }

    /// Writes on a thread of its own.
    func start() { Thread { self.run() }.start() }

    /// Closes the pipe after the block that is being written, and not before ``atLeast`` lines.
    func finish() { lock.withLock { isFinishing = true } }

    private func run() {
        while !lock.withLock({ isFinishing && written >= Self.atLeast }) {
            let first = count
            let text = (first..<first + 50).map { "line \($0) of the input\n" }.joined()
            try? output.write(contentsOf: Data(text.utf8))
            lock.withLock { written = first + 50 }
            // The first lines come as fast as they can; then so that a busy machine does not get millions of them.
            if first >= Self.atLeast { Thread.sleep(forTimeInterval: 0.001) }
        }
        try? output.close()
    }
}
