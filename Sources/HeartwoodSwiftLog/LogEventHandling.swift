#if SwiftLog
public import Logging

/// What takes a log event: swift-log's handlers.
///
/// It finds out the type of the events that the version of swift-log at hand has. No condition of the
/// compiler tells versions of a package apart, and before version 1.11 there is no such type to name: here
/// the compiler infers it from a handler of swift-log that has the method, and takes ``EarlierLogEvent``
/// where none has.
public protocol LogEventHandling {
    /// The type of the events: `LogEvent` with swift-log 1.11 or later, ``EarlierLogEvent`` before.
    associatedtype HandledEvent = EarlierLogEvent

    /// Takes an event.
    ///
    /// - Parameter event: The event.
    func log(event: HandledEvent)
}

extension LogEventHandling where HandledEvent == EarlierLogEvent {
    /// Does nothing: before version 1.11, swift-log does not make events.
    ///
    /// - Parameter event: The event.
    public func log(event: EarlierLogEvent) {}
}

extension SwiftLogNoOpLogHandler: LogEventHandling {}

/// The type of the events that a handler takes: `LogEvent` with swift-log 1.11 or later, ``EarlierLogEvent``
/// before.
public typealias HandledLogEvent = SwiftLogNoOpLogHandler.HandledEvent
#endif
