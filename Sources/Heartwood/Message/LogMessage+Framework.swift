import CHeartwood

extension LogMessage {
    /// A message of the framework's own, which did not come through a ring.
    static func ofFramework(
        _ text: String, level: LogLevel, fields: LogMetadata = [:], at time: LogTimestamp
    ) -> LogMessage {
        var parts = MessageParts()
        parts.level = level
        parts.category = .heartwood
        parts.timestamp = time
        parts.threadID = ThreadState.current.id
        parts.text = LogText(text).bytes
        parts.fields = EncodedMetadata(fields).bytes
        let storage = MessageStorage()
        storage.fill(parts)
        return LogMessage(storage: storage)
    }

    /// The message in the place of messages that were dropped: "37 messages dropped here".
    static func ofLoss(_ count: Int, because failure: SystemFailure? = nil, at time: LogTimestamp)
        -> LogMessage
    {
        ofFramework(
            lossText(count, because: failure), level: .warning, fields: ["dropped": .integer(Int64(count))],
            at: time)
    }

    /// The text of ``ofLoss(_:because:at:)``.
    static func lossText(_ count: Int, because failure: SystemFailure? = nil) -> String {
        let why = failure.map { " (\($0.reason))" } ?? ""
        return "\(count) \(count == 1 ? "message" : "messages") dropped here\(why)"
    }

    /// Makes a message from its parts, for tests of formatters and for bridges.
    ///
    /// - Parameters:
    ///   - text: The text with its values.
    ///   - level: The level.
    ///   - category: The category.
    ///   - context: The number that goes along.
    ///   - tag: The value that goes along.
    ///   - metadata: The fields that go beside the text.
    ///   - timestamp: When it was logged; now unless given.
    ///   - sequence: Its number in the order of messages.
    ///   - file: Where it was logged: `Module/File.swift`.
    ///   - function: The function it was logged in.
    ///   - line: The line it was logged in.
    ///   - threadID: The kernel's number of the thread; the caller's unless given.
    ///   - threadName: The thread's name.
    ///   - queueLabel: The label of the dispatch queue.
    ///   - taskName: The name of the task.
    public init(
        _ text: LogText, level: LogLevel = .info, category: LogCategory = .default, context: Int = 0,
        tag: (any Sendable)? = nil, metadata: LogMetadata = [:], timestamp: LogTimestamp? = nil,
        sequence: UInt64 = 0,
        file: String = #fileID, function: String = #function, line: Int = #line, threadID: UInt64? = nil,
        threadName: String? = nil, queueLabel: String? = nil, taskName: String? = nil
    ) {
        let parts = MessageParts(
            level: level, category: category, context: context, tag: tag,
            site: CallSite(id: .max, file: file, function: function, line: line),
            timestamp: timestamp ?? SystemClock().now(), sequence: sequence,
            threadID: threadID ?? ThreadState.current.id, threadName: threadName, queueLabel: queueLabel,
            taskName: taskName, text: text.bytes, fields: EncodedMetadata(metadata).bytes)
        let storage = MessageStorage()
        storage.fill(parts)
        self.init(storage: storage)
    }
}

extension LogText {
    /// The encoded pieces.
    var bytes: [UInt8] { Array(UnsafeRawBufferPointer(start: buffer.base, count: count)) }
}
