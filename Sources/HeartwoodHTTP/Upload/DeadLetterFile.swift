import CHeartwood
import Heartwood

/// The file of what servers have refused: one JSON object per line, bounded.
///
/// When the file would become larger than half the limit, it becomes `rejected.1.ndjson`, in place of the one before:
/// the newest half at least is always there.
final class DeadLetterFile {
    private static let name = "rejected.ndjson"
    private let directory: SpoolDirectory
    var limit: Int

    init(in directory: SpoolDirectory, limit: ByteCount) {
        self.directory = directory
        self.limit = limit.bytes
    }

    /// Adds an entry; false when it could not be written.
    func append(_ entry: RemoteEntry, reason: String, key: String, at time: LogTimestamp) -> Bool {
        var line = LogBuffer(capacity: 1024)
        line.append("{\"rejected\":\"" as StaticString)
        line.append(rfc3339: time)
        line.append(UInt8(ascii: "\""))
        JSONEntry.append("reason", reason, to: &line)
        JSONEntry.append("key", key, to: &line)
        line.append(",\"entry\":" as StaticString)
        JSONEntry.append(entry, to: &line)
        line.append("}\n" as StaticString)

        var file = directory.open(Self.name, O_WRONLY | O_CREAT | O_APPEND)
        guard file >= 0 else { return false }
        if let size = SpoolFile.size(file), size > 0, size + line.count > limit / 2 {
            close(file)
            guard directory.rename(Self.name, to: "rejected.1.ndjson") == 0 else { return false }
            file = directory.open(Self.name, O_WRONLY | O_CREAT | O_APPEND)
            guard file >= 0 else { return false }
        }
        defer { close(file) }
        let before = SpoolFile.size(file) ?? 0
        let (written, error) = SpoolFile.append(file, line.array)
        if error != 0 && written > 0 { _ = retrying { ftruncate(file, off_t(before)) } }
        return error == 0
    }
}
