import Heartwood
#if canImport(Combine)
public import Combine

extension DDLog {
    /// Publishes the messages of a dispatcher.
    ///
    /// Heartwood's tests run on Linux and do not test this type.
    ///
    /// A subscriber gets all messages, whatever it asks for.
    public struct MessagePublisher: Publisher {
        /// The published type.
        public typealias Output = DDLogMessage
        /// The publisher does not fail.
        public typealias Failure = Never

        private let log: DDLog
        private let logLevel: DDLogLevel

        /// Makes a publisher; a logger is added for each subscriber, until it cancels.
        public init(log: DDLog, with logLevel: DDLogLevel) { (self.log, self.logLevel) = (log, logLevel) }

        /// Adds a logger for a subscriber.
        public func receive<S: Subscriber<DDLogMessage, Never>>(subscriber: S) {
            let logger = PublishingLogger(subscriber, log)
            log.add(logger, with: logLevel)
            subscriber.receive(subscription: logger)
        }
    }

    /// Publishes the messages of these levels.
    public func messagePublisher(with logLevel: DDLogLevel = .all) -> MessagePublisher {
        MessagePublisher(log: self, with: logLevel)
    }
}

extension Publisher where Output == DDLogMessage {
    /// Publishes the texts of a formatter, without the messages that it drops.
    public func formatted(with formatter: any DDLogFormatter) -> Publishers.CompactMap<Self, String> {
        compactMap { message in
            let text: String? = formatter.format(message: message)
            return text
        }
    }
}

/// Hands messages to one subscriber.
private final class PublishingLogger<S: Subscriber<DDLogMessage, Never>>: DDAbstractLogger, Subscription {
    private struct Target: @unchecked Sendable {
        var subscriber: S?
    }

    private let target: Locked<Target>
    private weak var owner: DDLog?

    init(_ subscriber: S, _ log: DDLog) {
        let first = Target(subscriber: subscriber)
        target = Locked(first)
        owner = log
        super.init()
    }

    func request(_ demand: Subscribers.Demand) {}

    func cancel() {
        target.withLock { $0.subscriber = nil }
        owner?.remove(self)
    }

    override func log(message logMessage: DDLogMessage) {
        _ = target.withLock { $0 }.subscriber?.receive(logMessage)
    }
}
#endif
