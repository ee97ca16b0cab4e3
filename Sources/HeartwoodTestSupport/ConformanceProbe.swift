import Heartwood

/// A formatter that notes which messages a logger has it format, and in which order.
final class ConformanceProbe: LogFormatter, @unchecked Sendable {  // a lock guards the notes
    private let seen = Locked<[String]>([])
    /// Called with each text, before it is noted.
    private let body: @Sendable (LogMessage) -> Void

    init(_ body: @escaping @Sendable (LogMessage) -> Void = { _ in }) { self.body = body }

    /// The texts so far, without what the framework says itself.
    var texts: [String] { seen.withLock { $0 } }

    override func format(_ message: LogMessage) -> String? {
        body(message)
        let text = message.text
        if message.category != .heartwood { seen.withLock { $0.append(text) } }
        return text
    }
}
