#if SwiftLog
/// The members of an event that not every version of swift-log has: one that the type does not have is nil.
///
/// The compiler looks a member up in the event's type first, and then in ``Missing``.
@dynamicMemberLookup
struct EventMembers<Event> {
    /// What is read where an event has no such member.
    struct Missing {
        /// From version 1.12 on.
        var error: (any Error)? { nil }
    }

    private let event: Event

    init(_ event: Event) { self.event = event }

    subscript<Value>(dynamicMember path: KeyPath<Event, Value>) -> Value { event[keyPath: path] }

    @_disfavoredOverload
    subscript<Value>(dynamicMember path: KeyPath<Missing, Value>) -> Value { Missing()[keyPath: path] }
}
#endif
