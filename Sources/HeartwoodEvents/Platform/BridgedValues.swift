#if canImport(Darwin)
import Foundation
#endif
import Heartwood

/// Values of Foundation's classes, as `JSONSerialization` gives them.
enum BridgedValues {
    /// The value in its stored form; nil for one of another class.
    static func value(of value: Any) -> StoredEventValue? {
        #if canImport(Darwin)
        switch value {
        case is NSNull: return StoredEventValue(.null)
        case let number as NSNumber where CFGetTypeID(number) == CFBooleanGetTypeID():
            return number.boolValue.eventValue
        case let number as NSNumber where CFNumberIsFloatType(number): return number.doubleValue.eventValue
        case let number as NSNumber:
            let isUnsigned = number.objCType.pointee == 0x51  // "Q"
            return isUnsigned ? number.uint64Value.eventValue : number.int64Value.eventValue
        case let text as NSString: return (text as String).eventValue
        default: return nil
        }
        #else
        // Foundation is not imported here, for it is large: its classes are known by their names.
        switch String(describing: type(of: value)) {
        case "NSNull": return StoredEventValue(.null)
        case "__NSCFBoolean": return (value as? Bool)?.eventValue
        case "NSNumber":
            let isWhole = "\(value)".utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: "-") }
            guard isWhole else { return (value as? Double)?.eventValue }
            return (value as? Int64)?.eventValue ?? (value as? UInt64)?.eventValue
        case "NSString", "NSMutableString": return (value as? String)?.eventValue
        default: return nil
        }
        #endif
    }
}
