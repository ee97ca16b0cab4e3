/// Passes messages of some contexts only, and leaves their text unchanged.
///
/// It may be changed at any time, on any thread. Heartwood's name for it is `LogFilter.contexts(_:)`.
open class DDContextAllowlistFilterLogFormatter: NSObject, DDLogFormatter {
    private let list = ContextList()

    /// Makes a formatter with an empty list.
    public override init() {}

    /// Adds a context to the list.
    open func add(toAllowlist loggingContext: Int) { list.insert(loggingContext) }

    /// Removes a context from the list.
    open func remove(fromAllowlist loggingContext: Int) { list.remove(loggingContext) }

    /// The contexts on the list.
    open var allowlist: [NSNumber] { list.all }

    /// Whether a context is on the list.
    open func `is`(onAllowlist loggingContext: Int) -> Bool { list.contains(loggingContext) }

    /// Returns the text of a message that passes; nil for others.
    open func format(message logMessage: DDLogMessage) -> String? {
        list.contains(logMessage.context) ? logMessage.message : nil
    }
}
