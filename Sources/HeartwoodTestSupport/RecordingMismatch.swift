package import Heartwood

/// An error of an expectation, whose description contains the recorded messages.
public struct RecordingMismatch: Error, CustomStringConvertible, Sendable {
    /// The expectation, and what was found instead.
    package let reason: String
    /// The location of the expectation: `ShopTests/CartTests.swift:42`.
    package let place: String
    /// The messages that were recorded.
    package let messages: [LogMessage]

    /// The most messages that ``description`` shows: the newest.
    static let mostShown = 100

    /// The reason and the location, followed by the recorded messages, one per line.
    public var description: String {
        var lines = ["\(reason) [\(place)]"]
        if messages.isEmpty {
            lines.append("nothing was recorded")
        } else {
            lines.append("recorded:")
            let left = messages.count - RecordingMismatch.mostShown
            if left > 0 { lines.append("  … \(left) more before these") }
            for (number, message) in messages.enumerated().dropFirst(max(0, left)) {
                let category = message.category == .default ? "" : "[\(message.category.name)] "
                var line = LogBuffer()
                line.append("  \(number + 1). \(message.level) \(category)")
                line.appendText(of: message, privacy: .reveal, escaping: .escape)
                let fields = message.metadata.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
                if !fields.isEmpty { line.append(" {\(fields)}") }
                line.append("  \(message.fileName):\(message.line)")
                lines.append(line.text)
            }
        }
        return lines.joined(separator: "\n")
    }
}
