import CHeartwood
import Heartwood

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import CHeartwood
import Heartwood

/// The messages in the files of ``DeadLetterFile``, the oldest first, to be stored again: each once.
///
/// A line without a message in its stored form is damaged, and stays where it is.
struct DeadLetters {
    private static let names = [DeadLetterFile.olderName, DeadLetterFile.name]
    private let directory: SpoolDirectory
    /// The largest payload that the store takes.
    private let payloadLimit: Int

    init(in directory: SpoolDirectory, payloadLimit: Int) {
        self.directory = directory
        self.payloadLimit = payloadLimit
    }

    /// How many lines a file has.
    static func count(_ name: String, in directory: SpoolDirectory) -> Int {
        let lines = LineReader(name, in: directory)
        var count = 0
        while lines.next() != nil { count += 1 }
        return count
    }

    /// How many messages can be stored again, and how many lines have none.
    func count() -> (messages: Int, others: Int) {
        var messages = iterator()
        var count = 0
        while messages.next() != nil { count += 1 }
        return (count, messages.others)
    }

    /// The messages in their order; one that is there twice comes once.
    func iterator() -> Iterator {
        Iterator(files: Self.names.map { LineReader($0, in: directory) }, payloadLimit: payloadLimit)
    }

    /// Removes the lines that have messages, and returns 0 or an error number.
    ///
    /// A file is replaced as a whole, so that it may be done again.
    func remove() -> Int32 {
        for name in Self.names {
            let lines = LineReader(name, in: directory)
            var rest: [UInt8] = []
            while let line = lines.next() {
                if letter(line) == nil { rest += line + [UInt8(ascii: "\n")] }
            }
            if lines.error != 0 { return lines.error }
            let error = rest.isEmpty ? directory.remove(name) : replace(name, with: rest)
            if error != 0 { return error }
        }
        return directory.synchronize()
    }

    private func replace(_ name: String, with content: [UInt8]) -> Int32 {
        let file = directory.open("rejected.tmp", O_WRONLY | O_CREAT | O_TRUNC)
        guard file >= 0 else { return hw_errno() }
        var (_, error) = directory.append(file, content)
        if error == 0 { error = directory.synchronize(file) }
        directory.close(file)
        return error == 0 ? directory.rename("rejected.tmp", to: name) : error
    }

    private func letter(_ line: [UInt8]) -> Letter? { Letter(line, payloadLimit: payloadLimit) }

    /// A message that was refused.
    struct Letter {
        let id: String
        let time: LogTimestamp
        let level: UInt8
        let payload: [UInt8]

        fileprivate init?(_ line: [UInt8], payloadLimit: Int) {
            struct Line: Decodable {
                struct Entry: Decodable { let id: String }
                let entry: Entry
                let stored: String
            }
            guard let line = try? ValueDepth.decode(Line.self, json: line),
                let stored = Data(base64Encoded: line.stored), stored.count <= payloadLimit,
                let entry = EntryCoder.decode(Array(stored), id: line.entry.id)
            else { return nil }
            id = entry.id
            time = entry.time
            level = UInt8(clamping: entry.severity.index)
            payload = Array(stored)
        }
    }

    /// Goes through the messages.
    struct Iterator {
        fileprivate var files: [LineReader]
        fileprivate let payloadLimit: Int
        private var known: Set<String> = []
        /// How many lines without a message have been passed.
        private(set) var others = 0

        fileprivate init(files: [LineReader], payloadLimit: Int) {
            self.files = files
            self.payloadLimit = payloadLimit
        }

        /// The next message that has not come before; nil after the last.
        mutating func next() -> Letter? {
            while !files.isEmpty {
                guard let line = files[0].next() else {
                    files.removeFirst()
                    continue
                }
                guard let letter = Letter(line, payloadLimit: payloadLimit) else {
                    others += 1
                    continue
                }
                if known.insert(letter.id).inserted { return letter }
            }
            return nil
        }
    }

    /// Reads a file line by line; a last line without its end is passed over.
    final class LineReader {
        /// Nothing longer is a line of ours.
        static let longest = 1 << 28

        private let directory: SpoolDirectory
        private let file: Int32
        private var position = 0
        private var chunk: [UInt8] = []
        private var start = 0
        private(set) var error: Int32 = 0

        init(_ name: String, in directory: SpoolDirectory) {
            self.directory = directory
            file = directory.open(name, O_RDONLY)
            if file < 0 && hw_errno() != ENOENT { error = hw_errno() }
        }

