import CHeartwood
import Heartwood
import HeartwoodReading

/// Makes records of lines and writes them as JSON, or some of their fields: for the commands, and for what
/// the viewer saves and copies.
///
/// The further lines of a record, as ``RecordLines`` tells them, become a part of its message. What colors
/// text at a terminal is left out.
struct RecordPrinter {
    /// How records are written.
    enum Form {
        case json
        /// Values with tabs between them; what a value may not hold there is escaped.
        case values
        /// As RFC 4180 has it, with the name of the file between the record's own parts and the fields.
        case csv
    }

    private let form: Form
    /// The fields to write; nil for all.
    private let names: [FieldName]?
    /// What is read of a line.
    private let fields: LineFields
    private let parser = LineRecognizer()
    /// The record that is collected, the further lines of its message, each after a newline, and its file.
    private var record: LineRecord?
    private var more: [UInt8] = []
    private var file = ""
    private var lines = RecordLines()
    /// How long the further lines become before the record ends.
    private static let longest = 1 << 20
    /// The names that the object has already.
    private var seen: Set<String> = []

    init(_ form: Form, names: [String]? = nil) {
        self.form = form
        self.names = names.map { $0.map { FieldName($0) } }
        // A column may be called as a part of the record, which is not looked for among the fields.
        fields = form == .csv ? .all : self.names.map { LineFields($0) } ?? .all
    }

    /// Reads `--json` and `--fields`; nil where lines are to be shown as they are.
    ///
    /// - Throws: ``UsageError`` where no field is named.
    init?(_ arguments: Arguments) throws {
        let names = arguments.value("--fields").map { $0.split(separator: ",").map { String($0) } }
        if let names, names.isEmpty { throw UsageError("--fields expects names, such as time,level,ms") }
        let isJSON = arguments.has("--json")
        if !isJSON, names == nil { return nil }
        self.init(isJSON ? .json : .values, names: names)
    }

    /// Adds a line, and writes the record before it if the line begins another one.
    ///
    /// `isNext` tells whether the line comes right after the last one in its file.
    ///
    /// - Returns: whether it begins a record.
    @discardableResult
    mutating func add(
        _ line: UnsafeRawBufferPointer, isNext: Bool, file: String = "", to output: inout LogBuffer
    ) -> Bool {
        AnsiText.withPlain(line) { add(plain: $0, isNext, file, &output) }
    }

    private mutating func add(
        plain line: UnsafeRawBufferPointer, _ isNext: Bool, _ file: String, _ output: inout LogBuffer
    ) -> Bool {
        if !isNext { lines = RecordLines() }
        var read: LineRecord?
        let begins = lines.begins(line) {
            let record = parser.record(of: line, fields: fields)
            read = record
            return record.head
        }
        if !begins, record != nil, more.count <= RecordPrinter.longest {
            more.append(.newline)
            more.append(contentsOf: line.last == .carriageReturn ? line.dropLast() : line[...])
            return false
        }
        // What comes after a record that was cut, or is written already, is one more with its further lines.
        end(to: &output)
        (record, self.file) = (read ?? parser.record(of: line, fields: fields), file)
        return true
    }

    /// Writes the record that was collected, with a newline; the next line begins another one.
    mutating func end(to output: inout LogBuffer) {
        guard var record = record.take() else { return }
        if !more.isEmpty {
            record.message += String(decoding: more, as: UTF8.self)
            more.removeAll(keepingCapacity: more.count < RecordPrinter.longest)
        }
        switch form {
        case .json: writeJSON(record, &output)
        case .values: writeValues(record, &output)
        case .csv: writeCSV(record, &output)
        }
        output.append(0x0A as UInt8)
    }

    // MARK: Values

    private func writeValues(_ record: LineRecord, _ output: inout LogBuffer) {
        guard let names else { return }
        for index in names.indices {
            if index > 0 { output.append(UInt8(ascii: "\t")) }
            switch names[index].part {
            case .time: if let moment = record.moment { output.append(plain: moment) }
            case .message: write(AnsiText.plain(record.message), &output)
            default: if let field = record[names[index]] { write(AnsiText.plain(field.value), &output) }
            }
        }
    }

    /// Writes a text, escaped where it must be, which is rare.
    private func write(_ text: String, _ output: inout LogBuffer) {
        let isPlain = text.utf8.withContiguousStorageIfAvailable { bytes in
            guard hw_is_plain(bytes.baseAddress, bytes.count, 0x5C) else { return false }
            output.append(UnsafeRawBufferPointer(bytes))
            return true
        }
        if isPlain != true { output.appendEscaped(text) }
    }

    // MARK: CSV

    /// Writes the line that names the columns; the log's file has a name that no field has.
    func writeHeader(to output: inout LogBuffer) {
        let fields = (names ?? []).map(\.text)
        write(cells: RecordPrinter.ownNames.map(\.text) + ["log file"] + fields, &output)
        output.append(0x0A as UInt8)
    }

    private func writeCSV(_ record: LineRecord, _ output: inout LogBuffer) {
        func value(_ name: String) -> String {
            AnsiText.plain(record.fields.first { $0.name == name }?.value ?? "")
        }
        let own = RecordPrinter.ownNames.map { AnsiText.plain(record[$0]?.value ?? "") }
        write(cells: own + [file] + (names ?? []).map { value($0.text) }, &output)
    }

    /// Writes values, and the CR of the line's end; one that a spreadsheet would compute is text there.
    private func write(cells: [String], _ output: inout LogBuffer) {
        for (index, cell) in cells.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            let isComputed = cell.utf8.first.map { "=+-@\t\r".utf8.contains($0) } ?? false
            let text = isComputed && Double(cell) == nil ? "'" + cell : cell
            if text.utf8.contains(where: { ",\"\n\r".utf8.contains($0) }) {
                let parts = text.split(separator: "\"", omittingEmptySubsequences: false)
                output.append("\"" + parts.joined(separator: "\"\"") + "\"")
            } else {
                output.append(text)
            }
        }
        output.append(UInt8(ascii: "\r"))
    }

    // MARK: JSON

    private mutating func writeJSON(_ record: LineRecord, _ output: inout LogBuffer) {
        seen.removeAll(keepingCapacity: true)
        output.append(UInt8(ascii: "{"))
        for name in names ?? RecordPrinter.ownNames {
            if name.part == .time {
                guard let moment = record.moment, begins("time", &output) else { continue }
                output.append(UInt8(ascii: "\""))
                output.append(plain: moment)
                output.append(UInt8(ascii: "\""))
            } else if let field = record[name] {
                write(field, named: name.text, &output)
            }
        }
        if names == nil { for field in record.fields { write(field, named: field.name, &output) } }
        output.append(UInt8(ascii: "}"))
    }

    /// What comes in front of the fields, where all are written.
    private static let ownNames = ["time", "level", "category", "message"].map { FieldName($0) }

    private mutating func write(_ field: LineRecord.Field, named name: String, _ output: inout LogBuffer) {
        guard begins(name, &output) else { return }
        let isJSON = field.isLiteral && output.append(validJSON: field.value)
        if !isJSON { output.append(json: AnsiText.plain(field.value)) }
    }

    /// Begins a member of the object, if it has none of that name.
    private mutating func begins(_ name: String, _ output: inout LogBuffer) -> Bool {
        guard seen.insert(name).inserted else { return false }
        if seen.count > 1 { output.append(UInt8(ascii: ",")) }
        output.append(json: name)
        output.append(UInt8(ascii: ":"))
        return true
    }
}
