import CHeartwood
package import Heartwood

/// Reads on in files that are written, from one to the next when they are rotated, by whatever program and in
/// whatever way.
///
/// `FollowPlan` decides; this opens and reads. Not thread-safe: owned by whoever reads.
package final class LogFollower {
    /// What has come.
    package enum Event {
        /// Whole lines; the last line of a file that is given up may lack its newline.
        case lines(LogBlockReader.Block, of: FollowPlan.File)
        /// A file was cut; what comes of it from here on is a new text.
        case cut(FollowPlan.File)
        /// A file cannot be read; it is tried again when more has come to it.
        case failed(any Error)
    }

    /// A file that is there at the beginning.
    package struct Start {
        package let path: String
        package let file: FollowPlan.File
        package let size: Int
        package let stage: ArchiveStage
        /// The first bytes of its text, as far as they are known.
        package let beginning: [UInt8]
        /// Where the text ends that was there; nil: to the end of the file, whenever it is read.
        package var limit: Int?
    }

    private struct Open {
        let source: LogFileSource
        let path: String
        /// Made when the file is read first.
        var lines: LineBlocks?
        /// What its changes are waited for with.
        var watch: Int32?
        /// Whether it was cut while it was read.
        var isCut = false

        /// The last bytes that were read of it, and where they end.
        var last: (end: Int, bytes: [UInt8])
        /// Whether nothing is expected to come to it.
        let isArchive: Bool

        init(_ source: LogFileSource, path: String, watch: Int32?) {
            (self.source, self.path, self.watch) = (source, path, watch)
            isArchive = ArchiveStage(of: source.beginning) == .gzip
            last = (source.position, source.bytes(before: source.position))
        }

        /// What it is like at the moment; with another text at the place of the last bytes, it was cut,
        /// whatever its size and its beginning are.
        var held: FollowPlan.Held {
            let isSame = !isCut && source.bytes(before: last.end) == last.bytes
            return FollowPlan.Held(
                size: isSame ? source.status?.size ?? 0 : -1, beginning: source.beginning)
        }
    }

    /// Longer lines are handed out in parts of about this size.
    private static let lineLimit = 32 << 20

    private let list: () throws -> [String]
    private let key: (any SecretProvider)?
    private let calls: SystemCalls
    /// Whether the places of lines are right in encrypted files.
    private let countsText: Bool
    private var plan = FollowPlan()
    private var open: [FollowPlan.File: Open] = [:]
    /// What paths led to last, so that most need not be opened to be known again.
    private var known: [String: (status: FileStatus, file: FollowPlan.File, stage: ArchiveStage)] = [:]
    private let epoch = ContinuousClock.now
    private let watch = FileWatch()
    private let directories: [String]
    /// What is known of the changes since the last look.
    private var change = FileWatch.Change.names
    private var lastLook: Duration?
    /// How long the last look took.
    private var cost = Duration.zero
    /// What the paths led to at the last look, in the order of age, and how many looks there were.
    package private(set) var listed: [FollowPlan.Seen] = []
    package private(set) var looks = 0

    /// Begins after what is there already.
    ///
    /// `list` gives the files, oldest first, whenever it is asked; `directories` are those that they are in.
    /// `start` is a file of which less was read, and how much. With `countsText`, the places of lines are
    /// right also in encrypted files, which takes reading what is in front.
    package init(
        key: (any SecretProvider)?, start: (path: String, offset: Int)? = nil, directories: [String] = [],
        countsText: Bool = false, calls: SystemCalls = SystemCalls(), list: @escaping () throws -> [String]
    ) throws {
        self.list = list
        self.key = key
        self.directories = directories
        self.countsText = countsText
        self.calls = calls
        listed = try look()
        try perform(plan.start(listed, at: now), isReading: false) { _ in }
        if let start, let place = listed.first(where: { $0.path == start.path }) {
            skip(place.file, path: start.path, to: start.offset)
        }
    }

    private var now: Duration { ContinuousClock.now - epoch }

    /// Goes on after what was read of a file by another reader.
    package func skip(_ file: FollowPlan.File, path: String, to position: Int) {
        plan.advance(file, path: path, to: position, at: now)
        guard let source = open[file]?.source else { return }
        source.continueAt(position)
        open[file]?.lines = nil
        open[file]?.last = (position, source.bytes(before: position))
    }

    /// Goes back to the beginning of the last line of each open file: as long as it has no end, it is what
    /// comes.
    ///
    /// - Returns: the files that are there, oldest first.
    package func beginAtLines() -> [Start] {
        listed.map { seen in
            let stage = known[seen.path]?.stage ?? ArchiveStage(of: seen.beginning)
            var start = Start(
                path: seen.path, file: seen.file, size: seen.size, stage: stage,
                beginning: stage == .encrypted ? [] : seen.beginning)
            if stage == .plain { start.limit = seen.size }
            guard let number = open[seen.file]?.source.number else { return start }
            if stage == .plain, let line = try? LogTail.lineStart(in: number, before: seen.size, calls) {
                skip(seen.file, path: seen.path, to: line)
                start.limit = line
            } else if stage == .encrypted, ArchiveStage.split(seen.path).stage == .plain {
                // Why it cannot be read is said by those who read what was there.
                start.limit = try? lines(of: seen.file, withLast: true)?.offset
            }
            return start
        }
    }

    /// The lines that have come since the last time.
    package func poll() throws -> [LogLine] {
        var lines: [LogLine] = []
        try poll { event in
            switch event {
            case .lines(let block, _):
                LogBlockReader.forEachLine(of: block.bytes) { line in
                    let bytes = UnsafeRawBufferPointer(rebasing: block.bytes[line])
                    let text = String(decoding: bytes, as: UTF8.self)
                    lines.append(LogLine(text: text, file: block.path.folderAndName.name))
                }
            case .cut, .failed: break
            }
        }
        return lines
    }

    /// How long a change may take to be seen that the system does not tell of, as on a network's file system;
    /// longer where there are thousands of files.
    private static let interval = Duration.milliseconds(250)
    private static let longest = Duration.seconds(1)

    /// Waits until something may have come: at once where the system tells of changes, a quarter of a second
    /// at most; longer where there are thousands of files.
    package func wait() {
        let last = lastLook ?? now
        // With thousands of files, looks are less frequent, so that they do not take all of the time. With
        // few, a look that took long says only that the machine is busy.
        let usual = listed.count < 100 ? .zero : min(cost * 20, LogFollower.longest)
        let interval = max(LogFollower.interval, usual)
        change = watch.wait(max(.zero, last + interval - now))
        // A look at all names costs more than one at the open files: while lines come, it is made when due.
        if now - last >= interval {
            change = .names
        } else if change == .names, interval > LogFollower.interval {
            change = .content
        }
    }

    /// Calls `body` with what has come since the last time, in the order of the files' age.
    ///
    /// - Throws: ``LogError`` where the files cannot be listed.
    package func poll(_ body: (Event) -> Void) throws {
        // Without another wait, nothing is known of what happens from here on.
        defer { change = .names }
        if change != .names, let actions = plan.glance(held: held) {
            try perform(actions, isReading: true, body)
            return
        }
        for directory in directories { watch.add(directory: directory) }
        lastLook = now
        var (isDue, looks, misses) = (true, 0, 0)
        // Where files come faster than they are looked at, the others come the next time.
        while isDue || plan.looksAgain, looks < 2 * LogFollower.tries {
            looks += 1
            // A copy is made before its original is cut: what is open is asked first, and the paths after it.
            let held = held
            let began = now
            listed = try look()
            self.looks += 1
            cost = now - began
            let actions = plan.look(listed, held: held, at: now)
            // A file that can never be opened must not hold up the others for good.
            let isInOrder = misses < LogFollower.tries
            let (hasOpened, hasMissed) = try perform(actions, isReading: true, isInOrder: isInOrder, body)
            if hasMissed { misses += 1 }
            // While one was opened and read, others may have come.
            isDue = hasOpened || hasMissed && isInOrder
        }
    }

    /// How often names are looked up again, at most, that changed while they were.
    private static let tries = 10

    private var held: [FollowPlan.File: FollowPlan.Held] {
        open.filter { !$0.value.isArchive }.mapValues(\.held)
    }

    /// Does what the plan says; where `isInOrder`, it opens no new file after one that it has missed.
    ///
    /// - Returns: whether files were opened, and whether one was missed, or left for the next look.
    @discardableResult
    private func perform(
        _ actions: [FollowPlan.Action], isReading: Bool, isInOrder: Bool = false,
        _ body: (Event) -> Void
    ) throws -> (hasOpened: Bool, hasMissed: Bool) {
        var (hasOpened, hasMissed) = (false, false)
        func opens(_ file: FollowPlan.File, _ path: String, at offset: Int) -> Bool {
            // What was read in part before is older than all that is new.
            if !(hasMissed && isInOrder && offset == 0), begin(file, path, offset) { return true }
            plan.miss(file)
            known[path] = nil
            hasMissed = true
            return false
        }
        for action in actions {
            switch action {
            case .open(let file, let path, let offset):
                let (cut, count) = unfinished(of: actions, at: offset)
                guard opens(file, path, at: offset - count) else { continue }
                hasOpened = true
                if let cut { open[cut]?.lines = nil }
                if isReading { read(file, body) }
            case .hold(let file, let path): _ = opens(file, path, at: 0)
            case .read(let file):
                // While the names were looked up, it may have been cut: that is found when it is read.
                read(file, body)
            case .restart(let file):
                guard let last = open[file] else { continue }
                finish(last, file, body)
                body(.cut(file))
                last.source.continueAt(0)
                open[file]?.lines = nil
                open[file]?.isCut = false
                open[file]?.last = (0, [])
                read(file, body)
            case .close(let file):
                guard let last = open.removeValue(forKey: file) else { continue }
                finish(last, file, body)
                watch.remove(last.watch)
            }
        }
        return (hasOpened, hasMissed)
    }

    /// The cut file of which a copy is read on from a place, and how long the part of its last line is.
    ///
    /// The part was read in front of that place; the copy has the whole line.
    private func unfinished(of actions: [FollowPlan.Action], at offset: Int) -> (FollowPlan.File?, Int) {
        for case .restart(let file) in actions {
            guard let cut = open[file], cut.last.end == offset, let line = cut.lines?.pending,
                (try? cut.source.recognize()) == .plain
            else { continue }
            return (file, line.bytes.count)
        }
        return (nil, 0)
    }

    /// Opens a file; false where the path leads to another one by now.
    private func begin(_ file: FollowPlan.File, _ path: String, _ offset: Int) -> Bool {
        let source = try? LogFileSource(
            path: path, offset: offset, key: key, isFollowed: true, takesStreams: false, calls: calls)
        guard let source, source.file == file else { return false }
        open[file] = Open(source, path: path, watch: source.watch(with: watch))
        return true
    }

    private func read(_ file: FollowPlan.File, _ body: (Event) -> Void) {
        guard let current = open[file] else { return }
        // To find where it has its lines costs reading all of an encrypted file.
        if current.lines == nil, (current.source.status?.size ?? 0) <= current.source.position { return }
        do {
            let lines = try lines(of: file, withLast: false)
            while let block = try lines?.next(of: current.source, isValid: { advance(file) }) {
                body(.lines(.init(block, of: current.path), of: file))
            }
            // Holes were left out.
            if open[file]?.isCut == false {
                plan.advance(file, path: current.path, to: current.source.position, at: now)
            }
        } catch {
            open[file] = nil
            watch.remove(current.watch)
            plan.fail(file)
            body(.failed(error))
        }
    }

    /// Notes how far a file was read; false where it was cut meanwhile: what was read may be of two texts.
    private func advance(_ file: FollowPlan.File) -> Bool {
        guard let current = open[file] else { return false }
        let position = current.source.position
        var beginning: [UInt8] = []
        if !current.isArchive {
            let last = (position, current.source.bytes(before: position))
            let held = current.held
            if plan.isCut(file, held) {
                open[file]?.isCut = true
                return false
            }
            open[file]?.last = last
            beginning = held.beginning
        }
        plan.advance(file, path: current.path, to: position, beginning: beginning, at: now)
        return true
    }

    /// What cuts the text of an open file into lines, from the place on at which the file was opened.
    ///
    /// `withLast` says whether a line without an end in front of that place is read again.
    private func lines(of file: FollowPlan.File, withLast: Bool) throws -> LineBlocks? {
        guard let current = open[file], current.lines == nil else { return open[file]?.lines }
        let (source, position) = (current.source, current.source.position)
        let isCounted = try countsText && position > 0 && source.recognize() == .encrypted
        let lines = LineBlocks(at: isCounted ? 0 : position, lineLimit: LogFollower.lineLimit)
        if isCounted {
            source.continueAt(0, limit: position)
            while try lines.next(of: source) != nil {}
            if !withLast { _ = lines.finish() }
            source.continueAt(position)
        }
        open[file]?.lines = lines
        return lines
    }

    /// Calls `body` with the last line of each open file, where it has no end yet.
    package func forEachPending(_ body: (LogBlockReader.Block, FollowPlan.File) -> Void) {
        for (file, current) in open {
            if let block = current.lines?.pending { body(.init(block, of: current.path), file) }
        }
    }

    private func finish(_ current: Open, _ file: FollowPlan.File, _ body: (Event) -> Void) {
        if let block = current.lines?.finish() { body(.lines(.init(block, of: current.path), of: file)) }
    }

    private func look() throws -> [FollowPlan.Seen] {
        var paths = try list()
        for _ in 0..<LogFollower.tries {
            let seen = paths.map { see($0) }
            // What is gone may be an archive by now, whose lines are older than those of the files after it.
            guard seen.contains(where: { $0 == nil }) else { return seen.compactMap(\.self) }
            let last = paths
            paths = try list()
            if paths == last { return seen.compactMap(\.self) }
        }
        return paths.compactMap { see($0) }
    }

    /// What a path leads to; nil where that cannot be read.
    private func see(_ path: String) -> FollowPlan.Seen? {
        guard let status = try? calls.target(path) else { return nil }
        if let last = known[path], last.status.identity == status.identity, plan.knows(last.file),
            open[last.file] != nil || last.status == status
        {
            return FollowPlan.Seen(path: path, file: last.file, size: status.size, beginning: [])
        }
        guard let source = try? LogFileSource(path: path, key: key, takesStreams: false, calls: calls),
            let opened = source.status,
            opened.kind == .regular, let file = source.file
        else { return nil }
        known[path] = (status, file, ArchiveStage(of: source.beginning))
        let beginning = plan.knows(file) ? [] : source.textBeginning()
        return FollowPlan.Seen(path: path, file: file, size: opened.size, beginning: beginning)
    }
}
