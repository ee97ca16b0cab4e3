// swift-format-ignore-file
// Dispatch, for Tests/check-apple: the declarations that Heartwood uses, with bodies that do nothing.

@_exported public import Darwin
open class DispatchObject: @unchecked Sendable {
    public func setTarget(queue: DispatchQueue?) {}
    public func activate() {}
    public func suspend() {}
    public func resume() {}
}
public struct DispatchQoS: Sendable, Equatable {
    public enum QoSClass: Sendable {
        case background, utility, `default`, userInitiated, userInteractive, unspecified
    }
    public static let background = DispatchQoS(), utility = DispatchQoS(), `default` = DispatchQoS(),
        userInitiated = DispatchQoS(), userInteractive = DispatchQoS(), unspecified = DispatchQoS()
}
public struct DispatchWorkItemFlags: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let barrier = DispatchWorkItemFlags(rawValue: 1),
        enforceQoS = DispatchWorkItemFlags(rawValue: 2)
}
public final class DispatchSpecificKey<T> { public init() {} }
extension DispatchSpecificKey: @unchecked Sendable where T: Sendable {}
public final class DispatchGroup: DispatchObject, @unchecked Sendable {
    public override init() {}
    public func enter() {}
    public func leave() {}
    public func wait() {}
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
    public func notify(queue: DispatchQueue, execute: @escaping @convention(block) () -> Void) {}
}
@frozen public enum DispatchTimeoutResult: Sendable { case success, timedOut }
public final class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    public init(value: Int) {}
    @discardableResult public func signal() -> Int { 0 }
    public func wait() {}
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult { .success }
}
public struct DispatchTime: Comparable, Sendable {
    public let rawValue: UInt64
    public static func now() -> DispatchTime { fatalError() }
    public static let distantFuture = DispatchTime(uptimeNanoseconds: 0)
    public init(uptimeNanoseconds: UInt64) { rawValue = 0 }
    public var uptimeNanoseconds: UInt64 { 0 }
    public static func < (a: DispatchTime, b: DispatchTime) -> Bool { false }
}
public enum DispatchTimeInterval: Equatable, Sendable {
    case seconds(Int), milliseconds(Int), microseconds(Int), nanoseconds(Int)
    case never
}
public func + (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
public func - (time: DispatchTime, interval: DispatchTimeInterval) -> DispatchTime { time }
public func + (time: DispatchTime, seconds: Double) -> DispatchTime { time }
public final class DispatchQueue: DispatchObject, @unchecked Sendable {
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        public static let concurrent = Attributes(rawValue: 2), initiallyInactive = Attributes(rawValue: 4)
    }
    public enum AutoreleaseFrequency: Sendable { case inherit, workItem, never }
    public convenience init(
        label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
    ) { self.init(x: 0) }
    init(x: Int) {}
    public class var main: DispatchQueue { fatalError() }
    public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { fatalError() }
    public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { nil }
    public func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { nil }
    public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {}
    public class func concurrentPerform(iterations: Int, execute work: (Int) -> Void) {}
    public var label: String { "" }
    public var qos: DispatchQoS { .default }
    public func sync(execute block: () -> Void) {}
    public func sync<T>(execute work: () throws -> T) rethrows -> T { try work() }
    public func sync<T>(flags: DispatchWorkItemFlags, execute work: () throws -> T) rethrows -> T {
        try work()
    }
    @preconcurrency public func async(
        group: DispatchGroup? = nil, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) {}
    @preconcurrency public func asyncAfter(
        deadline: DispatchTime, qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        execute work: @escaping @Sendable @convention(block) () -> Void
    ) {}
    public func async(execute workItem: DispatchWorkItem) {}
}
public class DispatchWorkItem: @unchecked Sendable {
    public init(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [], block: @escaping () -> Void
    ) {}
    public func cancel() {}
    public func perform() {}
}
public enum DispatchPredicate {
    case onQueue(DispatchQueue), onQueueAsBarrier(DispatchQueue), notOnQueue(DispatchQueue)
}
public func dispatchPrecondition(condition: @autoclosure () -> DispatchPredicate) {}
public protocol DispatchSourceProtocol: AnyObject {
    func setEventHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@convention(block) () -> Void)?)
    func setCancelHandler(
        qos: DispatchQoS, flags: DispatchWorkItemFlags, handler: (@convention(block) () -> Void)?)
    func cancel()
    func resume()
    func suspend()
    func activate()
    var handle: UInt { get }
    var data: UInt { get }
    var isCancelled: Bool { get }
}
extension DispatchSourceProtocol {
    public func setEventHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        handler: (@convention(block) () -> Void)?
    ) {}
    public func setCancelHandler(
        qos: DispatchQoS = .unspecified, flags: DispatchWorkItemFlags = [],
        handler: (@convention(block) () -> Void)?
    ) {}
    public func cancel() {}
    public func activate() {}
    public func resume() {}
    public func suspend() {}
    public var handle: UInt { 0 }
    public var data: UInt { 0 }
    public var isCancelled: Bool { false }
}
public protocol DispatchSourceRead: DispatchSourceProtocol {}
public protocol DispatchSourceTimer: DispatchSourceProtocol {}
public protocol DispatchSourceSignal: DispatchSourceProtocol {}
extension DispatchSourceTimer {
    public func schedule(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never,
        leeway: DispatchTimeInterval = .nanoseconds(0)
    ) {}
}
public class DispatchSource: DispatchObject, DispatchSourceRead, DispatchSourceTimer, @unchecked Sendable {
    override init() {}
    public class func makeReadSource(fileDescriptor: Int32, queue: DispatchQueue? = nil)
        -> any DispatchSourceRead
    { fatalError() }
    public struct TimerFlags: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
    public class func makeTimerSource(flags: TimerFlags = [], queue: DispatchQueue? = nil)
        -> any DispatchSourceTimer
    { fatalError() }
}
