/// A class with its own level, which can be changed by the name of the class.
///
/// ```swift
/// final class Network: DDRegisteredDynamicLogging {
///     nonisolated(unsafe) static var ddLogLevel = DDLogLevel.info
///     func connect() { DDLogDebug("connecting", level: Network.ddLogLevel) }
/// }
/// DDLog.register(Network.self)
/// DDLog.setLevel(.debug, forClassWithName: "Network")
/// ```
public protocol DDRegisteredDynamicLogging: AnyObject {
    /// The level of the class, which its calls name.
    static var ddLogLevel: DDLogLevel { get set }
}
