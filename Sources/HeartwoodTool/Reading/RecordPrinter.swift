import CHeartwood
import Heartwood
import HeartwoodReading

/// Writes records as JSON, or some of their fields, whatever the format of the lines is.
struct RecordPrinter {
    /// The fields to write; nil for all.
    private let names: [FieldName]?
    private let isJSON: Bool
    /// What is read of a line.
    private let fields: LineFields
    private let parser = LineRecognizer()
    /// The names that the object has already.
    private var seen: Set<String> = []

    /// Reads `--json` and `--fields`; nil where lines are to be shown as they are.
    ///
    /// - Throws: ``UsageError`` where no field is named.
    init?(_ arguments: Arguments) throws {
        isJSON = arguments.has("--json")
        names = arguments.value("--fields").map { $0.split(separator: ",").map { FieldName(String($0)) } }
        fields = names.map { LineFields($0) } ?? .all
        if let names, names.isEmpty { throw UsageError("--fields expects names, such as time,level,ms") }
        if !isJSON, names == nil { return nil }
    }

    /// Reads what is written of a line.
    func record(of line: UnsafeRawBufferPointer) -> LineRecord { parser.record(of: line, fields: fields) }

    /// Writes a record, without a newline.
    ///
    /// Without `--json`, the values of the fields with tabs between them; what a value may not hold there is
    /// escaped.
    mutating func write(_ record: LineRecord, to output: inout LogBuffer) {
        if isJSON { writeJSON(record, &output) } else { writeValues(record, &output) }
    }

    private func writeValues(_ record: LineRecord, _ output: inout LogBuffer) {
        guard let names else { return }
        for index in names.indices {
            if index > 0 { output.append(UInt8(ascii: "\t")) }
            switch names[index].part {
            case .time: if let moment = record.moment { output.append(plain: moment) }
            case .message: write(record.message, &output)
            default: if let field = record[names[index]] { write(field.value, &output) }
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
        if !isJSON { output.append(json: field.value) }
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
