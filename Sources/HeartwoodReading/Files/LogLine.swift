public import Heartwood

/// A line of a log file, with what can be told from it.
///
/// Understood are the lines of `LineFormatter`, `JSONLinesFormatter` (ECS, GELF and SwiftyBeaver
/// included), `LogfmtFormatter` and `SyslogFormatter`, those of syslog and journald, other JSON and
/// logfmt with the usual names for time, level and category, and text that begins with a time and names its
/// level as programs do.
public struct LogLine: Hashable, Sendable {
    /// The line as it is, without its newline.
    ///
    /// Bytes that are not UTF-8 are replaced by U+FFFD.
    public let text: String
    /// The name of the file that it is in.
    public let file: String

    /// Takes a line.
    public init(text: String, file: String = "") {
        self.text = text
        self.file = file
    }

    /// When the line was logged, where it says so.
    public var moment: LogTimestamp? { withBytes { LineRecognizer().moment(of: $0) } }

    /// The level, where the line says so.
    public var level: LogLevel? { withBytes { LineRecognizer().level(of: $0) } }

    /// The category, where the line says so; nil for the default one.
    ///
    /// In the text of `LineFormatter`, a word between the level and the place; in lines of syslog the
    /// program.
    public var category: String? { record.category }

    /// Everything that the line says.
    package var record: LineRecord { withBytes { LineRecognizer().record(of: $0) } }

    /// Whether the line is a JSON object.
    public var isJSON: Bool { text.first == "{" && text.last == "}" }

    private func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = text
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
