import CHeartwood

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
    init(
        host: String, port: Int, stream: Bool, find: @escaping @Sendable (String, Int, Bool) -> Answer
    ) {
        let found = SocketAddress.find(host, port: port, stream: stream, numeric: true)
        if case .addresses = found {
            tell(found)
        } else {
            let isStarted = DetachedThread.start { self.tell(find(host, port, stream)) }
            if !isStarted { tell(.failed("no thread can be created to look up its address")) }
        }
    }

    private func tell(_ found: Answer) {
        answer.withLock { $0 = found }
        done.signal()
    }

    /// The answer, once it is there; nil where it has not come in time.
    func wait(upTo limit: Duration) -> Answer? {
        if let answer = answer.withLock({ $0 }) { return answer }
        _ = done.wait(upTo: limit)
        return answer.withLock { $0 }
    }
}

/// An address that a socket can be connected to.
struct SocketAddress: Sendable {
    var address: hw_address

    /// Asks the system for the addresses of a host; waits for the network unless only digits are understood.
    static func find(_ host: String, port: Int, stream: Bool, numeric: Bool) -> HostLookup.Answer {
        var addresses = [hw_address](repeating: hw_address(), count: 8)
        let count = hw_resolve(host, String(port), stream, numeric, &addresses, Int32(addresses.count))
        if count > 0 { return .addresses(addresses.prefix(Int(count)).map(SocketAddress.init)) }
        return .failed("no address: " + String(cString: hw_resolve_reason(count)))
    }
}
