import CHeartwood

/// What the calling thread keeps between two of its messages; no other thread touches it.
struct ThreadState {
    private let thread: UnsafeMutablePointer<hw_thread>

    /// The calling thread's.
    @inline(__always)
    static var current: ThreadState { ThreadState(thread: hw_thread_current()) }

    /// The kernel's number of the thread.
    var id: UInt64 { thread.pointee.id }

    /// Whether a hook of a logger, or a formatter, runs on the thread.
    @inline(__always)
    var isInHook: Bool { thread.pointee.running_node != nil }

    /// Runs user code that is no hook, but is called from inside of the framework: what it logs does not
    /// wait, either.
    func runCallback(_ body: () -> Void) {
        let outer = runningNode
        runningNode = outer ?? UnsafeRawPointer(thread)
        defer { runningNode = outer }
        body()
    }

    /// Forgets all hooks and callbacks on the thread's stack: they are never returned to.
    func leaveHook() {
        (runningNode, formatterInProgress) = (nil, nil)
        (isReporting, isFlushing, handlesReentrantMessage) = (false, false, false)
    }

    /// Whether the diagnostics' handler runs on the thread.
    var isReporting: Bool {
        get { thread.pointee.reporting }
        nonmutating set { thread.pointee.reporting = newValue }
    }

    /// Whether a logger's flush hook runs on the thread.
    var isFlushing: Bool {
        get { thread.pointee.flushing }
        nonmutating set { thread.pointee.flushing = newValue }
    }

    /// Whether a value of the next message was cut, as it was nested too deep.
    @inline(__always)
    var hasCutValue: Bool {
        get { thread.pointee.cut_value }
        nonmutating set { thread.pointee.cut_value = newValue }
    }

    /// The identity of the node whose logger's hook runs.
    var runningNode: UnsafeRawPointer? {
        get { thread.pointee.running_node }
        nonmutating set { thread.pointee.running_node = newValue }
    }

    /// Whether the message that the hook handles was itself logged inside a hook.
    var handlesReentrantMessage: Bool {
        get { thread.pointee.handles_reentrant }
        nonmutating set { thread.pointee.handles_reentrant = newValue }
    }

    /// The identity of the formatter whose other `format` method is below on the stack.
    var formatterInProgress: UnsafeRawPointer? {
        get { thread.pointee.formatter }
        nonmutating set { thread.pointee.formatter = newValue }
    }

    /// The thread's name, where it has one of its own; read again about once a second.
    @inline(__always)
    func name(at ticks: UInt64) -> UnsafeRawBufferPointer {
        hw_thread_refresh_name(thread, ticks)
        let start = UnsafeRawPointer(thread) + MemoryLayout<hw_thread>.offset(of: \.name).unsafelyUnwrapped
        return UnsafeRawBufferPointer(start: start, count: Int(thread.pointee.name_size))
    }

    /// The label of the dispatch queue that the thread runs.
    @inline(__always)
    var queueLabel: UnsafeRawBufferPointer {
        let label = hw_queue_label(thread)
        return UnsafeRawBufferPointer(start: label.text, count: label.size)
    }

    /// Has the name read again.
    func forgetName() { thread.pointee.name_expires = 0 }

    // MARK: The buffer for the next message

    private static let installed: Void = {
        hw_set_free_spare { spare in
            if let spare { Unmanaged<TextBuffer>.fromOpaque(spare).release() }
        }
    }()

    /// The buffer that is not in use; moved out and in, so that its references need not be counted.
    @inline(__always)
    private var spare: UnsafeMutablePointer<TextBuffer?> {
        let place = MemoryLayout<hw_thread>.offset(of: \.spare).unsafelyUnwrapped
        return (UnsafeMutableRawPointer(thread) + place).assumingMemoryBound(to: TextBuffer?.self)
    }

    /// Hands out the thread's buffer, or a new one while that is in use.
    @inline(__always)
    func takeBuffer() -> TextBuffer {
        let buffer = spare.move()
        spare.initialize(to: nil)
        return buffer ?? ThreadState.makeBuffer()
    }

    @inline(never)
    private static func makeBuffer() -> TextBuffer {
        _ = installed
        return TextBuffer(capacity: TextBuffer.usualCapacity)
    }

    /// Keeps a buffer for the next message, unless another reference holds it, it grew large, or there is
    /// one.
    @inline(__always)
    func recycle(_ buffer: consuming TextBuffer) {
        if thread.pointee.spare != nil || buffer.capacity > 16 * TextBuffer.usualCapacity { return }
        spare.initialize(to: consume buffer)
        if !isKnownUniquelyReferenced(&spare.pointee) { spare.pointee = nil }
    }
}
