public import Heartwood

/// The settings of an ``HTTPLogger``, which has each as a property of the same name.
///
/// ```swift
/// var settings = HTTPSettings(encoding: LokiEncoding(labels: ["job": "shop"]))
/// settings.sendInterval = .seconds(10)
/// let remote = try HTTPLogger("https://logs.example.com", settings: settings)
///
/// remote.compressionLevel = 6  // at any time
/// remote.updateSettings { settings in  // several, which take effect together
///     settings.countThreshold = nil
///     settings.pointThreshold = nil
/// }
/// ```
///
/// Where a limit is optional, nil and zero both mean no limit.
public struct HTTPSettings: Sendable {
    // MARK: Requests

    /// The form of requests; a change applies to what is stored already, too.
    ///
    /// By default a JSON array.
    public var encoding: any RemoteEncoding

    /// Changes to every request, in their order; called for each attempt, on any thread.
    ///
    /// The default is an empty list.
    public var decorators: [RequestDecorator] = []

    /// Who may read private pieces, applied before a message is stored.
    ///
    /// Default: redact
    public var privacy = LogPrivacyPolicy.redact

    /// What carries requests; nil is the system's, libcurl on Linux and URLSession on Apple's systems.
    ///
    /// A change applies from the next request on.
    ///
    /// Default: nil
    public var transport: (any HTTPTransport)?

    /// Whether plain `http` to another machine is permitted; checked when an address is set.
    ///
    /// Default: false
    public var allowsInsecureHTTP: Bool

    /// gzip's level for encodings that allow it, from 1 to 9; 0 compresses nothing.
    ///
    /// Default: 0
    public var compressionLevel = 0
    package static let compressionLevels = 0...9

    /// The size at which a message's text is cut, 512 KiB at most.
    ///
    /// Default: 64 KiB
    public var maximumMessageSize = ByteCount.kibibytes(64)

    // MARK: When requests are sent

    /// How often pending messages are sent.
    ///
    /// Default: 1m
    public var sendInterval = Duration.seconds(60)

    /// How often pending messages are sent while ``isInBackground``; nil means ``sendInterval``.
    ///
    /// Default: nil
    public var backgroundInterval: Duration?

    /// Whether the program is in the background; a change sends what is pending.
    ///
    /// Default: false
    public var isInBackground = false

    /// The random share, from 0 to 1, by which each interval is longer or shorter, so that many clients do
    /// not send at the same moment.
    ///
    /// Default: 0.1
    public var jitter = 0.1
    package static let jitters = 0.0...1.0

    /// The points that each level brings.
    ///
    /// By default an error or fatal message brings enough to go at once.
    public var levelWeights = LevelWeights.standard

    /// How many points make pending messages go at once; nil: points do nothing.
    ///
    /// Default: 10
    public var pointThreshold: Int? = 10

    /// How many pending messages go at once; nil: their number does nothing.
    ///
    /// Default: 300
    public var countThreshold: Int? = 300

    /// The most messages in a request, 32,000 at most; nil: as many as ``maximumBytesPerRequest`` and the
    /// encoding allow.
    ///
    /// Default: 300
    public var maximumMessagesPerRequest: Int? = 300

    /// The most bytes of a request's body, before compression.
    ///
    /// Default: 1 MiB
    public var maximumBytesPerRequest = ByteCount.mebibytes(1)

    /// How long a request may make no progress, and how long the answer may take after the request's last
    /// byte has arrived.
    ///
    /// A request that moves is not ended, however slow the line is. One that stops on its way is sent again
    /// in halves.
    ///
    /// Default: 30s
    public var requestTimeout = Duration.seconds(30)

    /// Whether sending is held; what is logged meanwhile is stored.
    ///
    /// Default: false
    public var isPaused = false

