/// Drops messages of some contexts, and leaves the text of the others unchanged.
///
/// It may be changed at any time, on any thread. Heartwood's name for it is `LogFilter.contexts(except:)`.
open class DDContextDenylistFilterLogFormatter: NSObject, DDLogFormatter {
    private let list = ContextList()

    /// Makes a formatter with an empty list.
    public override init() {}

    /// Adds a context to the list.
    open func add(toDenylist loggingContext: Int) { list.insert(loggingContext) }

    /// Removes a context from the list.
    open func remove(fromDenylist loggingContext: Int) { list.remove(loggingContext) }

    /// The contexts on the list.
    open var denylist: [NSNumber] { list.all }

    /// Whether a context is on the list.
    open func `is`(onDenylist loggingContext: Int) -> Bool { list.contains(loggingContext) }

    /// Returns the text of a message that passes; nil for others.
    open func format(message logMessage: DDLogMessage) -> String? {
        !list.contains(logMessage.context) ? logMessage.message : nil
    }
}
