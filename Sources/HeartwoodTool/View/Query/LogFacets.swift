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

        func value(_ name: String, isField: Bool) -> LogValue {
            let ordered = values.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            return [
                "name": .string(name), "field": .bool(isField), "records": LogValue(records),
                "distinct": LogValue(values.count), "more": .bool(hasMore),
                "values": .list(ordered.prefix(LogFacets.shownValues)) {
                    [.string($0.key), LogValue($0.value)]
                },
            ]
        }
    }

    private var records = 0
    private var isWhole = true
    /// Level, category and file, and the fields, which may have the same names.
    private var parts: [String: Field] = [:]
    private var fields: [String: Field] = [:]

    /// Counts the records of a scan.
    init(of scan: LogScan, _ store: LogStore) {
        let reader = LineReader()
        scan.forEachBlock(isReversed: true) { text, rows, heads in
            for row in rows.reversed() where heads.contains(row) {
                guard records < LogFacets.recordLimit else {
                    isWhole = false
                    return false
                }
                let record = text.withLine(row) { line in
                    reader.record(of: UnsafeRawBufferPointer(rebasing: line.prefix(1 << 16)))
                }
                guard let record else { continue }
                records += 1
                let file = store.files.name(of: text.lines[row].part)
                if let level = record.level { LogFacets.count("level", level.name, in: &parts) }
                if let category = record.category { LogFacets.count("category", category, in: &parts) }
                LogFacets.count("file", file, in: &parts)
                for field in record.fields { LogFacets.count(field.name, field.value, in: &fields) }
            }
            return true
        }
    }

    private static func count(_ name: String, _ value: String, in fields: inout [String: Field]) {
        guard fields.count < 500 || fields[name] != nil else { return }
        var field = fields.removeValue(forKey: name) ?? Field()
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
    var names: [String] {
        fields.sorted { (-$0.value.records, $0.key) < (-$1.value.records, $1.key) }.map(\.key)
    }

    /// What a page gets.
    var value: LogValue {
        let own = ["level", "category", "file"].compactMap { parts[$0]?.value($0, isField: false) }
        let others = names.prefix(LogFacets.shownFields - own.count).compactMap {
            fields[$0]?.value($0, isField: true)
        }
        return ["records": LogValue(records), "whole": .bool(isWhole), "fields": .array(own + others)]
    }
}
