/// Counts of an ``HTTPLogger``'s messages so far.
///
/// `stored + recovered = acknowledged + rejected + dropped + pending` holds at any time.
public struct HTTPStatistics: Sendable, Equatable {
    /// Messages that were taken into the store.
    public var stored = 0
    /// Messages that an earlier run had left in it.
    public var recovered = 0
    /// Messages that went out in requests; those that went out again count again.
    public var sent = 0
    /// Messages that the server has taken.
    public var acknowledged = 0
    /// Messages that the server has refused, or taken and thrown away; the former are in the dead-letter
    /// file.
    public var rejected = 0
    /// Refused messages that were in the dead-letter file, and were removed from it to keep its limit: those
    /// are lost.
    ///
    /// It is no part of the sum above: each was counted as rejected, by this run or an earlier one.
    public var rejectedRemoved = 0
    /// Messages that are lost: the store was full, they were too old, or their file was damaged.
    public var dropped = 0
    /// Messages that wait.
    public var pending = 0
    /// Requests that were sent.
    public var requests = 0
    /// Attempts that failed and are repeated.
    public var retried = 0
    /// Bytes of the requests' bodies, as they went over the wire.
    public var bytesOnWire = 0
    /// How long the oldest message that waits has waited.
    public var oldestUnsentAge: Duration?
    /// What went wrong last; nil when the last request was a success.
    public var lastError: String?
}
