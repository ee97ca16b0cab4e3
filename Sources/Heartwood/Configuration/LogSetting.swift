/// A setting as a file, the environment or code gave it, together with the place it came from.
///
/// It is what JSON and property lists can say. In code it is written as a literal:
///
/// ```swift
/// let setting: LogSetting = ["kind": "file", "directory": "/var/log/shop", "maximumFileCount": 20]
/// ```
public struct LogSetting: Sendable {
    /// What a setting can be.
    public enum Content: Sendable {
        /// Nothing: as if the setting were not there.
        case null
        /// True or false.
        case bool(Bool)
        /// A whole number.
        case integer(Int64)
        /// Any other number.
        case number(Double)
        /// Text.
        case string(String)
        /// Several settings in their order.
        case list([LogSetting])
        /// Named settings, in the order in which they were given.
        case object([Member])
    }

    /// A named setting of a table.
    public struct Member: Sendable {
        /// The name.
        public let key: String
        /// Where the name is.
        public let place: LogSettingLocation
        /// What it is set to.
        public var setting: LogSetting

        /// Makes a named setting.
        ///
        /// - Parameters:
        ///   - key: The name.
        ///   - place: The source location of the name; `code` unless given.
        ///   - setting: The value.
        public init(_ key: String, at place: LogSettingLocation = .code, _ setting: LogSetting) {
            self.key = key
            self.place = place
            self.setting = setting
        }
    }

    /// What it is.
    public var value: Content
    /// Where it came from.
    public let place: LogSettingLocation

    /// Makes a setting.
    public init(_ value: Content, at place: LogSettingLocation = .code) {
        self.value = value
        self.place = place
    }

    /// The members of a table; nil for anything else.
    public var members: [Member]? { if case .object(let members) = value { members } else { nil } }

    /// Whether it is as good as not there.
    public var isNull: Bool { if case .null = value { true } else { false } }

    /// The text; nil for anything else.
    public var string: String? { if case .string(let string) = value { string } else { nil } }

    /// The setting of this name in a table; nil if there is none, or it is null.
    public subscript(key: String) -> LogSetting? {
        guard let found = members?.last(where: { $0.key == key })?.setting, !found.isNull else { return nil }
        return found
    }

    /// What it is, for a message: `the text “x”`, `the number 5`, `a list`.
    var shown: String {
        switch value {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .integer(let number): "the number \(number)"
        case .number(let number): "the number \(number)"
        case .string(let text): "“\(text)”"
        case .list: "a list"
        case .object: "an object"
        }
    }
}

/// Where a setting came from.
public struct LogSettingLocation: Hashable, Sendable, CustomStringConvertible {
    /// The file's path, the environment variable's name, or `code`.
    public let source: String
    /// The line, counted from 1; nil if there are none, or it is not known.
    public let line: Int?
    /// The character in its line, counted from 1; nil where it is not known.
    public let column: Int?

    /// Makes a location.
    ///
    /// - Parameters:
    ///   - source: The path of the file, or the name of the environment variable.
    ///   - line: The line, from 1; nil if it is not known.
    ///   - column: The character in the line, from 1; nil if it is not known.
    public init(_ source: String, line: Int? = nil, column: Int? = nil) {
        self.source = source
        self.line = line
        self.column = column
    }

    /// The program itself.
    public static let code = LogSettingLocation("code")

    /// `logging.json:3:5`, as compilers write it.
    public var description: String {
        source + (line.map { ":\($0)" } ?? "") + (column.map { ":\($0)" } ?? "")
    }
}

extension LogSetting: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByStringInterpolation
{
    /// Makes text.
    public init(stringLiteral value: String) { self.init(.string(value)) }
    /// Makes a whole number.
    public init(integerLiteral value: Int64) { self.init(.integer(value)) }
    /// Makes a number.
    public init(floatLiteral value: Double) { self.init(.number(value)) }
    /// Makes a truth value.
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
    /// Makes nothing.
    public init(nilLiteral: ()) { self.init(.null) }
    /// Makes a list.
    public init(arrayLiteral elements: LogSetting...) { self.init(.list(elements)) }
    /// Makes a table; a key that comes again replaces the earlier one.
    public init(dictionaryLiteral elements: (String, LogSetting)...) {
        var members: [Member] = []
        for (key, setting) in elements {
            members.removeAll { $0.key == key }
            members.append(Member(key, setting))
        }
        self.init(.object(members))
    }
}

extension LogSetting: Equatable {
    /// Whether both say the same, wherever they came from and in whatever order.
    public static func == (left: LogSetting, right: LogSetting) -> Bool {
        switch (left.value, right.value) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left == right
        case (.list(let left), .list(let right)): left == right
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { member in
                    right.last { $0.key == member.key }?.setting == member.setting
                }
        default: false
        }
    }
}
