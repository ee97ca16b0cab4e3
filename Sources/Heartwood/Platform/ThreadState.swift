import CHeartwood

/// What a thread keeps between two of its messages. Only its own thread touches it.
@usableFromInline
final class ThreadState {
    /// The buffer for the next message; nil while a message is being built.
    private var spare: TextBuffer?
    /// The kernel's number of the thread.
    let id: UInt64
    /// The thread's name in UTF-8, empty when it has none of its own.
    private(set) var name: [UInt8] = []
    private var nameExpires: UInt64 = 0
    /// The logger whose hook runs on this thread, if one does.
    var runningNode: LoggerNode?
    /// Whether the message that the hook handles was itself logged inside a hook.
    var handlesReentrantMessage = false
    /// The formatter whose other `format` method stands below on the stack.
    var formatterInProgress: ObjectIdentifier?

    private init() {
        id = hw_thread_id()
    }

    /// The calling thread's state, made on first use and freed when the thread ends.
    static var current: ThreadState {
        if let known = hw_thread_state_get() {
            return Unmanaged<ThreadState>.fromOpaque(known).takeUnretainedValue()
        }
        return make()
    }

    @inline(never)
    private static func make() -> ThreadState {
        let state = ThreadState()
        hw_thread_state_set(Unmanaged.passRetained(state).toOpaque()) { pointer in
            if let pointer { Unmanaged<ThreadState>.fromOpaque(pointer).release() }
        }
        return state
    }

    /// Hands out the thread's buffer, or a new one while that is in use.
    @usableFromInline
    static func takeBuffer() -> TextBuffer {
        let state = current
        if let buffer = state.spare.take() { return buffer }
        return TextBuffer(capacity: TextBuffer.usualCapacity)
    }

    /// Keeps a buffer for the next message, unless somebody else holds it or it grew large.
    static func recycle(_ buffer: inout TextBuffer) {
        if buffer.capacity <= 16 * TextBuffer.usualCapacity, isKnownUniquelyReferenced(&buffer) {
            current.spare = buffer
        }
    }

    /// Reads the thread's name again if the last reading is older than about a second.
    @inline(__always)
    func refreshName(at ticks: UInt64) {
        if ticks >= nameExpires { readName(at: ticks) }
    }

    @inline(never)
    private func readName(at ticks: UInt64) {
        nameExpires = ticks &+ 2_000_000_000
        let bytes = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            buffer.prefix(hw_thread_name(buffer.baseAddress, 64)).map { UInt8(bitPattern: $0) }
        }
        name = ThreadState.isChosenName(bytes) ? bytes : []
    }

    /// Whether somebody gave the name: the program's own and those of dispatch workers say nothing.
    private static func isChosenName(_ name: [UInt8]) -> Bool {
        if name.isEmpty || name == ThreadState.programName { return false }
        let text = String(decoding: name, as: UTF8.self)
        return !text.contains("-qos") && !text.hasPrefix("com.apple.root")
    }

    /// The name that the kernel gives every thread until somebody chooses another: the program's, cut to 15 bytes.
    private static let programName: [UInt8] = {
        let path = CommandLine.arguments.first ?? ""
        let name = path.utf8.suffix(while: { $0 != UInt8(ascii: "/") })
        return Array(name.prefix(15))
    }()
}

extension Collection where Self: BidirectionalCollection {
    /// The longest end of the collection whose elements all satisfy `predicate`.
    fileprivate func suffix(while predicate: (Element) -> Bool) -> SubSequence {
        var start = endIndex
        while start != startIndex {
            let before = index(before: start)
            if !predicate(self[before]) { break }
            start = before
        }
        return self[start...]
    }
}
