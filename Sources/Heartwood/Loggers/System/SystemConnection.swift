import CHeartwood

/// The socket to a log daemon: opened when there is something to send, and again when the daemon has gone and
/// come back.
///
/// Nothing here waits longer than until a deadline. Owned by the logger's hooks.
final class SystemConnection {
    /// Who is at the other end.
    enum Peer: Equatable {
        /// journald, at a socket for datagrams.
        case journal(path: String)
        /// A syslog daemon of this host, at a socket for datagrams, or at a stream of frames that end like
        /// this.
        case local(path: String, ending: SyslogFrame.Ending)
        case udp(host: String, port: Int)
        case tcp(host: String, port: Int)

        var name: String {
            switch self {
            case .journal(let path), .local(let path, _): path
            case .udp(let host, let port): "\(host) port \(port) (UDP)"
            case .tcp(let host, let port): "\(host) port \(port) (TCP)"
            }
        }
    }

    /// The result of an attempt to send the waiting messages.
    struct Outcome {
        var bytes = 0
        var frames = 0
        /// Messages that no datagram can hold; they are gone.
        var tooLong = 0
        /// Messages that had been sent, and that the peer's host has rejected since.
        var refused = 0
        /// Why something still waits; nil where nothing does.
        var trouble: Trouble?
    }

    /// Why messages cannot be sent now.
    enum Trouble: Equatable {
        /// The peer does not read, or has not answered yet.
        case busy
        /// There is no peer, for this reason.
        case gone(String)
    }

    private enum State {
        case closed
        case looking(HostLookup)
        case connecting(Descriptor, since: Duration)
        case open(Descriptor)
    }

    /// Whether a process listens at an address for datagrams, which only a refusal tells.
    private enum Probe {
        case none
        /// The first datagram has gone, and the socket has told of no refusal so far.
        case sent(at: Duration)
        /// It was not refused in time.
        case passed
    }

    /// How long a connection may take to come about.
    static let connectLimit = Duration.seconds(10)
    /// How long the first datagram to an address is kept, to go to the next one if it is refused.
    static let refusalTime = Duration.milliseconds(50)

    let peer: Peer
    private let sockets: SystemSockets
    private var state = State.closed
    /// Whether the socket is a stream; known once it is open.
    private(set) var isStream: Bool
    /// The process that opened the socket, nil before that; a child of a fork opens another one.
    private var owner: ProcessOwner?
    /// How many sockets were opened, and on which of them something was sent last.
    private var opened = 0
    private var sentOn = 0
    private var probe = Probe.none
    private var addresses: [SocketAddress] = []
    private var nextAddress = 0

    init(_ peer: Peer, _ sockets: SystemSockets = SystemSockets()) {
        self.peer = peer
        self.sockets = sockets
        if case .tcp = peer { isStream = true } else { isStream = false }
    }

    deinit { close() }

    /// Closes the socket; the next attempt opens another one.
    func close() {
        state = .closed
    }

    /// Whether this process is a child of the one that opened the socket, which is closed then.
    func leaveParent() -> Bool {
        guard let owner, !owner.isHere else { return false }
        close()
        self.owner = nil
        return true
    }

    // MARK: - Opening

    /// Opens the socket unless it is open; nil when it is, or the reason why it is not.
    private func open(until deadline: Duration) -> Trouble? {
        while true {
            switch state {
            case .open(let socket):
                // The program may have closed it, and its number may be another file's by now.
                if socket.isOurs, !isStream || !hw_peer_has_closed(socket.number) { return nil }
                close()
            case .connecting(let socket, let since):
                if socket.isOurs { return finish(socket, since, until: deadline) }
                close()
            case .looking(let lookup):
                switch lookup.wait(upTo: deadline - SystemClock().uptime()) {
                case nil: return .busy
                case .failed(let reason):
                    state = .closed
                    return .gone(reason)
                case .addresses(let found):
                    (addresses, nextAddress) = (found, 0)
                    state = .closed
                }
            case .closed:
                if let trouble = begin() { return trouble }
            }
        }
    }

