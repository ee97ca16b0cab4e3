/// What configurations have made of a dispatcher so far: the loggers, and what to go back to.
final class ConfiguredState: Sendable {
    /// A logger that a configuration has made.
    struct Entry {
        let name: String
        let kind: String
        let logger: AbstractLogger
        let fixed: [String: LogSetting]
        var tuned: TunedSettings
    }

    struct Content {
        var entries: [Entry] = []
        var dispatcher = TunedSettings()
        var categoryRules: [LogLevelRule] = []
        var sourceRules: [LogLevelRule] = []
    }

    // MARK: Guarded by themselves
    private let content = Locked(Content())
    /// Whether a thread applies a configuration: one at a time, and not under a lock, as loggers are made meanwhile.
    private let isBusy = Locked(false)

    /// What is there; only who is `busy` may put something else in its place.
    var current: Content {
        get { content.withLock { $0 } }
        set {
            let old = content.withLock { content in
                defer { content = newValue }
                return content
            }
            // Ends outside of the lock: it may hold the last reference to a logger.
            withExtendedLifetime(old) {}
        }
    }

    /// Takes the turn; false where another thread has it.
    func begin() -> Bool {
        isBusy.withLock { isBusy in
            if isBusy { return false }
            isBusy = true
            return true
        }
    }

    func end() { isBusy.withLock { $0 = false } }
}

/// The properties of an object that settings were applied to: what they are set to, and what they were before.
struct TunedSettings {
    private var settings: [String: LogSetting] = [:]
    private var restore: [String: (AnyObject) -> Void] = [:]

    /// Sets what has changed since the last time, and nothing else; what is not given any more becomes what it was.
    mutating func apply(_ tunings: [SettingTuning], to target: AnyObject) {
        for tuning in tunings where tuning.setting != settings[tuning.key] {
            if let set = tuning.set {
                if restore[tuning.key] == nil { restore[tuning.key] = tuning.keep(target) }
                set(target)
            } else if let back = restore.removeValue(forKey: tuning.key) {
                back(target)
            }
            settings[tuning.key] = tuning.setting
        }
    }
}
