import Heartwood

/// What a ``DeliveryEngine`` goes by: the settings of its logger, as far as they decide anything.
struct DeliveryRules: Sendable {
    /// How often pending messages are sent.
    var interval: Duration
    /// By which part an interval is drawn longer or shorter.
    var jitter: Double
    /// The points that make pending messages go at once; nil: points do nothing.
    var pointThreshold: Int?
    /// The number of pending messages that makes them go at once; nil: the number does nothing.
    var countThreshold: Int?
    /// The most messages of a request; nil: as many as its bytes allow.
    var maximumCount: Int?
    /// The most bytes of a request's body.
    var maximumBytes: Int
    /// Whether sending is on hold by the user's wish.
    var isPaused: Bool
    /// Whether the program is in the background; a change sends what is pending.
    var isInBackground: Bool
    /// Whether a condition must be asked before each request.
    var hasCondition: Bool
    /// Whether the server is this machine, which needs no network.
    var isLoopback: Bool
    /// Whether new credentials can be asked for.
    var canRefresh: Bool
    /// Whether nothing may ever be dropped, whatever the policy says.
    var neverDrops: Bool
    /// What is done after a failed attempt.
    var retryPolicy: any RetryPolicy
    /// How long an acknowledgement may take before a piece is sent again.
    var acknowledgementTimeout: Duration

    init(_ settings: HTTPSettings = HTTPSettings(), isLoopback: Bool = false, neverDrops: Bool = false) {
        let background = settings.isInBackground ? settings.backgroundInterval : nil
        interval = background ?? settings.sendInterval
        jitter = settings.jitter
        pointThreshold = settings.pointThreshold.limit
        countThreshold = settings.countThreshold.limit
        maximumCount = settings.maximumMessagesPerRequest.limit
        maximumBytes = settings.maximumBytesPerRequest.bytes
        isPaused = settings.isPaused
        isInBackground = settings.isInBackground
        hasCondition = settings.sendCondition != nil
        self.isLoopback = isLoopback
        canRefresh = settings.refreshAuthorization != nil
        self.neverDrops = neverDrops
        retryPolicy = settings.retryPolicy
        acknowledgementTimeout = max(.seconds(1), settings.acknowledgementTimeout)
    }
}
