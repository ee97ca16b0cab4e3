import Heartwood
import HeartwoodConfiguration

/// The journal's export format, for `systemd-journal-remote`.
///
/// Named values and fields become journal fields with upper-case names: the first 500, and
/// `HEARTWOOD_DROPPED_FIELDS` says how many more there were. A time before 1970 is sent as 1970.
public struct JournalEncoding: RemoteEncoding {
    private let identifier: String

    /// Makes the encoding; `identifier` is the `SYSLOG_IDENTIFIER`, the program's name.
    public init(identifier: String) { self.identifier = identifier }

    /// `application/vnd.fdo.journal`, exactly.
    public var contentType: String { "application/vnd.fdo.journal" }
    /// `/upload`.
    public var defaultPath: String { "/upload" }
    /// False: it takes no gzip.
    public var allowsGzip: Bool { false }
    /// Success is 202; after 417 nothing is sent again, since the server has kept what was complete.
    public var statusPolicy: StatusPolicy { .journal }

    /// The entries, each ended by an empty line.
    public func encode(_ batch: RemoteBatch) -> [UInt8] {
        var output: [UInt8] = []
        for entry in batch.entries {
            // Without its time the server says 202 and drops the entry.
            append("__REALTIME_TIMESTAMP", String(max(0, entry.time.nanoseconds) / 1000), to: &output)
            append("MESSAGE", entry.text, to: &output)
            append("PRIORITY", String(entry.severity.syslogSeverity), to: &output)
            append("SYSLOG_IDENTIFIER", identifier, to: &output)
            if !entry.file.isEmpty {
                append("CODE_FILE", entry.file, to: &output)
                append("CODE_LINE", String(entry.line), to: &output)
                append("CODE_FUNC", entry.function, to: &output)
            }
            if entry.threadID != 0 { append("TID", String(entry.threadID), to: &output) }
            if let category = entry.category { append("CATEGORY", category, to: &output) }
            append("LOG_ID", entry.id, to: &output)
            // More than 1,024 fields make the server cut the connection.
            let fields = entry.allFields.withFlatError
            for (name, value) in fields.prefix(500) {
                append(JournalFieldName.make(name), value.description, to: &output)
            }
            if fields.count > 500 {
                append("HEARTWOOD_DROPPED_FIELDS", String(fields.count - 500), to: &output)
            }
            output.append(UInt8(ascii: "\n"))
        }
        return output
    }

    private func append(_ name: String, _ value: String, to output: inout [UInt8]) {
        output.append(contentsOf: name.utf8)
        let bytes = Array(value.utf8)
        if bytes.allSatisfy({ $0 >= 0x20 || $0 == .tab }) {
            output.append(UInt8(ascii: "="))
        } else {
            output.append(UInt8(ascii: "\n"))
            withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { output.append(contentsOf: $0) }
        }
        output.append(contentsOf: bytes)
        output.append(UInt8(ascii: "\n"))
    }
}

extension JournalEncoding {
    static let kind = EncodingKind("journal", make: { JournalEncoding(identifier: $0) }) { settings in
        settings.required("identifier", .string).content.map { JournalEncoding(identifier: $0) }
    }
}
