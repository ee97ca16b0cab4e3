import Heartwood

/// Writes the answers of the view's server as JSON.
struct ViewJSON: ~Copyable {
    private var buffer = LogBuffer(capacity: 4096)
    private var needsComma = false

    /// What was written.
    var bytes: [UInt8] { buffer.withUnsafeBytes { Array($0) } }

    mutating func object(_ body: (inout ViewJSON) -> Void) { nested("{", "}", body) }
    mutating func list(_ body: (inout ViewJSON) -> Void) { nested("[", "]", body) }

    mutating func key(_ name: String) {
        comma()
        buffer.append(json: name)
        buffer.append(":" as StaticString)
        needsComma = false
    }

    mutating func text(_ text: String) {
        comma()
        buffer.append(json: text)
    }

    mutating func integer(_ number: Int) {
        comma()
        buffer.append(String(number))
    }

    mutating func number(_ number: Double) {
        comma()
        buffer.append(number.isFinite ? String(number) : "null")
    }

    /// A moment, given in nanoseconds, as milliseconds since 1970; exact, where a division of the whole would
    /// round.
    mutating func moment(_ nanoseconds: Int64) {
        number(Double(nanoseconds / 1_000_000) + Double(nanoseconds % 1_000_000) / 1e6)
    }

    mutating func flag(_ flag: Bool) {
        comma()
        buffer.append(flag ? "true" : "false")
    }

    mutating func null() {
        comma()
        buffer.append("null" as StaticString)
    }

    private mutating func nested(_ start: StaticString, _ end: StaticString, _ body: (inout ViewJSON) -> Void)
    {
        comma()
        buffer.append(start)
        needsComma = false
        body(&self)
        buffer.append(end)
        needsComma = true
    }

    private mutating func comma() {
        if needsComma { buffer.append("," as StaticString) }
        needsComma = true
    }
}
