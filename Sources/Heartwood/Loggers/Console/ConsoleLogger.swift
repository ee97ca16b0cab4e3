import CHeartwood

/// Writes messages to standard output or standard error, for people.
///
///     10:20:30.123 info    payments charged 12.5 EUR  {order=17}  Shop.swift:42
///
/// On a terminal, the level is colored, and time and source location are faint. A text with several lines is
/// shown as indented lines on a terminal, and as one line elsewhere. Control characters in a message are
/// always escaped, so a message cannot move the cursor or forge a line.
///
/// The settings are the members of ``ConsoleSettings``. They are ordered with the messages, and you can read
/// and set them on any thread. Each batch of messages is one `write(2)`. If the reader has gone away
/// (`myserver | head`), the process continues, and the messages count as failed.
///
/// If the reader has stopped (Ctrl-S, or a pipe that is not read), only this logger is delayed, on its own
/// queue. Synchronous calls, flushes, removals and the end of the process take no longer than their time
/// limits. ``AbstractLogger/backlogLimit`` limits the messages that wait; they are written as whole lines
/// when the reader continues.
open class ConsoleLogger: AbstractLogger, ConfigurableLogger, @unchecked Sendable {  // hooks own the rest
    /// The streams that messages are written to.
    public enum Stream: Hashable, Sendable {
        /// All messages go to standard output.
        case standardOutput
        /// All messages go to standard error.
        case standardError
        /// Messages of these levels go to standard error, the others to standard output.
        case split(errors: LogLevelMask)
    }

    /// The settings; their members are properties of the logger.
    public final let orderedSettings: Ordered<ConsoleSettings>

    // MARK: Owned by the hooks
    private var output = ConsoleStream(STDOUT_FILENO)
    private var error = ConsoleStream(STDERR_FILENO)
    private var layout = ConsoleLayout()
    private var splits: Stream

    /// Makes a console logger.
    ///
    /// - Parameters:
    ///   - stream: Where messages go.
    ///   - name: Its name in statistics.
    ///   - formatter: What writes the lines; the console's own layout unless given. A given formatter's lines
    ///     are colored as a whole, unless it does that itself (``LogFormatter/writesOwnColors``).
    public init(_ stream: Stream = .standardError, name: String = "console", formatter: LogFormatter? = nil) {
        var settings = ConsoleSettings()
        settings.stream = stream
        orderedSettings = Ordered(wrappedValue: settings)
        splits = stream
        super.init(name: name, formatter: formatter, runsOnCaller: true)
        apply()
    }

    /// Applies changed settings.
    public final override func settingsDidChange() {
        apply()
    }

    private func apply() {
        let settings = orderedSettings.inEffect
        splits = settings.stream
        layout = ConsoleLayout(
            palette: settings.palette, zone: settings.zone, showsSource: settings.showsSource,
            showsTime: settings.showsTime)
        output.configure(
            depth: settings.colorDepth, privacy: settings.privacy, escaping: settings.escaping)
        error.configure(depth: settings.colorDepth, privacy: settings.privacy, escaping: settings.escaping)
    }

    /// Adds the message to the batch of its stream.
    ///
    /// A subclass that overrides it may leave messages out, change or repeat them; what it hands to `super`
    /// is written.
    open override func log(_ message: LogMessage) {
        let toError =
            switch splits {
            case .standardOutput: false
            case .standardError: true
            case .split(let errors): errors.contains(message.level)
            }
        if toError {
            // What goes to the other stream was logged before: it is shown before, where both are one
            // terminal.
            if output.pending > 0 { write(&output) }
            append(message, to: &error)
        } else {
            if error.pending > 0 { write(&error) }
            append(message, to: &output)
        }
    }

    private func append(_ message: LogMessage, to stream: inout ConsoleStream) {
        if stream.isBlocked, stream.buffer.count > ConsoleStream.heldLimit {
            return reportFailure("nothing reads \(stream.name)")
        }
        if stream.isClosed { return reportFailure("the reader closed \(stream.name)") }
        if formatterColorsItself {
            if !formatted(message, into: &stream.buffer) { return }
        } else if hasFormatter {
            let start = stream.buffer.count
            let style = layout.palette.style(of: message).sequence(stream.depth)
            stream.buffer.append(style)
            let text = stream.buffer.count
            if !formatted(message, into: &stream.buffer) { return stream.buffer.truncate(to: start) }
            if stream.escaping != .none { stream.buffer.makeSafe(from: text, .indent) }
            if !style.isEmpty { stream.buffer.append(ConsoleStyle.reset) }
        } else {
            stream.buffer.redaction = redactionForMessage
            layout.append(
                message, to: &stream.buffer, depth: stream.depth, privacy: stream.privacy,
                escaping: stream.escaping)
        }
        stream.buffer.append(UInt8(ascii: "\n"))
        stream.pending += 1
        if stream.buffer.count >= 64 * 1024 { write(&stream) }
    }

    /// Writes the batch.
    public final override func batchDidEnd() { writeAll() }

    private func writeAll() {
        if output.pending > 0 { write(&output) }
        // In their order, where both are one terminal.
        if error.pending > 0, !output.isBlocked { write(&error) }
    }

    private func write(_ stream: inout ConsoleStream) {
        let (written, lost, reason) = stream.write(waiting: node.runner.readerPatience) { noteProgress() }
        if written > 0 { noteWritten(written) }
        if stream.isBlocked { node.runner.leaveOutputToQueue() }
        if lost > 0 { reportDeferredFailure(of: lost, "\(stream.name): \(reason)") }
    }
}

extension ConsoleLogger: OutputHolder {
    func finishOutput() { writeAll() }

    func discardOutput() {
        output.discard()
        error.discard()
    }
}

/// The settings of a ``ConsoleLogger``, which has each as a property of the same name.
public struct ConsoleSettings: Sendable {
    /// The streams that messages are written to.
    ///
    /// Default: error
    public var stream = ConsoleLogger.Stream.standardError

    /// The colors of messages.
    public var palette = ConsolePalette.standard

    /// The number of colors.
    ///
    /// nil detects it for each stream, from its terminal and from `NO_COLOR`, `FORCE_COLOR`, `COLORTERM` and
    /// `TERM`.
    ///
    /// Default: nil
    public var colorDepth: ConsoleColorDepth?

    /// The time zone of time stamps.
    ///
    /// Default: local
    public var zone = LogTimeZone.local

    /// Whether a line contains the source location, `File.swift:42`.
    ///
    /// Default: true
    public var showsSource = true

    /// Whether the time is at the beginning.
    ///
    /// Default: true
    public var showsTime = true

    /// How private values are written; nil reveals them on a terminal and redacts them elsewhere.
    ///
    /// It counts for the console's own layout; a formatter has its own setting.
    ///
    /// Default: nil
    public var privacy: LogPrivacyPolicy?

    /// How line breaks and control characters are written.
    ///
    /// nil is ``LogBuffer/Escaping/indent`` on a terminal and ``LogBuffer/Escaping/escape`` elsewhere.
    ///
    /// A formatter has its own setting for the text. In its lines, newlines are indented and control
    /// characters escaped unless this is ``LogBuffer/Escaping/none``.
    ///
    /// Default: nil
    public var escaping: LogBuffer.Escaping?

    package init() {}
}