    /// Asked before each request, on the logger's queue; false holds the sending until the next interval.
    ///
    /// It is asked once per interval then, however much is pending; ``HTTPLogger/sendNow()`` asks again.
    ///
    /// Default: nil
    public var sendCondition: (@Sendable () -> Bool)?

    // MARK: Answers

    /// What is done after a failed attempt.
    public var retryPolicy: any RetryPolicy = StandardRetryPolicy()

    /// Called when the server does not accept the credentials, once until it accepts them again, to get new
    /// ones.
    ///
    /// When it returns, the request is sent again. A second refusal, or nil here, holds the sending and keeps
    /// everything.
    ///
    /// Default: nil
    public var refreshAuthorization: (@Sendable () async -> Void)?

    /// How long a server may take to acknowledge what it has received before it is sent again.
    ///
    /// For servers that confirm later, see ``AcknowledgingEncoding``.
    ///
    /// Default: 5m
    public var acknowledgementTimeout = Duration.seconds(300)

    // MARK: The store

    /// Limits of the store of unsent messages.
    public var spoolSettings: SpoolSettings

    /// How long messages may stay in memory before they are saved; zero: until the batch's end.
    ///
    /// What was not saved is lost if the process dies.
    ///
    /// Default: 0s
    public var saveDelay = Duration.zero

    /// The most bytes of the files of refused messages.
    ///
    /// The oldest are removed to make room, and counted in ``HTTPStatistics/rejectedRemoved``; an event store
    /// removes none.
    ///
    /// Default: 8 MiB
    public var deadLetterLimit = ByteCount.mebibytes(8)

    /// How long a flush waits for the delivery; nil: 4 s without a spool directory, and not at all with one.
    ///
    /// Default: nil
    public var flushWait: Duration?

    /// How long the end of the process waits for the delivery, if that is longer than ``flushWait``.
    ///
    /// What is pending is sent then, as far as the time suffices, and the server is asked for the
    /// acknowledgements that are still to come. With zero for both, no request is started at the end. The
    /// same is done when the logger's dispatcher is released, or the event store that it belongs to.
    ///
    /// Default: 1s
    public var exitWait = Duration.seconds(1)

    // MARK: What goes along

    /// Which facts about the device go along, where the encoding has a place for them.
    ///
    /// By default ``DeviceFacts/standard``: the host's name and the id of the installation only if you say
    /// so. With ``SwiftyBeaverEncoding`` all are sent, as that platform's clients do.
    public var deviceFacts: DeviceFacts

    /// A name for the user, where it may be sent; nil: the one that was set last, in an earlier run too.
    ///
    /// It is kept in the spool's directory until it is set to the empty text.
    ///
    /// Default: nil
    public var userName: String?

    /// The program's version, for the device's facts; nil: the one that the system knows.
    ///
    /// Default: nil
    public var appVersion: String?

    /// The program's build, for the device's facts; nil: the one that the system knows.
    ///
    /// Default: nil
    public var appBuild: Int?

    /// Gets a line for each step, as `[Heartwood.<name>.Sending] sending 2 logs`, on the logger's queue.
    ///
    /// Default: nil
    public var transcript: (@Sendable (String) -> Void)?

    /// Makes the default settings.
    ///
    /// - Parameters:
    ///   - encoding: The form of requests.
    ///   - spoolSettings: Limits of the store of unsent messages.
    ///   - transport: What carries requests; nil is the system's.
    ///   - allowsInsecureHTTP: Whether plain `http` to another machine is permitted.
    public init(
        encoding: any RemoteEncoding = JSONArrayEncoding(), spoolSettings: SpoolSettings = SpoolSettings(),
        transport: (any HTTPTransport)? = nil, allowsInsecureHTTP: Bool = false
    ) {
        self.encoding = encoding
        self.spoolSettings = spoolSettings
        self.transport = transport
        self.allowsInsecureHTTP = allowsInsecureHTTP
        deviceFacts = encoding is SwiftyBeaverEncoding ? .all : .standard
    }
}
