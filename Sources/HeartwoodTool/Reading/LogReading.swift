import CHeartwood
import Heartwood
import HeartwoodReading

/// What the reading subcommands do: go through the lines of files, and on with those that come.
struct LogReading {
    /// A line, or several that follow each other, of a block.
    struct Lines {
        /// The bytes, with the newlines, of which the last one may lack; valid only while they are shown.
        var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: block[range]) }
        /// The block, and which of its bytes the lines are.
        let block: UnsafeRawBufferPointer
        let range: Range<Int>
        /// Where in the file's text the block begins.
        let offset: Int
        /// The path of the file.
        let path: String

        init(
            _ block: UnsafeRawBufferPointer, _ range: Range<Int>? = nil, offset: Int = 0, path: String
        ) {
            self.block = block
            self.range = range ?? 0..<block.count
            self.offset = offset
            self.path = path
        }

        /// A line without its newline.
        var line: UnsafeRawBufferPointer {
            bytes.last == .newline ? UnsafeRawBufferPointer(rebasing: bytes.dropLast()) : bytes
        }

        /// Whether the line comes right after another one in its file; takes the place of that one.
        func follows(_ last: inout (path: String, end: Int)) -> Bool {
            let start = offset + range.lowerBound
            defer { last = (path, start + line.count + 1) }
            return start == last.end && path == last.path
        }

        /// The line of the block that begins at a place, without its newline.
        func line(at start: Int) -> Lines {
            Lines(block, start..<LogBlockReader.lineEnd(in: block, from: start), offset: offset, path: path)
        }
    }

    /// A path as messages show it.
    static func name(of path: String) -> String { path == "-" ? "(standard input)" : path }

    let selection: LogSelection
    private let searcher: LineSearcher?
    private var filter: RecordFilter
    /// The file of the last line.
    private var current: FollowPlan.File?
    /// Whether all files could be read to their ends.
    private(set) var isWhole = true
    private var follower: LogFollower?
    private var doubtful = DoubtfulFiles()
    /// How many records without a known time were told.
    private var told = 0
    /// Whether only errors are said.
    var isQuiet = false

    /// Makes a reading of the lines that are selected and, with a searcher, found.
    init(_ selection: LogSelection, searcher: LineSearcher? = nil) {
        self.selection = selection
        self.searcher = searcher
        filter = RecordFilter(selection)
    }

    /// Calls `body` with the lines of all files, oldest first: one line at a time, or several as they come.
    mutating func readAll(singly: Bool, _ body: (Lines) -> Void) {
        for file in files() { _ = read(file, singly: singly, body) }
        complain()
    }

    /// The files, oldest first; what cannot be read is told, and the others are given.
    mutating func files() -> [String] { selection.paths.flatMap { files(of: $0) ?? [] } }

    /// The files of an operand, oldest first; nil where it cannot be read, which is told.
    mutating func files(of path: String) -> [String]? {
        do {
            var found: [(file: String, doubt: TimeDoubt, line: [UInt8])] = []
            let files = try selection.files(of: path) { found.append(($0, $1, Array($2))) }
            for (file, doubt, line) in found {
                doubtful.add(file, .init(doubt, redacted(line)), isSorted: true)
            }
            if let unread = LogReading.rest(of: path, besides: files) {
                Terminal.error.write("heartwood: \(unread)\n")
            }
            return files
        } catch {
            report(error)
            return nil
        }
    }

    private mutating func report(_ error: any Error) {
        isWhole = false
        Terminal.error.write("heartwood: \(error)\n")
    }

    /// Calls `body` with the lines of a file, and `finish` with each block when it is over, until it is
    /// enough.
    ///
    /// - Returns: whether the file could be read.
    mutating func read(
        _ file: String, from offset: Int = 0, singly: Bool = true, until isEnough: () -> Bool = { false },
        finish: (Lines) -> Void = { _ in }, _ body: (Lines) -> Void
    ) -> Bool {
        var isRead = true
        filter.begin(modified: LogReading.modified(file))
        let reader = LogBlockReader([file], offset: offset, key: selection.key)
        var redactor = selection.redaction.map { LineRedactor($0) }
        var clear = LogBuffer()
        // What is searched and shown, and where its block begins, is what is left when the secrets are gone.
        var place = offset
        func take(_ block: UnsafeRawBufferPointer, _ path: String) {
            forEachRun(in: block, singly: singly || selection.isSelective) { run in
                body(Lines(block, run, offset: place, path: path))
            }
            filter.finish(block)
            finish(Lines(block, offset: place, path: path))
            place += block.count
        }
        do {
            while !isEnough(), let block = try reader.next() {
                if redactor == nil {
                    place = block.offset
                    take(block.bytes, block.path)
                } else {
                    clear.removeAll()
                    redactor?.append(block.bytes, to: &clear)
                    clear.withUnsafeBytes { take($0, block.path) }
                }
            }
        } catch {
            isRead = false
            report(error)
        }
        for (file, damage) in reader.damages {
            isWhole = false
            Terminal.error.write("heartwood: \(file): \(damage)\n")
        }
        noteTimes(of: file)
        current = reader.finished?.file
        if let last = reader.finished { follower?.skip(last.file, path: last.path, to: last.position) }
        return isRead
    }

    /// When a file was last written; nil for a pipe.
    static func modified(_ file: String) -> LogTimestamp? {
        guard let status = try? SystemCalls().target(file), status.kind == .regular else { return nil }
        return LogTimestamp(nanoseconds: status.modifiedNanoseconds)
    }

    /// A line as it may be shown.
    private func redacted(_ line: [UInt8]) -> String {
        guard let rules = selection.redaction else { return String(decoding: line, as: UTF8.self) }
        var redactor = LineRedactor(rules)
        var clear = LogBuffer()
        line.withUnsafeBytes { redactor.append($0, to: &clear) }
        return clear.text
    }

    /// Notes what is doubtful in the times of a file, for a filter that asks for them.
    private mutating func noteTimes(of file: String) {
        if let example = filter.unplaced.example { doubtful.add(file, example) }
    }

    /// Says what is doubtful in the times of files, and of these files; once for each doubt.
    mutating func tellTimes(of files: [(path: String, example: UnplacedRecords.Example)] = []) {
        for (path, example) in files { doubtful.add(path, example) }
        if isQuiet { return }
        for line in doubtful.lines(selection.timeFilters) { Terminal.error.write("heartwood: \(line)\n") }
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

    /// Says that a filter, or the pattern, could not work as it was meant to; at the end.
    mutating func complain() {
        tellTimes()
        if let complaint = searcher?.complaint {
            isWhole = false
            Terminal.error.write("heartwood: \(complaint)\n")
        }
        guard !isQuiet else { return }
        told = filter.unplaced.count
        for complaint in filter.complaints { Terminal.error.write("heartwood: \(complaint)\n") }
    }

    /// Notes what is there, so that what comes while it is shown is neither lost nor shown twice.
    mutating func prepareToFollow() throws {
        let selection = selection
        for path in selection.paths where !selection.isThere(path) {
            Terminal.error.write("heartwood: \(path) is missing; waiting for it\n")
        }
        follower = try LogFollower(key: selection.key, directories: selection.directories) {
            try selection.presentFiles()
        }
    }

    /// Calls `body` with lines that come from now on, as soon as they come, until it is enough.
    ///
    /// Where there is nothing but standard input and pipes, which were read to their ends, nothing can come.
    /// With a filter by time, a signal that ends the process waits until its counts are said.
    mutating func follow(until isEnough: () -> Bool = { false }, _ body: (Lines?) -> Void) throws {
        guard let follower, selection.canGrow else { return }
        // Only where something may have to be said at the end.
        let stop = selection.timeFilters.isEmpty || isQuiet ? nil : try? StopSignal()
        defer {
            if filter.unplaced.count > told { complain() }
            stop?.endProcess()
        }
        var redactor = selection.redaction.map { LineRedactor($0) }
        var clear = LogBuffer()
        // Where the next line is in all that has come, and is shown.
        var place = 0
        while !isEnough(), stop?.isRequested != true {
            var failure: (any Error)?
            try follower.poll { event in
                switch event {
                case .lines(let block, let file):
                    if file != current { filter.begin() }
                    current = file
                    take(block, &redactor, &clear, &place, body)
                    noteTimes(of: block.path)
                    tellTimes()
                case .cut:
                    // What comes next begins a text.
                    (place, current) = (place + 1, nil)
                case .failed(let error): failure = error
                }
            }
            if let failure { throw failure }
            body(nil)
            follower.wait()
        }
    }

    /// Calls `body` with those of some lines that have come that are selected.
    private mutating func take(
        _ block: LogBlockReader.Block, _ redactor: inout LineRedactor?, _ clear: inout LogBuffer,
        _ place: inout Int, _ body: (Lines?) -> Void
    ) {
        LogBlockReader.forEachLine(of: block.bytes) { range in
            func take(_ line: UnsafeRawBufferPointer) {
                defer { place += line.count + 1 }
                guard filter.passes(alone: line), searcher?.finds(line) ?? true else { return }
                body(Lines(line, offset: place, path: block.path))
            }
            let line = UnsafeRawBufferPointer(rebasing: block.bytes[range])
            if redactor == nil { return take(line) }
            clear.removeAll()
            redactor?.append(line, to: &clear)
            clear.withUnsafeBytes(take)
        }
    }
}

