import CHeartwood
import Heartwood

/// The file of what servers have refused: one JSON object per line, bounded unless ``limit`` is nil.
///
/// 1. When the file would become larger than half the limit, it becomes `rejected.1.ndjson`, in place of the
///    one before: the newest half is always there. How many letters that removes is returned, so that they
///    are counted.
/// 2. A line is whole: what a failed write or a crash has left of one is cut off before the next is written.
///    Its message was not settled then, and comes again.
/// 3. ``synchronize()`` waits until the disk has the lines, so that a power cut loses no message which its
///    store has forgotten.
/// 4. A line has the message in its stored form too, from which ``DeadLetters`` puts it back.
final class DeadLetterFile {
    /// How an entry was taken.
    enum Outcome: Equatable {
        /// It is in the file; to make room, so many older ones were removed.
        case kept(removed: Int)
        /// It could not be written, by that `errno`: whoever must not lose it keeps it where it was.
        case failed(Int32)

        var isKept: Bool { if case .kept = self { true } else { false } }
        /// How many older letters the limit has removed.
        var removed: Int { if case .kept(let removed) = self { removed } else { 0 } }
    }

    static let name = "rejected.ndjson"
    static let olderName = "rejected.1.ndjson"

    private let directory: SpoolDirectory
    /// The most bytes of both files together; nil: no letter is ever removed.
    var limit: ByteCount?
    /// Whether there are lines, or names, that the disk may not have yet.
    private var hasNewLines = false
    private var hasNewNames = false

    init(in directory: SpoolDirectory, limit: ByteCount?) {
        self.directory = directory
        self.limit = limit
    }

    /// Adds an entry.
    func append(_ entry: RemoteEntry, reason: String, key: String, at time: LogTimestamp) -> Outcome {
        let line = Self.line(entry, reason, key, time)
        var file = directory.open(Self.name, O_RDWR | O_CREAT | O_APPEND)
        guard file >= 0 else { return .failed(hw_errno()) }
        defer { if file >= 0 { close(file) } }
        var size = 0
        switch Self.cutTornLine(file) {
        case .whole(let found): size = found
        case .failed(let error): return .failed(error)
        case .damaged:
            // Damaged beyond what a crash leaves: whoever looks for it finds it in the quarantine.
            let error = directory.move(Self.name, into: "quarantine")
            return error == 0 ? append(entry, reason: reason, key: key, at: time) : .failed(error)
        }
        var removed = 0
        if let limit, size > 0, size + line.count > limit.bytes / 2 {
            let failure = hasNewLines ? SpoolFile.synchronize(file) : 0
            guard failure == 0 else { return .failed(failure) }
            removed = DeadLetters.count(Self.olderName, in: directory)
            let error = directory.rename(Self.name, to: Self.olderName)
            guard error == 0 else { return .failed(error) }
            close(file)
            file = directory.open(Self.name, O_RDWR | O_CREAT | O_APPEND)
            guard file >= 0 else { return .failed(hw_errno()) }
            size = 0
        }
        if size == 0 { hasNewNames = true }
        let (written, error) = SpoolFile.append(file, line)
        if error != 0 && written > 0 { _ = SpoolFile.truncate(file, to: size) }
        if error == 0 { hasNewLines = true }
        return error == 0 ? .kept(removed: removed) : .failed(error)
    }

    /// Waits until the disk has all lines that were added; 0 or `errno`.
    func synchronize() -> Int32 {
        guard hasNewLines else { return 0 }
        let file = directory.open(Self.name, O_RDWR)
        guard file >= 0 else { return hw_errno() }
        defer { close(file) }
        var error = SpoolFile.synchronize(file)
        if error == 0 && hasNewNames { error = directory.synchronize() }
        guard error == 0 else { return error }
        (hasNewLines, hasNewNames) = (false, false)
        return 0
    }

    private static func line(
        _ entry: RemoteEntry, _ reason: String, _ key: String, _ time: LogTimestamp
    ) -> [UInt8] {
        var line = LogBuffer(capacity: 1024)
        line.append("{\"rejected\":\"" as StaticString)
        line.append(rfc3339: time)
        line.append(UInt8(ascii: "\""))
        JSONEntry.append("reason", reason, to: &line)
        JSONEntry.append("key", key, to: &line)
        line.append(",\"entry\":" as StaticString)
        JSONEntry.append(entry, to: &line)
        JSONEntry.append("stored", Base64.encode(EntryCoder.encode(entry)), to: &line)
        line.append("}\n" as StaticString)
        return line.array
    }

    /// What cutting off a last line without its end came to.
    private enum Cut {
        /// All lines are whole, and have so many bytes.
        case whole(Int)
        /// There is no line's end where one must be.
        case damaged
        /// Cannot read the file or cut, by that `errno`.
        case failed(Int32)
    }

    private static func cutTornLine(_ file: Int32) -> Cut {
        guard let size = SpoolFile.size(file) else { return .failed(hw_errno()) }
        var end = size
        while end > 0 {
            guard size - end < DeadLetters.LineReader.longest else { return .damaged }
            var bytes: [UInt8] = []
            let start = max(0, end - 65_536)
            let error = SpoolFile.read(file, from: start, limit: end - start, into: &bytes)
            guard error == 0 else { return .failed(error) }
            if let last = bytes.lastIndex(of: UInt8(ascii: "\n")) {
                end = start + last + 1
                break
            }
            end = start
        }
        if end == size { return .whole(size) }
        let error = SpoolFile.truncate(file, to: end)
        return error == 0 ? .whole(end) : .failed(error)
    }
}
