import CHeartwood
import Heartwood

/// Adds the lines that come to a log that is viewed: to its files, and in new files.
///
/// Owned by the thread that calls ``tick()``.
final class LogWatcher {
    /// How much text a block of new lines has at least before the next one is started.
    private static let blockSize = 1 << 17

    /// A file that is read on, and what has come of it since its last complete block.
    private struct Front {
        var path: String
        var part: Int
        var identity: FileStatus.Identity
        /// The text of files that cannot be read from any place, read to where it is known.
        var source: LogFileSource?
        /// Where `text` begins.
        var offset: Int
        /// The text since the last complete block.
        var text: [UInt8] = []
        /// How much of `text` the last block of the store shows; nil where that block is another one.
        var shown: Int?
        var carry = LineCarry()
        /// Whether the last line of `text` is shown though it has no end yet.
        var isIdle = false
    }

    /// One of the directories and files that are viewed.
    private struct Place {
        let list: () throws -> [String]
        var known = KnownFiles()
        var front: Front?
    }

    private let store: LogStore
    private let key: (any SecretProvider)?
    private let calls = SystemCalls()
    private let survey = BlockSurvey(LineReader())
    private var places: [Place] = []
    private var lastPlace: Int?
    private var ticks = 0
    private var owner = ThreadOwner("the watcher of logs")

    init(_ store: LogStore, key: (any SecretProvider)?) {
        self.store = store
        self.key = key
    }

    /// Records the files that a place has now.
    ///
    /// - Returns: the files, oldest first, each with how much of its text counts as having been there.
    func open(list: @escaping () throws -> [String]) throws -> [LogStart] {
        var place = Place(list: list)
        var starts: [LogStart] = []
        let paths = try list()
        for (index, path) in paths.enumerated() {
            guard place.known.look(at: path) == .new, let status = try? calls.status(path: path) else {
                continue
            }
            guard let number = try? calls.openForReading(path) else { continue }
            let file = Descriptor(number, calls)
            let isPlain = LogPart.isPlain(file.number, calls)
            let part = store.parts.add(path: path, identity: status.identity)
            var limit = isPlain ? status.size : Int.max
            if index == paths.count - 1 {
                var front = Front(path: path, part: part, identity: status.identity, offset: 0)
                if isPlain {
                    limit = lineEnd(file.number, status.size)
                    front.offset = limit
                } else if let source = try? LogFileSource(path: path, key: key, isFollowed: true) {
                    front.source = source
                    while let piece = try? source.next() {
                        front.offset += piece.count
                        if let newline = piece.lastIndex(of: 0x0A) {
                            front.text = Array(piece[(newline + 1)...])
                        } else {
                            front.text += piece
                        }
                    }
                    front.offset -= front.text.count
                    limit = front.offset
                }
                place.front = front
            }
            starts.append(
                LogStart(part: part, path: path, isPlain: isPlain, size: status.size, limit: limit))
        }
        places.append(place)
        return starts
    }

    /// Says what the last line that was there says for the lines after it.
    func begin(with carry: LineCarry) {
        owner.enter()
        if !places.isEmpty { places[places.count - 1].front?.carry = carry }
    }

    /// Reads what has come since the last time.
    func tick() {
        owner.enter()
        ticks += 1
        for index in places.indices {
            readOn(index)
            // Looking for new files costs more the more files there are.
            if places[index].known.count < 200 || ticks % 10 == 0 { lookForFiles(index) }
        }
    }

    // MARK: New files

    private func lookForFiles(_ index: Int) {
        guard let paths = try? places[index].list() else { return }
        for path in paths {
            switch places[index].known.look(at: path) {
            case .known: continue
            case .moved(let identity):
                store.parts.move(identity, to: path)
                if places[index].front?.identity == identity { places[index].front?.path = path }
                continue
            case .new: break
            }
            guard let status = try? calls.status(path: path), let number = try? calls.openForReading(path)
            else {
                continue
            }
            let file = Descriptor(number, calls)
            // What came to the file before this one was found is read to its end.
            readOn(index)
            finish(index)
            let part = store.parts.add(path: path, identity: status.identity)
            var front = Front(path: path, part: part, identity: status.identity, offset: 0)
            front.carry = places[index].front?.carry ?? LineCarry()
            if !LogPart.isPlain(file.number, calls) {
                front.source = try? LogFileSource(path: path, key: key, isFollowed: true)
            }
            places[index].front = front
            readOn(index)
        }
    }

    /// Shows the last line of a file to which nothing comes any more.
    private func finish(_ index: Int) {
        guard var front = places[index].front else { return }
        show(&front, upTo: front.text.count, at: index)
        seal(&front, upTo: front.text.count)
        places[index].front = front
    }

    // MARK: Reading on

    private func readOn(_ index: Int) {
        guard var front = places[index].front else { return }
        defer { places[index].front = front }
        if front.source == nil { restartIfCut(&front) }
        var isChanged = false
        while let piece = next(&front) {
            front.text += piece
            isChanged = true
            guard let newline = front.text.lastIndex(of: 0x0A) else { continue }
            if newline + 1 >= LogWatcher.blockSize {
                show(&front, upTo: newline + 1, at: index)
                seal(&front, upTo: newline + 1)
            }
        }
        if isChanged {
            front.isIdle = false
            if let newline = front.text.lastIndex(of: 0x0A) { show(&front, upTo: newline + 1, at: index) }
        } else if !front.isIdle, !front.text.isEmpty {
            front.isIdle = true
            if front.text.last != 0x0A { show(&front, upTo: front.text.count, at: index) }
        }
    }

    /// The next text that has come.
    private func next(_ front: inout Front) -> [UInt8]? {
        if let source = front.source { return try? source.next() }
        guard let number = try? calls.openForReading(front.path) else { return nil }
        let file = Descriptor(number, calls)
        guard let status = try? calls.status(file.number), status.identity == front.identity,
            let bytes = try? calls.bytes(1 << 18, of: file.number, at: front.offset + front.text.count),
            !bytes.isEmpty
        else { return nil }
        return bytes
    }

    /// Starts again with a file that was cut to nothing, as logrotate's `copytruncate` does it.
    private func restartIfCut(_ front: inout Front) {
        guard let status = try? calls.status(path: front.path), status.identity == front.identity,
            status.size < front.offset + front.text.count
        else { return }
        store.parts.markGone(front.part)
        front.part = store.parts.add(path: front.path, identity: front.identity)
        front.offset = 0
        front.text = []
        front.shown = nil
    }

    // MARK: Blocks

    /// Shows so much of the text in the last block, or in a new one.
    private func show(_ front: inout Front, upTo count: Int, at index: Int) {
        if lastPlace != index, let shown = front.shown { seal(&front, upTo: shown) }
        let count = min(count, front.text.count)
        guard count > 0, count != front.shown else { return }
        var facts = front.text.withUnsafeBytes { survey.facts(of: .init(rebasing: $0[..<count])) }
        facts.resolve(front.carry)
        facts.carry = facts.carry.after(front.carry)
        let block = LogBlock(
            part: front.part, offset: front.offset, count: count, facts: facts, carry: front.carry)
        if front.shown == nil { store.addFront(block) } else { store.replaceLastFront(block) }
        front.shown = count
        lastPlace = index
    }

    /// Starts a new block with the text after `count`.
    private func seal(_ front: inout Front, upTo count: Int) {
        let facts = front.text.withUnsafeBytes { survey.facts(of: .init(rebasing: $0[..<count])) }
        front.carry = facts.carry.after(front.carry)
        front.text.removeFirst(count)
        front.offset += count
        front.shown = nil
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
