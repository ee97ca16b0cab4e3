/// A setting that is a property: how to set it, and how to get back to what it was.
struct SettingTuning {
    let key: String
    /// What is given; nil where nothing is.
    let setting: LogSetting?
    /// Sets the property; nil where nothing is given.
    let set: ((AnyObject) -> Void)?
    /// Notes what the property is, to set it again.
    let keep: (AnyObject) -> (AnyObject) -> Void
}
