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
    ///   - recognizer: Reads the line.
    ///   - takesTime: Whether the line's own time is wanted.
    init?(_ line: UnsafeRawBufferPointer, merges: Bool, recognizer: LineRecognizer, takesTime: Bool) {
        moment = takesTime ? recognizer.moment(of: line) : nil
        let isObject = merges && line.first == UInt8(ascii: "{") && LineContent.isJSON(line)
        if isObject { readMembers(line, recognizer) }
        if moment == nil, !isObject { return nil }
    }

    private static func isJSON(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let text = String(validating: line, as: UTF8.self) else { return false }
        var buffer = LogBuffer(capacity: line.count)
        return buffer.append(validJSON: text)
    }

    private mutating func readMembers(_ line: UnsafeRawBufferPointer, _ recognizer: LineRecognizer) {
        let message = recognizer.members(of: line, keepsTime: moment == nil) { member in
            let name = JSONMembers.unescaped(line, member.name)
            switch member.kind {
            case .text: fields[name] = .string(member.text(line))
            case .literal: fields[name] = LineContent.literal(member.text(line))
            case .object, .list: fields[name] = .json(member.text(line))
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