/// What a person is told of files whose times are doubtful: one line for each doubt, for all files together.
private struct DoubtfulFiles {
    private struct Group {
        let example: UnplacedRecords.Example
        let path: String
        /// Whether the places of the files among others depend on their times.
        let isSorted: Bool
        var count = 1
        var isTold = false

        func description(_ filters: String) -> String {
            let what =
                switch example.doubt {
                case .zone: "the zone of some times is unknown or has several meanings (such as IST or CST)"
                case .day: "the day of some times is unknown"
                case .year: "some times have no year, and the one assumed is later than the file"
                }
            let remedy =
                if isSorted {
                    (count == 1 ? "it is" : "they are")
                        + " read in the order of the names; to read files in another order, name them"
                } else if example.doubt == .year {
                    "heartwood cat --fields time shows what is assumed"
                } else if filters.isEmpty {
                    "heartwood grep finds such lines by their text"
                } else {
                    "without \(filters), grep finds such lines"
                }
            let name = LogReading.name(of: path)
            return count == 1
                ? "\(name): \(what), as in “\(example.text)”; \(remedy)"
                : "\(what): \(Readable.count(count, "file")), as in \(name): “\(example.text)”; \(remedy)"
        }
    }

    private var groups: [Group] = []
    private var files: Set<String> = []

