import Heartwood
import HeartwoodHTTP
import HeartwoodServer

/// Serves the page and what it asks for, to those who have its address.
final class ViewServer: Sendable {
    private let server: HTTPServer
    private let log: ViewLog
    private let tickets: ViewTickets
    private let host: String
    /// The places for pages that are told of what changes.
    let eventPlaces = ViewEventPlaces()
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
        let answers = ViewAnswers(log: log, tickets: tickets, places: eventPlaces)
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

/// Decides which requests the view's server answers.
///
/// A page of another site that is open in the same browser can send requests here. It does not know the
/// token, and even with it neither its `Origin`, nor a host name that it has pointed at this address
/// (`Host`), nor what the browser says of the request (`Sec-Fetch-Site`) passes.
struct ViewGate: Sendable {
    /// Why a request is refused.
    enum Refusal: Equatable {
        /// `Host` names another server.
        case host
        /// The request comes from another site's page.
        case origin
        /// The address has no token, or a wrong one.
        case token
    }

    private let token: [UInt8]
    private let hosts: Set<String>
    /// Whether any numeric address is taken as the host, because the server listens on all of them.
    private let port: Int
    private let takesAnyAddress: Bool

    /// Makes a gate for a server that listens on an address and a port.
    init(token: String, address: String, port: Int) {
        self.token = Array(token.utf8)
        self.port = port
        let place = SocketAddress(address, port: port)
        takesAnyAddress = place?.isAny ?? false
        var hosts: Set<String> = [place?.isVersion6 == true ? "[\(address)]:\(port)" : "\(address):\(port)"]
        if place?.isLoopback == true || takesAnyAddress {
            hosts.formUnion(["localhost:\(port)", "127.0.0.1:\(port)", "[::1]:\(port)"])
        }
        self.hosts = hosts
    }

    /// Says why a request is refused; nil where it is answered.
    ///
    /// `isPage` says that the request is for the page itself, which links from elsewhere may open.
    func refusal(of head: HTTPRequestHead, token given: String?, isPage: Bool) -> Refusal? {
        guard let host = head.headers["Host"]?.lowercased(), isOurs(host) else { return .host }
        if let origin = head.headers["Origin"], origin.lowercased() != "http://\(host)" { return .origin }
        switch head.headers["Sec-Fetch-Site"]?.lowercased() {
        case nil, "same-origin", "none": break
        default:
            guard isPage, head.headers["Sec-Fetch-Mode"]?.lowercased() == "navigate" else { return .origin }
        }
        return isToken(given ?? "") ? nil : .token
    }

    private func isOurs(_ host: String) -> Bool {
        if hosts.contains(host) { return true }
        guard takesAnyAddress, host.hasSuffix(":\(port)") else { return false }
        let name = host.dropLast(":\(port)".count)
        let isBracketed = name.hasPrefix("[") && name.hasSuffix("]")
        return SocketAddress(String(isBracketed ? name.dropFirst().dropLast() : name), port: port) != nil
    }

    /// Compares in the same time wherever the first difference is.
    private func isToken(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == token.count else { return false }
        var difference: UInt8 = 0
        for (left, right) in zip(bytes, token) { difference |= left ^ right }
        return difference == 0
    }
}

/// Tickets that lead to the page once each.
///
/// The browser is started with an address among its arguments, which other users of the machine can see. It
/// has a ticket instead of the token; whoever comes second with it is refused.
final class ViewTickets: Sendable {
    private let token: String
    private let open = Locked<Set<String>>([])

    init(token: String) {
        self.token = token
    }

    /// Makes a ticket.
    func issue() -> String {
        let ticket = Hexadecimal.encode(RandomBytes.make(20))
        open.withLock { _ = $0.insert(ticket) }
        return ticket
    }

    /// The token, for a ticket that was issued and not used yet.
    func redeem(_ ticket: String) -> String? { open.withLock { $0.remove(ticket) } == nil ? nil : token }
}
