import Heartwood

/// What the answers of the view's server are made of.
extension LogValue {
    /// A moment, given in nanoseconds, as milliseconds since 1970; exact, where a division of the whole would
    /// round.
    static func moment(_ nanoseconds: Int64) -> LogValue {
        .double(Double(nanoseconds / 1_000_000) + Double(nanoseconds % 1_000_000) / 1e6)
    }

    /// A list of what a closure makes of each element.
    static func list<Elements: Sequence>(
        _ elements: Elements, _ value: (Elements.Element) -> LogValue
    ) -> LogValue { .array(elements.map(value)) }

    /// The value as JSON.
    var json: [UInt8] {
        var buffer = LogBuffer(capacity: 4096)
        buffer.append(json: self)
        return buffer.bytes
    }
}