    private func begin() -> Trouble? {
        owner = ProcessOwner()
        switch peer {
        case .journal(let path): return take(hw_connect_local(path, false))
        case .local(let path, _):
            isStream = false
            let descriptor = hw_connect_local(path, false)
            if descriptor >= 0 || hw_errno() != EPROTOTYPE { return take(descriptor) }
            isStream = true
            return take(hw_connect_local(path, true))
        case .udp(let host, let port): return connect(host, port)
        case .tcp(let host, let port): return connect(host, port)
        }
    }

    private func connect(_ host: String, _ port: Int) -> Trouble? {
        guard nextAddress < addresses.count else {
            (addresses, nextAddress) = ([], 0)
            state = .looking(HostLookup(host: host, port: port, stream: isStream, find: sockets.find))
            return nil
        }
        let descriptor = hw_connect(&addresses[nextAddress].address, isStream)
        nextAddress += 1
        let number = hw_errno()
        if descriptor >= 0, let socket = try? Descriptor(descriptor, SystemCalls()) {
            state = .connecting(socket, since: SystemClock().uptime())
            return nil
        }
        return nextAddress < addresses.count ? nil : failure(number)
    }

    /// Takes a socket over that is connected already, or the error that says why it is not.
    private func take(_ descriptor: Int32) -> Trouble? {
        if descriptor < 0 { return failure(hw_errno()) }
        do throws(SystemFailure) { state = .open(try Descriptor(descriptor, SystemCalls())) } catch {
            return failure(error.number)
        }
        opened += 1
        return nil
    }

    private func finish(_ socket: Descriptor, _ since: Duration, until deadline: Duration) -> Trouble? {
        if !SystemConnection.waitUntilWritable(socket.number, until: deadline) {
            if SystemClock().uptime() - since < SystemConnection.connectLimit { return .busy }
            close()
            return .gone("no answer within \(SystemConnection.connectLimit)")
        }
        let error = hw_socket_error(socket.number)
        if error == 0 {
            state = .open(socket)
            opened += 1
            probe = .none
            // All addresses are asked for again the next time; of datagrams one has to arrive before.
            if isStream { addresses = [] }
            return open(until: deadline)
        }
        close()
        return nextAddress < addresses.count ? open(until: deadline) : failure(error)
    }

    private func failure(_ number: Int32) -> Trouble {
        // A stream's queue of connections is full, or a socket's memory.
        if number == EAGAIN || number == ENOBUFS { return .busy }
        return .gone(SystemFailure.reason(of: number))
    }

    private static func waitUntilWritable(_ descriptor: Int32, until deadline: Duration) -> Bool {
        while true {
            let rest = deadline - SystemClock().uptime()
            // Rounded up.
            let milliseconds = Int32(
                clamping: (max(0, rest.nanoseconds) - 1).dividedDown(by: 1_000_000) + 1)
            let result = hw_wait_writable(descriptor, milliseconds)
            if result > 0 { return true }
            if result == 0 || hw_errno() != EINTR || rest <= .zero { return false }
        }
    }

    // MARK: - Sending

    /// Opens the socket unless it is open; on a new one the first message begins from its beginning.
    func open(for outbox: inout SystemOutbox, until deadline: Duration) -> Trouble? {
        if let trouble = open(until: deadline) { return trouble }
        if sentOn != opened {
            outbox.restartFirst()
            sentOn = opened
        }
        return nil
    }

    /// Sends what it can until the deadline; a connection that is lost is opened again once.
    func send(_ outbox: inout SystemOutbox, until deadline: Duration) -> Outcome {
        var outcome = Outcome()
        var mayReopen = true
        while !outbox.isEmpty {
            if let trouble = open(for: &outbox, until: deadline) {
                outcome.trouble = trouble
                return outcome
            }
            guard case .open(let socket) = state else { return outcome }
            let descriptor = socket.number
            let number =
                isStream
                ? sendStream(&outbox, descriptor, &outcome)
                : sendDatagrams(&outbox, descriptor, &outcome, until: deadline)
            switch number {
            case 0: break
            case EAGAIN, ENOBUFS:
                if SystemClock().uptime() < deadline,
                    SystemConnection.waitUntilWritable(descriptor, until: deadline)
                {
                    // Writable, but not for as much as this.
                    usleep(500)
                    continue
                }
                outcome.trouble = .busy
                return outcome
            case _ where isUDP:
                // Of those that were sent before, one has come back, at least.
                if number == ECONNREFUSED, case .passed = probe { outcome.refused += 1 }
                close()
                outbox.restartFirst()
                if nextAddress < addresses.count, SystemClock().uptime() < deadline { continue }
                addresses = []
                outcome.trouble = .gone(SystemFailure.reason(of: number))
                return outcome
            default:
                close()
                outbox.restartFirst()
                if mayReopen, SystemClock().uptime() < deadline {
                    mayReopen = false
                    continue
                }
                outcome.trouble = .gone(SystemFailure.reason(of: number))
                return outcome
            }
        }
        return outcome
    }

