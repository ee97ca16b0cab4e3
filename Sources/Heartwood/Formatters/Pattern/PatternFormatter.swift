/// Writes lines by a pattern with names in braces.
///
/// ```swift
/// let formatter = try PatternFormatter("{time:HH:mm:ss.SSS} {color}{LEVEL:<7}{reset} {message}{fields}")
/// ```
///
/// | token | what it writes |
/// |---|---|
/// | `{time}` `{time:HH:mm:ss}` | the moment in the formatter's zone; `{utc:…}` and `{local:…}` in these |
/// | `{uptime}` | the time since the formatter was made, `00:01:02.345` |
/// | `{level}` `{LEVEL}` `{levelLetter}` `{severity}` | `info`, `INFO`, `I`, syslog's number `6` |
/// | `{category}` `{message}` | the category's name, the text |
/// | `{fields}` | a blank and `{key=value …}` if there are fields beside the text |
/// | `{field.NAME}` | one value of the text or beside it |
/// | `{file}` `{fileName}` `{path}` `{module}` | `Shop.swift`, `Shop`, `Shop/Shop.swift`, `Shop` |
/// | `{function}` `{line}` | the location of the call |
/// | `{thread}` | the queue's label, the thread's name or its number: see ``ThreadLabel`` |
/// | `{threadID}` `{threadName}` `{queue}` `{task}` | each of these alone |
/// | `{context}` `{tag}` `{sequence}` | what came with the call; the number in the order of messages |
/// | `{process}` `{pid}` `{host}` | the program's name and number, the machine's name |
/// | `{color}` … `{reset}` | the color of the message, where the output shows colors |
/// | `{{` `}}` | a brace |
///
/// A width follows a colon: `{level:7}` pads to seven characters, `{line:>5}` aligns to the right,
/// `{category:^20}` centers, `{queue:.12}` cuts after twelve characters, `{path:.-30}` keeps the last thirty,
/// and `{category:*<8.12}` combines these. `Docs/Formatting.md` lists the fields of dates.
///
/// A message is always one line: everything that is not part of the pattern is escaped. Several loggers can
/// use one formatter at the same time. Its options are constant.
public final class PatternFormatter: LogFormatter, @unchecked Sendable {  // caches are locked
    /// How the values of a pattern are written.
    public struct Options: Sendable {
        /// The time zone of `{time}`; UTC unless changed.
        public var zone = LogTimeZone.utc
        /// How private values are written; ``LogPrivacyPolicy/redact`` unless changed.
        public var privacy = LogPrivacyPolicy.redact
        /// How line breaks and control characters in the text are written; escaped unless changed.
        ///
        /// Everything else, such as names and fields, is always escaped.
        public var escaping = LogBuffer.Escaping.escape
        /// The colors of messages.
        public var palette = ConsolePalette.standard
        /// The number of colors that `{color}` uses.
        ///
        /// nil, the default, uses as many as the destination shows: those of the terminal on a console, and
        /// none in a file.
        public var colorDepth: ConsoleColorDepth?
        /// How `{thread}` is written.
        public var threadLabel = ThreadLabel()
        /// Whether spaces at the end of a line are removed; false unless changed.
        public var trimsEnd = false

        /// Makes the default options.
        public init() {}
    }

    /// How the values are written.
    package let options: Options
    private let elements: [PatternElement]
    private let threadLabel: CompiledThreadLabel
    private let colors: LevelColors
    private let hasColors: Bool

    /// Compiles a pattern.
    ///
    /// - Throws: ``PatternError`` if the pattern is not valid; it points to the character that is wrong.
    public convenience init(_ pattern: String, _ options: Options = Options()) throws(PatternError) {
        self.init(elements: try PatternParser.elements(pattern, zone: options.zone), options)
    }

    init(elements: [PatternElement], _ options: Options) {
        self.elements = elements
        self.options = options
        threadLabel = CompiledThreadLabel(options.threadLabel)
        colors = LevelColors(options.palette)
        hasColors = elements.contains { $0.token.isColor }
    }

    /// True if the pattern has colors and the text is escaped.
    public override var writesOwnColors: Bool {
        if case .none = options.escaping { false } else { hasColors }
    }

    override var redactsByItself: Bool { true }

