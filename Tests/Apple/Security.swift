// swift-format-ignore-file
// The keychain, for Tests/check-apple: the declarations that Heartwood uses, with bodies that do nothing.

import Darwin
import Foundation
public final class CFString: Hashable, @unchecked Sendable {
    init() {}
    public static func == (a: CFString, b: CFString) -> Bool { true }
    public func hash(into h: inout Hasher) {}
}
// A dictionary of Swift becomes one by a cast.
public typealias CFDictionary = [CFString: Any]
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32
public let kSecClass: CFString = CFString(), kSecClassGenericPassword: CFString = CFString(),
    kSecAttrService: CFString = CFString(), kSecAttrAccount: CFString = CFString(),
    kSecReturnData: CFString = CFString(), kSecMatchLimit: CFString = CFString(),
    kSecMatchLimitOne: CFString = CFString()
public var errSecSuccess: OSStatus { 0 }
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?)
    -> OSStatus
{ 0 }
