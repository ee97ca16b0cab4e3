/// Writes a repeated message once, and then the number of repetitions.
///
/// ```swift
/// console.duplicateSuppression = DuplicateSuppression()
/// ```
///
///     10:20:30.123 warning net connection refused
///     10:20:31.456 warning net last message repeated 41 times
///
/// Two messages are equal if they have the same level, category, context, text with its values, and fields.
/// The note is written before the next different message, after ``interval`` while repetitions continue, at a
/// flush, and when the logger is removed. It has the level and category of the message and a field
/// `repeated`. Messages that are not written count as `filtered`.
public struct DuplicateSuppression: Hashable, Sendable {
    /// How long repeats are counted before they are reported; 30 s unless given.
    public var interval: Duration

    /// Makes the setting.
    ///
    /// The interval is 30 s unless given.
    public init(interval: Duration = .seconds(30)) {
        self.interval = interval
    }
}
