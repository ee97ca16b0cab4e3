import Heartwood

/// Writes messages to standard error, as `2026-11-20 10:20:30:123 shop[512:513] text` unless it has a
/// formatter.
///
/// What a formatter gives goes to the terminal as it is. Heartwood's name for it is `ConsoleLogger`, which it
/// is made of.
open class DDTTYLogger: DDAbstractLogger, @unchecked Sendable {  // guarded or locked
    /// The shared logger; never nil, but optional as in CocoaLumberjack.
    public static let sharedInstance: DDTTYLogger? = DDTTYLogger()

    // MARK: Guarded by 'settings'
    private let settings = Locked(Settings())

    private struct Settings {
        var usesColors = false
        var appendsNewline = true
        var hasColors = false
        var colors = TTYColors()
    }

    private override init() { super.init() }

    override func makeBacking() -> AbstractLogger {
        let console = ConsoleAdapter(self, formatter: defaultFormatter)
        console.colorDepth = ConsoleColorDepth.none
        console.escaping = LogBuffer.Escaping.none
        return console
    }

    override func makeFurtherBacking() -> AbstractLogger? {
        guard let console = heartwoodLogger as? ConsoleAdapter else { return nil }
        return ConsoleAdapter(like: console, of: self)
    }

    override var isPlainConsole: Bool { type(of: self) == DDTTYLogger.self }

    override var defaultFormatter: LogFormatter? { PatternFormatter.cocoaLumberjackConsole() }

    /// Sets a property in all dispatchers.
    private func configure(_ change: (ConsoleLogger) -> Void) {
        for case let console as ConsoleLogger in [heartwoodLogger] + furtherBackings { change(console) }
    }

    override func keepForDispatcher() { (heartwoodLogger as? ConsoleAdapter)?.keepOwner() }

    /// Writes the message.
    open override func log(message logMessage: DDLogMessage) {
        let consoles = ([heartwoodLogger] + furtherBackings).compactMap { $0 as? ConsoleAdapter }
        consoles.first(where: \.isInHook)?.write(logMessage)
    }

    /// The name.
    open override var loggerName: DDLoggerName { .tty }

    /// Whether a newline is added to formatted messages; true unless changed.
    ///
    /// Each message is a line of its own in any case: false takes one newline away that the formatter has put
    /// at the end.
    open var automaticallyAppendNewlineForCustomFormatters: Bool {
        get { settings.withLock { $0.appendsNewline } }
        set { settings.withLock { $0.appendsNewline = newValue } }
    }

    override func adapter(for formatter: any DDLogFormatter) -> FormatterAdapter {
        FormatterAdapter(formatter, for: self, on: heartwoodLogger.queue) { [weak self] text in
            guard text.hasSuffix("\n"), self?.automaticallyAppendNewlineForCustomFormatters == false else {
                return text
            }
            return String(text.dropLast())
        }
    }

    // MARK: Colors

    /// Whether messages are colored, on terminals that show colors; false unless changed.
    ///
    /// Setting it for the first time makes errors red and warnings orange, unless colors were set before.
    /// `NO_COLOR` and output that is not a terminal switch colors off all the same.
    open var colorsEnabled: Bool {
        get { settings.withLock { $0.usesColors } }
        set {
            let needsDefaults = settings.withLock { settings in
                settings.usesColors = newValue
                return newValue && !settings.hasColors
            }
            if needsDefaults {
                setForegroundColor(DDMakeColor(214, 57, 30), backgroundColor: nil, for: .error)
                setForegroundColor(DDMakeColor(204, 121, 32), backgroundColor: nil, for: .warning)
            }
            configure { $0.colorDepth = newValue ? nil : ConsoleColorDepth.none }
        }
    }

    /// Sets the colors of messages with some flags, in all contexts that have no colors of their own.
    ///
    /// - Parameters:
    ///   - txtColor: The color of the text; nil leaves it as the terminal has it.
    ///   - bgColor: The color of the background; nil leaves it as the terminal has it.
    ///   - mask: The flags.
    open func setForegroundColor(
        _ txtColor: DDColor?, backgroundColor bgColor: DDColor?, for mask: DDLogFlag
    ) {
        setForegroundColor(txtColor, backgroundColor: bgColor, for: mask, context: Int(LOG_CONTEXT_ALL))
    }

    /// Sets the colors of messages with some flags in one context.
    ///
    /// - Parameters:
    ///   - txtColor: The color of the text; nil leaves it as the terminal has it.
    ///   - bgColor: The color of the background; nil leaves it as the terminal has it.
    ///   - mask: The flags.
    ///   - ctxt: The context. `LOG_CONTEXT_ALL` means all contexts that have no colors of their own.
    open func setForegroundColor(
        _ txtColor: DDColor?, backgroundColor bgColor: DDColor?, for mask: DDLogFlag, context ctxt: Int
    ) {
        let style = DDTTYLogger.style(txtColor, bgColor)
        change { $0.set(style, for: mask, context: ctxt) }
    }