    /// Appends the line of a message.
    public override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        let start = output.count
        let depth = options.colorDepth ?? output.colorDepth
        var isColored = false
        for element in elements {
            switch element.token {
            case .literal(let text): output.append(text)
            case .color:
                if colors.append(message, depth, to: &output) { isColored = true }
            case .reset:
                if isColored { output.append(ConsoleStyle.reset) }
                isColored = false
            default:
                let begin = output.count
                append(element.token, message, to: &output)
                element.shape?.apply(to: &output, from: begin)
            }
        }
        if options.trimsEnd { output.trimBlanks(downTo: start) }
        if isColored { output.append(ConsoleStyle.reset) }
        return true
    }

    private func append(_ token: PatternToken, _ message: LogMessage, to output: inout LogBuffer) {
        switch token {
        case .literal, .color, .reset: break
        case .message: output.appendText(of: message, privacy: options.privacy, escaping: options.escaping)
        case .time(let text): text.append(message.timestamp, to: &output)
        case .uptime(let start): output.append(uptime: message.timestamp - start)
        case .level:
            if !output.append(standardLevelOf: message) { output.append(safe: message.level.name) }
        case .upperLevel: output.append(safe: message.level.name.uppercased())
        case .levelLetter: output.append(safe: message.level.name.prefix(1).uppercased())
        case .severity: output.append(message.level.syslogSeverity)
        case .category: output.append(safe: message.category.name)
        case .fields: output.append(fieldsOf: message)
        case .field(let name): output.append(fieldNamed: name, of: message, options.privacy)
        case .sequence: output.append(message.sequence)
        case .processID: output.append(ProcessFacts.identifier)
        case .context: output.append(message.context)
        case .contextIfAny: if message.context != 0 { output.append(message.context) }
        case .tag: if let tag = message.tag { output.append(safe: ValueDepth.description(of: tag)) }
        case .file, .fileName, .path, .module, .function, .shortFunction, .line:
            append(place: token, message, to: &output)
        case .thread, .threadID, .threadName, .queue, .task:
            append(origin: token, message, to: &output)
        }
    }

    private func append(place token: PatternToken, _ message: LogMessage, to output: inout LogBuffer) {
        message.storage.withSite { site in
            switch token {
            case .file:
                let line = site.place.lastIndex(of: UInt8(ascii: ":")) ?? 0
                output.append(UnsafeRawBufferPointer(rebasing: site.place[..<line]))
            case .fileName: output.append(safe: site.fileName)
            case .path: output.append(safe: site.file)
            case .module: output.append(safe: String(site.file.prefix { $0 != "/" }))
            case .function: output.append(safe: site.function)
            case .shortFunction:
                let name = site.function.prefix { $0 != "(" }
                if !name.isEmpty { output.append(safe: name + "()") }
            default: output.append(site.line)
            }
        }
    }

    private func append(origin token: PatternToken, _ message: LogMessage, to output: inout LogBuffer) {
        switch token {
        case .threadID: output.append(message.threadID)
        case .threadName: output.append(safe: message.threadNameBytes)
        case .queue: output.append(safe: message.queueLabelBytes)
        case .task: output.append(safe: message.taskName ?? "")
        default: threadLabel.append(message, to: &output)
        }
    }
}

/// The escape sequences of a palette, ready for those messages whose level alone decides.
private struct LevelColors: Sendable {
    private let palette: ConsolePalette
    private let byLevel: [[[UInt8]]]

    private static let depths: [ConsoleColorDepth] = [.none, .ansi, .palette, .full]

    init(_ palette: ConsolePalette) {
        self.palette = palette
        byLevel =
            palette.isByLevel
            ? LevelColors.depths.map { depth in
                LogLevel.standardLevels.map { (palette.levels[$0] ?? .plain).sequence(depth) }
            } : []
    }

    /// Adds the sequence that begins the color of a message; false without a color.
    func append(_ message: LogMessage, _ depth: ConsoleColorDepth, to output: inout LogBuffer) -> Bool {
        if depth == .none { return false }
        let start = output.count
        let level = message.level.index
        if level < 7, !byLevel.isEmpty, let row = LevelColors.depths.firstIndex(of: depth) {
            output.append(byLevel[row][level])
        } else {
            output.append(palette.style(of: message).sequence(depth))
        }
        return output.count > start
    }
}