    private var isUDP: Bool { if case .udp = peer { true } else { false } }

    /// Sends one datagram after the other; the `errno` of the one that could not be sent, or 0.
    private func sendDatagrams(
        _ outbox: inout SystemOutbox, _ descriptor: Int32, _ outcome: inout Outcome, until deadline: Duration
    ) -> Int32 {
        if isUDP {
            let number = passProbe(&outbox, descriptor, &outcome, until: deadline)
            if number != 0, number != EMSGSIZE { return number }
        }
        while !outbox.isEmpty {
            var number = outbox.withFirst { frame in
                let frame = content(of: frame)
                let sent = hw_send(descriptor, frame.baseAddress, frame.count)
                return sent < 0 ? hw_errno() : 0
            }
            if number == EMSGSIZE || number == ENOBUFS, case .journal = peer {
                number = outbox.withFirst { frame in
                    hw_send_in_file(descriptor, frame.baseAddress, frame.count) < 0 ? hw_errno() : 0
                }
            }
            if number == EMSGSIZE {
                outcome.tooLong += outbox.removeFirst()
                continue
            }
            if number != 0 { return number }
            outcome.bytes += outbox.withFirst { $0.count }
            outcome.frames += 1
            outbox.removeFirst()
        }
        return 0
    }

    /// Sends the first datagram of a new socket, and keeps it until it is clear that it was not refused; the
    /// `errno`, `EAGAIN` while that is not clear yet, or 0.
    private func passProbe(
        _ outbox: inout SystemOutbox, _ descriptor: Int32, _ outcome: inout Outcome, until deadline: Duration
    ) -> Int32 {
        if case .passed = probe { return 0 }
        let size = outbox.withFirst { $0.count }
        if case .none = probe {
            let sent = outbox.withFirst { hw_send(descriptor, $0.baseAddress, $0.count) }
            if sent < 0 { return hw_errno() }
            // As one that has gone in part it stays the first, and goes again on another socket.
            outbox.advance(by: size - 1)
            probe = .sent(at: SystemClock().uptime())
        }
        guard case .sent(let time) = probe else { return 0 }
        let end = time + SystemConnection.refusalTime
        let rest = min(end, deadline) - SystemClock().uptime()
        _ = hw_wait_error(descriptor, Int32(clamping: max(.zero, rest).nanoseconds / 1_000_000))
        let error = hw_socket_error(descriptor)
        if error != 0 { return error }
        if SystemClock().uptime() < end - .milliseconds(1) { return EAGAIN }
        probe = .passed
        outcome.bytes += size
        outcome.frames += 1
        outbox.advance(by: 1)
        return 0
    }

    /// A frame of a stream without what is there for the stream.
    private func content(of frame: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        guard case .local(_, let ending) = peer else { return frame }
        return switch ending {
        case .datagram: frame
        case .newline: UnsafeRawBufferPointer(rebasing: frame.dropLast())
        case .counted:
            UnsafeRawBufferPointer(rebasing: frame.drop { $0 != UInt8(ascii: " ") }.dropFirst())
        }
    }

    private func sendStream(
        _ outbox: inout SystemOutbox, _ descriptor: Int32, _ outcome: inout Outcome
    ) -> Int32 {
        while !outbox.isEmpty {
            let sent = outbox.withRest(upTo: 256 * 1024) { hw_send(descriptor, $0.baseAddress, $0.count) }
            if sent < 0 { return hw_errno() }
            let before = outbox.count
            outbox.advance(by: sent)
            outcome.bytes += sent
            outcome.frames += before - outbox.count
        }
        return 0
    }
}
