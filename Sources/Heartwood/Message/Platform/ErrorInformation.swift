#if canImport(Darwin)
import Foundation
#endif

/// What an `NSError` carries.
enum ErrorInformation {
    /// Its `userInfo`; nothing for other errors.
    static func values(of error: any Error) -> [String: Any] {
        #if canImport(Darwin)
        if let error = error as? any CustomNSError { return error.errorUserInfo }
        return Swift.type(of: error) is AnyClass ? (error as NSError).userInfo : [:]
        #else
        // The class is in a library that is not linked just for this: its properties are read by their names.
        guard Swift.type(of: error) is AnyClass else { return [:] }
        for child in Mirror(reflecting: error).children
        where child.label == "_userInfo" || child.label == "userInfo" {
            if let information = child.value as? [String: Any] { return information }
        }
        return [:]
        #endif
    }
}
