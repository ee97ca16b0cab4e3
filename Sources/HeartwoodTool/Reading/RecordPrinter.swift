import Heartwood
import HeartwoodReading

/// Writes records as JSON, or some of their fields, whatever the format of the lines is.
struct RecordPrinter {
    /// The fields to write; nil for all.
    private let names: [String]?
    private let isJSON: Bool
    private let parser = LineRecognizer()

    /// Reads `--json` and `--fields`; nil where lines are to be shown as they are.
    ///
    /// - Throws: ``UsageError`` where no field is named.
    init?(_ arguments: Arguments) throws {
        isJSON = arguments.has("--json")
        names = arguments.value("--fields").map { $0.split(separator: ",").map(String.init) }
        if let names, names.isEmpty { throw UsageError("--fields expects names, such as time,level,ms") }
        if !isJSON, names == nil { return nil }
    }

    /// The record as it is written, without a newline; `trace` are further lines of its message.
    ///
    /// Without `--json`, the values of the fields with tabs between them; what a value may not hold there is
    /// escaped.
    func text(of line: UnsafeRawBufferPointer, trace: [UInt8] = []) -> [UInt8] {
        var record = parser.record(of: line)
        record.message += String(decoding: trace, as: UTF8.self)
        var output = LogBuffer()
        if isJSON { writeJSON(record, &output) } else { writeValues(record, &output) }
        return output.withUnsafeBytes { Array($0) }
    }

    private func writeValues(_ record: LineRecord, _ output: inout LogBuffer) {
        for (index, name) in (names ?? []).enumerated() {
            if index > 0 { output.append(UInt8(ascii: "\t")) }
            if let field = record[name] { output.appendEscaped(field.value) }
        }
    }

    private func writeJSON(_ record: LineRecord, _ output: inout LogBuffer) {
        let wanted = (names ?? ["time", "level", "category", "message"]).compactMap { name in
            record[name].map { (name, $0) }
        }
        let others = names == nil ? record.fields.map { ($0.name, $0) } : []
        var seen: Set<String> = []
        output.append(UInt8(ascii: "{"))
        for (name, field) in wanted + others where seen.insert(name).inserted {
            if seen.count > 1 { output.append(UInt8(ascii: ",")) }
            output.append(json: name)
            output.append(UInt8(ascii: ":"))
            let isJSON = field.isLiteral && output.append(validJSON: field.value)
            if !isJSON { output.append(json: field.value) }
        }
        output.append(UInt8(ascii: "}"))
    }
}
