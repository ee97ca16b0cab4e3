import Heartwood
import HeartwoodReading
import HeartwoodServer

/// Writes the lines of a filter: byte for byte, or as CSV or JSON lines.
struct LogExport: Sendable {
    enum Format: String, Sendable {
        case lines, csv, jsonl

        var contentType: String {
            switch self {
            case .lines: "text/plain; charset=utf-8"
            case .csv: "text/csv; charset=utf-8"
            case .jsonl: "application/x-ndjson"
            }
        }

        var suffix: String { self == .lines ? "log" : rawValue }
    }

    /// How many fields are columns where none were chosen.
    private static let columnLimit = 50

    private let scan: LogScan
    private let log: ViewLog
    private let format: Format
    private let columns: [String]
    private let rows: ClosedRange<Int>?

    init(_ scan: LogScan, _ log: ViewLog, _ format: Format, columns: [String], from: Int?, to: Int?) {
        self.scan = scan
        self.log = log
        self.format = format
        self.columns = columns
        let (low, high) = (from ?? .min, to ?? .max)
        rows = from == nil && to == nil ? nil : min(low, high)...max(low, high)
    }

    /// Writes everything; waits for the index, so that nothing is missing.
    func write(to stream: HTTPReplyStream) {
        while !log.store.progress.isComplete, rows == nil {
            scan.wake()
            guard stream.pause(.milliseconds(20)) else { return }
        }
        scan.finish()
        let names = format == .csv && columns.isEmpty ? LogFacets(of: scan, log.store).names : columns
        let fields = Array(names.prefix(LogExport.columnLimit))
        if format == .csv {
            let header = ["time", "level", "category", "message", "file"] + fields
            guard stream.write(Array((header.map(LogExport.cell).joined(separator: ",") + "\r\n").utf8))
            else { return }
        }
        if let rows { return writeRows(rows, fields, stream) }
        scan.forEachBlock { text, rows in
            var output: [UInt8] = []
            for row in rows {
                guard let line = text[row] else { continue }
                append(line, file: log.store.files.name(of: text.lines[row].part), fields, &output)
            }
            return stream.write(output)
        }
    }

    /// Some rows only, 500 at a time.
    private func writeRows(_ range: ClosedRange<Int>, _ fields: [String], _ stream: HTTPReplyStream) {
        let index = scan.rows
        var next = max(range.lowerBound, index.first)
        let end = min(range.upperBound, index.end - 1)
        while next <= end {
            var output: [UInt8] = []
            let rows = scan.rows(from: next, count: min(500, end - next + 1))
            guard !rows.isEmpty else { return }
            for row in rows { if let text = row.text { append(text, file: row.file, fields, &output) } }
            guard stream.write(output) else { return }
            next += rows.count
        }
    }

    private func append(_ line: ArraySlice<UInt8>, file: String, _ fields: [String], _ output: inout [UInt8])
    {
        if format == .lines {
            output += line
            output.append(0x0A)
            return
        }
        let record = line.withUnsafeBytes { bytes in
            let reader = LineReader()
            if let plain = AnsiText.stripped(bytes) { return plain.withUnsafeBytes { reader.record(of: $0) } }
            return reader.record(of: bytes)
        }
        let isHead = line.withUnsafeBytes { LineReader().head(of: $0).isHead }
        let message = isHead ? record.message : AnsiText(String(decoding: line, as: UTF8.self)).text
        if format == .csv {
            var cells =
                isHead ? ["time", "level", "category"].map { record[$0]?.value ?? "" } : ["", "", ""]
            cells += [AnsiText(message).text, file]
            cells += fields.map { name in isHead ? record.fields.first { $0.name == name }?.value ?? "" : "" }
            output += Array((cells.map(LogExport.cell).joined(separator: ",") + "\r\n").utf8)
            return
        }
        var text = LogBuffer()
        text.append("{" as StaticString)
        var seen: Set<String> = []
        func add(_ name: String, _ field: LineRecord.Field, _ text: inout LogBuffer) {
            guard seen.insert(name).inserted else { return }
            if seen.count > 1 { text.append("," as StaticString) }
            text.append(json: name)
            text.append(":" as StaticString)
            if !(field.isLiteral && text.append(validJSON: field.value)) { text.append(json: field.value) }
        }
        if isHead {
            for name in ["time", "level", "category"] {
                if let field = record[name] { add(name, field, &text) }
            }
        }
        add("message", .init("message", AnsiText(message).text), &text)
        add("file", .init("file", file), &text)
        for field in isHead ? record.fields : [] where columns.isEmpty || columns.contains(field.name) {
            add(field.name, field, &text)
        }
        text.append("}\n" as StaticString)
        output += text.withUnsafeBytes { Array($0) }
    }

    /// A value as CSV has it (RFC 4180); one that a spreadsheet would compute is text there.
    private static func cell(_ text: String) -> String {
        var text = text
        if let first = text.utf8.first, "=+-@\t\r".utf8.contains(first), Double(text) == nil {
            text = "'" + text
        }
        guard text.utf8.contains(where: { ",\"\n\r".utf8.contains($0) }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
            + "\""
    }
}
