extension LogFilter {
    /// Messages of these levels.
    public static func levels(_ levels: LogLevelMask) -> LogFilter {
        LogFilter { levels.contains($0.level) }
    }

    /// Messages of categories that one of the patterns describes; `*` stands for any characters, also none.
    ///
    /// A category belongs to those that its name begins with: `net` describes `net.http` too.
    public static func category(_ patterns: String...) -> LogFilter {
        let rules = patterns.reduce(into: LevelRules(separator: ".")) { $0.set(.all, for: NamePattern($1)) }
        return LogFilter { rules.levels(of: $0.category.name) != nil }
    }

    /// Messages with one of these contexts.
    public static func contexts(_ allowed: Int...) -> LogFilter { contexts(Set(allowed)) }

    /// Messages with one of these contexts.
    public static func contexts(_ allowed: Set<Int>) -> LogFilter {
        LogFilter { allowed.contains($0.context) }
    }

    /// Messages with none of these contexts.
    public static func contexts(except denied: Int...) -> LogFilter { !contexts(Set(denied)) }

    /// Messages with none of these contexts.
    public static func contexts(except denied: Set<Int>) -> LogFilter { !contexts(denied) }

    /// Messages whose tag is equal to this one.
    public static func tag<Tag: Equatable & Sendable>(_ tag: Tag) -> LogFilter {
        LogFilter { ($0.tag as? Tag) == tag }
    }

    /// Messages with a tag of a type, for which a function says yes.
    public static func tag<Tag>(
        as type: Tag.Type, where test: @escaping @Sendable (Tag) -> Bool = { _ in true }
    ) -> LogFilter {
        LogFilter { ($0.tag as? Tag).map(test) ?? false }
    }

    /// Messages from files whose `Module/File.swift` meets a condition.
    public static func file(_ match: LogTextMatch) -> LogFilter {
        LogFilter { match.matches($0.file) }
    }

    /// Messages from functions whose name meets a condition.
    public static func function(_ match: LogTextMatch) -> LogFilter {
        LogFilter { match.matches($0.function) }
    }

    /// Messages whose text meets a condition; private pieces are redacted in it.
    public static func message(_ match: LogTextMatch) -> LogFilter {
        LogFilter { message in
            var text = LogBuffer()
            text.appendText(of: message, privacy: .redact)
            return text.withUnsafeBytes { match.matches($0) }
        }
    }

    /// Messages that have a value of this name, in the text or beside it, which is equal to this one.
    ///
    /// Private values of the text are not looked at.
    public static func metadata(_ name: String, _ value: LogValue) -> LogFilter {
        metadata(name) { $0 == value }
    }

    /// Messages that have a value of this name, in the text or beside it, for which a function says yes.
    ///
    /// Without a function, every value will do. Of private values in the text, the function gets `<private>` or a hash.
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
