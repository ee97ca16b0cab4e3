#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension LogValue {
    /// What an object holds that is a number, as an `NSNumber` out of JSON or of attributes of a file; nil
    /// for all else.
    ///
    /// The core does not see the class, which is in full Foundation. Such an object casts to each type that
    /// can hold its number: 3 and `true` to `Double` as well. What it holds, its class and its description
    /// say.
    ///
    /// - Parameter object: Any value.
    package init?(numberObject object: Any) {
        let type = type(of: object)
        guard type is AnyObject.Type else { return nil }
        if let value = object as? Decimal {
            self = .decimal(value.description)
        } else if object is Int64 || object is UInt64 || object is Double || object is Float {
            let text = String(describing: object)
            if let value = object as? Bool, String(describing: type).hasSuffix("CFBoolean") {
                self = .bool(value)
            } else if let value = Int64(text) {
                self = .integer(value)
            } else if let value = UInt64(text) {
                self = .unsigned(value)
            } else if let value = Double(text) {
                self = .double(value)
            } else {
                return nil
            }
        } else {
            return nil
        }
    }
}
