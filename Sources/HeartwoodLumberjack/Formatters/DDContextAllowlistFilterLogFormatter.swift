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

/// The old name of ``DDContextAllowlistFilterLogFormatter``.
@available(*, deprecated, renamed: "DDContextAllowlistFilterLogFormatter")
public typealias DDContextWhitelistFilterLogFormatter = DDContextAllowlistFilterLogFormatter

extension DDContextAllowlistFilterLogFormatter {
    /// The old name of ``add(toAllowlist:)``.
    @available(*, deprecated, renamed: "add(toAllowlist:)")
    public func add(toWhitelist loggingContext: Int) { add(toAllowlist: loggingContext) }

    /// The old name of ``remove(fromAllowlist:)``.
    @available(*, deprecated, renamed: "remove(fromAllowlist:)")
    public func remove(fromWhitelist loggingContext: Int) { remove(fromAllowlist: loggingContext) }

    /// The old name of ``allowlist``.
    @available(*, deprecated, renamed: "allowlist")
    public var whitelist: [NSNumber] { allowlist }

    /// The old name of ``is(onAllowlist:)``.
    @available(*, deprecated, renamed: "is(onAllowlist:)")
    public func `is`(onWhitelist loggingContext: Int) -> Bool { `is`(onAllowlist: loggingContext) }
}
