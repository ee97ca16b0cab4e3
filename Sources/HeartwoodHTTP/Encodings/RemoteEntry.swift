public import Heartwood

/// A message as it is stored and sent: with its types, and with what others may not read already hidden.
public struct RemoteEntry: Sendable, Equatable {
    /// A text that no other entry has, the same at each attempt and after a restart.
    public var id = ""
    /// When it was logged.
    public var time = LogTimestamp(nanoseconds: 0)
    /// The level; of a level of the user's own its name and the standard level that it is as serious as.
    public var levelName = ""
    /// The standard level that it is as serious as.
    public var severity = LogLevel.info
    /// The category's name, nil for the default one.
    public var category: String?
    /// The number that the call gave.
    public var context = 0
    /// The text: what the logger's formatter made, or the message's own.
    public var text = ""
    /// The named values of the text.
    public var fields = LogMetadata()
    /// The fields beside the text.
    public var metadata = LogMetadata()
    /// The source file of the call: `Module/File.swift`.
    public var file = ""
    /// The function that made the call.
    public var function = ""
    /// The line of the call.
    public var line = 0
    /// The kernel's number of the thread; zero, and no thread, queue and task, for a message without a call
    /// site, which tells of another program.
    public var threadID: UInt64 = 0
    /// The thread's name.
    public var threadName: String?
    /// The dispatch queue's label.
    public var queueLabel: String?
    /// The task's name.
    public var taskName: String?
    /// The message's number in its dispatcher, in its process.
    public var sequence: UInt64 = 0

    /// Makes an empty entry.
    package init() {}

    /// Takes what a remote system may know of a message.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - text: The text instead of the message's own.
    ///   - privacy: What happens to private pieces, in the text and the fields.
    public init(_ message: LogMessage, text: String? = nil, privacy: LogPrivacyPolicy = .redact) {
        time = message.timestamp
        levelName = message.level.name
        severity = message.level.severity
        category = message.category == .default ? nil : message.category.name
        context = message.context
        self.text = text ?? message.text(privacy: privacy)
        fields = message.fields(privacy: privacy)
        metadata = message.metadata
        file = message.file
        function = message.function
        line = message.line
        sequence = message.sequence
        guard !file.isEmpty else { return }
        threadID = message.threadID
        threadName = message.threadName
        queueLabel = message.queueLabel
        taskName = message.taskName
    }

    /// The file's name without the module.
    public var fileName: String { file.split(separator: "/").last.map(String.init) ?? "" }

    /// The named values and then the fields beside the text, each name once.
    public var allFields: LogMetadata {
        var all = fields
        all.merge(metadata) { current, _ in current }
        return all
    }
}

/// The standard levels in the numbers and names of other systems.
enum LevelNumbers {
    /// OTLP's `SeverityNumber`.
    static func otlp(_ level: LogLevel) -> Int { [21, 17, 13, 10, 9, 5, 1][min(6, level.index)] }
    /// SwiftyBeaver's level, which is 0 to 4: a fatal message is an error there.
    static func swiftyBeaver(_ level: LogLevel) -> Int { [4, 4, 3, 2, 2, 1, 0][min(6, level.index)] }
    /// Datadog's status.
    static func datadog(_ level: LogLevel) -> String {
        ["critical", "error", "warning", "notice", "info", "debug", "debug"][min(6, level.index)]
    }
}
