public import Heartwood

/// A message, which loggers and formatters get.
///
/// It never changes, and may be kept and used on any thread. Heartwood's name for it is `LogMessage`, which
/// it is made of: ``heartwoodMessage``.
open class DDLogMessage: NSObject, NSCopying, @unchecked Sendable {  // never changed after its initializer
    // Variables, because only a designated initializer sets constants, and none is hidden from clients: a
    // class that has such a one hands no convenience initializers on to subclasses elsewhere.

    /// The message of Heartwood, with its typed values.
    public final private(set) var heartwoodMessage: LogMessage
    /// The text of a message that was made by hand.
    private var text: LogText?
    /// The text before values were put into it, with a specifier in place of each value.
    private var format: String?
    /// The time as it was given.
    private var date: Date?
    /// What the call said.
    private var call: Call

    private struct Call {
        let level: DDLogLevel
        let flag: DDLogFlag
        let tag: Any?
        var options: DDLogMessageOptions = []
    }

    /// Makes an empty message.
    public override init() {
        (text, format, date) = (LogText(""), "", nil)
        call = Call(level: .off, flag: [], tag: nil)
        heartwoodMessage = LogMessage("", file: "", function: "", line: 0)
    }

    /// Makes a message from a message of Heartwood.
    public init(_ message: LogMessage) {
        let tag = message.tag
        let kept = tag as? CallTag
        heartwoodMessage = message
        (text, format, date) = (nil, nil, nil)
        call = Call(
            level: kept?.level ?? DDDefaultLogLevel,
            flag: kept?.flag ?? DDLogFlag(heartwoodLevel: message.level),
            tag: kept == nil ? tag : kept?.tag)
    }

    /// Makes a message from a text, on the thread that the message is about.
    ///
    /// - Parameters:
    ///   - format: The text before values were put into it.
    ///   - formatted: The text.
    ///   - level: The flags that the call site logs.
    ///   - flag: The severity.
    ///   - context: A number that formatters and filters can use.
    ///   - file: The source file.
    ///   - function: The function; nil if it is not known.
    ///   - line: The line, from 1.
    ///   - tag: Any value, which becomes ``representedObject``.
    ///   - options: Kept in ``options``; without effect.
    ///   - timestamp: The time of the message; nil is the current time.
    public init(
        format: String, formatted: String, level: DDLogLevel, flag: DDLogFlag, context: Int, file: String,
        function: String?, line: UInt, tag: Any?, options: DDLogMessageOptions, timestamp: Date?
    ) {
        let text = LogText(formatted)
        heartwoodMessage = DDLogMessage.make(
            text, flag, context, CallTag.tag(tag, level, flag), file, function, line, timestamp)
        (self.text, self.format, date) = (text, format, timestamp)
        call = Call(level: level, flag: flag, tag: tag, options: options)
    }

    /// Makes a message from a format and a list of values, which `String(format:)` puts together.
    ///
    /// - Parameters:
    ///   - format: A format of `String(format:)`. It must not come from outside the program.
    ///   - args: The values of the format.
    ///   - level: The flags that the call site logs.
    ///   - flag: The severity.
    ///   - context: A number that formatters and filters can use.
    ///   - file: The source file.
    ///   - function: The function; nil if it is not known.
    ///   - line: The line, from 1.
    ///   - tag: Any value, which becomes ``representedObject``.
    ///   - options: Kept in ``options``; without effect.
    ///   - timestamp: The time of the message; nil is the current time.
    public convenience init(
        format: String, args: CVaListPointer, level: DDLogLevel, flag: DDLogFlag, context: Int, file: String,
        function: String?, line: UInt, tag: Any?, options: DDLogMessageOptions, timestamp: Date?
    ) {
        self.init(
            format: format, formatted: NSString(format: format, arguments: args) as String, level: level,
            flag: flag,
            context: context, file: file, function: function, line: line, tag: tag, options: options,
            timestamp: timestamp)
    }

