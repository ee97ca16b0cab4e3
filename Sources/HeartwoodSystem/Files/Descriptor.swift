/// An open file or directory, closed when it is no longer used.
package final class Descriptor: Sendable {
    /// The number that the kernel gave it.
    package let number: Int32
    private let calls: SystemCalls
    private let owner: ProcessOwner

    package init(_ number: Int32, _ calls: SystemCalls) {
        self.number = number
        self.calls = calls
        owner = ProcessOwner(calls)
    }

    deinit {
        // A child that another thread is just starting has the descriptor, too, until it runs its program: to
        // close ours would leave the file locked so long. A forked child must not free its parent's lock.
        if owner.isHere(calls) { calls.unlock(number) }
        calls.close(number)
    }
}
