import CHeartwood
import Heartwood

/// What the reading subcommands do: go through the lines of files, and on with those that come.
struct LogReading {
    /// A line, or several that follow each other, of a block.
    struct Lines {
        /// The bytes, with the newlines, of which the last one may lack; valid only while they are shown.
        let bytes: UnsafeRawBufferPointer
        /// The path of the file.
        let path: String

        /// The name of the file.
        var file: String { String(path.split(separator: "/").last ?? "") }

        /// A line without its newline.
        var line: UnsafeRawBufferPointer {
            bytes.last == 0x0A ? UnsafeRawBufferPointer(rebasing: bytes.dropLast()) : bytes
        }
    }

    let selection: LogSelection
    private let searcher: LineSearcher?
    private var filter: RecordFilter
    /// Whether all files could be read to their ends.
    private(set) var isWhole = true

    /// Makes a reading of the lines that are selected and, with a searcher, found.
    init(_ selection: LogSelection, searcher: LineSearcher? = nil) {
        self.selection = selection
        self.searcher = searcher
        filter = RecordFilter(selection)
    }

    /// Calls `body` with the lines of all files, oldest first: one line at a time, or several as they come.
    mutating func readAll(singly: Bool, _ body: (Lines) -> Void) throws {
        try read(selection.files(), singly: singly, body)
    }

    /// Calls `body` with the lines of some files.
    mutating func read(
        _ files: [String], from offset: Int = 0, singly: Bool = true, _ body: (Lines) -> Void
    ) throws {
        let reader = LogBlockReader(files, offset: offset, key: selection.key)
        while let block = try reader.next() {
            forEachRun(in: block.bytes, singly: singly || selection.isSelective) { run in
                body(Lines(bytes: UnsafeRawBufferPointer(rebasing: block.bytes[run]), path: block.path))
            }
            filter.finish(block.bytes)
        }
        for (file, damage) in reader.damages {
            isWhole = false
            Terminal.error.write("heartwood: \(file): \(damage)\n")
        }
        if let searcher, searcher.failures > 0 {
            isWhole = false
            Terminal.error.write(
                "heartwood: the pattern is too complex for \(Readable.count(searcher.failures, "line"))\n")
        }
        complain()
    }

    private mutating func forEachRun(
        in block: UnsafeRawBufferPointer, singly: Bool, _ body: (Range<Int>) -> Void
    ) {
        guard singly else {
            if let searcher { searcher.forEachRun(in: block, body) } else { body(0..<block.count) }
            return
        }
        var filter = filter
        let isSelective = selection.isSelective
        func pass(_ line: Range<Int>) {
            if isSelective, !filter.passes(line, in: block) { return }
            body(line.lowerBound..<min(line.upperBound + 1, block.count))
        }
        if let searcher {
            searcher.forEachLine(in: block, pass)
        } else {
            LogBlockReader.forEachLine(of: block, pass)
        }
        self.filter = filter
    }

    /// Says, once, that a filter could not work as it was meant to.
    private func complain() {
        guard let complaint = filter.complaint else { return }
        Terminal.error.write("heartwood: \(complaint)\n")
    }

    /// Calls `body` with lines that come from now on, until the process is ended; looks four times a second.
    ///
    /// `start` is the file that was read last, and how far.
    mutating func follow(start: (path: String, offset: Int)?, _ body: (Lines?) -> Void) throws {
        let selection = selection
        let follower = try LogFollower(key: selection.key, start: start) { try selection.files() }
        while true {
            try follower.poll { bytes, path in
                bytes.withUnsafeBytes { line in
                    guard filter.passes(alone: line), searcher?.finds(line) ?? true else { return }
                    body(Lines(bytes: line, path: path))
                }
            }
            body(nil)
            usleep(250_000)
        }
    }

    /// The newest file and its size, for going on from there.
    func end() throws -> (path: String, offset: Int)? {
        guard let path = try selection.files().last else { return nil }
        return (path, (try? SystemCalls().status(path: path).size) ?? 0)
    }
}
