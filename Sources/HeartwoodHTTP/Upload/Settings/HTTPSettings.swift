public import Heartwood

/// All settings of an ``HTTPLogger`` as one value, to be kept, or changed together.
///
/// The properties of the same names describe each. A new value has the defaults of a logger with a spool
/// directory; to change a logger, change its own value with ``HTTPLogger/updateSettings(_:)``.
///
/// ```swift
/// remote.updateSettings { settings in
///     settings.sendInterval = .seconds(10)
///     settings.compressionLevel = 6
/// }
/// ```
public struct HTTPSettings: Sendable {
    /// The body's form.
    public var encoding: any RemoteEncoding
    /// Changes to every request, in their order.
    public var decorators: [RequestDecorator] = []
    /// Who may read private pieces.
    public var privacy = LogPrivacyPolicy.redact
    /// How often pending messages are sent.
    public var sendInterval = Duration.seconds(60)
    /// How often while ``isInBackground``; nil means ``sendInterval``.
    public var backgroundInterval: Duration?
    /// Whether the program is in the background.
    public var isInBackground = false
    /// By which part an interval is drawn longer or shorter.
    public var jitter = 0.1
    /// The points that each level brings.
    public var levelWeights = LevelWeights.standard
    /// How many points make pending messages go at once; 0: points do nothing.
    public var pointThreshold = 10
    /// How many pending messages are sent at once; nil: the number does nothing.
    public var countThreshold: Int? = 300
    /// The most messages in a request; nil: as many as its bytes and the encoding allow.
    public var maximumMessagesPerRequest: Int? = 300
    /// The most bytes of a request's body, before compression.
    public var maximumBytesPerRequest = ByteCount.mebibytes(1)
    /// How long a request may stay where it is, and how long its answer may take.
    public var requestTimeout = Duration.seconds(30)
    /// gzip's level, 1 to 9, for encodings that allow it; 0: no compression.
    public var compressionLevel = 0
    /// A message's text is cut at this size.
    public var maximumMessageSize = ByteCount.kibibytes(64)
    /// Whether sending is held.
    public var isPaused = false
    /// Asked before each request; false holds the sending until the next interval.
    public var sendCondition: (@Sendable () -> Bool)?
    /// What is done after a failed attempt.
    public var retryPolicy: any RetryPolicy = StandardRetryPolicy()
    /// Called when the server does not accept our credentials, to get new ones.
    public var refreshAuthorization: (@Sendable () async -> Void)?
    /// Limits of the store of unsent messages.
    public var spoolSettings: SpoolSettings
    /// How long messages may stay in memory before they are saved; zero: until the batch's end.
    public var saveDelay = Duration.zero
    /// How much the files of refused messages take.
    public var deadLetterLimit = ByteCount.mebibytes(8)
    /// How long a flush waits for the delivery; a logger without a spool directory begins with 4 s.
    public var flushWait = Duration.zero
    /// How long the end of the process waits for the delivery, if that is longer than ``flushWait``.
    public var exitWait = Duration.seconds(1)
    /// How long a server may take to acknowledge what it has received before it is sent again.
    public var acknowledgementTimeout = Duration.seconds(300)
    /// Which facts about the device go along.
    public var deviceFacts: DeviceFacts
    /// A name for the user; nil: the one that was set last.
    public var userName: String?
    /// Gets a line for each step.
    public var transcript: (@Sendable (String) -> Void)?

    /// Makes settings that are all as they are unless set.
    ///
    /// - Parameters:
    ///   - encoding: The body's form.
    ///   - spoolSettings: Limits of the store of unsent messages.
    public init(
        encoding: any RemoteEncoding = JSONArrayEncoding(), spoolSettings: SpoolSettings = SpoolSettings()
    ) {
        self.encoding = encoding
        self.spoolSettings = spoolSettings
        deviceFacts = encoding is SwiftyBeaverEncoding ? .all : .standard
    }
}
