import Heartwood
import HeartwoodReading

/// Everything that a record says, for the page to show when a row of it is opened.
struct ViewRecord {
    /// How much of a record is shown.
    private static let limit = 1 << 20

    /// How many rows are read at a time to find where a record ends.
    private static let step = 100

    private let row: LogRow
    /// The lines of the record, and which of them is the row.
    private let lines: [LogRow]
    private let index: Int
    private let numberInAll: Int?

    init(_ row: LogRow, _ scan: LogScan) {
        self.row = row
        (lines, index) = scan.record(of: row, limit: ViewRecord.limit)
        numberInAll = scan.numberInAll(of: row)
    }

    /// What a page gets.
    var value: LogValue {
        let head = lines[0]
        let (record, message) = (head.own.record, head.own.message)
        let text = row.text ?? []
        return [
            "n": LogValue(row.number),
            "all": numberInAll.logValue,
            "gone": .bool(row.text == nil),
            "ns": row.moment.map { String($0) }.logValue,
            "ms": row.moment.map { .moment($0) } ?? .null,
            "level": (record.level?.name).logValue,
            "place": LogValue(TimeBins.place(of: head.level)),
            "category": record.category.logValue,
            "message": .string(message.text),
            "styles": message.styleValues,
            "fields": .list(record.fields) { $0.value() },
            "file": .string(row.file),
            "offset": LogValue(row.offset),
            "text": LogValue(row.textMark),
            "bytes": LogValue(text.count),
            "raw": .string(String(decoding: text.prefix(ViewRecord.limit), as: UTF8.self)),
            "index": LogValue(index),
            // The lines behind the first one.
            "trace": .list(lines.dropFirst()) {
                .string(AnsiText(String(decoding: $0.text ?? [], as: UTF8.self)).text)
            },
        ]
    }

    /// The record that a row belongs to, as the commands and "Save…" write it; nil where the row is gone.
    static func json(of row: LogRow, _ scan: LogScan, in all: LogScan) -> [UInt8]? {
        guard let number = scan.numberInAll(of: row) else { return nil }
        var printer = RecordPrinter(.json)
        var output = LogBuffer()
        var last: LogRow?
        for next in sequence(first: all.beginning(of: number), next: { $0 + step }) {
            let rows = all.rows(from: next, count: step)
            for row in rows {
                let isNext = row.file == last?.file && row.number - 1 == last?.number
                let text = row.text ?? []
                let begins = text.withUnsafeBytes { printer.add($0, isNext: isNext, to: &output) }
                if begins, row.number > number { return output.bytes }
                // What is written up to here is of the records before.
                if row.number <= number { output.removeAll() }
                last = row
            }
            if rows.count < step { break }
        }
        printer.end(to: &output)
        return output.bytes
    }
}
