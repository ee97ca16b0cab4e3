import CHeartwood

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
            self = .syslog(frame, SystemConnection(.udp(host: host, port: port), sockets))
        case .tcp(let host, let port, let format, let framing):
            let frame = SyslogFrame(
                format, ending: framing == .newline ? .newline : .counted, namesHost: true,
                limit: style.limit ?? 8192, options: style.options)
            self = .syslog(frame, SystemConnection(.tcp(host: host, port: port), sockets))
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

/// Where the system's own sockets are, and how the addresses of a host are found.
struct SystemSockets: Sendable {
    var journal = "/run/systemd/journal/socket"
    var syslog = "/dev/log"
    /// Finds the addresses of a host, by name, port and whether it is for a stream; may wait for the network.
    var find: @Sendable (String, Int, Bool) -> HostLookup.Answer = {
        SocketAddress.find($0, port: $1, stream: $2, numeric: false)
    }

    /// What ``SystemLogger/Destination/automatic`` is on this machine.
    var destination: SystemLogger.Destination {
        var status = stat()
        let hasJournal = stat(journal, &status) == 0 && UInt32(status.st_mode) & 0o170000 == 0o140000
        return hasJournal ? .journal(socket: journal) : .local(socket: syslog)
    }
}
