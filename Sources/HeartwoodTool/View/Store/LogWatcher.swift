import CHeartwood
import Heartwood
import HeartwoodReading

/// Adds the lines that come to a log that is viewed: to all of its files, and in new files.
///
/// Lines of several files that come between two looks are merged by time; later lines follow them.
///
/// Owned by the thread that calls ``tick()``.
final class LogWatcher {
    /// How much of a file is read at a time.
    private static let pieceSize = 1 << 18
    /// How many of the last bytes are kept, to notice that a file was cut.
    private static let lastSize = 64

    /// A file that is read on.
    private struct Tail {
        var path: String
        var part: Int
        let name: String
        let identity: FileStatus.Identity
        /// The text of files that cannot be read from any place, read to where it is known.
        var source: LogFileSource?
        /// Where the last line begins in the file's text, as long as it has no end.
        var offset: Int
        /// This line; empty where the last block shows it.
        var partial: [UInt8] = []
        /// The group of the last block that shows the line; nil where it is not shown.
        var shown: Int?
        /// How much of the line the group shows.
        var shownCount = 0
        /// The last bytes before `end`; if others are there, the file was cut, even if it is larger now.
        var last: ArraySlice<UInt8> = []
        /// When the file was last written, as of the last look.
        var modified: Int64 = 0
        /// For how many looks nothing has come.
        var quiet = 0

        /// Up to where the text was read.
        var end: Int { offset + partial.count + shownCount }

        /// Lets the next line begin where reading stopped.
        mutating func close() {
            offset = end
            (partial, shown, shownCount) = ([], nil, 0)
        }
    }

    /// One of the directories and files that are viewed.
    private struct Place {
        let prefix: String
        let list: () throws -> [String]
        var known: KnownFiles
        var tails: [Tail] = []
    }

    /// Lines that came together.
    private struct Group {
        var texts: [BlockText.Source]
        /// The order of the lines of several texts; those of one have their own.
        var order: LineOrder?
    }

    /// The last block, which still grows.
    private struct Front {
        var groups: [Group] = []
        var carry = LineCarry()
        /// What the lines after it take over.
        var carryOn = LineCarry()
        /// Whether the store has it.
        var isAdded = false
        var isChanged = false

        init(carry: LineCarry = LineCarry()) {
            self.carry = carry
            carryOn = carry
        }

        var size: Int {
            groups.reduce(0) { $0 + $1.texts.reduce(0) { $0 + ($1.bytes?.count ?? 0) } }
        }
    }

    private let store: LogStore
    private let key: (any SecretProvider)?
    private let calls: SystemCalls
    private let survey = BlockSurvey()
    private let merge = TextMerge()
    /// How much text a block of new lines has at least before the next one is started.
    private let blockSize: Int
    private var places: [Place] = []
    private var front = Front()
    private var ticks = 0
    private var owner = ThreadOwner("the watcher of logs")

    init(_ store: LogStore, key: (any SecretProvider)?) {
        self.store = store
        self.key = key
        calls = store.files.calls
        blockSize = store.blockSize / 4
    }

    /// Records the files that a place has now.
    ///
    /// `list` gives the paths of the files, oldest first, as does the result, which says of each how much of
    /// its text counts as having been there. The names of the files begin with `prefix`.
    func open(prefix: String, list: @escaping () throws -> [String]) throws -> [LogIndexer.File] {
        var place = Place(prefix: prefix, list: list, known: KnownFiles(calls))
        var files: [LogIndexer.File] = []
        let paths = try list()
        for (index, path) in paths.enumerated() {
            guard place.known.look(at: path) == .new,
                let file = try? Descriptor(calls.openForReading(path), calls),
                let status = try? calls.status(file.number)
            else { continue }
            let isPlain = LogFiles.isPlain(file.number, calls)
            let isLast = index == paths.count - 1
            var tail = tail(of: path, prefix, status.identity)
            var limit = isPlain ? status.size : Int.max
            if isPlain {
                (limit, tail.last) = end(of: file.number, isLast: isLast)
                tail.offset = limit
            } else if isLast,
                let source = try? LogFileSource(path: path, key: key, isFollowed: true, takesStreams: false)
            {
                var isReadable = true
                do {
                    while let piece = try source.next() {
                        tail.offset += piece.count
                        if let newline = piece.lastIndex(of: 0x0A) {
                            tail.partial = Array(piece[(newline + 1)...])
                        } else {
                            tail.partial += piece
                        }
                    }
                } catch { isReadable = tail.offset > 0 }
                if let damage = source.damage {
                    store.update { $0.damages.append("\(tail.name): \(damage)") }
                }
                if isReadable {
                    tail.source = source
                    tail.offset -= tail.partial.count
                    limit = tail.offset
                }
                // The index says why the others cannot be read.
            }
            if isPlain || tail.source != nil { place.tails.append(tail) }
            files.append(
                .init(
                    part: tail.part, path: path, isPlain: isPlain, size: status.size, limit: limit,
                    last: tail.last))
        }
        places.append(place)
        return files
    }

