/// A message of a dead process.
struct RecoveredMessage {
    let parts: MessageParts
    /// The end of its record; 0 without a record.
    let mark: UInt64
    /// The bytes of its record.
    var size = 0
    /// Whether the framework says it, so that no filter is asked.
    var isNote = false
}
