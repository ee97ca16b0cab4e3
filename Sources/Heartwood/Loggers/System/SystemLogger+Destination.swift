import CHeartwood

extension SystemLogger {
    /// The format of syslog messages.
    public enum SyslogFormat: Hashable, Sendable {
        /// `<14>1 2026-11-20T10:20:30.123456Z web1 shop 512 payments [heartwood@32473 order="17"] charged 12.5 EUR`:
        /// RFC 5424, with the fields as structured data, as ``SyslogFormatter`` writes it.
        case rfc5424
        /// `<14>Nov 20 10:20:30 web1 shop[512]: [payments] charged 12.5 EUR {order=17}`: RFC 3164, in local time. Over a
        /// socket of the same host, the host's name is left out, as `syslog(3)` does it.
        case rfc3164
    }

    /// How a stream marks the end of a message (RFC 6587).
    public enum Framing: Hashable, Sendable {
        /// The length precedes the message (3.4.1).
        case octetCounting
        /// A line feed ends the message (3.4.2); messages contain no line feeds.
        case newline
    }

    /// The receiver of messages.
    public enum Destination: Hashable, Sendable {
        /// The log of the system.
        ///
        /// journald if its socket exists, otherwise `/dev/log`; on Apple platforms the unified log.
        ///
        /// Looked for when the logger is made, and when this is set.
        case automatic
        /// journald, with its native protocol.
        case journal(socket: String = "/run/systemd/journal/socket")
        /// A syslog daemon on this host.
        ///
        /// The socket can be a datagram or a stream socket; `framing` applies to streams.
        case local(
            socket: String = "/dev/log", format: SyslogFormat = .rfc3164, framing: Framing = .newline)
        /// A syslog daemon over UDP (RFC 5426); messages can be lost on the network without notice.
        case udp(host: String, port: Int = 514, format: SyslogFormat = .rfc5424)
        /// A syslog daemon over TCP (RFC 6587), without encryption.
        case tcp(
            host: String, port: Int = 514, format: SyslogFormat = .rfc5424,
            framing: Framing = .octetCounting)
        /// The unified log of Apple platforms, with the categories of messages.
        ///
        /// The subsystem is the bundle identifier unless given. On other platforms, this is the same as
        /// ``automatic``.
        case unifiedLog(subsystem: String? = nil)
    }
}

/// Where the system's own sockets are.
struct SystemSockets {
    var journal = "/run/systemd/journal/socket"
    var syslog = "/dev/log"

    /// What ``SystemLogger/Destination/automatic`` is on this machine.
    var destination: SystemLogger.Destination {
        var status = stat()
        let hasJournal = stat(journal, &status) == 0 && UInt32(status.st_mode) & 0o170000 == 0o140000
        return hasJournal ? .journal(socket: journal) : .local(socket: syslog)
    }
}

/// What a destination asks for: how messages are written, and who gets them.
enum SystemRoute {
    case journal(JournalEntry, SystemConnection)
    case syslog(SyslogFrame, SystemConnection)
    case unifiedLog(UnifiedLog)

    /// The settings that the way messages are written depends on.
    struct Style {
        var options = SyslogFormatter.Options()
        /// Nil: what is usual for the destination.
        var limit: Int?
    }

    init(_ destination: SystemLogger.Destination, _ style: Style, _ sockets: SystemSockets) {
        switch destination {
        case .unifiedLog(let subsystem):
            self =
                UnifiedLog(subsystem: subsystem).map(SystemRoute.unifiedLog)
                ?? SystemRoute(sockets.destination, style, sockets)
        case .automatic:
            self =
                UnifiedLog(subsystem: nil).map(SystemRoute.unifiedLog)
                ?? SystemRoute(sockets.destination, style, sockets)
        case .journal(let path):
            let options = style.options
            let entry = JournalEntry(
                program: options.program ?? ProcessFacts.name, facility: options.facility.rawValue,
                privacy: options.privacy, limit: style.limit ?? 0)
            self = .journal(entry, SystemConnection(.journal(path: path)))
        case .local(let path, let format, let framing):
            let frame = SyslogFrame(
                format, ending: framing == .newline ? .newline : .counted, namesHost: false,
                limit: style.limit ?? 8192, options: style.options)
            self = .syslog(frame, SystemConnection(.local(path: path, ending: frame.ending)))
        case .udp(let host, let port, let format):
            let frame = SyslogFrame(
                format, ending: .datagram, namesHost: true,
                limit: style.limit ?? (format == .rfc3164 ? 1024 : 2048), options: style.options)
            self = .syslog(frame, SystemConnection(.udp(host: host, port: port)))
        case .tcp(let host, let port, let format, let framing):
            let frame = SyslogFrame(
                format, ending: framing == .newline ? .newline : .counted, namesHost: true,
                limit: style.limit ?? 8192, options: style.options)
            self = .syslog(frame, SystemConnection(.tcp(host: host, port: port)))
        }
    }

    /// The socket, where there is one.
    var connection: SystemConnection? {
        switch self {
        case .journal(_, let connection), .syslog(_, let connection): connection
        case .unifiedLog: nil
        }
    }
}