    private func tail(of path: String, _ prefix: String, _ identity: FileStatus.Identity) -> Tail {
        let name = prefix + String(path.split(separator: "/").last ?? "")
        let part = store.files.add(path: path, name: name, identity: identity)
        return Tail(path: path, part: part, name: name, identity: identity, offset: 0)
    }

    /// Says what the last line that was there says for the lines after it.
    func begin(with carry: LineCarry) {
        owner.enter()
        front = Front(carry: carry)
    }

    /// Reads what has come since the last time.
    func tick() {
        owner.enter()
        ticks += 1
        readAll()
        // Looking for new files costs more the more files there are.
        for index in places.indices where places[index].known.count < 200 || ticks % 10 == 0 {
            lookForFiles(index)
        }
        if ticks % 50 == 0 { store.files.lookForRemoved() }
        publish()
    }

    // MARK: New files

    private func lookForFiles(_ index: Int) {
        guard let paths = try? places[index].list() else { return }
        for path in paths {
            switch places[index].known.look(at: path) {
            case .known: continue
            case .moved(let identity):
                store.files.move(identity, to: path)
                for tail in places[index].tails.indices where places[index].tails[tail].identity == identity {
                    places[index].tails[tail].path = path
                    places[index].tails[tail].quiet = 0
                }
                continue
            case .new: break
            }
            guard let file = try? Descriptor(calls.openForReading(path), calls),
                let status = try? calls.status(file.number)
            else { continue }
            // What came to the other files before this one was found is in front of its lines.
            readAll()
            for tail in places[index].tails.indices { showPartial(&places[index].tails[tail]) }
            store.files.markReplaced(status.identity, by: path)
            places[index].tails.removeAll { $0.identity == status.identity && $0.path != path }
            var tail = tail(of: path, places[index].prefix, status.identity)
            if !LogFiles.isPlain(file.number, calls) {
                tail.source = try? LogFileSource(path: path, key: key, isFollowed: true, takesStreams: false)
            }
            places[index].tails.append(tail)
            readAll()
        }
    }

    // MARK: Reading on

    /// Reads all files to their ends.
    private func readAll() {
        var isFirst = true
        while true {
            var fresh: [BlockText.Source] = []
            for place in places.indices {
                for index in places[place].tails.indices {
                    let quiet = places[place].tails[index].quiet
                    // Of very many files, those that are silent are not looked at each time.
                    if places[place].tails.count > 100, quiet > 50, (ticks + index) % 10 != 0 { continue }
                    // A file that was cut ends the last block, and with it the lines of others that have no
                    // end yet.
                    var tail = places[place].tails[index]
                    if let lines = readOn(&tail, isFirst: isFirst) { fresh.append(lines) }
                    places[place].tails[index] = tail
                }
                // Files that were removed, or are archives now.
                places[place].tails.removeAll { $0.quiet > 600 && (try? calls.status(path: $0.path)) == nil }
            }
            isFirst = false
            guard !fresh.isEmpty else { return }
            append(fresh)
            if front.size >= blockSize { publish() }
        }
    }

