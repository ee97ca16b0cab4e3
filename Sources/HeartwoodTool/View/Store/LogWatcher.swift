import CHeartwood
import Heartwood
import HeartwoodReading

/// Adds the lines that come to a log that is viewed: to all of its files, and in new files.
///
/// Lines of several files that come between two looks are merged by time; later lines follow them.
///
/// Owned by the thread that calls ``tick()``.
final class LogWatcher {
    /// How much text a block of new lines has at least before the next one is started.
    private static let blockSize = 1 << 17
    /// How much of a file is read at a time.
    private static let pieceSize = 1 << 18

    /// A file that is read on.
    private struct Tail {
        var path: String
        var part: Int
        let name: String
        let identity: FileStatus.Identity
        /// The text of files that cannot be read from any place, read to where it is known.
        var source: LogFileSource?
        /// Where `partial` begins in the file's text.
        var offset: Int
        /// The last line, as long as it has no end.
        var partial: [UInt8] = []
        /// The group of the last block that shows `partial`; nil where it is not shown.
        var shown: Int?
        /// For how many looks nothing has come.
        var quiet = 0
    }

    /// One of the directories and files that are viewed.
    private struct Place {
        let prefix: String
        let list: () throws -> [String]
        var known = KnownFiles()
        var tails: [Tail] = []
    }

    /// Lines that came together.
    private struct Group {
        var pieces: [LogBlock.Piece]
        var text: BlockText
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

        var size: Int { groups.reduce(0) { $0 + $1.text.bytes.count } }
    }

    private let store: LogStore
    private let key: (any SecretProvider)?
    private let calls = SystemCalls()
    private let survey = BlockSurvey()
    private let merge = TextMerge()
    private var places: [Place] = []
    private var front = Front()
    private var ticks = 0
    private var owner = ThreadOwner("the watcher of logs")

    init(_ store: LogStore, key: (any SecretProvider)?) {
        self.store = store
        self.key = key
    }

    /// Records the files that a place has now.
    ///
    /// `list` gives the paths of the files, oldest first, as does the result, which says of each how much of
    /// its text counts as having been there. The names of the files begin with `prefix`.
    func open(prefix: String, list: @escaping () throws -> [String]) throws -> [LogIndexer.File] {
        var place = Place(prefix: prefix, list: list)
        var files: [LogIndexer.File] = []
        let paths = try list()
        for (index, path) in paths.enumerated() {
            guard place.known.look(at: path) == .new, let status = try? calls.status(path: path),
                let file = try? Descriptor(calls.openForReading(path), calls)
            else { continue }
            let isPlain = LogFiles.isPlain(file.number, calls)
            let isLast = index == paths.count - 1
            var tail = tail(of: path, prefix, status.identity)
            var limit = isPlain ? status.size : Int.max
            if isPlain {
                // Only the last file is taken to be in the middle of a line.
                if isLast { limit = lineEnd(file.number, status.size) }
                tail.offset = limit
            } else if isLast, let source = try? LogFileSource(path: path, key: key, isFollowed: true) {
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
                if isReadable {
                    tail.source = source
                    tail.offset -= tail.partial.count
                    limit = tail.offset
                }
                // The index says why the others cannot be read.
            }
            if isPlain || tail.source != nil { place.tails.append(tail) }
            files.append(
                .init(part: tail.part, path: path, isPlain: isPlain, size: status.size, limit: limit))
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
            guard let status = try? calls.status(path: path),
                let file = try? Descriptor(calls.openForReading(path), calls)
            else { continue }
            // What came to the other files before this one was found is in front of its lines.
            readAll()
            for tail in places[index].tails.indices { showPartial(&places[index].tails[tail]) }
            store.files.markReplaced(status.identity, by: path)
            places[index].tails.removeAll { $0.identity == status.identity && $0.path != path }
            var tail = tail(of: path, places[index].prefix, status.identity)
            if !LogFiles.isPlain(file.number, calls) {
                tail.source = try? LogFileSource(path: path, key: key, isFollowed: true)
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
            var fresh: [(part: Int, offset: Int, bytes: [UInt8])] = []
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
            if front.size >= LogWatcher.blockSize { publish() }
        }
    }

    /// The lines that have come to a file.
    private func readOn(_ tail: inout Tail, isFirst: Bool) -> (part: Int, offset: Int, bytes: [UInt8])? {
        if tail.source == nil, isFirst { restartIfCut(&tail) }
        while let piece = next(tail) {
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
                tail.offset += tail.partial.count
                (tail.partial, tail.shown) = ([], nil)
                lines = piece[(first + 1)..<(end + 1)]
            }
            let result = (part: tail.part, offset: tail.offset, bytes: tail.partial + lines)
            tail.offset += result.bytes.count
            tail.partial = Array(piece[(end + 1)...])
            if !result.bytes.isEmpty { return result }
        }
        if isFirst {
            tail.quiet += 1
            // A line that stays without an end is shown as it is.
            if tail.quiet > 1 { showPartial(&tail) }
        }
        return nil
    }

