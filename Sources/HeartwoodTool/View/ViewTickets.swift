import Heartwood
import HeartwoodHTTP

/// Tickets that lead to the page once each.
///
/// The browser is started with an address among its arguments, which other users of the machine can see. It has a ticket
/// instead of the token; whoever comes second with it is refused.
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