    /// The lines that have come to a file.
    private func readOn(_ tail: inout Tail, isFirst: Bool) -> BlockText.Source? {
        while let piece = next(&tail) {
            tail.quiet = 0
            let came = piece.count
            store.update { $0.came += came }
            guard let end = piece.lastIndex(of: 0x0A) else {
                grow(&tail, by: piece[...])
                continue
            }
            var lines = piece[...end]
            if tail.shown != nil, let first = piece.firstIndex(of: 0x0A) {
                grow(&tail, by: piece[...first])
                tail.close()
                lines = piece[(first + 1)..<(end + 1)]
            }
            let result = BlockText.Source(part: tail.part, offset: tail.offset, bytes: tail.partial + lines)
            tail.partial += lines
            tail.close()
            tail.partial = Array(piece[(end + 1)...])
            if result.bytes?.isEmpty == false { return result }
        }
        if isFirst {
            tail.quiet += 1
            // A line that stays without an end is shown as it is.
            if tail.quiet > 1 { showPartial(&tail) }
        }
        return nil
    }

    /// The next text that has come.
    private func next(_ tail: inout Tail) -> [UInt8]? {
        if let source = tail.source { return try? source.next() }
        guard let file = try? Descriptor(calls.openForReading(tail.path), calls),
            let status = try? calls.status(file.number), status.identity == tail.identity
        else { return nil }
        // Another file can have the number and the size of one that was removed.
        if status.size == tail.end, status.modifiedNanoseconds == tail.modified { return nil }
        tail.modified = status.modifiedNanoseconds
        if status.size < tail.end { restart(&tail) }
        // One read for both, so that the file cannot be cut in between.
        var bytes = [UInt8](repeating: 0, count: LogWatcher.pieceSize)
        let from = tail.end - tail.last.count
        let count = bytes.withUnsafeMutableBytes { (try? calls.read(file.number, $0, at: from)) ?? 0 }
        if bytes.prefix(count).starts(with: tail.last) {
            let piece = Array(bytes[tail.last.count..<count])
            tail.last = bytes[..<count].suffix(LogWatcher.lastSize)
            return piece.isEmpty ? nil : piece
        }
        restart(&tail)
        return next(&tail)
    }

    /// The last bytes before a position of a file.
    private func last(_ descriptor: Int32, _ end: Int) -> ArraySlice<UInt8> {
        let count = min(end, LogWatcher.lastSize)
        return (try? calls.bytes(count, of: descriptor, at: end - count))?[...] ?? []
    }

    /// Starts again with a file that was cut, as logrotate's `copytruncate` does it.
    private func restart(_ tail: inout Tail) {
        // What follows is in a block of its own: the text of this one is gone.
        publish()
        front = Front(carry: front.carryOn)
        closePartials()
        store.files.markGone(tail.part)
        tail.part = store.files.add(path: tail.path, name: tail.name, identity: tail.identity)
        tail.close()
        (tail.offset, tail.last) = (0, [])
    }

    // MARK: The last block

    /// Adds lines that came to one file or several.
    private func append(_ fresh: [BlockText.Source]) {
        front.isChanged = true
        if fresh.count == 1, let last = front.groups.last, last.texts.count == 1, let text = last.texts.first,
            text.part == fresh[0].part, text.end == fresh[0].offset, text.bytes?.last == 0x0A
        {
            front.groups[front.groups.count - 1].texts[0].bytes? += fresh[0].bytes ?? []
            return
        }
        let order = fresh.count > 1 ? merge.order(of: fresh.map { $0.bytes ?? [] }) : nil
        front.groups.append(Group(texts: fresh, order: order))
    }

    /// Shows a line that has no end yet.
    private func showPartial(_ tail: inout Tail) {
        guard tail.shown == nil, !tail.partial.isEmpty else { return }
        front.isChanged = true
        tail.shown = front.groups.count
        front.groups.append(
            Group(texts: [BlockText.Source(part: tail.part, offset: tail.offset, bytes: tail.partial)]))
        (tail.partial, tail.shownCount) = ([], tail.partial.count)
    }

