import Foundation
import Heartwood
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

/// Files that other programs append to, cut, remove, rename, replace and compress, at any moment between two
/// system calls of the view, with requests of pages in between.
///
/// A line has a text of its own, so that a row that shows another line, or a part of one, is noticed.
private final class FileWorld: @unchecked Sendable {  // All is guarded by `lock`.
    /// A file, under whatever name.
    private struct File {
        var name: String
        /// The lines that it has, without newlines; the last one may lack its end.
        var lines: [String] = []
        var isOpenEnded = false
        /// Whether it was only ever appended to.
        var isSteady = true
        /// Whether it was there, under this name, at a whole look of the view.
        var isMet = false
    }

    let directory: String
    private let lock = NSLock()
    private var random: SeededGenerator
    private var files: [File] = []
    /// Also what a line that comes in parts goes on with: where a block ends between the parts, they are two
    /// rows.
    private var written: Set<String> = ["", " goes on"]
    /// What was left in files that were cut in the middle: it is shown again, as GNU `tail` does it.
    private var left: Set<String> = []
    private var number = 0
    private var time = 0
    /// One of so many system calls is followed by a change.
    private var rarity = 0
    /// How many more changes follow system calls: each may cost the view more calls.
    private var rest = 0

    init(_ seed: UInt64, in directory: String) throws {
        self.directory = directory
        random = SeededGenerator(seed: seed)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            append(Int.random(in: 0...60, using: &random), to: newFile())
        }
    }

    /// The calls of the view, between which the files change from now on.
    var calls: SystemCalls {
        SystemCalls(fault: { [self] _ in
            lock.withLock {
                guard rarity > 0, rest > 0, Int.random(in: 0..<rarity, using: &random) == 0 else { return }
                rest -= 1
                change()
            }
            return nil
        })
    }

    /// Says that the view has looked at all that is there.
    func noteLook() { lock.withLock { for index in files.indices { files[index].isMet = true } } }

    func changeOneOf(_ calls: Int) { lock.withLock { (rarity, rest) = (calls, 40) } }

    func pick<Bound: FixedWidthInteger>(_ range: ClosedRange<Bound>) -> Bound {
        lock.withLock { .random(in: range, using: &random) }
    }

    /// Whether a text is a whole line of a file, or the beginning of one that had no end yet.
    func isWritten(_ text: String) -> Bool { lock.withLock { written.contains(text) } }

    /// Whether a line may be shown twice.
    func isLeft(_ text: String) -> Bool {
        lock.withLock { left.contains(text) || ["", " goes on"].contains(text) }
    }

    /// The lines of the files that were only appended to.
    var steady: [[String]] { lock.withLock { files.filter(\.isSteady).map(\.lines) } }

    // MARK: What other programs do

    func change() {
        guard !files.isEmpty else { return append(3, to: newFile()) }
        let index = Int.random(in: 0..<files.count, using: &random)
        let path = path(index)
        switch Int.random(in: 0..<19, using: &random) {
        case 0...7: append(Int.random(in: 1...12, using: &random), to: index)
        case 8: files[index].isOpenEnded ? append(1, to: index) : append(1, to: index, isOpenEnded: true)
        case 9 where files.count < 8: append(Int.random(in: 0...5, using: &random), to: newFile())
        case 10:  // copytruncate, with as much or more behind it
            truncate(path, 0)
            (files[index].lines, files[index].isSteady, files[index].isOpenEnded) = ([], false, false)
            append(Int.random(in: 0...80, using: &random), to: index)
        case 11:
            truncate(path, Int(Int32.random(in: 0...2000, using: &random)))
            // What is left may end in a line; nothing is expected of it.
            (files[index].isSteady, files[index].isOpenEnded) = (false, false)
            let left = String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
            note(left)
            for line in left.split(separator: "\n") { self.left.insert(String(line)) }
            if !left.isEmpty, !left.hasSuffix("\n") { append("\n", to: path) }
        case 12:
            unlink(path)
            files.remove(at: index)
        case 13:  // rename, and a new file under the old name
            let name = files[index].name
            for file in files.indices where files[file].name == name + ".1" { files.remove(at: file); break }
            guard let moved = files.firstIndex(where: { $0.name == name }) else { return }
            rename(self.path(moved), directory + "/" + name + ".1")
            (files[moved].name, files[moved].isSteady, files[moved].isMet) = (name + ".1", false, false)
            files.append(File(name: name, isSteady: false))
            append(Int.random(in: 0...5, using: &random), to: files.count - 1)
        case 14:  // replaced by another file, as editors do
            let other = directory + "/.other"
            (files[index].lines, files[index].isSteady, files[index].isOpenEnded) = ([], false, false)
            files[index].isMet = false
            let text = lines(Int.random(in: 0...20, using: &random), of: index)
            try? Data(text.utf8).write(to: URL(fileURLWithPath: other))
            rename(other, path)
        case 16:  // a named pipe: reading it would never end
            unlink(path)
            mkfifo(path + ["", ".gz", ".2.log"][number % 3], 0o600)
            files.remove(at: index)
        case 15:
            guard let text = FileManager.default.contents(atPath: path), !files[index].name.hasSuffix(".gz"),
                let archive = try? GzipMember.compress(Array(text))
            else { return }
            unlink(path + ".gz")
            try? Data(archive).write(to: URL(fileURLWithPath: path + ".gz"))
            unlink(path)
            files.remove(at: index)
        default:  // copied, and cut at once or later
            // Of two files that are new, the view cannot know which is the copy.
            let copy = files[index].name + ".1"
            guard files[index].isMet, !copy.hasSuffix(".1.1"), !files.contains(where: { $0.name == copy })
            else { return }
            // A pipe may have the name.
            unlink(path + ".1")
            try? FileManager.default.contents(atPath: path)?.write(to: URL(fileURLWithPath: path + ".1"))
            if number % 2 == 0 { return }
            truncate(path, 0)
            (files[index].lines, files[index].isSteady, files[index].isOpenEnded) = ([], false, false)
        }
    }

    private func path(_ index: Int) -> String { directory + "/" + files[index].name }

    private func newFile() -> Int {
        number += 1
        files.append(File(name: "log\(number).log"))
        _ = FileManager.default.createFile(atPath: path(files.count - 1), contents: nil)
        return files.count - 1
    }

    private func append(_ count: Int, to index: Int, isOpenEnded: Bool = false) {
        var text = ""
        if files[index].isOpenEnded, let last = files[index].lines.popLast() {
            text = " goes on\n"
            files[index].lines.append(last + " goes on")
            written.insert(last + " goes on")
        }
        text += lines(count, of: index)
        if isOpenEnded { text.removeLast() }
        files[index].isOpenEnded = isOpenEnded
        append(text, to: path(index))
    }

    private func append(_ text: String, to path: String) {
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o600)
        var text = text
        text.withUTF8 { _ = write(file, $0.baseAddress, $0.count) }
        close(file)
    }

    /// New lines, which the file has from now on.
    private func lines(_ count: Int, of index: Int) -> String {
        var text = ""
        for _ in 0..<count {
            number += 1
            time += Int.random(in: 0...300, using: &random)
            let clock = String(
                format: "%02d:%02d:%02d.%03d", 8 + time / 3_600_000, time / 60_000 % 60, time / 1000 % 60,
                time % 1000)
            let line: String
            switch number % 7 {
            case 0: line = "  at frame \(number)"
            case 1: line = "error: \(number) says no time"
            default:
                let level = ["info", "error", "debug"][number % 3]
                line = "2026-11-20 \(clock)Z \(level) \(number) " + String(repeating: "x", count: number % 50)
            }
            note(line)
            files[index].lines.append(line)
            text += line + "\n"
        }
        return text
    }

    private func note(_ text: String) {
        for line in text.split(separator: "\n") { written.insert(String(line)) }
    }
}

