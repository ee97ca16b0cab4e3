// swift-format-ignore-file
// Combine, for Tests/check-apple: the declarations that Heartwood uses, with bodies that do nothing.

public enum Subscribers {
    public struct Demand: Equatable, Comparable, Hashable, Codable, Sendable {
        public static let unlimited = Demand(), none = Demand()
        public static func max(_ v: Int) -> Demand { none }
        public static func + (a: Demand, b: Demand) -> Demand { a }
        public static func += (a: inout Demand, b: Demand) {}
        public static func - (a: Demand, b: Int) -> Demand { a }
        public static func -= (a: inout Demand, b: Int) {}
        public static func < (a: Demand, b: Demand) -> Bool { false }
        public static func > (a: Demand, b: Int) -> Bool { false }
        public static func == (a: Demand, b: Int) -> Bool { false }
        public var max: Int? { nil }
    }
    public enum Completion<Failure: Error> { case finished, failure(Failure) }
}
extension Subscribers.Completion: Sendable {}
public protocol Cancellable { func cancel() }
public protocol CustomCombineIdentifierConvertible { var combineIdentifier: CombineIdentifier { get } }
public struct CombineIdentifier: Hashable, Sendable {
    public init() {}
    public init(_ o: AnyObject) {}
}
extension CustomCombineIdentifierConvertible where Self: AnyObject {
    public var combineIdentifier: CombineIdentifier { .init(self) }
}
public protocol Subscription: Cancellable, CustomCombineIdentifierConvertible {
    func request(_ demand: Subscribers.Demand)
}
public protocol Subscriber<Input, Failure>: CustomCombineIdentifierConvertible {
    associatedtype Input
    associatedtype Failure: Error
    func receive(subscription: any Subscription)
    func receive(_ input: Input) -> Subscribers.Demand
    func receive(completion: Subscribers.Completion<Failure>)
}
public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error
    func receive<S>(subscriber: S) where S: Subscriber, Failure == S.Failure, Output == S.Input
}
extension Publisher {
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { .init(self) }
    public func compactMap<T>(_ t: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> {
        .init(upstream: self, transform: t)
    }
}
public struct AnyPublisher<Output, Failure: Error>: Publisher {
    public init<P: Publisher>(_ p: P) where Output == P.Output, Failure == P.Failure {}
    public func receive<S>(subscriber: S) where Output == S.Input, Failure == S.Failure, S: Subscriber {}
}
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
    public typealias Output = DeferredPublisher.Output
    public typealias Failure = DeferredPublisher.Failure
    public let createPublisher: () -> DeferredPublisher
    public init(createPublisher: @escaping () -> DeferredPublisher) { self.createPublisher = createPublisher }
    public func receive<S>(subscriber: S)
    where S: Subscriber, DeferredPublisher.Failure == S.Failure, DeferredPublisher.Output == S.Input {}
}
public struct Empty<Output, Failure: Error>: Publisher {
    public init(completeImmediately: Bool = true) {}
    public func receive<S>(subscriber: S) where Output == S.Input, Failure == S.Failure, S: Subscriber {}
}
public enum Publishers {
    public struct CompactMap<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure
        public let upstream: Upstream
        public let transform: (Upstream.Output) -> Output?
        public init(upstream: Upstream, transform: @escaping (Upstream.Output) -> Output?) {
            self.upstream = upstream
            self.transform = transform
        }
        public func receive<S>(subscriber: S)
        where Output == S.Input, S: Subscriber, Upstream.Failure == S.Failure {}
    }
}
