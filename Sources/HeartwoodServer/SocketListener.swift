import CHeartwood
import Heartwood
import HeartwoodHTTP

/// Listens on an address and serves each connection on its own thread, until it is stopped.
package final class SocketListener: Sendable {
    // MARK: Constants (any thread)

    /// The port; chosen by the system where 0 was asked for.
    package let port: Int
    private let socket: Descriptor

    // MARK: Guarded by 'state'

    private struct State {
        var connections: ConnectionTable
        var connectionCount = 0
        var isStopped = false
    }
    private let state: Locked<State>

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - address: A numeric address, IPv4 or IPv6.
    ///   - port: The port; 0 for one that is free.
    ///   - connectionLimit: How many connections are served at a time. A new one takes the place of one that
    ///     has not shown yet that it may be here (``SocketStream/trust()``); where all have, it is turned
    ///     away.
    ///   - refusal: What those that are turned away are told.
    ///   - serve: Serves a connection, on its own thread, and returns when it is over; gets its number, from
    ///     0.
    /// - Throws: `LogError` when the address is invalid.
    package init(
        address: String = "127.0.0.1", port: Int = 0, connectionLimit: Int = .max, refusal: [UInt8] = [],
        serve: @escaping @Sendable (SocketStream, Int) -> Void
    ) throws {
        guard let place = SocketAddress(address, port: port) else {
            throw LogError(.network, "“\(address)” is not a numeric address", place: address)
        }
        state = Locked(State(connections: ConnectionTable(limit: connectionLimit)))
        socket = try Descriptor(try place.listen(), SystemCalls())
        self.port = place.port(of: socket.number)
        let started = DetachedThread.start { [socket, state] in
            Self.accept(on: socket, state, refusal, serve)
        }
        guard started else { throw LogError(.network, "cannot start a thread for the server") }
    }

    deinit { stop() }

    /// How many connections were accepted so far.
    package var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Shuts all connections down and frees the port; a second call does nothing.
    package func stop() {
        let wasStopped = state.withLock { state in
            defer { state.isStopped = true }
            // The connections' threads close them; here they only learn that it is over.
            for connection in state.connections.descriptors { shutdown(connection, Int32(SHUT_RDWR)) }
            return state.isStopped
        }
        if !wasStopped, socket.isOurs { shutdown(socket.number, Int32(SHUT_RDWR)) }
    }

    private static func accept(
        on listener: Descriptor, _ state: Locked<State>, _ refusal: [UInt8],
        _ serve: @escaping @Sendable (SocketStream, Int) -> Void
    ) {
        while true {
            let descriptor = hw_accept(listener.number)
            let error = hw_errno()
            let connection = descriptor >= 0 ? try? Descriptor(descriptor, SystemCalls()) : nil
            let peer = connection == nil ? [] : SocketAddress.peer(of: descriptor)
            let number = state.withLock { state -> Int? in
                guard !state.isStopped, connection != nil else { return nil }
                switch state.connections.admit(descriptor, from: peer) {
                case .admit: break
                // Its thread learns that it is over, and closes it.
                case .replace(let stranger): shutdown(stranger, Int32(SHUT_RDWR))
                case .refuse: return nil
                }
                defer { state.connectionCount += 1 }
                return state.connectionCount
            }
            if let number {
                let started = DetachedThread.start {
                    defer { state.withLock { $0.connections.remove(descriptor) } }
                    let stream = SocketStream(descriptor: descriptor) {
                        state.withLock { $0.connections.trust(descriptor) }
                    }
                    withExtendedLifetime(connection) { serve(stream, number) }
                }
                if !started { state.withLock { $0.connections.remove(descriptor) } }
                continue
            }
            if connection != nil {
                // A new connection takes so few bytes at once, or it is gone.
                _ = refusal.withUnsafeBytes { SystemCalls.sendQuietly(descriptor, $0) }
                shutdown(descriptor, Int32(SHUT_WR))
            }
            if state.withLock({ $0.isStopped }) { break }
            if descriptor >= 0 { continue }
            // Without descriptors or memory no connection can be accepted for a while: others may end
            // meanwhile.
            switch error {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(20_000)
            default: return
            }
        }
    }
}
