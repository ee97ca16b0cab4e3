import Foundation
import Heartwood
import HeartwoodReading
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("The texts that a view keeps", .inTurn)
struct KeptTextsTests {
    /// A file of some blocks, with the reads that are made of it.
    private final class Log {
        let path = FileManager.default.temporaryDirectory.path + "/heartwood-\(UUID().uuidString)"
        let store: LogStore
        private let counts = Locked(0)

        /// Writes blocks of some records each; `limit` is how much text is kept.
        init(
            blocks: Int, of records: Int, keeping limit: Int = KeptTexts.limit,
            redaction: RedactionRules? = nil
        )
            throws
        {
            let texts = (0..<blocks).map { block in
                (0..<records).map {
                    "2026-11-20 10:00:00.000Z error   password=hunter2 \(block) \($0)\n  at frame\n"
                }
            }
            try Data(texts.joined().joined().utf8).write(to: URL(fileURLWithPath: path))
            let calls = SystemCalls { [counts] call in
                if call == .open || call == .read { counts.withLock { $0 += 1 } }
                return nil
            }
            let path = path
            let files = LogFiles(key: nil, redaction: redaction, calls: calls, keeping: limit) { [path] }
            store = LogStore(files: files)
            let file = try #require(try LogFileSource(path: path, takesStreams: false).file)
            let part = files.add(path: path, file: file, beginning: [])
            var offset = 0
            for text in texts {
                let bytes = Array(text.joined().utf8)
                let source = BlockText.Source(part: part, offset: offset, bytes: bytes)
                store.addFront(BlockSurvey().block(of: [source], LineOrder(lines: 2 * records)))
                offset += bytes.count
            }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        /// How often a file is opened or read meanwhile.
        func reads(_ body: () throws -> Void) rethrows -> Int {
            let before = counts.withLock { $0 }
            try body()
            return counts.withLock { $0 } - before
        }

        func scan(_ query: String = "") throws -> LogScan {
            try LogScan(ViewFilter(try #require(ViewQuery("/x?" + query))), store: store, paths: [])
        }
    }

    /// What is shown of a row, and of its record.
    private static func shown(_ row: LogRow, _ scan: LogScan) -> String {
        let shown: LogValue = [row.value(columns: []), ViewRecord(row, scan).value]
        return String(decoding: shown.json, as: UTF8.self)
    }

    @Test("Rows that were shown, their records, and a search in them read no file", arguments: [false, true])
    func readsOnce(isRedacted: Bool) throws {
        let log = try Log(blocks: 3, of: 100, redaction: isRedacted ? .standard : nil)
        let scan = try log.scan()
        func ask() -> [String] { scan.rows(from: 150, count: 300).map { Self.shown($0, scan) } }
        var first: [String] = []
        let reads = log.reads { first = ask() }
        #expect(reads > 0)
        #expect(first.count == 300 && first[0].contains("hunter2") != isRedacted)
        var again: [String] = []
        let readsAgain = log.reads { again = ask() }
        #expect(again == first && readsAgain == 0)
        let found = try log.scan("q=50")
        let others = try log.reads {
            found.finish()
            #expect(scan.next(of: .error, from: 150, isForward: true) == 152)
            #expect(found.rows(from: 0, count: 9).map(\.number) == [0, 1, 2])
            _ = try #require(ViewRecord.json(of: scan.rows(from: 151, count: 1)[0], scan, in: scan))
        }
        // No block is read again: all three are kept.
        #expect(others == 0)
        let readsOfFound = log.reads { _ = found.rows(from: 0, count: 9) }
        #expect(readsOfFound == 0)
    }

    @Test(
        "The lines of a record share its first line; one that is too long to be read has the level that counts"
    )
    func sharesHeads() throws {
        let long = String(repeating: "x", count: ShownLine.limit)
        let text = "{\"message\":\"\(long)\",\"level\":\"error\"}\n  at a\n  at b\nCaused by: c\n"
        let source = BlockText.Source(part: 0, offset: 0, bytes: Array(text.utf8))
        let block = BlockSurvey().block(of: [source], LineOrder(lines: 4))
        var made = BlockRows(
            BlockText([source], block.order), block, LineReader(), file: { "\($0)" }, limit: ShownLine.limit)
        let rows = (0..<5).map { made.row($0, $0, isFolded: true) }
        #expect(block.facts.heads.count == 1 && block.facts.levels[TimeBins.place(of: .error)] == 1)
        #expect(rows.map(\.level) == [.error, .error, .error, .error, nil])
        #expect(rows[0].text?.count == ShownLine.limit && rows[0].folded == 3 && rows[4].text == nil)
    }

    @Test("A file that is gone at first and comes back is shown, and then needs no more to be read")
    func comesBack() throws {
        let log = try Log(blocks: 1, of: 10)
        let scan = try log.scan()
        let away = log.path + ".away"
        try FileManager.default.moveItem(atPath: log.path, toPath: away)
        #expect(scan.rows(from: 0, count: 20).allSatisfy { $0.text == nil && $0.level == nil })
        try FileManager.default.moveItem(atPath: away, toPath: log.path)
        #expect(scan.rows(from: 0, count: 20).allSatisfy { $0.text != nil && $0.level == .error })
        try FileManager.default.moveItem(atPath: log.path, toPath: away)
        #expect(scan.rows(from: 0, count: 20).allSatisfy { $0.text != nil })
        try FileManager.default.moveItem(atPath: away, toPath: log.path)
    }

    @Test("A walk through all blocks takes the place of no rows that are shown")
    func passes() throws {
        let log = try Log(blocks: 40, of: 100, keeping: 200_000)
        let scan = try log.scan()
        _ = scan.rows(from: 4000, count: 200)
        let walk: () throws -> Void = {
            scan.forEachBlock { text, _, _ in text.isWhole }
            let found = try log.scan("q=hunter2")
            found.finish()
            #expect(found.summary.rows.end == 4000)
        }
        let walked = try log.reads(walk)
        let again = log.reads { _ = scan.rows(from: 4000, count: 200) }
        #expect(walked > 0 && again == 0)
        // Rows elsewhere do.
        for first in stride(from: 0, to: 4000, by: 200) { _ = scan.rows(from: first, count: 200) }
        let later = log.reads { _ = scan.rows(from: 4000, count: 200) }
        #expect(later > 0)
    }

    @Test(
        "The texts stay within their limit, those looked at last are kept, and none is another's",
        arguments: 0..<40)
    func bound(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let limit = 40_000
        var kept = KeptTexts(limit)
        var texts: [Int: [UInt8]] = [:]
        for step in 0..<400 {
            let number = Int.random(in: 0..<30, using: &random)
            // Some grow, some are too large, and some lack their lines.
            var bytes = texts[number] ?? []
            if bytes.isEmpty || Int.random(in: 0..<5, using: &random) == 0 {
                bytes += Array("\(number) \(step)\n".utf8)
                bytes += [UInt8](repeating: 0x78, count: Int.random(in: 0..<3000, using: &random)) + [0x0A]
            }
            texts[number] = bytes
            let lines = LineOrder(lines: bytes.count { $0 == 0x0A })
            let source = BlockText.Source(part: number % 3, offset: number * 100_000, bytes: bytes)
            let block = LogBlock(pieces: [.init(source)], order: lines, facts: BlockFacts())
            let isGone = Int.random(in: 0..<8, using: &random) == 0
            let inPassing = Bool.random(using: &random)
            let found = kept.text(of: block, inPassing: inPassing)
            #expect(found == nil || found?.bytes == bytes)
            if found != nil { continue }
            let before = kept.count
            let given = BlockText.Source(
                part: source.part, offset: source.offset, bytes: isGone ? nil : bytes)
            let text = BlockText([given], lines)
            kept.keep(text, of: block, inPassing: inPassing)
            #expect(kept.size <= limit && kept.size >= 0)
            let isKept = kept.text(of: block, inPassing: true) != nil
            if isGone || text.size > limit / 4 { #expect(!isKept && kept.count == before) }
            if !isGone, text.size <= limit / 4, !inPassing { #expect(isKept) }
        }
        #expect(kept.count > 0)
    }
}
