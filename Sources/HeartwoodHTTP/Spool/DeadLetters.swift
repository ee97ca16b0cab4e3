#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import CHeartwood
import Heartwood

/// The messages in the files of ``DeadLetterFile``, the oldest first, to be stored again: each once.
///
/// A line without a message in its stored form stays where it is: it was written by another version, or is
/// damaged.
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
        var (_, error) = SpoolFile.append(file, content)
        if error == 0 && fsync(file) != 0 { error = hw_errno() }
        close(file)
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

        private let file: Int32
        private var position = 0
        private var chunk: [UInt8] = []
        private var start = 0
        private(set) var error: Int32 = 0

        init(_ name: String, in directory: SpoolDirectory) {
            file = directory.open(name, O_RDONLY)
            if file < 0 && hw_errno() != ENOENT { error = hw_errno() }
        }

        deinit { if file >= 0 { close(file) } }

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
                error = SpoolFile.read(file, from: position, limit: 262_144, into: &chunk)
                guard error == 0, chunk.count > before, chunk.count <= Self.longest else { return nil }
                position += chunk.count - before
            }
        }
    }
}
