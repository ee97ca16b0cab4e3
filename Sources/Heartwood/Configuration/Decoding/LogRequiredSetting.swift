/// A required setting, whose value is available after all settings were read.
public struct LogRequiredSetting<Value> {
    /// The value; nil if the setting is missing or not valid, which was reported.
    public let content: Value?

    /// The value.
    ///
    /// - Precondition: The setting is present and valid. Use it only in the function that makes the logger, which is called
    ///   after all settings were found to be valid.
    public var value: Value {
        guard let content else {
            preconditionFailure(
                "Use the value of a required setting only inside the returned closure, which runs once all settings are valid"
            )
        }
        return content
    }
}
