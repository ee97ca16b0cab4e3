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
    /// Messages whose text contains this string, ignoring the case of ASCII letters.
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

/// A query as SQL: conditions with question marks, and their values.
struct LogQueryText: Equatable {
    enum Value: Equatable {
        case integer(Int64)
        case text(String)
    }

    private(set) var conditions: [String] = []
    private(set) var values: [Value] = []
    let order: String
    private let limit: Int?

    init(_ query: LogQuery) {
        let isNewest = query.order == .newestFirst
        order = isNewest ? "time DESC, id DESC" : "time, id"
        limit = query.limit
        if let from = query.from { add("time >= ?", .integer(from.nanoseconds)) }
        if let until = query.until { add("time < ?", .integer(until.nanoseconds)) }
        if let after = query.after {
            // The first part lets the index find the place, the second one is exact.
            add(isNewest ? "time <= ?" : "time >= ?", .integer(after.timestamp.nanoseconds))
            add(
                isNewest ? "(time, id) < (?, ?)" : "(time, id) > (?, ?)",
                .integer(after.timestamp.nanoseconds))
            values.append(.integer(after.id))
        }
        if query.levels != .all {
            let bits = (0...31).filter { query.levels.rawValue & 1 << UInt32($0) != 0 }
            conditions.append("level IN (\(bits.map(String.init).joined(separator: ", ")))")
        }
        if !query.categories.isEmpty { addCategories(query.categories) }
        if let text = query.text, !text.isEmpty {
            add("message LIKE ? ESCAPE '\\'", .text("%\(LogQueryText.escaped(text))%"))
        }
    }

    private mutating func add(_ condition: String, _ value: Value) {
        conditions.append(condition)
        values.append(value)
    }

    private mutating func addCategories(_ names: [String]) {
        let parts = names.map { name in
            let isPattern = name.unicodeScalars.contains("*")
            values.append(.text(isPattern ? LogQueryText.pattern(name) : name))
            return isPattern ? "category GLOB ?" : "category = ?"
        }
        conditions.append("(\(parts.joined(separator: " OR ")))")
    }

    /// A pattern for GLOB in which nothing but the star is special.
    private static func pattern(_ name: String) -> String {
        name.unicodeScalars.map { $0 == "?" ? "[?]" : $0 == "[" ? "[[]" : String($0) }.joined()
    }

    /// A text for LIKE in which nothing is special.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { $0 == "%" || $0 == "_" || $0 == "\\" ? "\\\($0)" : String($0) }.joined()
    }

    private var condition: String {
        conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
    }

    var selection: String {
        let end = limit.map { " LIMIT \(max(0, $0))" } ?? ""
        return "SELECT \(LogRecord.columns) FROM messages\(condition) ORDER BY \(order)\(end)"
    }

    /// Counts as many as the limit lets through.
    var count: String {
        guard let limit else { return "SELECT count(*) FROM messages\(condition)" }
        return "SELECT count(*) FROM (SELECT 1 FROM messages\(condition) LIMIT \(max(0, limit)))"
    }
}
