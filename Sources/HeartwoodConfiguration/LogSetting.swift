import Heartwood

/// A setting from a file, the environment or code, with its source location.
///
/// It can represent everything that JSON and property lists contain. In code, write it as a literal:
///
/// ```swift
/// let setting: LogSetting = ["kind": "file", "directory": "/var/log/shop", "maximumFileCount": 20]
/// ```
public struct LogSetting: Sendable {
    /// The value of a setting.
    public enum Content: Sendable {
        /// Null, which means the same as a missing setting.
        case null
        /// A Boolean.
        case bool(Bool)
        /// An integer.
        case integer(Int64)
        /// A number with a fraction or an exponent, or one that is too large for an integer.
        case number(Double)
        /// A string.
        case string(String)
        /// A list of settings.
        case list([LogSetting])
        /// An object: named settings, in their order.
        case object([Member])
    }

    /// A named setting of an object.
    public struct Member: Sendable {
        /// The name.
        public let key: String
        /// The source location of the name.
        public let place: LogSettingLocation
        /// The value.
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

    /// The value of the setting.
    public var value: Content
    /// The source location of the setting.
    public let place: LogSettingLocation

    /// Makes a setting.
    public init(_ value: Content, at place: LogSettingLocation = .code) {
        self.value = value
        self.place = place
    }

    /// The members, if the setting is an object; otherwise nil.
    public var members: [Member]? { if case .object(let members) = value { members } else { nil } }

    /// Whether the setting is null, which means the same as missing.
    package var isNull: Bool { if case .null = value { true } else { false } }

    /// The string, if the setting is one; otherwise nil.
    public var string: String? { if case .string(let string) = value { string } else { nil } }

    /// The member with this name, if the setting is an object that has one that is not null.
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

extension LogSetting: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral, ExpressibleByStringInterpolation
{
    /// Makes a string setting.
    public init(stringLiteral value: String) { self.init(.string(value)) }
    /// Makes an integer setting.
    public init(integerLiteral value: Int64) { self.init(.integer(value)) }
    /// Makes a number setting.
    public init(floatLiteral value: Double) { self.init(.number(value)) }
    /// Makes a Boolean setting.
    public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
    /// Makes a null setting.
    public init(nilLiteral: ()) { self.init(.null) }
    /// Makes a list setting.
    public init(arrayLiteral elements: LogSetting...) { self.init(.list(elements)) }
    /// Makes an object setting; if a key is repeated, the last value is kept.
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
    /// Whether both have the same value, wherever they come from and whatever the order of their members.
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
