/// What a ``DeliveryEngine`` goes by: the settings of its logger, as far as they decide anything.
struct DeliveryRules: Sendable {
    /// How often pending messages are sent.
    var interval = Duration.seconds(60)
    /// By which part an interval is drawn longer or shorter.
    var jitter = 0.1
    /// The points that make pending messages go at once; 0: points do nothing.
    var pointThreshold = 10
    /// The number of pending messages that makes them go at once; nil: the number does nothing.
    var countThreshold: Int? = 300
    /// The most messages of a request; nil: as many as its bytes allow.
    var maximumCount: Int? = 300
    /// The most bytes of a request's body.
    var maximumBytes = 1_048_576
    /// Whether sending is on hold by the user's wish.
    var isPaused = false
    /// Whether the program is in the background; a change sends what is pending.
    var isInBackground = false
    /// Whether a condition must be asked before each request.
    var hasCondition = false
    /// Whether the server is this machine, which needs no network.
    var isLoopback = false
    /// Whether new credentials can be asked for.
    var canRefresh = false
    /// Whether nothing may ever be dropped, whatever the policy says.
    var neverDrops = false
    /// What is done after a failed attempt.
    var retryPolicy: any RetryPolicy = StandardRetryPolicy()
    /// How long an acknowledgement may take before a piece is sent again.
    var acknowledgementTimeout = Duration.seconds(300)
}
