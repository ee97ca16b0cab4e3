import CHeartwood
import Heartwood
import HeartwoodHTTP

/// Listens on an address and serves each connection on its own thread, until it is stopped.
package final class SocketListener: Sendable {
    // MARK: Constants (any thread)

    /// The port; chosen by the system where 0 was asked for.
    package let port: Int
    private let descriptor: Int32

    // MARK: Guarded by 'state'

    private struct State {
        var connections: Set<Int32> = []
        var connectionCount = 0
        var isStopped = false
    }
    private let state = Locked(State())

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - address: A numeric address, IPv4 or IPv6.
    ///   - port: The port; 0 for one that is free.
    ///   - connectionLimit: How many connections are served at a time; more are closed at once.
    ///   - serve: Serves a connection, on its own thread, and returns when it is over; gets its number, from 0.
    /// - Throws: `LogError` when the address is invalid.
    package init(
        address: String = "127.0.0.1", port: Int = 0, connectionLimit: Int = .max,
        serve: @escaping @Sendable (SocketStream, Int) -> Void
    ) throws {
        guard let place = SocketAddress(address, port: port) else {
            throw LogError(.network, "“\(address)” is not a numeric address", place: address)
        }
        descriptor = try place.listen()
        self.port = place.port(of: descriptor)
        let started = DetachedThread.start { [descriptor, state] in
            Self.accept(on: descriptor, state, connectionLimit, serve)
        }
        guard started else {
            close(descriptor)
            throw LogError(.network, "cannot start a thread for the server")
        }
    }

    deinit { stop() }

    /// How many connections were accepted so far.
    package var connectionCount: Int { state.withLock { $0.connectionCount } }

    /// Shuts all connections down and frees the port; a second call does nothing.
    package func stop() {
        let wasStopped = state.withLock { state in
            defer { state.isStopped = true }
            // The connections' threads close them; here they only learn that it is over.
            for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
            return state.isStopped
        }
        if !wasStopped { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    private static func accept(
        on listener: Int32, _ state: Locked<State>, _ limit: Int,
        _ serve: @escaping @Sendable (SocketStream, Int) -> Void
    ) {
        while true {
            let descriptor = acceptConnection(listener)
            let error = hw_errno()
            let number = state.withLock { state -> Int? in
                guard !state.isStopped, descriptor >= 0 else { return nil }
                guard state.connections.count < limit else { return nil }
                state.connections.insert(descriptor)
                defer { state.connectionCount += 1 }
                return state.connectionCount
            }
            if let number {
                let started = DetachedThread.start {
                    serve(SocketStream(descriptor: descriptor), number)
                    finish(descriptor, state)
                }
                if !started { finish(descriptor, state) }
                continue
            }
            if descriptor >= 0 { close(descriptor) }
            if state.withLock({ $0.isStopped }) { break }
            if descriptor >= 0 { continue }
            // Without descriptors or memory no connection can be accepted for a while: others may end meanwhile.
            switch error {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(20_000)
            default:
                close(listener)
                return
            }
        }
        close(listener)
    }

    private static func finish(_ descriptor: Int32, _ state: Locked<State>) {
        state.withLock { state in
            state.connections.remove(descriptor)
            close(descriptor)
        }
    }
}

private func acceptConnection(_ listener: Int32) -> Int32 {
    let descriptor = accept(listener, nil, nil)
    if descriptor >= 0 { SystemCalls.closeOnExec(descriptor) }
    return descriptor
}
