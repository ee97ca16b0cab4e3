/// Something that happens between two messages, in their order.
final class ControlBox: Sendable {
    let action: @Sendable (inout Drain) -> Void
    init(_ action: @escaping @Sendable (inout Drain) -> Void) { self.action = action }
}
