#if canImport(Darwin)
import Foundation
#endif
import HeartwoodSystem

/// Values of Foundation's classes, as `JSONSerialization` gives them.
enum BridgedValues {
    /// The value as one of Swift; nil for one of another class.
    static func value(of value: Any) -> Any? {
        #if canImport(Darwin)
        switch value {
        case is NSNull: return Bool?.none as Any
        case let number as NSNumber where CFGetTypeID(number) == CFBooleanGetTypeID():
            return number.boolValue
        case let number as NSNumber where CFNumberIsFloatType(number): return number.doubleValue
        case let number as NSNumber:
            let isUnsigned = number.objCType.pointee == 0x51  // "Q"
            return isUnsigned ? number.uint64Value : number.int64Value as Any
        case let text as String: return text
        default: return nil
        }
        #else
        // Foundation is not imported here, for it is large: its classes are known by their names.
        switch String(describing: type(of: value)) {
        case "NSNull": return Bool?.none as Any
        case "__NSCFBoolean": return value as? Bool
        case "NSNumber":
            let isWhole = "\(value)".utf8.allSatisfy { $0.isDigit || $0 == .hyphen }
            guard isWhole else { return value as? Double }
            if let number = value as? Int64 { return number }
            return value as? UInt64
        case "NSString", "NSMutableString": return value as? String
        default: return nil
        }
        #endif
    }
}
