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

/// The old name of ``DDContextDenylistFilterLogFormatter``.
@available(*, deprecated, renamed: "DDContextDenylistFilterLogFormatter")
public typealias DDContextBlacklistFilterLogFormatter = DDContextDenylistFilterLogFormatter

extension DDContextDenylistFilterLogFormatter {
    /// The old name of ``add(toDenylist:)``.
    @available(*, deprecated, renamed: "add(toDenylist:)")
    public func add(toBlacklist loggingContext: Int) { add(toDenylist: loggingContext) }

    /// The old name of ``remove(fromDenylist:)``.
    @available(*, deprecated, renamed: "remove(fromDenylist:)")
    public func remove(fromBlacklist loggingContext: Int) { remove(fromDenylist: loggingContext) }

    /// The old name of ``denylist``.
    @available(*, deprecated, renamed: "denylist")
    public var blacklist: [NSNumber] { denylist }

    /// The old name of ``is(onDenylist:)``.
    @available(*, deprecated, renamed: "is(onDenylist:)")
    public func `is`(onBlacklist loggingContext: Int) -> Bool { `is`(onDenylist: loggingContext) }
}
