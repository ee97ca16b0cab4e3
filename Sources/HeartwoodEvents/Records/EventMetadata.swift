public import Heartwood

extension LogError.Code {
    /// A key of an event log's metadata cannot be used.
    public static let invalidName = LogError.Code(rawValue: "invalidName")
    /// A scope was ended that had ended before.
    public static let scopeEnded = LogError.Code(rawValue: "scopeEnded")
    /// An object could not be recorded: its representation is no JSON, say, or it is too large.
    public static let invalidEvent = LogError.Code(rawValue: "invalidEvent")
}

/// The fields that go with every event of a log; checked, and in the order of their keys.
struct EventMetadata: Sendable {
    static let reserved: Set<String> = [
        "_id", "timestamp", "activity", "event", "data", "part", "of", "first",
    ]
    static let longest = 63

    let fields: [(key: String, value: String)]

    init(_ pairs: some Sequence<(key: String, value: String)>) throws {
        var known: Set<String> = []
        for (key, _) in pairs {
            if key.isEmpty || key.count > Self.longest {
                throw Self.refusal(key, "a key must have 1 to \(Self.longest) characters")
            }
            if Self.reserved.contains(key) {
                throw Self.refusal(key, "every event already has a field of that name")
            }
            if !known.insert(key).inserted { throw Self.refusal(key, "it is used twice") }
        }
        fields = pairs.sorted { $0.key < $1.key }
    }

    private static func refusal(_ key: String, _ reason: String) -> LogError {
        LogError(.invalidName, "the metadata key '\(key)' cannot be used: \(reason)")
    }
}
