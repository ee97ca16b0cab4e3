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
    private let directory: Directory
    /// The largest payload that the store takes.
    private let payloadLimit: Int

    init(in directory: Directory, payloadLimit: Int) {
        self.directory = directory
        self.payloadLimit = payloadLimit
    }

    /// How many lines a file has.
    static func count(_ name: String, in directory: Directory) -> Int {
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

    /// Stores the letters again by `store`, and removes them from their files.
    ///
    /// `store` stores all of them or none; `place` says where, so that the next start can tell whether it has
    /// (``ResendMark``).
    ///
    /// - Throws: `LogError` when the mark cannot be made, or the letters cannot be removed, which says what
    ///   to do by hand; and what `store` throws.
    func resend(to place: String, _ store: () throws -> Void) throws {
        let mark = ResendMark(place)
        do throws(SystemFailure) { try mark.make(in: directory) } catch {
            throw LogError(.file, "cannot write the spool", place: directory.path, cause: error.number)
        }
        do { try store() } catch {
            mark.remove(from: directory)
            throw error
        }
        // In any case: letters that are added from now on are not stored again.
        defer { mark.remove(from: directory) }
        do throws(SystemFailure) { try remove() } catch {
            throw LogError(
                .file,
                "the rejected messages were queued again, but their file cannot be removed; remove it"
                    + " yourself", place: directory.path + "/" + DeadLetterFile.name, cause: error.number)
        }
    }

    /// Removes the lines that have messages.
    ///
    /// A file is replaced as a whole, so that it may be done again.
    func remove() throws(SystemFailure) {
        for name in Self.names {
            let lines = LineReader(name, in: directory)
            var rest: [UInt8] = []
            while let line = lines.next() {
                if letter(line) == nil { rest += line + [UInt8(ascii: "\n")] }
            }
            if let failure = lines.failure { throw failure }
            if rest.isEmpty {
                try directory.remove(name)
            } else {
                try directory.store(rest, as: name, through: "rejected.tmp", synchronizes: true)
            }
        }
        try directory.syncNames()
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

        private let file: Descriptor?
        private var position = 0
        private var chunk: [UInt8] = []
        private var start = 0
        private(set) var failure: SystemFailure?

        init(_ name: String, in directory: Directory) {
            do throws(SystemFailure) { file = try directory.open(name, for: .reading).file } catch {
                file = nil
                if !error.isError(ENOENT) { failure = error }
            }
        }

        func next() -> [UInt8]? {
            guard let file else { return nil }
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
                do throws(SystemFailure) {
                    try file.read(from: position, limit: 262_144, into: &chunk)
                } catch {
                    failure = error
                    return nil
                }
                guard chunk.count > before, chunk.count <= Self.longest else { return nil }
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
    static let name = "rejected.ndjson"
    static let olderName = "rejected.1.ndjson"

    private let directory: Directory
    /// The most bytes of both files together; nil: no letter is ever removed.
    var limit: ByteCount?
    /// Whether there are lines, or names, that the disk may not have yet.
    private var hasNewLines = false
    private var hasNewNames = false

    init(in directory: Directory, limit: ByteCount?) {
        self.directory = directory
        self.limit = limit
    }

    /// Adds an entry; returns how many older letters were removed to make room.
    ///
    /// - Throws: The failure; the caller keeps the entry where it was.
    func append(
        _ entry: RemoteEntry, reason: String, key: String, at time: LogTimestamp
    ) throws(SystemFailure) -> Int {
        let line = Self.line(entry, reason, key, time)
        var file = try directory.openOrCreate(Self.name)
        let whole = try directory.calls.cutTornLine(
            file.number, size: file.status().size, reach: DeadLetters.LineReader.longest)
        guard var size = whole else {
            // Damaged beyond what a crash leaves: a person finds it in the quarantine.
            try directory.move(Self.name, into: directory.subdirectory("quarantine", isMade: true))
            return try append(entry, reason: reason, key: key, at: time)
        }
        var removed = 0
        if let limit, size > 0, size + line.count > limit.bytes / 2 {
            if hasNewLines { try file.sync() }
            removed = DeadLetters.count(Self.olderName, in: directory)
            try directory.replace(Self.olderName, with: Self.name)
            file = try directory.openOrCreate(Self.name)
            size = 0
        }
        if size == 0 { hasNewNames = true }
        let (written, failure) = file.append(line)
        if let failure {
            if written > 0 { try? file.truncate(to: size) }
            throw failure
        }
        hasNewLines = true
        return removed
    }

    /// Waits until the disk has all lines that were added.
    func synchronize() throws(SystemFailure) {
        guard hasNewLines else { return }
        let file = try directory.open(Self.name).file
        try SystemFailure.passingOverUnsupported { () throws(SystemFailure) in
            try file.sync()
            if hasNewNames { try directory.sync() }
        }
        (hasNewLines, hasNewNames) = (false, false)
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

    /// Ends what a process was doing that died while it stored dead letters again.
    ///
    /// Where the messages are stored, which `isStored` says, their letters are removed.
    static func finish(
        in directory: Directory, among names: [String], _ isStored: (String) -> Bool
    ) throws(SystemFailure) {
        guard let mark = ResendMark(among: names) else { return }
        defer { mark.remove(from: directory) }
        guard isStored(mark.place) else { return }
        try DeadLetters(in: directory, payloadLimit: SpoolRecord.largestPayload).remove()
    }

    private var name: String { Self.prefix + place }

    func make(in directory: Directory) throws(SystemFailure) {
        _ = try directory.create(name)
        do throws(SystemFailure) { try directory.syncNames() } catch {
            // Left behind, it would say later that the letters are stored.
            remove(from: directory)
            throw error
        }
    }

    func remove(from directory: Directory) { _ = try? directory.remove(name) }
}
