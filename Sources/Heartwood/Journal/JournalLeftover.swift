import CHeartwood

/// The journal of a dead process, held.
final class JournalLeftover: Sendable {
    let mapping: JournalMapping
    let reader: JournalReader
    /// The slots of the loggers that are not done with it.
    let slots: [JournalSlot]

    init(_ mapping: JournalMapping, _ reader: JournalReader) {
        self.mapping = mapping
        self.reader = reader
        slots = mapping.slotsInUse
    }
}
