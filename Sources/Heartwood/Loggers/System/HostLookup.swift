import Dispatch

/// The search for the addresses of a host, on a thread that may wait for it.
final class HostLookup: Sendable {
    /// What was found: addresses, or the reason why no address was found.
    enum Answer: Sendable {
        case addresses([SocketAddress])
        case failed(String)
    }

    // MARK: Constants (any thread)
    private let done = Semaphore()

    // MARK: Guarded by themselves
    private let answer = Locked<Answer?>(nil)

    /// Begins the search; addresses in digits are found at once.
    init(host: String, port: Int, stream: Bool) {
        let found = SocketAddress.find(host, port: port, stream: stream, numeric: true)
        if case .addresses = found {
            answer.withLock { $0 = found }
            done.signal()
        } else {
            DispatchQueue.global(qos: .utility).async {
                let found = SocketAddress.find(host, port: port, stream: stream, numeric: false)
                self.answer.withLock { $0 = found }
                self.done.signal()
            }
        }
    }

    /// The answer, once it is there; nil where it has not come in time.
    func wait(upTo limit: Duration) -> Answer? {
        if let answer = answer.withLock({ $0 }) { return answer }
        _ = done.wait(upTo: limit)
        return answer.withLock { $0 }
    }
}
