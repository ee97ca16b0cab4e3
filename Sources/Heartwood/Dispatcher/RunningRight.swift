/// The right to run a logger's hooks, and to use what is "Owned by the running thread" of that logger.
///
/// One thread at a time has it: `LoggerInbox` gives it away, and `use` notes it on the thread. Each type that the running
/// thread owns checks at its entrances that the calling thread has the right. A logger that belongs to no dispatcher may
/// be used by whoever has it, as in a test of its hooks. The check costs nothing in release builds.
struct RunningRight: @unchecked Sendable {  // an address that is only compared
    private let identity: UnsafeRawPointer
    private let membership: LoggerMembership

    /// Makes the right to run the logger whose entries wait in `inbox`.
    init(_ inbox: LoggerInbox, _ membership: LoggerMembership) {
        identity = UnsafeRawPointer(Unmanaged.passUnretained(inbox).toOpaque())
        self.membership = membership
    }

    /// Whether the calling thread has it.
    @inline(__always)
    var isHere: Bool { ThreadState.current.runningNode == identity }

    /// Ends the program, in debug builds, if the calling thread may not use what the right is about.
    @inline(__always)
    func check(_ entrance: StaticString = #function) {
        assert(
            isHere || membership.dispatcher == nil,
            "\(entrance) was called outside of the logger's hooks; call it in a hook")
    }

    /// Notes on the calling thread, which the inbox has given the right, that it has it while `body` runs.
    @inline(__always)
    func use(_ thread: ThreadState = .current, _ body: () -> Void) {
        let outer = thread.runningNode
        thread.runningNode = identity
        defer { thread.runningNode = outer }
        body()
    }
}
