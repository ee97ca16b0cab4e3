import Dispatch
public import Heartwood

/// Expectations for tests, with any framework: they throw a ``RecordingMismatch`` whose text says everything.
///
/// ```swift
/// let recorder = RecordingLogger()
/// let dispatcher = LogDispatcher()
/// dispatcher.add(recorder)
/// store.save(to: dispatcher)
/// try recorder.expect(.error, containing: "disk", category: .storage)
/// try recorder.expect(count: 2, .info, containing: "retry")
/// try recorder.expectNone(above: .error)
/// try recorder.expectOrder("opened", "disk", "closed")
/// try await recorder.waitFor(.notice, containing: "saved", within: .seconds(5))
/// ```
///
/// All but ``waitFor(_:containing:category:with:count:within:file:line:)`` first wait until what was logged
/// before by the calling thread has been recorded, so no flush is needed; ten seconds at most. Texts are
/// looked at with their private pieces. What the dispatcher says of itself is left out.
extension RecordingLogger {
    /// Expects that a matching message was recorded, or an exact number of them.
    ///
    /// - Parameters:
    ///   - count: How many; nil, the default: one or more.
    ///   - level: Their level; any unless given.
    ///   - text: What their text contains.
    ///   - category: Their category.
    ///   - fields: Values that they have, in the text or beside it.
    ///   - file: The location of the expectation.
    ///   - line: The location of the expectation.
    /// - Returns: the messages that are meant.
    /// - Throws: ``RecordingMismatch`` where there are fewer, or more.
    @discardableResult
    public final func expect(
        count: Int? = nil, _ level: LogLevel? = nil, containing text: String? = nil,
        category: LogCategory? = nil, with fields: LogMetadata = [:],
        file: StaticString = #fileID, line: UInt = #line
    ) throws -> [LogMessage] {
        let expectation = RecordingExpectation(
            levels: level.map { [$0] }, text: text, category: category, fields: fields)
        let messages = settledMessages()
        let found = messages.filter(expectation.matches)
        if let count {
            if found.count == count { return found }
            throw RecordingMismatch(
                reason: "expected \(count) × \(expectation.description), found \(found.count)",
                place: "\(file):\(line)", messages: messages)
        }
        if !found.isEmpty { return found }
        throw RecordingMismatch(
            reason: "expected \(expectation.description), found none", place: "\(file):\(line)",
            messages: messages)
    }

    /// Expects that no matching message was recorded.
    ///
    /// - Parameters:
    ///   - level: The level; any unless given.
    ///   - text: What the text contains.
    ///   - category: The category.
    ///   - fields: Values that the message has.
    ///   - file: The location of the expectation.
    ///   - line: The location of the expectation.
    /// - Throws: ``RecordingMismatch`` where there is one.
    public final func expectNone(
        _ level: LogLevel? = nil, containing text: String? = nil, category: LogCategory? = nil,
        with fields: LogMetadata = [:], file: StaticString = #fileID, line: UInt = #line
    ) throws {
        try expectNone(
            RecordingExpectation(
                levels: level.map { [$0] }, text: text, category: category, fields: fields),
            place: "\(file):\(line)")
    }

    /// Expects that no message above a level was recorded.
    ///
    /// - Parameters:
    ///   - level: The most serious level that there may be.
    ///   - category: The category; any unless given.
    ///   - file: The location of the expectation.
    ///   - line: The location of the expectation.
    /// - Throws: ``RecordingMismatch`` where there is one.
    public final func expectNone(
        above level: LogLevel, category: LogCategory? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) throws {
        try expectNone(
            RecordingExpectation(above: level, category: category), place: "\(file):\(line)")
    }

    private func expectNone(_ expectation: RecordingExpectation, place: String) throws {
        let messages = settledMessages()
        let count = messages.filter(expectation.matches).count
        if count == 0 { return }
        throw RecordingMismatch(
            reason: "expected no \(expectation.description), found \(count)", place: place,
            messages: messages)
    }

    /// Expects messages that contain these texts, in this order; other messages can be between them.
    ///
    /// - Parameters:
    ///   - texts: What they contain.
    ///   - file: The location of the expectation.
    ///   - line: The location of the expectation.
    /// - Throws: ``RecordingMismatch`` with the first that is missing after the one before it.
    public final func expectOrder(
        _ texts: String..., file: StaticString = #fileID, line: UInt = #line
    ) throws {
        let messages = settledMessages()
        var rest = messages[...]
        for (index, text) in texts.enumerated() {
            guard let place = rest.firstIndex(where: { $0.text(privacy: .reveal).contains(text) }) else {
                let position = index == 0 ? "" : " after “\(texts[index - 1])”"
                throw RecordingMismatch(
                    reason: "expected “\(text)”\(position), found none", place: "\(file):\(line)",
                    messages: messages)
            }
            rest = rest[(place + 1)...]
        }
    }

    /// Suspends until a matching message was recorded, or a number of them; earlier messages count too.
    ///
    /// - Parameters:
    ///   - level: Their level; any unless given.
    ///   - text: What their text contains.
    ///   - category: Their category.
    ///   - fields: Values that they have, in the text or beside it.
    ///   - count: How many.
    ///   - limit: How long to wait at most.
    ///   - file: The location of the expectation.
    ///   - line: The location of the expectation.
    /// - Returns: the messages that are meant, the oldest first; at least `count` of them.
    /// - Throws: ``RecordingMismatch`` where they do not come in time; `CancellationError` where the task is
    ///   canceled.
    @discardableResult
    public final func waitFor(
        _ level: LogLevel? = nil, containing text: String? = nil, category: LogCategory? = nil,
        with fields: LogMetadata = [:], count: Int = 1, within limit: Duration = .seconds(10),
        file: StaticString = #fileID, line: UInt = #line
    ) async throws -> [LogMessage] {
        let expectation = RecordingExpectation(
            levels: level.map { [$0] }, text: text, category: category, fields: fields)
        let deadline = ContinuousClock.now + limit
        while true {
            // Before the look: what comes after it ends the wait.
            let seen = recordings
            let messages = self.messages
            let found = messages.filter(expectation.matches)
            if found.count >= count { return found }
            let rest = deadline - .now
            if rest <= .zero {
                throw RecordingMismatch(
                    reason:
                        "expected \(count) × \(expectation.description) "
                        + "within \(limit), found \(found.count)",
                    place: "\(file):\(line)", messages: messages)
            }
            await waitForRecording(after: seen, upTo: rest)
            try Task.checkCancellation()
        }
    }

    /// The messages, when everything that this thread has logged is among them.
    private func settledMessages() -> [LogMessage] {
        _ = waitUntilIdle(timeout: .seconds(10))
        return messages
    }
}

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
