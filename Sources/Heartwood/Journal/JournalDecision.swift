/// Which loggers want a message, as their levels were when it was passed on: kept in the message's first word.
///
///     bits  0 ..< 32  size
///     bits 32 ..< 40  kind
///     bit  40         decided: the global queue has passed the message on
///     bits 48 ..< 64  one for each slot of the journal: its logger wants the message
///
/// So a later change of levels, of the filter, or of the loggers themselves cannot change what a crash makes of the
/// message. The bit of a slot is cleared again when the logger's filter or formatter leaves the message out.
struct JournalDecision: Equatable {
    private static let decided: UInt64 = 1 << 40
    private static let firstSlot: UInt64 = 48

    private var slots: UInt64 = 0

    init() {}

    /// What the first word of a message says; nil where the message was not passed on.
    init?(in commit: UInt64) {
        if commit & JournalDecision.decided == 0 { return nil }
        slots = commit >> JournalDecision.firstSlot
    }

    mutating func add(slot index: Int) { slots |= 1 << UInt64(index) }

    func wants(slot index: Int) -> Bool { slots >> UInt64(index) & 1 != 0 }

    /// The first word of a message, with this decision.
    func added(to commit: UInt64) -> UInt64 {
        commit & 0xFF_FFFF_FFFF | JournalDecision.decided | slots << JournalDecision.firstSlot
    }

    /// The first word of a message without one slot.
    static func removing(slot index: Int, from commit: UInt64) -> UInt64 {
        commit & ~(1 << (JournalDecision.firstSlot + UInt64(index)))
    }
}