    /// Sets the colors of messages with a tag.
    ///
    /// They take precedence over the colors of flags.
    ///
    /// - Parameters:
    ///   - txtColor: The color of the text; nil leaves it as the terminal has it.
    ///   - bgColor: The color of the background; nil leaves it as the terminal has it.
    ///   - tag: The tag: the colors apply to messages whose `representedObject` equals it.
    open func setForegroundColor<Tag: Hashable & Sendable>(
        _ txtColor: DDColor?, backgroundColor bgColor: DDColor?, forTag tag: Tag
    ) {
        let style = DDTTYLogger.style(txtColor, bgColor)
        change { $0.set(style, forTag: tag) }
    }

    /// Sets the colors of messages whose tag is a string.
    ///
    /// They take precedence over the colors of flags.
    ///
    /// - Parameters:
    ///   - txtColor: The color of the text; nil leaves it as the terminal has it.
    ///   - bgColor: The color of the background; nil leaves it as the terminal has it.
    ///   - tag: The tag: the colors apply to messages whose `representedObject` is this string.
    open func setForegroundColor(
        _ txtColor: DDColor?, backgroundColor bgColor: DDColor?, forTag tag: NSString
    ) {
        setForegroundColor(txtColor, backgroundColor: bgColor, forTag: String(describing: tag))
    }

    /// Removes the colors of some flags, in all contexts that have no colors of their own.
    open func clearColors(for mask: DDLogFlag) { clearColors(for: mask, context: Int(LOG_CONTEXT_ALL)) }

    /// Removes the colors of some flags in one context.
    open func clearColors(for mask: DDLogFlag, context: Int) {
        change { $0.set(nil, for: mask, context: context) }
    }

    /// Removes the colors of a tag.
    open func clearColors<Tag: Hashable & Sendable>(forTag tag: Tag) { change { $0.remove(tag: tag) } }

    /// Removes the colors of a tag that is a string.
    open func clearColors(forTag tag: NSString) { clearColors(forTag: String(describing: tag)) }

    /// Removes the colors of all flags, in all contexts.
    open func clearColorsForAllFlags() { change { $0.removeFlags() } }

    /// Removes the colors of all tags.
    open func clearColorsForAllTags() { change { $0.removeTags() } }

    /// Removes all colors.
    open func clearAllColors() { change { $0 = TTYColors() } }

    private func change(_ change: @Sendable (inout TTYColors) -> Void) {
        let palette = settings.withLock { settings in
            settings.hasColors = true
            change(&settings.colors)
            return settings.colors.palette
        }
        configure { $0.palette = palette }
    }

    private static func style(_ text: DDColor?, _ background: DDColor?) -> ConsoleStyle {
        ConsoleStyle(text.map { ConsoleColor($0) }, background: background.map { ConsoleColor($0) })
    }
}

/// The colors of a terminal logger as CocoaLumberjack sets them: by flags, by flags in a context, and by
/// tags.
private struct TTYColors: Sendable {
    private var flags: [LogLevel: ConsoleStyle] = [:]
    private var contexts: [Int: [LogLevel: ConsoleStyle]] = [:]
    private var tags: [HashableTag: @Sendable (inout ConsolePalette) -> Void] = [:]

    /// A tag of any type, as a key.
    private struct HashableTag: Hashable, @unchecked Sendable {  // made of values that are Sendable alone
        let value: AnyHashable
    }

    /// The palette of Heartwood's console that they make.
    var palette: ConsolePalette {
        var palette = ConsolePalette(levels: flags)
        for (context, styles) in contexts {
            for (level, style) in styles { palette.setStyle(style, for: level, inContext: context) }
        }
        for add in tags.values { add(&palette) }
        return palette
    }

    /// Sets the style of flags in a context, or in all of them; nil takes it back.
    mutating func set(_ style: ConsoleStyle?, for mask: DDLogFlag, context: Int) {
        for level in LogLevel.all where DDLogFlag(heartwoodLevel: level).rawValue & mask.rawValue != 0 {
            if context == Int(LOG_CONTEXT_ALL) {
                flags[level] = style
            } else {
                contexts[context, default: [:]][level] = style
            }
        }
    }

    /// Sets the style of a tag.
    mutating func set<Tag: Hashable & Sendable>(_ style: ConsoleStyle, forTag tag: Tag) {
        tags[HashableTag(value: tag)] = { $0.setStyle(style, forTag: tag) }
    }

    /// Takes the style of a tag back.
    mutating func remove<Tag: Hashable & Sendable>(tag: Tag) { tags[HashableTag(value: tag)] = nil }

    /// Takes the styles of all flags back.
    mutating func removeFlags() { (flags, contexts) = ([:], [:]) }

    /// Takes the styles of all tags back.
    mutating func removeTags() { tags = [:] }
}
