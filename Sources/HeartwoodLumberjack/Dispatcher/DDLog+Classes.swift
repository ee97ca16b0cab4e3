import Heartwood

/// A class; its level is guarded by itself.
private struct Registered: @unchecked Sendable {
    let type: any DDRegisteredDynamicLogging.Type
}

private let registry = Locked<[Registered]>([])

// Levels by class. Only Objective-C can find the classes of a program by itself; here they are registered.
extension DDLog {
    /// Registers a class, so that its level can be changed by its name.
    ///
    /// CocoaLumberjack finds classes by itself, with the runtime of Objective-C.
    public class func register(_ type: any DDRegisteredDynamicLogging.Type) {
        let new = Registered(type: type)
        registry.withLock { known in
            if !known.contains(where: { $0.type == new.type }) { known.append(new) }
        }
    }

    /// The registered classes.
    public class var registeredClasses: [AnyClass] { registry.withLock { $0 }.map(\.type) }

    /// The names of the registered classes.
    public class var registeredClassNames: [String] {
        registry.withLock { $0 }.map { String(describing: $0.type) }
    }

    /// Returns the level of a class, registered or not; `all` for a class without levels.
    public class func level(for aClass: AnyClass) -> DDLogLevel {
        (aClass as? any DDRegisteredDynamicLogging.Type)?.ddLogLevel ?? .all
    }

    /// Returns the level of a registered class by its name, with or without its module; `all` if no such
    /// class is registered.
    public class func levelForClass(withName aClassName: String) -> DDLogLevel {
        type(named: aClassName)?.ddLogLevel ?? .all
    }

    /// Sets the level of a class, registered or not; does nothing for one without levels.
    public class func setLevel(_ level: DDLogLevel, for aClass: AnyClass) {
        (aClass as? any DDRegisteredDynamicLogging.Type)?.ddLogLevel = level
    }

    /// Sets the level of a registered class by its name, with or without its module.
    public class func setLevel(_ level: DDLogLevel, forClassWithName aClassName: String) {
        type(named: aClassName)?.ddLogLevel = level
    }

    private class func type(named name: String) -> (any DDRegisteredDynamicLogging.Type)? {
        registry.withLock { $0 }.map(\.type).first {
            String(describing: $0) == name || String(reflecting: $0) == name
        }
    }
}
