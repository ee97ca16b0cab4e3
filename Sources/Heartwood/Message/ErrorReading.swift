#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LogValue {
    /// Takes an error: named values `type`, `message`, and `domain`, `code` and `underlying` where there are
    /// any.
    ///
    /// The message is the error's `errorDescription` if it is a `LocalizedError` that has one, and its
    /// description otherwise. Errors that are among its properties or associated values, or that an `NSError`
    /// names, are the underlying ones, up to eight levels deep, and 64 in all. The error's own code that
    /// describes it runs here, on the caller's thread.
    public init(error: any Error) {
        var left = ErrorReading.mostErrors
        self = ErrorReading.fields(of: error, depth: 0, &left).value
    }
}

/// Finds out what an error is.
enum ErrorReading {
    /// How many errors are kept of one that has others as its causes: they could be a tree.
    static let mostErrors = 64
    /// How many causes of one error are kept.
    private static let mostCauses = 8

    /// What is known of an error and its causes; `left` is how many may be looked at.
    static func fields(of error: any Error, depth: Int, _ left: inout Int) -> ErrorFields {
        left -= 1
        let type = typeName(of: error)
        let information = ErrorInformation.values(of: error)
        var fields = ErrorFields(type: type, message: message(of: error, information))
        let domain = error._domain
        // The standard library invents a domain and a number for errors that have none: the type's name and
        // the case's.
        if domain != String(reflecting: Swift.type(of: error)) {
            fields.domain = domain
            fields.code = Int64(error._code)
        } else if let code = (error as? any RawRepresentable)?.rawValue as? any BinaryInteger {
            fields.code = Int64(exactly: code)
        }
        if depth < ErrorFields.deepest {
            for cause in causes(of: error, information).prefix(mostCauses) where left > 0 {
                fields.underlying.append(Self.fields(of: cause, depth: depth + 1, &left))
            }
        }
        return fields
    }

    /// The name with its module, without the marks of private and local types.
    private static func typeName(of error: any Error) -> String {
        var name = String(reflecting: Swift.type(of: error))
        while let start = name.firstRange(of: "(unknown context at "),
            let end = name[start.upperBound...].firstIndex(of: ")")
        {
            var after = name.index(after: end)
            if after < name.endIndex, name[after] == "." { after = name.index(after: after) }
            name.removeSubrange(start.lowerBound..<after)
        }
        return name
    }

    private static func message(of error: any Error, _ information: [String: Any]) -> String {
        if let text = (error as? any LocalizedError)?.errorDescription, !text.isEmpty { return text }
        if let text = information["NSLocalizedDescription"] as? String { return text }
        return ValueDepth.description(of: error)
    }

    private static func causes(of error: any Error, _ information: [String: Any]) -> [any Error] {
        var causes: [any Error] = []
        if let cause = information["NSUnderlyingError"] as? any Error { causes.append(cause) }
        if let several = information["NSMultipleUnderlyingErrorsKey"] as? [any Error] { causes += several }
        if !information.isEmpty { return causes }
        for child in Mirror(reflecting: error).children {
            if let cause = child.value as? any Error {
                causes.append(cause)
            } else if let several = child.value as? [any Error] {
                causes += several
            } else {
                // Several associated values of a case are a tuple.
                let inner = Mirror(reflecting: child.value)
                if inner.displayStyle == .tuple {
                    causes += inner.children.compactMap { $0.value as? any Error }
                }
            }
        }
        return causes
    }
}
