import Heartwood
import HeartwoodHTTP
import HeartwoodServer

/// Serves the page and what it asks for, to those who have its address.
final class ViewServer: Sendable {
    private let server: HTTPServer
    private let log: ViewLog
    private let tickets: ViewTickets
    private let host: String
    /// The address of the page.
    let address: String

    /// Starts to serve.
    ///
    /// - Parameters:
    ///   - log: What is shown.
    ///   - listen: The numeric address to listen on.
    ///   - port: The port; 0 for one that is free.
    ///   - token: What the address of the page must contain.
    /// - Throws: `LogError` where the address is invalid.
    init(_ log: ViewLog, listen: String = "127.0.0.1", port: Int = 0, token: String) throws {
        self.log = log
        let gate = Locked<ViewGate?>(nil)
        let tickets = ViewTickets(token: token)
        self.tickets = tickets
        let answers = ViewAnswers(log, tickets)
        server = try HTTPServer(address: listen, port: port) { head in
            guard let gate = gate.withLock({ $0 }) else { return .text(503, "starting") }
            return answers.answer(head, gate)
        }
        gate.withLock { [port = server.port] in $0 = ViewGate(token: token, address: listen, port: port) }
        let place = SocketAddress(listen, port: 0)
        let isVersion6 = place?.isVersion6 == true
        // A browser cannot open “all addresses”.
        let own =
            place?.isAny == true ? SocketAddress.ofThisMachine(isVersion6: isVersion6) ?? listen : listen
        let name = isVersion6 ? "[\(own)]" : own
        host = "http://\(name):\(server.port)/"
        address = host + token + "/"
    }

    /// An address that leads to the page once: other users may see it among the arguments of the browser.
    func ticketAddress() -> String { host + "open/" + tickets.issue() }

    /// Ends all connections.
    func stop() {
        server.stop()
        log.stop()
    }
}
