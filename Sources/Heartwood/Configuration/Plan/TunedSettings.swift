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
