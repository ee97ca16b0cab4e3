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

    func write(to json: inout ViewJSON) {
        let head = lines[0]
        let (record, message) = (head.own.record, head.own.message)
        let text = row.text ?? []
        json.object { json in
            json.key("n")
            json.integer(row.number)
            json.key("all")
            if let numberInAll { json.integer(numberInAll) } else { json.null() }
            json.key("gone")
            json.flag(row.text == nil)
            json.key("ns")
            if let moment = row.moment { json.text(String(moment)) } else { json.null() }
            json.key("ms")
            if let moment = row.moment { json.moment(moment) } else { json.null() }
            json.key("level")
            if let level = record.level { json.text(level.name) } else { json.null() }
            json.key("place")
            json.integer(TimeBins.place(of: head.level))
            json.key("category")
            if let category = record.category { json.text(category) } else { json.null() }
            json.key("message")
            json.text(message.text)
            json.key("styles")
            LogRow.write(message.styles, to: &json)
            json.key("fields")
            json.list { json in
                for field in record.fields {
                    json.list { json in
                        json.text(field.name)
                        json.text(AnsiText(field.value).text)
                        json.integer(field.isLiteral ? 1 : 0)
                    }
                }
            }
            json.key("file")
            json.text(row.file)
            json.key("offset")
            json.integer(row.offset)
            json.key("text")
            json.integer(row.textMark)
            json.key("bytes")
            json.integer(text.count)
            json.key("raw")
            json.text(String(decoding: text.prefix(ViewRecord.limit), as: UTF8.self))
            json.key("index")
            json.integer(index)
            // The lines behind the first one.
            json.key("trace")
            json.list { json in
                for line in lines.dropFirst() {
                    json.text(AnsiText(String(decoding: line.text ?? [], as: UTF8.self)).text)
                }
            }
        }
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
                if begins, row.number > number { return output.withUnsafeBytes { Array($0) } }
                // What is written up to here is of the records before.
                if row.number <= number { output.removeAll() }
                last = row
            }
            if rows.count < step { break }
        }
        printer.end(to: &output)
        return output.withUnsafeBytes { Array($0) }
    }
}
