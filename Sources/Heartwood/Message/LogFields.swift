/// Fields written as a literal, whose values may be plain variables.
///
/// ```swift
/// logInfo("signed in", metadata: ["name": name, "attempts": attempts, "quota": quota as Int?])
/// ```
///
/// A call with such a literal compiles without a word about this type; it is named only where fields are
/// kept: `LogMetadata(["name": name])`. Lists inside of the literal have elements of one type, or are made of
/// `LogValue`s.
public struct LogFields: ExpressibleByDictionaryLiteral {
    /// The fields with their types.
    public let metadata: LogMetadata

    /// Makes fields; one whose name comes again takes the place of the earlier one.
    public init(dictionaryLiteral elements: (String, any LogValueConvertible)...) {
        metadata = LogMetadata(elements.lazy.map { ($0.0, $0.1.logValue) })
    }
}

extension LogMetadata {
    /// Makes a list of fields whose values may be plain variables: `LogMetadata(["name": name])`.
    public init(_ fields: LogFields) { self = fields.metadata }
}

extension LogMetadata {
    /// The fields with those of an error in front; a field that has their name keeps its value under
    /// `_error`.
    static func adding(_ error: (any Error)?, to metadata: LogMetadata?) -> LogMetadata? {
        guard let error else { return metadata }
        var fields: LogMetadata = [ErrorFields.name: LogValue(error: error)]
        for (name, value) in metadata ?? [:] {
            var key = name
            while fields[key] != nil { key = "_" + key }
            fields[key] = value
        }
        return fields
    }
}