/// What a page sees of a world.
private final class WorldView {
    private let world: FileWorld
    private let store: LogStore
    private let watcher: LogWatcher
    private let scans: LogScans
    private var held: [(scan: LogScan, seen: [Int: String], count: Int)] = []
    private let isIndexed = Locked(false)
    private let indexed = DispatchGroup()
    private(set) var hasBegun = false

    /// Opens the files; where it is `concurrent`, they are indexed while requests are answered.
    init(_ world: FileWorld, isConcurrent: Bool) throws {
        self.world = world
        let directory = world.directory
        // All of a world's text would be kept.
        let kept = [0, 0, 5000, KeptTexts.limit][Int(world.pick(0...3))]
        let files = LogFiles(key: nil, redaction: nil, calls: world.calls, keeping: kept) {
            let arguments = try Arguments(parsing: [], options: GrepCommand.options)
            return try LogSelection(arguments, operands: [directory]).files(of: directory)
        }
        store = LogStore(files: files, blockSize: 1200)
        scans = LogScans(store, paths: [world.directory])
        watcher = try LogWatcher(store, key: nil)
        let starts = watcher.open()
        let (store, isIndexed, indexed) = (store, isIndexed, indexed)
        @Sendable func index() {
            LogIndexer(store, isStopped: { false }).run(starts)
            isIndexed.withLock { $0 = true }
            indexed.leave()
        }
        indexed.enter()
        if isConcurrent { #expect(DetachedThread.start(index)) } else { index() }
        for query in [
            "", "fold=1", "q=x", "level=error", "level=error&fold=1", "not=xx&fold=1", "file=log1.log",
            "where=level%3Derror", "notfile=log1.log&q=1",
        ] {
            held.append((try scans.scan(ViewFilter(try #require(ViewQuery("/x?" + query)))), [:], 0))
        }
    }

    /// Looks for new lines, as the product does once the last line that was there is known.
    func look() {
        if !hasBegun {
            guard isIndexed.withLock({ $0 }) || store.blockCounts.back > 0 else { return }
            if let last = store.block(-1) { watcher.begin(with: last.facts.carry) }
            hasBegun = true
        }
        watcher.tick()
    }

    /// Waits for the index, and reads what has come.
    func settle() {
        indexed.wait()
        for _ in 0..<4 { look() }
    }

    /// Asks all that a page asks for.
    func ask() {
        for index in held.indices where index == 0 || world.pick(0...3) == 0 {
            let scan = held[index].scan
            scan.finish()
            let rows = scan.rows
            // Only a line without an end can change what the last block has.
            let isFewer = rows.end - rows.first < held[index].count
            #expect(!isFewer || !scan.filter.isEmpty || scan.filter.isFolded)
            held[index].count = rows.end - rows.first
            for row in scan.rows(from: Int(world.pick(-300...300)), count: 20) { check(row, scan, index) }
            let from = Int(world.pick(-400...400))
            if let next = scan.next(of: .error, from: from, isForward: from % 2 == 0) {
                #expect(next >= scan.rows.first && next < scan.rows.end)
            }
            if let searchers = try? [LineSearcher("9", isLiteral: true, ignoresCase: true)] {
                _ = scan.next(of: searchers, from: from, isForward: from % 2 != 0, limit: 5)
            }
            _ = scan.first(from: 1_795_161_600_000_000_000 + world.pick(0...20_000) * 1_000_000)
            for part in Set(0...3) { _ = scan.row(of: [part], at: Int(world.pick(0...5000))) }
            var bins = TimeBins(from: 1_795_161_600_000_000_000, to: 1_795_161_700_000_000_000, pieces: 90)
            _ = scan.fill(&bins)
            _ = LogFacets(of: scan, store).names
            scan.forEachBlock { text, rows, _ in
                for row in rows { if let line = text[row] { expectWritten(line) } }
                return true
            }
        }
    }

    private func expectWritten(_ line: ArraySlice<UInt8>) {
        let text = String(decoding: line, as: UTF8.self)
        if !world.isWritten(text) { Issue.record("“\(text)” is a line of no file") }
    }

    /// A row shows the line that it has shown before, that line with its end, or that it is gone.
    private func check(_ row: LogRow, _ scan: LogScan, _ index: Int) {
        _ = (row.value(columns: ["level"]), ViewRecord(row, scan).value)
        let all = scan.numberInAll(of: row)
        guard let line = row.text else { return }
        expectWritten(line)
        let text = String(decoding: line, as: UTF8.self)
        if let before = held[index].seen[row.number], !scan.filter.isFolded || row.number < 0 {
            if !text.hasPrefix(before) {
                Issue.record("row \(row.number) was “\(before)” and is “\(text)” (\(scan.filter))")
            }
        }
        held[index].seen[row.number] = text
        let same = all.flatMap { held[0].scan.rows(from: $0, count: 1).first }
        if let other = same?.text { #expect(other == line || other.starts(with: line)) }
    }

    /// All rows without a filter that are there.
    var lines: [String] {
        let rows = held[0].scan.rows
        let all = held[0].scan.rows(from: rows.first, count: rows.end - rows.first)
        #expect(all.map(\.number) == Array(rows.first..<rows.end))
        return all.compactMap { $0.text.map { String(decoding: $0, as: UTF8.self) } }
    }
}

@Suite("heartwood view over files that change", .inTurn)
struct ViewWorldTests {
    @Test(
        "Whatever becomes of the files, at whatever moment, a row is its line or gone, and the view goes on",
        arguments: Tier.amount(0..<40, full: 0..<400))
    func world(seed: Int) throws {
        LogArchives.register()
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "heartwood-\(UUID().uuidString)"
        ).path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let world = try FileWorld(UInt64(seed), in: directory)
        world.changeOneOf(seed % 3 == 0 ? 0 : 25)
        let view = try WorldView(world, isConcurrent: seed % 2 == 1)
        for _ in 0..<12 {
            view.look()
            world.changeOneOf(0)
            if world.pick(0...1) == 0 {
                view.look()
                if view.hasBegun { world.noteLook() }
            }
            for _ in 0..<world.pick(0...6) { world.change() }
            world.changeOneOf([0, 8, 40][Int(world.pick(0...2))])
            view.ask()
        }
        world.changeOneOf(0)
        view.settle()
        view.ask()
        // Of the files that were only appended to, each line that came whole is there once, in its order.
        let shown = view.lines
        var seen: Set<String> = []
        let doubled = shown.filter { !seen.insert($0).inserted && !world.isLeft($0) }
        #expect(doubled.isEmpty, "\(doubled.count) lines are shown twice: \(doubled.prefix(5))")
        for lines in world.steady.map({ $0.filter { !$0.hasSuffix(" goes on") } }) {
            let wanted = Set(lines)
            let found = shown.filter(wanted.contains)
            #expect(
                found == lines,
                "\(lines.count - found.count) of \(lines.count) are missing: \(lines.filter { !found.contains($0) })"
            )
        }
    }
}