    /// Makes a message from a text.
    ///
    /// - Parameters:
    ///   - message: The text.
    ///   - level: The flags that the call site logs.
    ///   - flag: The severity.
    ///   - context: A number that formatters and filters can use.
    ///   - file: The source file.
    ///   - function: The function; nil if it is not known.
    ///   - line: The line, from 1.
    ///   - tag: Any value, which becomes ``representedObject``.
    ///   - options: Kept in ``options``; without effect.
    ///   - timestamp: The time of the message; nil is the current time.
    @available(*, deprecated, message: "Use init(format:formatted:…)")
    public convenience init(
        message: String, level: DDLogLevel, flag: DDLogFlag, context: Int, file: String, function: String?,
        line: UInt, tag: Any?, options: DDLogMessageOptions, timestamp: Date?
    ) {
        self.init(
            format: message, formatted: message, level: level, flag: flag, context: context, file: file,
            function: function, line: line, tag: tag, options: options, timestamp: timestamp)
    }

    /// Makes a message from a literal, whose values keep their types.
    ///
    /// - Parameters:
    ///   - format: The literal.
    ///   - level: The flags that the call site logs.
    ///   - flag: The severity.
    ///   - context: A number that formatters and filters can use; 0 unless given.
    ///   - file: The source file of the call. Leave out.
    ///   - function: The function of the call. Leave out.
    ///   - line: The line of the call. Leave out.
    ///   - tag: Any value, which becomes ``representedObject``; nil unless given.
    ///   - timestamp: The time of the message; nil, the default, is the current time.
    public init(
        _ format: DDLogMessageFormat, level: DDLogLevel, flag: DDLogFlag, context: Int = 0,
        file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line, tag: Any? = nil,
        timestamp: Date? = nil
    ) {
        heartwoodMessage = DDLogMessage.make(
            format.text, flag, context, CallTag.tag(tag, level, flag), file.description, function.description,
            line, timestamp)
        (text, self.format, date) = (format.text, nil, timestamp)
        call = Call(level: level, flag: flag, tag: tag, options: [.dontCopyMessage])
    }

    /// Makes a copy, with another text where one is given.
    convenience init(copying message: DDLogMessage, text newText: String? = nil) {
        let newText = newText.map { LogText($0) }
        let old = message.heartwoodMessage
        self.init(newText.map { old.copy($0, tag: old.tag) } ?? old)
        (text, format, date) = (newText ?? message.text, message.format, message.date)
        call = message.call
    }

    private static func make(
        _ text: LogText, _ flag: DDLogFlag, _ context: Int, _ tag: (any Sendable)?, _ file: String,
        _ function: String?, _ line: UInt, _ timestamp: Date?
    ) -> LogMessage {
        let thread = LogThread.current
        return LogMessage(
            text, level: LogLevel(flag), context: context, tag: tag,
            timestamp: timestamp.map { LogTimestamp($0) },
            file: file, function: function ?? "", line: Int(clamping: line), threadID: thread.id,
            threadName: thread.name, queueLabel: thread.queueLabel, taskName: thread.taskName)
    }

    // MARK: Through a dispatcher

    /// The message on its way to the loggers, with this object along, so that they get just this one.
    final var departing: LogMessage {
        guard let text else { return heartwoodMessage }
        let tag = CallTag(level: call.level, flag: call.flag, tag: call.tag, message: self)
        return heartwoodMessage.copy(text, tag: tag)
    }

    /// The object that was logged, or one that describes what was.
    static func arriving(_ message: LogMessage) -> DDLogMessage {
        (message.tag as? CallTag)?.message ?? DDLogMessage(message)
    }

    // MARK: What it says

    // A subclass may override these for loggers and formatters that ask the object. As in CocoaLumberjack,
    // the loggers of this module write what was logged, and filters see its flag.

    /// The flags that the call site logs.
    ///
    /// The severity is ``flag``.
    open var level: DDLogLevel { call.level }

    /// The severity.
    open var flag: DDLogFlag { call.flag }

    /// The `tag` of the call.
    open var representedObject: Any? { call.tag }

    /// How the call asked to keep the texts; without effect.
    open var options: DDLogMessageOptions { call.options }

    /// The text; private values of Heartwood's calls are redacted.
    open var message: String { heartwoodMessage.text }

