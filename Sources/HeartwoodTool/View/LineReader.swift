import Heartwood

/// Reads when a line was logged, how serious it is, and what else it says, as the other reading subcommands do.
struct LineReader: Sendable {
    typealias Bytes = UnsafeRawBufferPointer

    private let parser: LineRecordParser

    init(_ parser: LineRecordParser = LineRecordParser()) {
        self.parser = parser
    }

    /// When a line was logged and how serious it is; it is a head where it says either.
    func head(of line: Bytes) -> (moment: Int64?, level: LogLevel?, isHead: Bool) {
        if RecordFilter.isContinuation(line) { return (nil, nil, false) }
        let moment = parser.moment(of: line)?.nanoseconds
        let level = parser.level(of: line)
        return (moment, level, moment != nil || level != nil)
    }

    /// All that a line says.
    func record(of line: Bytes) -> LineRecord { parser.record(of: line) }
}