    /// The next text that has come.
    private func next(_ tail: Tail) -> [UInt8]? {
        if let source = tail.source { return try? source.next() }
        guard let file = try? Descriptor(calls.openForReading(tail.path), calls) else { return nil }
        guard let status = try? calls.status(file.number), status.identity == tail.identity,
            status.size > tail.offset + tail.partial.count,
            let bytes = try? calls.bytes(
                LogWatcher.pieceSize, of: file.number, at: tail.offset + tail.partial.count),
            !bytes.isEmpty
        else { return nil }
        return bytes
    }

    /// Starts again with a file that was cut to nothing, as logrotate's `copytruncate` does it.
    private func restartIfCut(_ tail: inout Tail) {
        guard let status = try? calls.status(path: tail.path), status.identity == tail.identity,
            status.size < tail.offset + tail.partial.count
        else { return }
        // What follows is in a block of its own: the text of this one is gone.
        publish()
        front = Front(carry: front.carryOn)
        closePartials()
        store.files.markGone(tail.part)
        tail.part = store.files.add(path: tail.path, name: tail.name, identity: tail.identity)
        tail.offset = 0
        (tail.partial, tail.shown) = ([], nil)
    }

    // MARK: The last block

    /// Adds lines that came to one file or several.
    private func append(_ fresh: [(part: Int, offset: Int, bytes: [UInt8])]) {
        front.isChanged = true
        if fresh.count == 1, let last = front.groups.indices.last, front.groups[last].pieces.count == 1,
            front.groups[last].pieces[0].part == fresh[0].part,
            front.groups[last].pieces[0].offset + front.groups[last].pieces[0].count == fresh[0].offset,
            front.groups[last].text.bytes.last == 0x0A
        {
            front.groups[last].pieces[0].count += fresh[0].bytes.count
            front.groups[last].text.bytes += fresh[0].bytes
            return
        }
        var text = BlockText()
        text.append(fresh, merge)
        let number = front.groups.count
        let pieces = fresh.map {
            LogBlock.Piece(part: $0.part, offset: $0.offset, count: $0.bytes.count, group: number)
        }
        front.groups.append(Group(pieces: pieces, text: text))
    }

    /// Shows a line that has no end yet.
    private func showPartial(_ tail: inout Tail) {
        guard tail.shown == nil, !tail.partial.isEmpty else { return }
        front.isChanged = true
        tail.shown = front.groups.count
        let piece = LogBlock.Piece(
            part: tail.part, offset: tail.offset, count: tail.partial.count, group: front.groups.count)
        var text = BlockText()
        text.append([(tail.part, tail.offset, tail.partial)], merge)
        front.groups.append(Group(pieces: [piece], text: text))
    }

    /// Continues a line that has no end yet.
    private func grow(_ tail: inout Tail, by bytes: ArraySlice<UInt8>) {
        tail.partial += bytes
        guard let shown = tail.shown else { return }
        front.isChanged = true
        front.groups[shown].pieces[0].count += bytes.count
        front.groups[shown].text.bytes += bytes
    }

    /// Shows the last block as it is; starts a new one where it is large enough.
    private func publish() {
        guard front.isChanged else { return }
        front.isChanged = false
        var text: [UInt8] = []
        for group in front.groups {
            if let last = text.last, last != 0x0A { text.append(0x0A) }
            text += group.text.bytes
        }
        var facts = text.withUnsafeBytes { survey.facts(of: $0) }
        facts.resolve(front.carry)
        facts.carry = facts.carry.after(front.carry)
        let block = LogBlock(pieces: front.groups.flatMap(\.pieces), facts: facts, carry: front.carry)
        if front.isAdded { store.replaceLastFront(block) } else { store.addFront(block) }
        front.isAdded = true
        front.carryOn = facts.carry
        guard text.count >= LogWatcher.blockSize else { return }
        front = Front(carry: facts.carry)
        closePartials()
    }

    /// Lines that have no end yet are continued in a new line.
    private func closePartials() {
        for place in places.indices {
            for index in places[place].tails.indices where places[place].tails[index].shown != nil {
                places[place].tails[index].offset += places[place].tails[index].partial.count
                (places[place].tails[index].partial, places[place].tails[index].shown) = ([], nil)
            }
        }
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

    private let calls = SystemCalls()
    private var known: Set<Key> = []
    /// The same by their paths, so that most need not be opened to be known again.
    private var paths: [String: FileStatus.Identity] = [:]
    /// The paths of logs that were met, in whatever stage.
    private var logs: Set<String> = []

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
        guard let status = try? calls.status(path: path), status.kind == .regular,
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
