// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
extension Logger {
    /// Fields by their names.
    public typealias Metadata = [String: MetadataValue]

    /// How serious a message is.
    public enum Level: String, Codable, CaseIterable, Comparable, Sendable {
        case trace, debug, info, notice, warning, error, critical

        public static func < (one: Level, other: Level) -> Bool {
            allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
        }
    }

    /// A text.
    public struct Message: ExpressibleByStringInterpolation, CustomStringConvertible, Equatable, Sendable {
        public let description: String
        public init(stringLiteral value: String) { description = value }
    }

    /// The value of a field.
    public enum MetadataValue: ExpressibleByStringInterpolation, ExpressibleByDictionaryLiteral,
        ExpressibleByArrayLiteral, CustomStringConvertible, Equatable, Sendable
    {
        case string(String)
        case stringConvertible(any CustomStringConvertible & Sendable)
        case dictionary(Metadata)
        case array([MetadataValue])

        public init(stringLiteral value: String) { self = .string(value) }
        public init(arrayLiteral elements: MetadataValue...) { self = .array(elements) }
        public init(dictionaryLiteral elements: (String, MetadataValue)...) {
            self = .dictionary(Dictionary(elements) { $1 })
        }

        public var description: String {
            switch self {
            case .string(let text): text
            case .stringConvertible(let value): value.description
            case .dictionary(let fields): "\(fields)"
            case .array(let values): "\(values)"
            }
        }

        public static func == (one: MetadataValue, other: MetadataValue) -> Bool {
            one.description == other.description
        }
    }

    /// Gives fields to each message.
    public struct MetadataProvider: Sendable {
        private let provide: @Sendable () -> Metadata
        public init(_ provide: @escaping @Sendable () -> Metadata) { self.provide = provide }
        public func get() -> Metadata { provide() }
    }
}
