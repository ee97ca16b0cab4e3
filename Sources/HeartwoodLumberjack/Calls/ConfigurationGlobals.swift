import Synchronization

private let dynamicMask = Atomic<UInt>(.max)
private let isAsynchronous = Atomic<Bool>(true)

/// The level of calls without `level:`.
///
/// Calls with other flags log nothing. It is `all` unless a package trait sets a floor.
///
/// CocoaLumberjack sets it with `DD_LOG_LEVEL`; here the traits `FloorDebug` to `FloorError` do, and the
/// calls below vanish from the binary.
@inlinable
public var DDDefaultLogLevel: DDLogLevel {
    #if FloorError
    .error
    #elseif FloorWarning
    .warning
    #elseif FloorInfo
    .info
    #elseif FloorDebug
    .debug
    #else
    .all
    #endif
}

/// The flags that all `DDLog…` calls log; `all` unless changed.
///
/// It may be read and set on any thread, and takes effect at once.
public var dynamicLogLevel: DDLogLevel {
    get { DDLogLevel(mask: dynamicMask.load(ordering: .relaxed)) }
    set { dynamicMask.store(newValue.rawValue, ordering: .relaxed) }
}

/// Sets ``dynamicLogLevel`` back to `all`.
public func resetDynamicLogLevel() { dynamicLogLevel = .all }

/// Whether calls without `asynchronous:` are asynchronous, except for errors; true unless changed.
public var asyncLoggingEnabled: Bool {
    get { isAsynchronous.load(ordering: .relaxed) }
    set { isAsynchronous.store(newValue, ordering: .relaxed) }
}

/// Whether ``dynamicLogLevel`` has one of these flags.
@usableFromInline
func isDynamicallyEnabled(_ flags: UInt) -> Bool { dynamicMask.load(ordering: .relaxed) & flags != 0 }

/// The old name of ``dynamicLogLevel``.
@available(*, deprecated, renamed: "dynamicLogLevel")
public var defaultDebugLevel: DDLogLevel {
    get { dynamicLogLevel }
    set { dynamicLogLevel = newValue }
}

/// The old name of ``resetDynamicLogLevel()``.
@available(*, deprecated, renamed: "resetDynamicLogLevel")
public func resetDefaultDebugLevel() { resetDynamicLogLevel() }
