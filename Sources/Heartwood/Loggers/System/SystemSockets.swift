import CHeartwood

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
