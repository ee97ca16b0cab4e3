/// The styles of messages.
///
/// The first that is given counts: the style of the message's tag, of its level in its context, of its
/// context, of its category, of its level.
public struct ConsolePalette: Sendable {
    /// The styles by level; a custom level that is not listed has the style of its severity.
    public var levels: [LogLevel: ConsoleStyle]
    /// The styles by category.
    public var categories: [LogCategory: ConsoleStyle] = [:]
    /// The style of the name of a message's category; magenta unless changed.
    public var categoryName = ConsoleStyle(.magenta)
    /// The style of the named values after the text; cyan unless changed.
    public var fields = ConsoleStyle(.cyan)
    /// The style of the time and of the source location; faint unless changed.
    public var details = ConsoleStyle.faint
    /// The styles by context.
    public var contexts: [Int: ConsoleStyle] = [:]
    private var pairs: [Int: [LogLevel: ConsoleStyle]] = [:]
    private var tags: [(matches: @Sendable (any Sendable) -> Bool, style: ConsoleStyle)] = []

    /// Makes a palette with styles for levels.
    public init(levels: [LogLevel: ConsoleStyle]) {
        self.levels = levels
    }

    /// The default palette: colors for messages that need attention, and faint text for details.
    public static let standard = ConsolePalette(levels: [
        .fatal: ConsoleStyle(.ansi(15), background: .red, isBold: true),
        .error: ConsoleStyle(.red, isBold: true),
        .warning: ConsoleStyle(.yellow),
        .notice: ConsoleStyle(.cyan),
        .info: ConsoleStyle(.green),
        .debug: ConsoleStyle(.blue),
        .verbose: ConsoleStyle(.gray),
    ])

    /// Sets the style of messages whose tag equals `tag`; the last call for a tag wins.
    public mutating func setStyle<Tag: Equatable & Sendable>(_ style: ConsoleStyle, forTag tag: Tag) {
        tags.insert(({ ($0 as? Tag) == tag }, style), at: 0)
    }

    /// Sets the style of messages of one level in one context.
    ///
    /// - Parameters:
    ///   - style: The style; nil removes the one that was set.
    ///   - level: The level.
    ///   - context: The `context` of the messages.
    public mutating func setStyle(_ style: ConsoleStyle?, for level: LogLevel, inContext context: Int) {
        pairs[context, default: [:]][level] = style
    }

    /// Whether nothing but the level decides.
    var isByLevel: Bool { tags.isEmpty && pairs.isEmpty && contexts.isEmpty && categories.isEmpty }

    /// The style of a message.
    package func style(of message: LogMessage) -> ConsoleStyle {
        if !tags.isEmpty, let tag = message.tag, let found = tags.first(where: { $0.matches(tag) }) {
            return found.style
        }
        if !pairs.isEmpty, let styles = pairs[message.context] {
            if let style = styles[message.level] ?? styles[message.level.severity] { return style }
        }
        if !contexts.isEmpty, let style = contexts[message.context] { return style }
        if !categories.isEmpty, let style = categories[message.category] { return style }
        let level = message.level
        return levels[level] ?? levels[level.severity] ?? .plain
    }
}
