import CHeartwood
import Heartwood

/// Reads what lines say.
struct LineReader: Sendable {
    typealias Bytes = UnsafeRawBufferPointer

    /// A named value of a line.
    struct Field: Sendable {
        let name: String
        let value: String
        let isLiteral: Bool
    }

    /// All that a line says.
    struct Content: Sendable {
        var moment: LogTimestamp?
        var level: LogLevel?
        var category: String?
        var message = ""
        var fields: [Field] = []
    }

    /// When a line was logged and how serious it is; it is a head where it says either.
    func head(of line: Bytes) -> (moment: Int64?, level: LogLevel?, isHead: Bool) {
        let moment = moment(of: line)?.nanoseconds
        let level = level(of: line)
        return (moment, level, moment != nil || level != nil)
    }

    func moment(of line: Bytes) -> LogTimestamp? {
        LogLine(text: String(decoding: line.prefix(512), as: UTF8.self)).moment
    }

    func level(of line: Bytes) -> LogLevel? {
        LogLine(text: String(decoding: line.prefix(512), as: UTF8.self)).level
    }

    func content(of line: Bytes) -> Content {
        let text = LogLine(text: String(decoding: line, as: UTF8.self))
        return Content(
            moment: text.moment, level: text.level, category: text.category, message: text.text, fields: [])
    }
}

/// Calls `body` with each line of a block, as a range of its bytes without the newline.
func forEachLine(of bytes: UnsafeRawBufferPointer, _ body: (Range<Int>) -> Void) {
    guard let base = bytes.baseAddress else { return }
    var start = 0
    while start < bytes.count {
        let found = memchr(base + start, 0x0A, bytes.count - start)
        let end = found.map { base.distance(to: UnsafeRawPointer($0)) } ?? bytes.count
        body(start..<end)
        start = end + 1
    }
}
