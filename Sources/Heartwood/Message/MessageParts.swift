/// Everything that a message is made of, for messages that did not come through a ring.
struct MessageParts {
    var level: LogLevel = .info
    var category: LogCategory = .default
    var context = 0
    var tag: (any Sendable)?
    var site: CallSite = .unknown
    var timestamp = LogTimestamp(nanoseconds: 0)
    var sequence: UInt64 = 0
    var threadID: UInt64 = 0
    var threadName: String?
    var queueLabel: String?
    var taskName: String?
    /// Encoded pieces.
    var text: [UInt8] = []
    /// Encoded fields.
    var fields: [UInt8] = []
}
