import Heartwood
import HeartwoodReading

/// What a line says beside its text: its own time, and the members of a JSON object.
struct LineContent {
    private(set) var text: LogText?
    private(set) var moment: LogTimestamp?
    private(set) var fields = LogMetadata()

    /// Nil for a line of which nothing is taken: it is its text, at the time at which it was read.
    ///
    /// - Parameters:
    ///   - line: The line.
    ///   - merges: Whether the members of a JSON object become fields.
    ///   - parser: Reads the line's own time; nil where that is not wanted.
    init?(_ line: UnsafeRawBufferPointer, merges: Bool, parser: LineRecordParser?) {
        moment = parser?.moment(of: line)
        let isObject = merges && line.first == UInt8(ascii: "{") && LineContent.isJSON(line)
        if isObject { readMembers(line) }
        if moment == nil, !isObject { return nil }
    }

    private static func isJSON(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let text = String(validating: line, as: UTF8.self) else { return false }
        var buffer = LogBuffer(capacity: line.count)
        return buffer.append(validJSON: text)
    }

    private mutating func readMembers(_ line: UnsafeRawBufferPointer) {
        var members = JSONMembers(line)
        var message: String?
        while let member = members.next() {
            let name = JSONMembers.unescaped(line, member.name)
            let raw = String(decoding: line[member.value], as: UTF8.self)
            switch member.kind {
            case .text:
                let value = JSONMembers.unescaped(line, member.value)
                if message == nil, name == "message" || name == "msg" {
                    message = value
                } else if name == "level" || name == "severity", LogLevel(named: value) != nil {
                    continue  // it is the record's level
                } else if moment != nil, ["time", "timestamp", "ts", "@timestamp"].contains(name) {
                    continue  // it is the record's time
                } else {
                    fields[name] = .string(value)
                }
            case .literal: fields[name] = LineContent.literal(raw)
            case .object, .list: fields[name] = .json(raw)
            }
        }
        text = LogText(message ?? "")
    }

    private static func literal(_ text: String) -> LogValue {
        switch text {
        case "true": .bool(true)
        case "false": .bool(false)
        case "null": .null
        default: Int64(text).map { .integer($0) } ?? .decimal(text)
        }
    }
}
