/// What the fields of a message say about an error: the value of the field ``name``, in parts.
///
/// It is an ordinary field, so that it goes through the journal, stores and bridges like the others. Formats
/// that have names of their own for an error take it apart with this.
package struct ErrorFields: Hashable, Sendable {
    /// The field's name.
    package static let name = "error"
    /// How many errors that caused another one are kept, one inside of the other.
    static let deepest = 8

    /// The type's name, with its module.
    package var type: String
    /// What it says of itself.
    package var message: String
    /// The domain, where it has another one than its type.
    package var domain: String?
    /// The number, where it has one.
    package var code: Int64?
    /// What caused it.
    package var underlying: [ErrorFields] = []

    package init(type: String, message: String, domain: String? = nil, code: Int64? = nil) {
        (self.type, self.message, self.domain, self.code) = (type, message, domain, code)
    }

    /// Takes the parts of a field's value; nil for one that is not an error.
    package init?(_ value: LogValue, depth: Int = 0) {
        guard depth <= Self.deepest, case .object(let fields) = value,
            case .string(let type)? = fields["type"],
            case .string(let message)? = fields["message"]
        else { return nil }
        self.init(type: type, message: message)
        if case .string(let domain)? = fields["domain"] { self.domain = domain }
        if case .integer(let code)? = fields["code"] { self.code = code }
        if case .array(let causes)? = fields["underlying"] {
            underlying = causes.compactMap { ErrorFields($0, depth: depth + 1) }
        }
    }

    /// The field's value.
    package var value: LogValue {
        var fields: LogMetadata = ["type": .string(type), "message": .string(message)]
        fields["domain"] = domain.map { .string($0) }
        fields["code"] = code.map { .integer($0) }
        if !underlying.isEmpty { fields["underlying"] = .array(underlying.map(\.value)) }
        return .object(fields)
    }

    /// For a person: `card declined (Shop.PaymentError 3), caused by timed out (NSURLErrorDomain -1001)`.
    package var text: String {
        let place = [domain ?? type, code.map { String($0) }].compactMap(\.self).joined(separator: " ")
        let own = "\(message) (\(place))"
        if underlying.isEmpty { return own }
        return own + ", caused by " + underlying.map(\.text).joined(separator: " and ")
    }

    /// The errors that caused it as one text, each on its own line; nil without a cause.
    package var causes: String? {
        underlying.isEmpty ? nil : (["\(type): \(message)"] + causeLines).joined(separator: "\n")
    }

    /// A line for each cause, followed by the lines of its own causes.
    private var causeLines: [String] {
        underlying.flatMap { ["Caused by: \($0.type): \($0.message)"] + $0.causeLines }
    }

    /// The parts under flat names, for formats without named values inside of others.
    ///
    /// - Parameter prefix: The beginning of each name: `error.`.
    /// - Returns: the fields; a field that the error does not have is left out.
    func flattened(_ prefix: String = "error.") -> LogMetadata {
        var fields: LogMetadata = [prefix + "type": .string(type), prefix + "message": .string(message)]
        fields[prefix + "domain"] = domain.map { .string($0) }
        fields[prefix + "code"] = code.map { .integer($0) }
        fields[prefix + "causes"] = causes.map { .string($0) }
        return fields
    }
}

extension LogMetadata {
    /// Takes the error out, if there is one among the fields.
    package mutating func takeError() -> ErrorFields? {
        guard let value = self[ErrorFields.name], let error = ErrorFields(value) else { return nil }
        self[ErrorFields.name] = nil
        return error
    }

    /// The fields with those of an error under flat names.
    package var withFlatError: LogMetadata {
        guard let value = self[ErrorFields.name], let error = ErrorFields(value) else { return self }
        var fields = LogMetadata()
        for (key, value) in self {
            if key == ErrorFields.name {
                fields.merge(error.flattened()) { current, _ in current }
            } else if fields[key] == nil {
                fields[key] = value
            }
        }
        return fields
    }
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
