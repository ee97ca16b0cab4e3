import CHeartwood
import Heartwood

/// What the reading subcommands do: go through the lines of files, and on with those that come.
struct LogReading {
    let selection: LogSelection
    private var filter: LineFilter
    /// Whether all files could be read to their ends.
    private(set) var isWhole = true

    init(_ selection: LogSelection) {
        self.selection = selection
        filter = LineFilter(selection)
    }

    /// Calls `body` with every selected line of the files, oldest first.
    mutating func readAll(_ body: (LogLine) -> Void) throws {
        try read(selection.files(), body)
    }

    /// Calls `body` with every selected line of some files.
    mutating func read(_ files: [String], from offset: Int = 0, _ body: (LogLine) -> Void) throws {
        let lines = LogLineIterator(files, offset: offset, key: selection.key)
        while let next = try lines.next() {
            for line in next where filter.passes(line) { body(line) }
        }
        for (file, damage) in lines.damages {
            isWhole = false
            Terminal.error.write("heartwood: \(file): \(damage)\n")
        }
    }

    /// Calls `body` with lines that come from now on, until the process is ended; looks four times a second.
    ///
    /// `start` is the file that was read last, and how far.
    mutating func follow(start: (path: String, offset: Int)?, _ body: (LogLine?) -> Void) throws {
        let selection = selection
        let follower = try LogFollower(key: selection.key, start: start) { try selection.files() }
        while true {
            for line in try follower.poll() where filter.passes(line) { body(line) }
            body(nil)
            usleep(250_000)
        }
    }

    /// The newest file and its size, for going on from there.
    func end() throws -> (path: String, offset: Int)? {
        guard let path = try selection.files().last else { return nil }
        return (path, (try? Heartwood.SystemCalls().status(path: path).size) ?? 0)
    }
}
