// swift-format-ignore-file
// The unified log, for Tests/check-apple: the declarations that Heartwood uses, with bodies that do nothing.

@_exported public import Darwin
public import Foundation
public struct OSLogType: Equatable, RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }
    public static let `default` = OSLogType(0), info = OSLogType(1), debug = OSLogType(2),
        error = OSLogType(16), fault = OSLogType(17)
}
open class OSLog: NSObject, @unchecked Sendable {
    public convenience init(subsystem: String, category: String) { self.init() }
    public class var `default`: OSLog { fatalError() }
    public class var disabled: OSLog { fatalError() }
}
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer = #dsohandle, log: OSLog = .default, _ message: StaticString,
    _ args: any CVarArg...
) {}
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = #dsohandle, log: OSLog = .default,
    type: OSLogType = .default, _ args: any CVarArg...
) {}
public struct OSLogPrivacy: Sendable {
    public static var `public`: OSLogPrivacy { fatalError() }
    public static var `private`: OSLogPrivacy { fatalError() }
    public static var auto: OSLogPrivacy { fatalError() }
}
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
    public init(stringLiteral: String) {}
    public init(stringInterpolation: OSLogInterpolation) {}
    public typealias StringInterpolation = OSLogInterpolation
}
public struct OSLogInterpolation: StringInterpolationProtocol {
    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ s: String) {}
    public mutating func appendInterpolation(
        _ s: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .auto
    ) {}
    public mutating func appendInterpolation(
        _ s: @autoclosure @escaping () -> Int, privacy: OSLogPrivacy = .auto
    ) {}
}
public struct Logger: @unchecked Sendable {
    public init(subsystem: String, category: String) {}
    public init(_ log: OSLog) {}
    public init() {}
    public func log(level: OSLogType, _ message: OSLogMessage) {}
    public func log(_ message: OSLogMessage) {}
}
