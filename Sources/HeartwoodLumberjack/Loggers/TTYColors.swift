import Heartwood

/// The colors of a terminal logger as CocoaLumberjack sets them: by flags, by flags in a context, and by tags.
struct TTYColors: Sendable {
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
