import CHeartwood
import Heartwood
import HeartwoodReading

/// Adds the lines that come to a log that is viewed, as `LogFollower` finds them.
///
/// Lines of several files that come between two looks are merged by time; later lines follow them. A line to
/// which nothing comes between two looks is shown without its end, up to ``shownLimit``; with its end, it is
/// the same row.
///
/// Owned by the thread that calls ``tick()``.
final class LogWatcher {
    /// How many bytes of new lines are merged at a time.
    private static let mergeLimit = 1 << 20
    /// How much of a line without an end is shown.
    private static let shownLimit = 1 << 16
    /// How long it rests after it has looked, in microseconds.
    private static let rest: UInt32 = 50_000

    /// What a file has, from its beginning to where it is cut.
    private struct Text {
        let part: Int
        /// Up to where it is in blocks.
        var end = 0
        /// The group of the last block that shows its last line, which has no end yet.
        var shown: Int?
        /// How long this line was at the last look.
        var pending = 0
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
    private let follower: LogFollower
    private let survey = BlockSurvey()
    private let merge = TextMerge()
    /// How much text a block of new lines has at least before the next one is started.
    private let blockSize: Int
    private var texts: [FollowPlan.File: Text] = [:]
    /// What has come since the last look, in the order in which it came.
    private var fresh: [BlockText.Source] = []
    private var freshSize = 0
    /// How many looks of the follower the store knows of.
    private var looks = 0
    private var front = Front()
    private var owner = ThreadOwner("the watcher of logs")

    /// Notes what is there; what comes from then on is what is added.
    ///
    /// `directories` are those that the files are in.
    init(_ store: LogStore, key: (any SecretProvider)?, directories: [String] = []) throws {
        self.store = store
        blockSize = store.blockSize / 4
        follower = try LogFollower(
            key: key, directories: directories, countsText: true, calls: store.files.calls,
            list: store.files.list)
    }

    /// The files that are there, oldest first, each with how much of its text counts as having been there.
    func open() -> [LogIndexer.File] {
        store.files.note(follower.listed)
        return follower.beginAtLines().compactMap { start in
            guard texts[start.file] == nil else { return nil }
            let part = store.files.add(path: start.path, file: start.file, beginning: start.beginning)
            texts[start.file] = Text(part: part, end: start.limit ?? 0)
            return LogIndexer.File(
                part: part, path: start.path, isPlain: start.stage == .plain, size: start.size,
                limit: start.limit ?? .max)
        }
    }

    /// Says what the last line that was there says for the lines after it.
    func begin(with carry: LineCarry) {
        owner.enter()
        front = Front(carry: carry)
    }

    /// Reads what has come since the last time.
    func tick() {
        owner.enter()
        // Where the files cannot be listed, they may be the next time.
        try? follower.poll { event in
            switch event {
            case .lines(let block, let file): take(block, of: file)
            case .cut(let file): restart(file)
            case .failed(let error): store.tell("\(error)")
            }
        }
        addFresh()
        if follower.looks > looks {
            looks = follower.looks
            store.files.note(follower.listed)
        }
        follower.forEachPending(show)
        publish()
    }

    /// Waits until something may have come.
    func wait() {
        usleep(LogWatcher.rest)
        follower.wait()
    }

    // MARK: What comes

    /// What is known of the text of a file; one that was not met before comes after all that came so far.
    private func text(of file: FollowPlan.File, _ block: LogBlockReader.Block) -> Text {
        if let text = texts[file] { return text }
        addFresh()
        let beginning: [UInt8]? = block.offset == 0 ? [] : nil
        return Text(part: store.files.add(path: block.path, file: file, beginning: beginning))
    }

