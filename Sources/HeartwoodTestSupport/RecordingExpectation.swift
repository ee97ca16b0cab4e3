import Heartwood

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
