import Heartwood

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
            add("contains_text(message, ?)", .text(TextFunctions.lowercased(text)))
        }
    }

    private mutating func add(_ condition: String, _ value: Value) {
        conditions.append(condition)
        values.append(value)
    }

    private mutating func addCategories(_ names: [String]) {
        let parts = names.map { name in
            let isPattern = name.unicodeScalars.contains("*")
            let prefix = LogQueryText.prefix(of: name)
            values.append(.text(isPattern ? prefix : name))
            if prefix == name || !isPattern { return isPattern ? "category GLOB ?" : "category = ?" }
            values.append(.text(name))
            return "(category GLOB ? AND matches_name(category, ?))"
        }
        conditions.append("(\(parts.joined(separator: " OR ")))")
    }

    /// A pattern for GLOB by which the index finds all categories that can match, and perhaps more.
    private static func prefix(of pattern: String) -> String {
        let special: [Unicode.Scalar] = ["*", "?", "[", "\0"]
        let prefix = pattern.unicodeScalars.prefix { !special.contains($0) }.prefix(1000)
        return String(String.UnicodeScalarView(prefix)) + "*"
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
