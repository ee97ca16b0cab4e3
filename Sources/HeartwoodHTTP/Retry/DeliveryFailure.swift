/// A failed attempt, as a ``RetryPolicy`` sees it.
public struct DeliveryFailure: Sendable, Equatable {
    /// What was wrong.
    public enum Cause: Sendable, Equatable {
        /// The server answered with this status.
        case status(Int)
        /// No answer came.
        case transport(HTTPTransportError)
        /// The request could not be made here: an encoding or a decorator failed.
        case local(String)
    }

    /// What was wrong.
    public var cause: Cause
    /// What the encoding makes of the answer; `.retry` or `.hold` where there was none.
    public var action: StatusAction
    /// How long the server asked to be left alone, not clamped yet.
    public var retryAfter: Duration?
    /// How many attempts have failed in a row, this one included.
    public var consecutiveFailures: Int
    /// How many of them the server answered.
    public var consecutiveAnswers: Int
    /// Whether new credentials were asked for since the last success.
    public var hasRefreshedAuthorization: Bool

    /// Describes a failure.
    ///
    /// - Parameters:
    ///   - cause: What was wrong.
    ///   - action: What the encoding makes of the answer.
    ///   - retryAfter: How long the server asked for no requests; nil: it did not.
    ///   - consecutiveFailures: How many attempts have failed in a row, this one included.
    ///   - consecutiveAnswers: How many of them the server answered.
    ///   - hasRefreshedAuthorization: Whether new credentials were asked for since the last success.
    public init(
        cause: Cause, action: StatusAction, retryAfter: Duration? = nil, consecutiveFailures: Int = 1,
        consecutiveAnswers: Int = 1, hasRefreshedAuthorization: Bool = false
    ) {
        self.cause = cause
        self.action = action
        self.retryAfter = retryAfter
        self.consecutiveFailures = consecutiveFailures
        self.consecutiveAnswers = consecutiveAnswers
        self.hasRefreshedAuthorization = hasRefreshedAuthorization
    }
}
