// swift-format-ignore-file
// The path monitor, for Tests/check-apple: the declarations that Heartwood uses, with bodies that do nothing.

public import Dispatch
public final class NWPathMonitor {
    public init() {}
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { nil }
        set {}
    }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
public struct NWPath: Equatable, Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public let status: Status
}