    /// Notes a file; the first doubt of each counts.
    mutating func add(_ path: String, _ example: UnplacedRecords.Example, isSorted: Bool = false) {
        guard files.insert(path).inserted else { return }
        let index = groups.firstIndex { $0.example.doubt == example.doubt && $0.isSorted == isSorted }
        if let index {
            groups[index].count += 1
        } else {
            groups.append(Group(example: example, path: path, isSorted: isSorted))
        }
    }

    /// What is to be told now, where these filters ask for times; nothing is told twice.
    mutating func lines(_ filters: String) -> [String] {
        let lines = groups.filter { !$0.isTold }.map { $0.description(filters) }
        for index in groups.indices { groups[index].isTold = true }
        return lines
    }
}

extension LogReading {
    /// Names the files of a directory that are not read, so that a part of the logs is not taken for all of
    /// them; nil where everything is read.
    private static func rest(of directory: String, besides files: [String]) -> String? {
        guard let stream = opendir(directory) else { return nil }
        defer { closedir(stream) }
        let read = Set(files.map(\.folderAndName.name))
        let identities = Set(files.compactMap { try? SystemCalls().target($0).identity })
        var rest: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // What begins with a dot is the loggers' own.
            if name.hasPrefix(".") || name.hasSuffix(ArchiveStage.unfinished) || read.contains(name) {
                continue
            }
            // A link may lead to a file that is read.
            guard let status = try? SystemCalls().target(directory + "/" + name),
                !identities.contains(status.identity)
            else { continue }
            if status.kind == .directory { rest.append(name + "/") }
            // An archive whose log is still there is read as that one.
            let (log, stage, _) = ArchiveStage.split(name)
            let hasCopy =
                stage == .plain
                ? ArchiveStage.allCases.contains { read.contains(name + $0.rawValue) } : read.contains(log)
            if status.kind == .regular, !hasCopy { rest.append(name) }
        }
        if rest.isEmpty { return nil }
        let shown = LogBuffer.escaped(rest.sorted().prefix(5).joined(separator: ", "))
        let others = rest.count > 5 ? " and \(rest.count - 5) more" : ""
        return "\(directory): not read: \(shown)\(others); to read a file or a directory, name it"
    }
}
