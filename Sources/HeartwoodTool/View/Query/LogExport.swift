import Heartwood
import HeartwoodServer

/// Writes the lines of a filter byte for byte, or the records that they are as CSV or JSON lines.
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
        if let rows {
            writeRows(rows, stream)
        } else if format == .lines {
            scan.forEachBlock { text, rows, _ in
                stream.write(Array(rows.compactMap { text[$0].map { $0 + [0x0A] } }.joined()))
            }
        } else {
            writeRecords(stream)
        }
    }

    /// The records that the commands make of the same lines.
    private func writeRecords(_ stream: HTTPReplyStream) {
        var names: [String]?
        if format == .csv {
            names = columns.isEmpty ? LogFacets(of: scan, log.store).names : columns
            names = names.map { Array($0.prefix(LogExport.columnLimit)) }
        }
        var printer = RecordPrinter(format == .csv ? .csv : .json, names: names)
        var output = LogBuffer()
        if format == .csv { printer.writeHeader(to: &output) }
        // The file and the end of the last line, and whether a block ends there, too.
        var last = (part: -1, end: 0, isLast: false)
        scan.forEachBlock { text, rows, _ in
            var before = -1
            for row in rows {
                let line = text.lines[row]
                // A filter may have left blocks out between this one and the last.
                let follows = before >= 0 || last.isLast && (scan.filter.isEmpty || line.offset == last.end)
                let isNext = follows && row == before + 1 && line.part == last.part
                text.withLine(row) { bytes in
                    let file = format == .csv ? log.store.files.name(of: line.part) : ""
                    printer.add(bytes, isNext: isNext, file: file, to: &output)
                    last = (line.part, line.offset + bytes.count + 1, row == text.lines.count - 1)
                    before = row
                }
            }
            defer { output.removeAll() }
            return stream.write(output.bytes)
        }
        printer.end(to: &output)
        _ = stream.write(output.bytes)
    }

    /// Some rows only, 500 at a time.
    private func writeRows(_ range: ClosedRange<Int>, _ stream: HTTPReplyStream) {
        let index = scan.rows
        var next = max(range.lowerBound, index.first)
        let end = min(range.upperBound, index.end - 1)
        while next <= end {
            let rows = scan.rows(from: next, count: min(500, end - next + 1))
            guard !rows.isEmpty, stream.write(Array(rows.compactMap { $0.text.map { $0 + [0x0A] } }.joined()))
            else { return }
            next += rows.count
        }
    }
}
