public import Heartwood

/// What a test expects of recorded messages: which ones are meant.
///
/// Everything that is given must hold; what is not given may be anything.
struct RecordingExpectation: Sendable {
    var levels: LogLevelMask?
    /// Levels that are more serious than this one, the user's own included.
    var above: LogLevel?
    var text: String?
    var category: LogCategory?
    var fields: LogMetadata = [:]

    func matches(_ message: LogMessage) -> Bool {
        if let levels, !levels.contains(message.level) { return false }
        if let above, message.level.severity.index >= above.severity.index { return false }
        if let category, message.category != category { return false }
        if let text, !message.text(privacy: .reveal).contains(text) { return false }
        if fields.isEmpty { return true }
        let (own, beside) = (message.fields(privacy: .reveal), message.metadata)
        return fields.allSatisfy { (own[$0.key] ?? beside[$0.key]) == $0.value }
    }

    /// The expectation for a person: `error of “storage” containing “disk”`.
    var description: String {
        var words = above.map { "level above \($0)" } ?? levels.map { "\($0)" } ?? "any level"
        if let category { words += " of “\(category.name)”" }
        if let text { words += " containing “\(text)”" }
        if !fields.isEmpty {
            words += " with " + fields.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
        }
        return words
    }
}

/// An error of an expectation, whose description contains the recorded messages.
public struct RecordingMismatch: Error, CustomStringConvertible, Sendable {
    /// The expectation, and what was found instead.
    public let reason: String
    /// The location of the expectation: `ShopTests/CartTests.swift:42`.
    public let place: String
    /// The messages that were recorded.
    public let messages: [LogMessage]

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
