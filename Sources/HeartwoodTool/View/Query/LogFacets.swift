import Heartwood
import HeartwoodReading

/// What the fields of a log's records say: which values they have, and how many records have each.
///
/// The newest records are counted, up to ``recordLimit``.
struct LogFacets {
    /// How many records are counted.
    static let recordLimit = 20_000
    /// How many values of a field are counted; more are only said to be there.
    private static let valueLimit = 2000
    /// How many fields and values are shown.
    private static let shownFields = 40
    private static let shownValues = 10

    private struct Field {
        var records = 0
        var values: [String: Int] = [:]
        var hasMore = false
        /// When it was met first: levels, categories and files come before the fields.
        let order: Int
    }

    private var records = 0
    private var isWhole = true
    private var fields: [String: Field] = [:]

    /// Counts the records of a scan.
    init(of scan: LogScan, _ store: LogStore) {
        let reader = LineReader()
        scan.forEachBlock(isReversed: true) { text, rows in
            for row in rows.reversed() {
                guard records < LogFacets.recordLimit else {
                    isWhole = false
                    return false
                }
                let record = text.withLine(row) { line -> LineRecord? in
                    let line = UnsafeRawBufferPointer(rebasing: line.prefix(1 << 16))
                    guard reader.head(of: line).isHead else { return nil }
                    if let plain = AnsiText.stripped(line) {
                        return plain.withUnsafeBytes { reader.record(of: $0) }
                    }
                    return reader.record(of: line)
                }
                guard let record, let record else { continue }
                records += 1
                if let level = record.level { count("level", level.name, order: 0) }
                if let category = record.category { count("category", category, order: 1) }
                count("file", store.files.name(of: text.lines[row].part), order: 2)
                for field in record.fields { count(field.name, field.value, order: 3) }
            }
            return true
        }
    }

    private mutating func count(_ name: String, _ value: String, order: Int) {
        guard fields.count < 500 || fields[name] != nil else { return }
        var field = fields.removeValue(forKey: name) ?? Field(order: order)
        field.records += 1
        let value = String(value.prefix(200))
        if field.values[value] != nil || field.values.count < LogFacets.valueLimit {
            field.values[value, default: 0] += 1
        } else {
            field.hasMore = true
        }
        fields[name] = field
    }

    /// The names of the fields, those that most records have first.
    var names: [String] { ordered.filter { $0.value.order == 3 }.map(\.key) }

    private var ordered: [(key: String, value: Field)] {
        fields.sorted {
            ($0.value.order, -$0.value.records, $0.key) < ($1.value.order, -$1.value.records, $1.key)
        }
    }

    func write(to json: inout ViewJSON) {
        json.object { json in
            json.key("records")
            json.integer(records)
            json.key("whole")
            json.flag(isWhole)
            json.key("fields")
            json.list { json in
                for (name, field) in ordered.prefix(LogFacets.shownFields) {
                    json.object { json in
                        json.key("name")
                        json.text(name)
                        json.key("field")
                        json.flag(field.order == 3)
                        json.key("records")
                        json.integer(field.records)
                        json.key("distinct")
                        json.integer(field.values.count)
                        json.key("more")
                        json.flag(field.hasMore)
                        json.key("values")
                        json.list { json in
                            let values = field.values.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                            for (value, count) in values.prefix(LogFacets.shownValues) {
                                json.list { json in
                                    json.text(value)
                                    json.integer(count)
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