    /// Continues a line that has no end yet; one that becomes too long is taken for several.
    private func grow(_ tail: inout Tail, by bytes: ArraySlice<UInt8>) {
        if let shown = tail.shown {
            front.isChanged = true
            front.groups[shown].texts[0].bytes? += bytes
            tail.shownCount += bytes.count
        } else {
            tail.partial += bytes
        }
        guard tail.end - tail.offset >= LogIndexer.lineLimit else { return }
        showPartial(&tail)
        tail.close()
        publish()
    }

    /// Shows the last block as it is; starts a new one where it is large enough.
    private func publish() {
        guard front.isChanged else { return }
        front.isChanged = false
        var texts: [BlockText.Source] = []
        var order = LineOrder()
        for group in front.groups {
            order.append(
                group.order ?? merge.order(of: group.texts.map { $0.bytes ?? [] }), first: texts.count)
            texts += group.texts
        }
        var block = survey.block(of: texts, order)
        block.carry = front.carry
        block.facts.resolve(front.carry)
        if front.isAdded { store.replaceLastFront(block) } else { store.addFront(block) }
        front.isAdded = true
        front.carryOn = block.facts.carry
        guard front.size >= blockSize else { return }
        front = Front(carry: front.carryOn)
        closePartials()
    }

    /// Lines that have no end yet are continued in a new line.
    private func closePartials() {
        for place in places.indices {
            for index in places[place].tails.indices where places[place].tails[index].shown != nil {
                places[place].tails[index].close()
            }
        }
    }

    /// How much of a file counts as there when the view was opened, and the last bytes of that.
    ///
    /// Only the last file can end in the middle of a line.
    private func end(of descriptor: Int32, isLast: Bool) -> (limit: Int, last: ArraySlice<UInt8>) {
        var result = (limit: 0, last: ArraySlice<UInt8>())
        // If the file grows or is cut meanwhile, it is examined again.
        for _ in 0..<5 {
            guard let size = try? calls.status(descriptor).size else { break }
            let limit = isLast ? lineEnd(descriptor, size) : size
            result = (limit, last(descriptor, limit))
            if (try? calls.status(descriptor).size) == size { break }
        }
        return result
    }

    /// Where the last complete line of a file ends.
    private func lineEnd(_ descriptor: Int32, _ size: Int) -> Int {
        var end = size
        while end > 0 {
            let start = max(0, end - (1 << 16))
            guard let bytes = try? calls.bytes(end - start, of: descriptor, at: start) else { return size }
            if let newline = bytes.lastIndex(of: 0x0A) { return start + newline + 1 }
            end = start
        }
        return 0
    }
}

/// Which files of a directory were met, so that rolled, renamed and archived ones are not read twice.
private struct KnownFiles {
    /// The kernel gives the number of a removed file to the next one, so its birth counts as well.
    private struct Key: Hashable {
        let identity: FileStatus.Identity
        let birth: Int64
    }

    private let calls: SystemCalls
    private var known: Set<Key> = []
    /// The same by their paths, so that most need not be opened to be known again.
    private var paths: [String: FileStatus.Identity] = [:]
    /// The paths of logs that were met, in whatever stage.
    private var logs: Set<String> = []

    init(_ calls: SystemCalls) { self.calls = calls }

    /// How many paths are known.
    var count: Int { paths.count }

    /// What a path leads to.
    enum Finding: Equatable {
        /// The file that it led to before, an archive of a log that was read, or nothing that can be read.
        case known
        /// A file that was met under another path.
        case moved(FileStatus.Identity)
        /// A file that was never met.
        case new
    }

    /// Says what a path leads to; from then on it is known.
    mutating func look(at path: String) -> Finding {
        guard let status = try? calls.target(path), status.kind == .regular,
            paths[path] != status.identity, let file = try? Descriptor(calls.openForReading(path), calls)
        else { return .known }
        paths[path] = status.identity
        let isFirst = known.insert(Key(identity: status.identity, birth: hw_file_birth(file.number))).inserted
        let (log, stage, _) = ArchiveStage.split(path)
        // The archive of a log that was read while it was plain is nothing new.
        let isLogNew = logs.insert(log).inserted
        if !isFirst { return .moved(status.identity) }
        return isLogNew || stage == .plain ? .new : .known
    }
}
