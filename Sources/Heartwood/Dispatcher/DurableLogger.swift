/// A logger that puts messages where they survive the process, and tells the journal how far it is.
///
/// All members but ``journalKey`` are called like hooks: one at a time, in order with the messages.
package protocol DurableLogger: AbstractLogger {
    /// What the logger is known by, over restarts of the program: its kind, and where it writes to.
    ///
    /// Nil for one that keeps messages in memory only. Asked on any thread.
    var journalKey: String? { get }

    /// Whether everything that it was given is where it survives, or was dropped and counted.
    var isSettled: Bool { get }

    /// Has it note its writes in this slot from now on; nil, nowhere.
    ///
    /// What it was given before, and could have written already, is written first.
    func note(writesIn slot: JournalSlot?)

    /// Finds out how much of a write arrived that a dead process had started; cuts off a part of a record.
    ///
    /// - Returns: the mark up to which its messages arrived; nil where none did, or where that cannot be known.
    /// - Throws: where it cannot be seen now, and perhaps later.
    func resolve(_ intent: JournalSlot.Intent) throws -> UInt64?

    /// Forgets what it could not write: it will come again.
    func forgetUnwritten()
}
