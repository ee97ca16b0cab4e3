// swift-format-ignore-file
// Foundation, for Tests/check-apple: the declarations that Heartwood uses, with bodies that do nothing.

@_exported public import Darwin
@_exported public import Dispatch
public typealias TimeInterval = Double
open class NSObject: Equatable, Hashable {
    public init() {}
    public static func == (a: NSObject, b: NSObject) -> Bool { a === b }
    open func isEqual(_ object: Any?) -> Bool { false }
    open var hash: Int { 0 }
    public func hash(into h: inout Hasher) {}
    open var description: String { "" }
    open func copy() -> Any { self }
    open func mutableCopy() -> Any { self }
}
public struct OperatingSystemVersion {
    public var majorVersion = 0, minorVersion = 0, patchVersion = 0
    public init() {}
}
open class ProcessInfo: NSObject, @unchecked Sendable {
    open class var processInfo: ProcessInfo { fatalError() }
    open var environment: [String: String] { [:] }
    open var arguments: [String] { [] }
    open var processIdentifier: Int32 { 0 }
    open var processName: String { "" }
    open var hostName: String { "" }
    open var operatingSystemVersion: OperatingSystemVersion { .init() }
    open var activeProcessorCount: Int { 0 }
    open var systemUptime: Double { 0 }
}
public struct Date: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    public init() {}
    public init(timeIntervalSince1970: Double) {}
    public init(timeIntervalSinceReferenceDate: Double) {}
    public init(timeIntervalSinceNow: Double) {}
    public var timeIntervalSince1970: Double { 0 }
    public var timeIntervalSinceReferenceDate: Double { 0 }
    public var timeIntervalSinceNow: Double { 0 }
    public func addingTimeInterval(_ t: Double) -> Date { self }
    public func timeIntervalSince(_ d: Date) -> Double { 0 }
    public static func < (a: Date, b: Date) -> Bool { false }
    public var description: String { "" }
    public static let distantPast = Date(), distantFuture = Date()
    public static func + (a: Date, b: Double) -> Date { a }
    public static func - (a: Date, b: Double) -> Date { a }
    public static var now: Date { Date() }
}
public struct Data: Hashable, Sendable, Codable, RandomAccessCollection, MutableCollection,
    RangeReplaceableCollection, CustomStringConvertible, ContiguousBytes, DataProtocol, MutableDataProtocol
{
    public init() {}
    public init<S: Sequence>(_ s: S) where S.Element == UInt8 {}
    public init(count: Int) {}
    public init(bytes: UnsafeRawPointer, count: Int) {}
    public init(repeating: UInt8, count: Int) {}
    public init(contentsOf url: URL) throws {}
    public func write(to url: URL) throws {}
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(i: Int) -> UInt8 {
        get { 0 }
        set {}
    }
    public subscript(r: Range<Int>) -> Data {
        get { self }
        set {}
    }
    public mutating func replaceSubrange<C: Collection>(_ r: Range<Int>, with c: C) where C.Element == UInt8 {
    }
    public mutating func append(contentsOf b: [UInt8]) {}
    public func base64EncodedString(options: Int = 0) -> String { "" }
    public init?(base64Encoded: String) {}
    public func withUnsafeBytes<T>(_ body: (UnsafeRawBufferPointer) throws -> T) rethrows -> T {
        fatalError()
    }
    public var description: String { "" }
    public var bytes: [UInt8] { [] }
}
public protocol ContiguousBytes {
    func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R
}
extension Array: ContiguousBytes where Element == UInt8 {}
extension UnsafeRawBufferPointer: ContiguousBytes {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { try body(self) }
}
extension ArraySlice: ContiguousBytes where Element == UInt8 {}
public protocol DataProtocol: RandomAccessCollection where Element == UInt8 {}
public protocol MutableDataProtocol: DataProtocol, MutableCollection, RangeReplaceableCollection {}
extension Array: DataProtocol where Element == UInt8 {}
extension ArraySlice: DataProtocol where Element == UInt8 {}
public struct URL: Hashable, Sendable, Codable, CustomStringConvertible {
    public init?(string: String) {}
    public init(fileURLWithPath: String) {}
    public init(fileURLWithPath: String, isDirectory: Bool) {}
    public init(filePath: String) {}
    public var path: String { "" }
    public func path(percentEncoded: Bool = true) -> String { "" }
    public var lastPathComponent: String { "" }
    public var absoluteString: String { "" }
    public var scheme: String? { nil }
    public var host: String? { nil }
    public var port: Int? { nil }
    public var isFileURL: Bool { true }
    public var user: String? { nil }
    public var password: String? { nil }
    public var query: String? { nil }
    public var fragment: String? { nil }
    public func appendingPathComponent(_ s: String) -> URL { self }
    public func appending(path: String) -> URL { self }
    public func deletingLastPathComponent() -> URL { self }
    public func deletingPathExtension() -> URL { self }
    public var pathExtension: String { "" }
    public var standardizedFileURL: URL { self }
    public mutating func setResourceValues(_ v: URLResourceValues) throws {}
    public func resourceValues(forKeys keys: Set<URLResourceKey>) throws -> URLResourceValues { .init() }
    public var description: String { "" }
    public func appendingPathExtension(_ s: String) -> URL { self }
}
public struct URLResourceKey: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let isExcludedFromBackupKey = Self(rawValue: "")
}
public struct URLResourceValues: Sendable {
    public init() {}
    public var isExcludedFromBackup: Bool? {
        get { nil }
        set {}
    }
}
public struct UUID: Hashable, Sendable, Codable, CustomStringConvertible {
    public init() {}
    public init?(uuidString: String) {}
    public init(uuid: uuid_t) {}
    public var uuidString: String { "" }
    public var uuid: uuid_t { fatalError() }
    public var description: String { "" }
}
public typealias uuid_t = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8,
    UInt8
)
public struct Decimal: Hashable, Sendable, Codable, CustomStringConvertible, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, Comparable
{
    public init() {}
    public init(integerLiteral: Int) {}
    public init(floatLiteral: Double) {}
    public init(_ d: Double) {}
    public init(_ i: Int) {}
    public init(_ i: Int64) {}
    public init(_ i: UInt64) {}
    public init?(string: String, locale: Locale? = nil) {}
    public var description: String { "" }
    public var isNaN: Bool { false }
    public static func < (a: Decimal, b: Decimal) -> Bool { false }
    public static prefix func - (a: Decimal) -> Decimal { a }
    public var isZero: Bool { false }
    public var exponent: Int { 0 }
}
public struct Locale: Hashable, Sendable {
    public init(identifier: String) {}
    public static var current: Locale { fatalError() }
}
public struct TimeZone: Hashable, Sendable, Codable {
    public init?(identifier: String) {}
    public init?(secondsFromGMT: Int) {}
    public init?(abbreviation: String) {}
    public static var gmt: TimeZone { fatalError() }
    public static var current: TimeZone { fatalError() }
    public static var autoupdatingCurrent: TimeZone { fatalError() }
    public var identifier: String { "" }
    public func secondsFromGMT(for date: Date = Date()) -> Int { 0 }
    public func abbreviation(for date: Date = Date()) -> String? { nil }
}
public struct Calendar: Hashable, Sendable {
    public enum Identifier: Sendable { case gregorian, iso8601 }
    public enum Component: Sendable { case year, month, day, hour, minute, second, weekday }
    public init(identifier: Identifier) {}
    public static var current: Calendar { fatalError() }
    public var timeZone: TimeZone {
        get { .gmt }
        set {}
    }
    public func date(byAdding: Component, value: Int, to: Date) -> Date? { nil }
    public func startOfDay(for: Date) -> Date { Date() }
    public func component(_ c: Component, from: Date) -> Int { 0 }
    public func dateComponents(_ c: Set<Component>, from: Date) -> DateComponents { .init() }
    public func date(from: DateComponents) -> Date? { nil }
}
public struct DateComponents: Hashable, Sendable {
    public init() {}
    public var year: Int?, month: Int?, day: Int?, hour: Int?, minute: Int?, second: Int?
}
open class JSONEncoder {
    public init() {}
    open func encode<T: Encodable>(_ v: T) throws -> Data { Data() }
    open var outputFormatting: OutputFormatting = []
    public struct OutputFormatting: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let prettyPrinted = OutputFormatting(rawValue: 1),
            sortedKeys = OutputFormatting(rawValue: 2), withoutEscapingSlashes = OutputFormatting(rawValue: 8)
    }
    public enum DateEncodingStrategy: Sendable {
        case iso8601, secondsSince1970, millisecondsSince1970, deferredToDate
        case custom(@Sendable (Date, any Encoder) throws -> Void)
    }
    open var dateEncodingStrategy: DateEncodingStrategy = .deferredToDate
    public enum NonConformingFloatEncodingStrategy: Sendable {
        case `throw`
        case convertToString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
    open var nonConformingFloatEncodingStrategy: NonConformingFloatEncodingStrategy = .throw
    public enum DataEncodingStrategy: Sendable { case base64, deferredToData }
    open var dataEncodingStrategy: DataEncodingStrategy = .base64
    public enum KeyEncodingStrategy: Sendable { case useDefaultKeys, convertToSnakeCase }
    open var keyEncodingStrategy: KeyEncodingStrategy = .useDefaultKeys
    open var userInfo: [CodingUserInfoKey: any Sendable] = [:]
}
extension JSONEncoder: @unchecked Sendable {}
open class JSONDecoder: @unchecked Sendable {
    public init() {}
    open func decode<T: Decodable>(_ t: T.Type, from: Data) throws -> T { fatalError() }
    open var allowsJSON5: Bool = false
    open var userInfo: [CodingUserInfoKey: any Sendable] = [:]
}
open class PropertyListDecoder: @unchecked Sendable {
    public init() {}
    open func decode<T: Decodable>(_ t: T.Type, from: Data) throws -> T { fatalError() }
}
open class PropertyListEncoder: @unchecked Sendable {
    public init() {}
    open func encode<T: Encodable>(_ v: T) throws -> Data { Data() }
}
public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}
extension LocalizedError {
    public var errorDescription: String? { nil }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
    public var helpAnchor: String? { nil }
}
public protocol CustomNSError: Error {
    static var errorDomain: String { get }
    var errorCode: Int { get }
    var errorUserInfo: [String: Any] { get }
}
extension CustomNSError {
    public static var errorDomain: String { "" }
    public var errorCode: Int { 0 }
    public var errorUserInfo: [String: Any] { [:] }
}
open class NSError: NSObject, @unchecked Sendable, Error {
    open var domain: String { "" }
    open var code: Int { 0 }
    open var userInfo: [String: Any] { [:] }
    open var localizedDescription: String { "" }
}
extension Error { public var localizedDescription: String { "" } }
open class Bundle: NSObject {
    open class var main: Bundle { fatalError() }
    open var bundleIdentifier: String? { nil }
    open func object(forInfoDictionaryKey key: String) -> Any? { nil }
    open var bundlePath: String { "" }
    open var infoDictionary: [String: Any]? { nil }
}
extension Bundle: @unchecked Sendable {}
public let NSUnderlyingErrorKey = "", NSLocalizedDescriptionKey = ""
extension StringProtocol {
    public func replacingOccurrences<A: StringProtocol, B: StringProtocol>(of: A, with: B) -> String { "" }
    public func components(separatedBy: String) -> [String] { [] }
    public func contains<T: StringProtocol>(_ o: T) -> Bool { false }
    public func trimmingCharacters(in s: CharacterSet) -> String { "" }
    public var capitalized: String { "" }
}
public struct CharacterSet: Sendable {
    public static let whitespaces = CharacterSet(), whitespacesAndNewlines = CharacterSet(),
        newlines = CharacterSet()
}
extension String {
    public init(format: String, _ args: any CVarArg...) { self = "" }
    public init?(data: Data, encoding: Encoding) { nil }
    public struct Encoding: Hashable, Sendable { public static let utf8 = Encoding() }
    public func data(using: Encoding) -> Data? { nil }
}
public func _convertErrorToNSError(_ error: any Error) -> NSError { fatalError() }
public func _convertNSErrorToError(_ error: NSError?) -> any Error { fatalError() }
public protocol NSObjectProtocol: AnyObject {
    func isEqual(_ object: Any?) -> Bool
    var hash: Int { get }
    var description: String { get }
}
extension NSObject: NSObjectProtocol {}
public enum ComparisonResult: Int, Sendable { case orderedAscending = -1, orderedSame, orderedDescending }
extension Date { public func compare(_ o: Date) -> ComparisonResult { .orderedSame } }
open class NSString: NSObject, @unchecked Sendable {
    open var lastPathComponent: String { "" }
    open var deletingLastPathComponent: String { "" }
    open var pathExtension: String { "" }
    open var deletingPathExtension: String { "" }
    open func appendingPathComponent(_ s: String) -> String { "" }
    open func appendingPathExtension(_ s: String) -> String? { nil }
    open var standardizingPath: String { "" }
    open var length: Int { 0 }
    public override init() {}
    public init(format: String, arguments: CVaListPointer) {}
}
open class NSNumber: NSObject, ExpressibleByIntegerLiteral, @unchecked Sendable {
    public required init(integerLiteral value: Int) {}
    open var boolValue: Bool { false }
    open var doubleValue: Double { 0 }
    open var int64Value: Int64 { 0 }
    open var uint64Value: UInt64 { 0 }
    open var uint32Value: UInt32 { 0 }
    open var intValue: Int { 0 }
    open var objCType: UnsafePointer<CChar> { fatalError() }
    public init(value: Int) {}
    public init(value: UInt64) {}
    public init(value: Bool) {}
    open var uintValue: UInt { 0 }
    open var stringValue: String { "" }
}
open class NSNull: NSObject, @unchecked Sendable {}
public typealias CFTypeID = UInt
public func CFGetTypeID(_ o: AnyObject) -> CFTypeID { 0 }
public func CFBooleanGetTypeID() -> CFTypeID { 0 }
public func CFNumberIsFloatType(_ n: NSNumber) -> Bool { false }
public struct FileAttributeKey: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let creationDate = Self(rawValue: ""), modificationDate = Self(rawValue: ""),
        ownerAccountID = Self(rawValue: ""), size = Self(rawValue: ""), type = Self(rawValue: ""), posixPermissions = Self(rawValue: ""),
        protectionKey = Self(rawValue: ""), systemFreeSize = Self(rawValue: "")
}
public struct FileAttributeType: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public static let typeRegular = Self(rawValue: ""), typeDirectory = Self(rawValue: ""),
        typeSymbolicLink = Self(rawValue: "")
}
public struct FileProtectionType: Hashable, RawRepresentable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}
open class FileManager: NSObject, @unchecked Sendable {
    open class var `default`: FileManager { fatalError() }
    open func attributesOfItem(atPath: String) throws -> [FileAttributeKey: Any] { [:] }
    open func setAttributes(_ a: [FileAttributeKey: Any], ofItemAtPath: String) throws {}
    open func fileExists(atPath: String) -> Bool { false }
    open func fileExists(atPath: String, isDirectory: UnsafeMutablePointer<Bool>?) -> Bool { false }
    open func removeItem(atPath: String) throws {}
    open func moveItem(atPath: String, toPath: String) throws {}
    open func createDirectory(
        atPath: String, withIntermediateDirectories: Bool, attributes: [FileAttributeKey: Any]? = nil
    ) throws {}
    open func contentsOfDirectory(atPath: String) throws -> [String] { [] }
    open func createFile(atPath: String, contents: Data?, attributes: [FileAttributeKey: Any]? = nil) -> Bool
    { false }
    open var currentDirectoryPath: String { "" }
    open var temporaryDirectory: URL { fatalError() }
}
extension Data {
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let atomic = WritingOptions(rawValue: 1),
            withoutOverwriting = WritingOptions(rawValue: 2)
    }
    public func write(to url: URL, options: WritingOptions) throws {}
}
extension ProcessInfo { public var operatingSystemVersionString: String { "" } }
public struct CGFloat: Hashable, Sendable, Comparable, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral
{
    public init(integerLiteral: Int) {}
    public init(floatLiteral: Double) {}
    public static func < (a: CGFloat, b: CGFloat) -> Bool { false }
    public static func / (a: CGFloat, b: CGFloat) -> CGFloat { a }
    public static func * (a: CGFloat, b: CGFloat) -> CGFloat { a }
    public func rounded() -> CGFloat { self }
    public init(_ d: Double) {}
}
extension Int { public init(_ c: CGFloat) { self = 0 } }
public typealias NSInteger = Int
public typealias NSUInteger = UInt
open class DateFormatter: NSObject, @unchecked Sendable {
    open var dateFormat: String! = ""
    open var timeZone: TimeZone! = nil
    open var locale: Locale! = nil
    open var calendar: Calendar! = nil
    open func string(from: Date) -> String { "" }
    open func date(from: String) -> Date? { nil }
}
open class URLResponse: NSObject, @unchecked Sendable {}
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    open var statusCode: Int { 0 }
    open var allHeaderFields: [AnyHashable: Any] { [:] }
}
public struct URLRequest: Sendable, Hashable {
    public enum CachePolicy: UInt, Sendable { case useProtocolCachePolicy, reloadIgnoringLocalCacheData }
    public init(
        url: URL, cachePolicy: CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60.0
    ) {}
    public var httpMethod: String? {
        get { nil }
        set {}
    }
    public var httpBody: Data? {
        get { nil }
        set {}
    }
    public mutating func setValue(_ v: String?, forHTTPHeaderField: String) {}
    public var url: URL? { nil }
}
public typealias NSURLRequest_CachePolicy = URLRequest.CachePolicy
public enum tls_protocol_version_t: UInt16, Sendable { case TLSv12 = 0x303, TLSv13 = 0x304 }
open class HTTPCookieStorage: NSObject {}
open class URLCache: NSObject {}
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var ephemeral: URLSessionConfiguration { fatalError() }
    open var httpCookieStorage: HTTPCookieStorage?
    open var httpShouldSetCookies = false
    open var urlCache: URLCache?
    open var requestCachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy
    open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t = .TLSv12
    open var connectionProxyDictionary: [AnyHashable: Any]?
    open var timeoutIntervalForRequest: TimeInterval = 0
    open var waitsForConnectivity = false
}
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {}
public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest
    ) async -> URLRequest?
}
open class URLSessionTask: NSObject, @unchecked Sendable { open func cancel() {} }
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
open class URLSession: NSObject, @unchecked Sendable {
    public init(configuration: URLSessionConfiguration) {}
    open func invalidateAndCancel() {}
    open func finishTasksAndInvalidate() {}
    public func bytes(for r: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (
        AsyncBytes, URLResponse
    ) { fatalError() }
    public struct AsyncBytes: AsyncSequence, Sendable {
        public typealias Element = UInt8
        public var task: URLSessionDataTask { fatalError() }
        public struct AsyncIterator: AsyncIteratorProtocol {
            public mutating func next() async throws -> UInt8? { nil }
        }
        public func makeAsyncIterator() -> AsyncIterator { .init() }
    }
}
public struct URLError: Error, Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static var cannotFindHost: Code { .init(rawValue: -1003) }
        public static var dnsLookupFailed: Code { .init(rawValue: -1006) }
        public static var cannotConnectToHost: Code { .init(rawValue: 0) }
        public static var notConnectedToInternet: Code { .init(rawValue: 0) }
        public static var networkConnectionLost: Code { .init(rawValue: 0) }
        public static var timedOut: Code { .init(rawValue: 0) }
        public static var cancelled: Code { .init(rawValue: 0) }
        public static var badServerResponse: Code { .init(rawValue: 0) }
        public static var cannotParseResponse: Code { .init(rawValue: 0) }
        public static var serverCertificateHasBadDate: Code { .init(rawValue: 0) }
        public static var serverCertificateNotYetValid: Code { .init(rawValue: 0) }
        public static var serverCertificateHasUnknownRoot: Code { .init(rawValue: 0) }
        public static var serverCertificateUntrusted: Code { .init(rawValue: 0) }
        public static var clientCertificateRequired: Code { .init(rawValue: 0) }
        public static var clientCertificateRejected: Code { .init(rawValue: 0) }
        public static var secureConnectionFailed: Code { .init(rawValue: 0) }
        public static var appTransportSecurityRequiresSecureConnection: Code { .init(rawValue: 0) }
    }
    public var code: Code { .init(rawValue: 0) }
    public var localizedDescription: String { "" }
}
extension Bundle {
    public var bundleURL: URL { fatalError() }
    public class var allBundles: [Bundle] { [] }
}
extension FileManager {
    public func isExecutableFile(atPath: String) -> Bool { false }
    public func contents(atPath: String) -> Data? { nil }
}
extension String {
    public init(contentsOfFile: String, encoding: Encoding) throws { self = "" }
    public func write(toFile: String, atomically: Bool, encoding: Encoding) throws {}
}

public struct NSZone {}
public protocol NSCopying { func copy(with zone: NSZone?) -> Any }

// Tests/check-apple reads a cast of a text to NSString as a call of this.
public func bridged(_ text: String) -> NSString { NSString() }
