/// The alignment of a value, which Heartwood does not support.
///
/// The type exists only so that the compiler can say what to write instead.
public struct LogAlignment: Sendable {
    /// Not available: formatters align columns.
    public static func left(columns: Int) -> LogAlignment { LogAlignment() }
    /// Not available: formatters align columns.
    public static func right(columns: Int) -> LogAlignment { LogAlignment() }
}