        deinit { if file >= 0 { directory.close(file) } }

        func next() -> [UInt8]? {
            guard file >= 0 else { return nil }
            var searched = start
            while true {
                if let end = chunk[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                    defer { start = end + 1 }
                    return Array(chunk[start..<end])
                }
                searched = chunk.count - start
                chunk.removeFirst(start)
                start = 0
                let before = chunk.count
                error = directory.read(file, from: position, limit: 262_144, into: &chunk)
                guard error == 0, chunk.count > before, chunk.count <= Self.longest else { return nil }
                position += chunk.count - before
            }
        }
    }
}

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
        defer { if file >= 0 { directory.close(file) } }
        var size: Int
        do throws(SystemFailure) {
            let calls = directory.calls
            guard
                let whole = try calls.cutTornLine(
                    file, size: calls.status(file).size, reach: DeadLetters.LineReader.longest)
            else {
                // Damaged beyond what a crash leaves: whoever looks for it finds it in the quarantine.
                let error = directory.move(Self.name, into: "quarantine")
                return error == 0 ? append(entry, reason: reason, key: key, at: time) : .failed(error)
            }
            size = whole
        } catch {
            return .failed(error.number)
        }
        var removed = 0
        if let limit, size > 0, size + line.count > limit.bytes / 2 {
            let failure = hasNewLines ? directory.synchronize(file) : 0
            guard failure == 0 else { return .failed(failure) }
            removed = DeadLetters.count(Self.olderName, in: directory)
            let error = directory.rename(Self.name, to: Self.olderName)
            guard error == 0 else { return .failed(error) }
            directory.close(file)
            file = directory.open(Self.name, O_RDWR | O_CREAT | O_APPEND)
            guard file >= 0 else { return .failed(hw_errno()) }
            size = 0
        }
        if size == 0 { hasNewNames = true }
        let (written, error) = directory.append(file, line)
        if error != 0 && written > 0 { _ = directory.truncate(file, to: size) }
        if error == 0 { hasNewLines = true }
        return error == 0 ? .kept(removed: removed) : .failed(error)
    }

    /// Waits until the disk has all lines that were added; 0 or `errno`.
    func synchronize() -> Int32 {
        guard hasNewLines else { return 0 }
        let file = directory.open(Self.name, O_RDWR)
        guard file >= 0 else { return hw_errno() }
        defer { directory.close(file) }
        var error = directory.synchronize(file)
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
}

/// The note, a file's name, that dead letters are being stored again: after a crash the next start can tell
/// whether they were.
///
/// The mark is made before the messages are stored, all of them or none, and goes after the letters were
/// removed. Whoever opens the store looks for it before anything else is stored or sent: where the messages
/// are there, the letters are removed now; where they are not, nothing has happened. So each letter is stored
/// once.
struct ResendMark {
    private static let prefix = "resend."
    /// Where the messages are going to be: a number or a name, by the kind of the store.
    let place: String

    init(_ place: String) { self.place = place }

    /// The mark that an earlier process has left, if the names of a directory's files have one.
    init?(among names: [String]) {
        guard let name = names.first(where: { $0.hasPrefix(Self.prefix) }) else { return nil }
        place = String(name.dropFirst(Self.prefix.count))
    }

    /// Ends what a process was doing that died while it stored dead letters again; 0 or `errno`.
    ///
    /// Where the messages are stored, which `isStored` says, their letters are removed.
    static func finish(
        in directory: SpoolDirectory, among names: [String], _ isStored: (String) -> Bool
    ) -> Int32 {
        guard let mark = ResendMark(among: names) else { return 0 }
        defer { mark.remove(from: directory) }
        guard isStored(mark.place) else { return 0 }
        return DeadLetters(in: directory, payloadLimit: SpoolRecord.largestPayload).remove()
    }

    private var name: String { Self.prefix + place }

    /// Makes the mark; 0 or `errno`.
    func make(in directory: SpoolDirectory) -> Int32 {
        let file = directory.open(name, O_WRONLY | O_CREAT | O_EXCL)
        guard file >= 0 else { return hw_errno() }
        directory.close(file)
        return directory.synchronize()
    }

    /// Removes the mark; 0 or `errno`.
    @discardableResult
    func remove(from directory: SpoolDirectory) -> Int32 { directory.remove(name) }
}
