extension LogFilter {
    /// Passes messages of these levels.
    public static func levels(_ levels: LogLevelMask) -> LogFilter {
        LogFilter { levels.contains($0.level) }
    }

    /// Passes messages of categories that match one of the patterns, in which `*` matches any number of
    /// characters.
    ///
    /// A pattern also matches subcategories: `net` matches `net.http` too.
    public static func category(_ patterns: String...) -> LogFilter {
        let rules = patterns.reduce(into: LevelRules(separator: ".")) { $0.set(.all, for: NamePattern($1)) }
        return LogFilter { rules.levels(of: $0.category.name) != nil }
    }

    /// Passes messages with one of these contexts.
    public static func contexts(_ allowed: Int...) -> LogFilter { contexts(Set(allowed)) }

    /// Passes messages with one of these contexts.
    public static func contexts(_ allowed: Set<Int>) -> LogFilter {
        LogFilter { allowed.contains($0.context) }
    }

    /// Passes messages that have none of these contexts.
    public static func contexts(except denied: Int...) -> LogFilter { !contexts(Set(denied)) }

    /// Passes messages that have none of these contexts.
    public static func contexts(except denied: Set<Int>) -> LogFilter { !contexts(denied) }

    /// Passes messages whose tag equals this value.
    public static func tag<Tag: Equatable & Sendable>(_ tag: Tag) -> LogFilter {
        LogFilter { ($0.tag as? Tag) == tag }
    }

    /// Passes messages with a tag of this type for which a function returns true.
    public static func tag<Tag>(
        as type: Tag.Type, where test: @escaping @Sendable (Tag) -> Bool = { _ in true }
    ) -> LogFilter {
        LogFilter { ($0.tag as? Tag).map(test) ?? false }
    }

    /// Passes messages from files whose `Module/File.swift` meets a condition.
    public static func file(_ match: LogTextMatch) -> LogFilter {
        LogFilter { match.matches($0.file) }
    }

    /// Passes messages from functions whose name meets a condition.
    public static func function(_ match: LogTextMatch) -> LogFilter {
        LogFilter { match.matches($0.function) }
    }

    /// Passes messages whose text, with private values redacted, meets a condition.
    public static func message(_ match: LogTextMatch) -> LogFilter {
        LogFilter { message in
            var text = LogBuffer()
            text.appendText(of: message, privacy: .redact)
            return text.withUnsafeBytes { match.matches($0) }
        }
    }

    /// Passes messages with a field or named value that equals this value.
    ///
    /// Private values of the text do not match.
    public static func metadata(_ name: String, _ value: LogValue) -> LogFilter {
        metadata(name) { $0 == value }
    }

    /// Passes messages with a field or named value for which a function returns true.
    ///
    /// Without a function, any value matches. For private values of the text, the function gets `<private>`
    /// or a hash.
    public static func metadata(
        _ name: String, where test: @escaping @Sendable (LogValue) -> Bool = { _ in true }
    ) -> LogFilter {
        let name = Array(name.utf8)
        return LogFilter { message in
            for bytes in [message.storage.text, message.storage.fields] {
                var reader = PieceReader(bytes)
                while let piece = reader.next() {
                    guard case .value(let value) = piece, value.name?.elementsEqual(name) == true else {
                        continue
                    }
                    return test(value.decoded(privacy: .redact))
                }
            }
            return false
        }
    }
}
