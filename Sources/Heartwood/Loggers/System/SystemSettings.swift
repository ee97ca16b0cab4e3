/// The settings of a ``SystemLogger``, which has each as a property of the same name.
public struct SystemSettings: Sendable {
    /// The receiver of messages.
    ///
    /// When it changes, what still waits for the old one is tried once more, and counts as failed if that
    /// does not help.
    ///
    /// Default: automatic
    public var destination: SystemLogger.Destination {
        get { receiver }
        set { receiver = newValue.inPlace }
    }
    private var receiver = SystemLogger.Destination.automatic

    /// The kind of program that logs, for journald and syslog.
    ///
    /// Default: user
    public var facility = SyslogFormatter.Facility.user

    /// The name of the program, for journald and syslog; nil is the name of its file.
    ///
    /// syslog takes 48 characters of it (RFC 5424) or 32 (RFC 3164).
    ///
    /// Default: nil
    public var program: String?

    /// The name of the host, for syslog; nil is the system's host name.
    ///
    /// Default: nil
    public var host: String?

    /// How private values are written, in texts and in fields.
    ///
    /// If the logger has a formatter, the formatter decides for the text.
    ///
    /// Default: redact
    public var privacy = LogPrivacyPolicy.redact

    /// The size limit of a message, which is cut at the end of a character; nil is the usual limit of the
    /// destination.
    ///
    /// Usual are 2048 bytes for RFC 5424 over UDP, 1024 for RFC 3164 over UDP, 8192 for streams and local
    /// sockets, and no limit for journald, where it is the text alone that counts. For syslog the header
    /// counts too, fields that leave less than a quarter for the rest are left out, and less than 480 bytes
    /// counts as 480. To cut nothing, set a size that no message has; one that is too large for a datagram
    /// then counts as failed. Apple's unified log shows about 1 KiB of a message, whatever the limit (not
    /// tested).
    ///
    /// Default: nil
    public var maximumMessageSize: ByteCount?

    /// The most bytes of messages that wait in memory for a receiver.
    ///
    /// Default: 4 MiB
    public var waitingLimit = ByteCount.mebibytes(4)

    /// How long one attempt to send can block the logger's queue.
    ///
    /// Default: 250ms
    public var sendTimeout = Duration.milliseconds(250)

    /// The first and the longest pause between attempts to reach a receiver; 100 ms and 10 s by default.
    ///
    /// Each pause is twice as long as the one before. A random part of up to a half is left out of each, so
    /// that many programs do not come back in the same moment. A flush tries at once.
    public var pauses = Duration.milliseconds(100)...Duration.seconds(10)

    package init() {}
}
