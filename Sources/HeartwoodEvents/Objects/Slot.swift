import Heartwood

/// A place that an encoder fills.
final class Slot {
    private enum Content {
        case value(LogValue)
        case array([Slot])
        case object([(key: String, slot: Slot)])
    }
    private var content = Content.value(.null)

    /// What was put in.
    var value: LogValue {
        switch content {
        case .value(let value): value
        case .array(let slots): .array(slots.map(\.value))
        case .object(let fields): .object(LogMetadata(fields.map { ($0.key, $0.slot.value) }))
        }
    }

    var count: Int { if case .array(let slots) = content { slots.count } else { 0 } }

    func set(_ value: LogValue) { content = .value(value) }

    func becomeArray() { if case .value = content { content = .array([]) } }

    func becomeObject() { if case .value = content { content = .object([]) } }

    func append() -> Slot {
        let slot = Slot()
        if case .array(var slots) = content {
            content = .value(.null)  // so that the array is changed in its place
            slots.append(slot)
            content = .array(slots)
        }
        return slot
    }

    func field(_ key: String) -> Slot {
        let slot = Slot()
        if case .object(var fields) = content {
            content = .value(.null)
            fields.append((key, slot))
            content = .object(fields)
        }
        return slot
    }
}