    private func take(_ block: LogBlockReader.Block, of file: FollowPlan.File) {
        var text = text(of: file, block)
        store.update { $0.came += block.bytes.count }
        store.files.extend(text.part, at: block.offset, with: block.bytes)
        var start = max(0, text.end - block.offset)
        if let shown = text.shown {
            start = front.groups[shown].texts[0].offset - block.offset
            let end = min(LogBlockReader.lineEnd(in: block.bytes, from: start) + 1, block.bytes.count)
            front.groups[shown].texts[0].bytes = Array(block.bytes[start..<end])
            front.isChanged = true
            start = end
        }
        text.end = max(text.end, block.offset + block.bytes.count)
        (text.shown, text.pending) = (nil, 0)
        texts[file] = text
        guard start < block.bytes.count else { return }
        let source = BlockText.Source(
            part: text.part, offset: block.offset + start, bytes: Array(block.bytes[start...]))
        if let last = fresh.lastIndex(where: { $0.part == text.part }), fresh[last].isContinued(by: source) {
            fresh[last].bytes? += source.bytes ?? []
        } else {
            fresh.append(source)
        }
        freshSize += block.bytes.count - start
        if freshSize >= LogWatcher.mergeLimit { addFresh() }
    }

    /// Begins a new text of a file that was cut, as logrotate's `copytruncate` does it.
    private func restart(_ file: FollowPlan.File) {
        guard let text = texts[file] else { return }
        addFresh()
        // What follows is in a block of its own: the text of this one may be gone.
        publish()
        startBlock()
        texts[file] = Text(part: store.files.restart(text.part))
    }

    /// Adds the lines that came to one file or several.
    private func addFresh() {
        guard !fresh.isEmpty else { return }
        defer { (fresh, freshSize) = ([], 0) }
        front.isChanged = true
        if fresh.count == 1, let last = front.groups.last, last.texts.count == 1,
            last.texts[0].isContinued(by: fresh[0])
        {
            front.groups[front.groups.count - 1].texts[0].bytes? += fresh[0].bytes ?? []
        } else {
            let order = fresh.count > 1 ? merge.order(of: fresh.map { $0.bytes ?? [] }) : nil
            front.groups.append(Group(texts: fresh, order: order))
        }
        if front.size >= blockSize { publish() }
    }

    /// Shows a line that has no end yet, where nothing came to it since the last look.
    private func show(_ line: LogBlockReader.Block, of file: FollowPlan.File) {
        var text = text(of: file, line)
        defer { texts[file] = text }
        // What is in front of it may be in blocks that no longer grow.
        let start = max(0, text.end - line.offset)
        let end = min(line.bytes.count, start + LogWatcher.shownLimit)
        let isQuiet = text.pending == line.bytes.count
        text.pending = line.bytes.count
        guard start < end else { return }
        let bytes = line.bytes[start..<end]
        if let shown = text.shown {
            guard front.groups[shown].texts[0].bytes?.count != bytes.count else { return }
            front.groups[shown].texts[0].bytes = Array(bytes)
        } else if isQuiet {
            text.shown = front.groups.count
            let source = BlockText.Source(part: text.part, offset: line.offset + start, bytes: Array(bytes))
            front.groups.append(Group(texts: [source]))
        } else {
            return
        }
        front.isChanged = true
    }

    // MARK: The last block

    /// Shows the last block as it is; starts a new one where it is large enough.
    private func publish() {
        guard front.isChanged else { return }
        front.isChanged = false
        var sources: [BlockText.Source] = []
        var order = LineOrder()
        for group in front.groups {
            order.append(
                group.order ?? merge.order(of: group.texts.map { $0.bytes ?? [] }), first: sources.count)
            sources += group.texts
        }
        let block = survey.block(of: sources, order, after: front.carry)
        if front.isAdded { store.replaceLastFront(block) } else { store.addFront(block) }
        front.isAdded = true
        front.carryOn = block.facts.carry
        // A line that has no end yet is waited for, as long as not too much comes to others.
        let limit = texts.values.contains { $0.shown != nil } ? 4 * blockSize : blockSize
        if front.size >= limit { startBlock() }
    }

    /// Starts a new block: lines that have no end yet are continued there in a new line.
    private func startBlock() {
        for (file, text) in texts {
            guard let shown = text.shown else { continue }
            texts[file]?.end = front.groups[shown].texts[0].end
            texts[file]?.shown = nil
        }
        front = Front(carry: front.carryOn)
    }
}

extension BlockText.Source {
    /// Whether another text is what follows this one in the file, in a new line.
    fileprivate func isContinued(by next: BlockText.Source) -> Bool {
        part == next.part && end == next.offset && bytes?.last == .newline
    }
}
