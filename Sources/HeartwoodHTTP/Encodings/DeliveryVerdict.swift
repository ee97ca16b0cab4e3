/// What an answer says about a batch: as a whole, or entry by entry.
public struct DeliveryVerdict: Sendable, Equatable {
    /// What the server did with one entry.
    public enum Item: Sendable, Equatable {
        /// The target has it.
        case delivered
        /// The target could not take it now.
        case retry
        /// The target will never take it, for that reason.
        case rejected(String)
    }

    /// What is to be done with the batch; with items, with those that were not settled there.
    public var action: StatusAction
    /// What the server did with each entry, in the batch's order; nil when the answer is about the whole.
    package var items: [Item]?
    /// How many entries of a delivered batch the target says it threw away; they must not come again.
    package var rejected: Int
    /// What the target said, for a report.
    package var note: String?
    /// What the target confirms later, with an ``AcknowledgingEncoding``; nil when its answer is final.
    public var receipt: String?

    /// A verdict on the whole batch.
    ///
    /// - Parameters:
    ///   - action: What is done with the batch.
    ///   - rejected: How many entries the server has discarded, where it does not say which; 0 unless given.
    ///   - note: What the server says, for the report; none unless given.
    public init(_ action: StatusAction, rejected: Int = 0, note: String? = nil) {
        self.action = action
        self.rejected = rejected
        self.note = note
    }

    /// A verdict on each entry; if any is to be repeated, the batch counts as to be retried.
    public init(items: [Item], note: String? = nil) {
        action = items.contains(.retry) ? .retry : .deliver
        self.items = items
        rejected = 0
        self.note = note
    }
}
