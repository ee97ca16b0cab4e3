public import Heartwood

/// Selects saved messages; without conditions, the newest thousand.
///
/// ```swift
/// var query = LogQuery(levels: .warning, categories: ["net.*"])
/// query.text = "timed out"
/// query.from = LogTimestamp(.now.addingTimeInterval(-3600))
/// let records = try SQLiteLogReader(path: path).records(query)
/// ```
///
/// A message is selected if it meets all conditions.
public struct LogQuery: Hashable, Sendable {
    /// The order of the selected messages.
    public enum Order: Hashable, Sendable {
        /// The newest message first.
        case newestFirst
        /// The oldest message first.
        case oldestFirst
    }

    /// The earliest time: messages that were logged at this moment or later.
    ///
    /// nil means no limit.
    public var from: LogTimestamp?
    /// The end of the time range: messages that were logged before this moment.
    ///
    /// nil means no limit.
    public var until: LogTimestamp?
    /// The levels: messages with one of them; all unless changed.
    public var levels: LogLevelMask
    /// The categories, by name: messages of one of them.
    ///
    /// An empty array, the default, means any category.
    ///
    /// A `*` matches any number of characters. A plain name matches that category only: `["net", "net.*"]`
    /// matches `net` and its subcategories.
    public var categories: [String]
    /// Messages whose text contains this string, byte for byte but for the case of ASCII letters.
    ///
    /// Empty or nil means any text.
    public var text: String?
    /// Messages after this position, in ``order``: use it to read the next page.
    public var after: LogRecord.Position?
    /// The order of the selected messages; the newest first unless changed.
    public var order: Order
    /// The largest number of messages; 1000 unless changed.
    ///
    /// nil means no limit.
    public var limit: Int?

    /// Makes a query.
    ///
    /// - Parameters:
    ///   - from: The earliest time; nil, the default, means no limit.
    ///   - until: The time before which messages were logged; nil, the default, means no limit.
    ///   - levels: The levels; all unless given.
    ///   - categories: The names of the categories, in which `*` matches any number of characters; any
    ///     category unless given.
    ///   - text: A string that the text of the message contains; nil, the default, means any text.
    ///   - order: The order of the messages; the newest first unless given.
    ///   - limit: The largest number of messages; 1000 unless given, and nil for all.
    public init(
        from: LogTimestamp? = nil, until: LogTimestamp? = nil, levels: LogLevelMask = .all,
        categories: [String] = [], text: String? = nil, order: Order = .newestFirst, limit: Int? = 1000
    ) {
        self.from = from
        self.until = until
        self.levels = levels
        self.categories = categories
        self.text = text
        self.order = order
        self.limit = limit
    }
}
