/// The format of levels in JSON objects.
public enum JSONLevel: Hashable, Sendable {
    /// `"warning"`.
    case name
    /// `"WARNING"`.
    case upperName
    /// The severity of syslog: 2 for `fatal` to 7 for `debug` and `verbose`.
    case syslog
    /// The level of SwiftyBeaver: 0 for `verbose` to 5 for `fatal`.
    case swiftyBeaver
}
