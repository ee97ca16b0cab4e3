import CHeartwood

extension SystemLogger {
    /// The format of syslog messages.
    public enum SyslogFormat: Hashable, Sendable {
        /// `<14>1 2026-11-20T10:20:30.123456Z web1 shop 512 payments [heartwood@32473 order="17"] charged
        /// 12.5 EUR`: RFC 5424, with the fields as structured data, as ``SyslogFormatter`` writes it.
        case rfc5424
        /// `<14>Nov 20 10:20:30 web1 shop[512]: [payments] charged 12.5 EUR {order=17}`: RFC 3164, in local
        /// time. Over a socket of the same host, the host's name is left out, as `syslog(3)` does it.
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

        /// The same with an absolute path of the socket.
        var inPlace: Destination {
            switch self {
            case .journal(let socket): .journal(socket: socket.absolutePath())
            case .local(let socket, let format, let framing):
                .local(socket: socket.absolutePath(), format: format, framing: framing)
            default: self
            }
        }
    }
}
