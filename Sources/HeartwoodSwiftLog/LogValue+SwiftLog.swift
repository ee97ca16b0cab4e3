#if SwiftLog
public import Heartwood
public import Logging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LogLevel {
    /// Converts a level of swift-log: `trace` becomes `verbose`, and `critical` becomes `fatal`.
    public init(_ level: Logger.Level) {
        self =
            switch level {
            case .trace: .verbose
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            case .critical: .fatal
            }
    }
}

extension LogValue {
    /// Converts a metadata value of swift-log, and keeps its type.
    ///
    /// Arrays and dictionaries become arrays and objects. A `stringConvertible` keeps its type if it is a
    /// number, a Boolean, a date, a UUID or a `LogValue`. Every other value becomes its description. A text
    /// replaces anything nested deeper than `LogValue.maximumDepth`.
    public init(_ value: Logger.MetadataValue) {
        self.init(value, depth: 0)
    }

    private init(_ value: Logger.MetadataValue, depth: Int) {
        switch value {
        case .string(let text): self = .string(text)
        case .stringConvertible(let value): self.init(describing: value)
        case .array where depth == LogValue.maximumDepth, .dictionary where depth == LogValue.maximumDepth:
            self = .cut
        case .array(let values): self = .array(values.map { LogValue($0, depth: depth + 1) })
        case .dictionary(let fields):
            self = .object(
                LogMetadata(
                    fields.sorted { $0.key < $1.key }.map { ($0.key, LogValue($0.value, depth: depth + 1)) }))
        }
    }

    init(describing value: any CustomStringConvertible) {
        if let number = LogValue(numberObject: value) {
            self = number
            return
        }
        switch value {
        case let value as Bool: self = .bool(value)
        case let value as any BinaryInteger: self.init(value)
        case let value as Double: self = .double(value)
        case let value as Float: self.init(value)
        case let value as Date: self.init(value)
        case let value as UUID: self = .uuid(value)
        case let value as LogValue: self = value
        default: self = .string(value.description)
        }
    }
}

extension LogMetadata {
    /// Converts metadata of swift-log, in the order of the names.
    public init(_ fields: Logger.Metadata) {
        self.init(fields.sorted { $0.key < $1.key }.map { ($0.key, LogValue($0.value)) })
    }
}
#endif