    /// The text before values were put into it, with a specifier in place of each value.
    ///
    /// A percent sign of the literal is doubled where there are values.
    open var messageFormat: String {
        if let format { return format }
        let pieces = heartwoodMessage.pieces
        let hasValues = pieces.contains { if case .value = $0 { true } else { false } }
        return hasValues ? pieces.map(\.specifier).joined() : heartwoodMessage.text
    }

    /// The `context` of the call.
    open var context: Int { heartwoodMessage.context }

    /// The source file: `Module/File.swift`, or the file that was given.
    open var file: String { heartwoodMessage.file }

    /// The name of the file without folders and extension.
    open var fileName: String { heartwoodMessage.fileName }

    /// The function.
    open var function: String? {
        let function = heartwoodMessage.function
        return function.isEmpty ? nil : function
    }

    /// The line.
    open var line: UInt { UInt(clamping: heartwoodMessage.line) }

    /// The old name of ``representedObject``.
    @available(*, deprecated, renamed: "representedObject")
    open var tag: Any? { representedObject }

    /// The time at which the message was logged.
    open var timestamp: Date { date ?? heartwoodMessage.timestamp.date }

    /// The kernel's number of the thread, in digits.
    open var threadID: String { String(heartwoodMessage.threadID) }

    /// The name of the thread, if it has one.
    open var threadName: String? { heartwoodMessage.threadName }

    /// The label of the dispatch queue; empty if there was no queue.
    open var queueLabel: String { heartwoodMessage.queueLabel ?? "" }

    /// The quality of service; always 0 (unspecified), because messages do not contain it.
    open var qos: UInt { 0 }

    // MARK: As an object

    /// Makes a copy.
    open func copy(with zone: NSZone? = nil) -> Any { DDLogMessage(copying: self) }

    /// Whether two messages are equal, except for their options and the names of their threads.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? DDLogMessage else { return false }
        return message == other.message && messageFormat == other.messageFormat && level == other.level
            && flag == other.flag && context == other.context && file == other.file
            && function == other.function
            && line == other.line && DDLogMessage.isSame(representedObject, other.representedObject)
            && timestamp == other.timestamp && threadID == other.threadID && queueLabel == other.queueLabel
    }

    /// The hash of the values that ``isEqual(_:)`` compares.
    open override var hash: Int {
        var hasher = Hasher()
        for text in [message, file, threadID, queueLabel] { hasher.combine(text) }
        hasher.combine(level)
        hasher.combine(flag)
        hasher.combine(context)
        hasher.combine(line)
        hasher.combine(timestamp)
        return hasher.finalize()
    }

    /// The text.
    open override var description: String { message }

    private static func isSame(_ left: Any?, _ right: Any?) -> Bool {
        guard let left, let right else { return left == nil && right == nil }
        if let left = left as? any Equatable { return isEqual(left, right) }
        guard type(of: left) is AnyObject.Type, type(of: right) is AnyObject.Type else { return false }
        return left as AnyObject === right as AnyObject
    }

    private static func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool {
        right as? Value == left
    }
}

extension LogMessage {
    /// The same message with another text and another tag.
    fileprivate func copy(_ text: LogText, tag: (any Sendable)?) -> LogMessage {
        LogMessage(
            text, level: level, category: category, context: context, tag: tag, metadata: metadata,
            timestamp: timestamp, sequence: sequence, file: file, function: function, line: line,
            threadID: threadID,
            threadName: threadName, queueLabel: queueLabel, taskName: taskName)
    }
}

extension LogPiece {
    /// The piece as a format has it.
    fileprivate var specifier: String {
        switch self {
        case .literal(let text): text.replacingOccurrences(of: "%", with: "%%")
        case .value(let value, _, _):
            switch value {
            case .integer: "%lli"
            case .unsigned: "%llu"
            case .double: "%lf"
            case .bool: "%i"
            default: "%@"
            }
        }
    }
}

/// How a message keeps its texts; without effect, because texts are values in Swift.
public struct DDLogMessageOptions: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: Int

    /// Makes options from their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The file's name is copied.
    public static let copyFile = DDLogMessageOptions(rawValue: 1 << 0)
    /// The function's name is copied.
    public static let copyFunction = DDLogMessageOptions(rawValue: 1 << 1)
    /// The text is not copied.
    public static let dontCopyMessage = DDLogMessageOptions(rawValue: 1 << 2)
}
