extension LogLevel {
    /// The number of RFC 5424: 2 (critical) for `fatal` to 7 (debug) for `debug` and `verbose`.
    package var syslogSeverity: Int {
        switch severity {
        case .fatal: 2
        case .error: 3
        case .warning: 4
        case .notice: 5
        case .info: 6
        default: 7
        }
    }
}
