import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// A spool that has lived through something behaves as a new one.
@Suite(.inTurn) struct UsedSpoolTests {
    private final class Bench {
        let directory: TemporaryDirectory?
        let isFull = Locked(false)
        var spool: Spool

        init(onDisk: Bool) throws {
            directory = onDisk ? try TemporaryDirectory(isFast: true) : nil
            var settings = SpoolSettings()
            settings.segmentCount = 3
            settings.maximumFiles = 4
            let calls = SystemCalls { [isFull] call in
                isFull.withLock { $0 } && call == .write ? .fails(ENOSPC) : nil
            }
            spool = try Spool(directory: directory?.path, settings: settings, calls: calls)
        }

        func append(_ count: Int, level: UInt8 = 4) {
            for number in 0..<count {
                spool.append([UInt8(number)], time: LogTimestamp(nanoseconds: 1), level: level)
            }
            spool.save()
        }

        func next(_ count: Int = 2) -> SpoolPiece? {
            spool.nextPiece(maximumCount: count, maximumBytes: 1000, probe: false)
        }

        func complete(_ piece: SpoolPiece?) {
            if let piece { spool.complete(piece, done: piece.records.map(\.id)) }
        }

        func round() -> [String] {
            spool.dropOldest(.max)
            _ = spool.drainErrors()
            let before = spool.counters
            var story: [String] = []
            func note(_ piece: SpoolPiece?) {
                story.append("\(piece?.records.map { $0.payload[0] } ?? []) of \(spool.pending)")
            }
            append(5)
            let first = next(3)
            note(first)
            if let first { story.append("\(spool.complete(first, done: [first.records[1].id])) done") }
            let rest = next(3)
            note(rest)
            if let rest { story.append("split \(spool.split(rest))") }
            let half = next(3)
            note(half)
            if let half { spool.park(half, isUnconfirmed: true) }
            let other = next(3)
            note(other)
            complete(other)
            if let half { spool.unpark([half]) }
            note(next(9))
            append(9, level: 3)
            note(next(9))
            complete(next(9))
            note(next(9))
            let after = spool.counters
            story.append(
                "appended \(after.appended - before.appended), dropped \(after.droppedFull - before.droppedFull), "
                    + "\(after.droppedUnsaved - before.droppedUnsaved) unsaved, failures "
                    + "\(after.failures - before.failures), pending \(spool.pending), unsaved "
                    + "\(spool.unsavedCount), batch \(spool.hasOpenBatch)")
            story += spool.drainErrors().map { "\($0)" }
            return story
        }
    }

    private let lives: KeyValuePairs<String, (inout Bench) async throws -> Void> = [
        "messages that were all sent": { bench in
            bench.append(7)
            while let piece = bench.next() { bench.complete(piece) }
        },
        "a batch that is half done": { bench in
            bench.append(7)
            if let piece = bench.next(5) { bench.spool.complete(piece, done: [piece.records[1].id]) }
        },
        "pieces that were parked, and messages thrown away": { bench in
            bench.append(7)
            for isUnconfirmed in [true, false] {
                if let piece = bench.next() { bench.spool.park(piece, isUnconfirmed: isUnconfirmed) }
            }
            bench.spool.dropOldest(.max)
        },
        "a batch that was split to single messages": { bench in
            bench.append(4)
            while let piece = bench.next(4), bench.spool.split(piece) {}
        },
        "more messages than it may keep": { $0.append(30) },
        "a full disk": { bench in
            bench.append(2)
            bench.isFull.withLock { $0 = true }
            bench.append(3)
            bench.isFull.withLock { $0 = false }
        },
        "a close, and another opening": { bench in
            bench.append(5)
            if let piece = bench.next(3) { bench.spool.complete(piece, done: [piece.records[0].id]) }
            bench.spool.close()
            if let spool = try bench.spool.reopened() as? Spool { bench.spool = spool }
        },
    ]

    @Test("Whatever a spool has lived through, the next messages are as the first", arguments: [true, false])
    func spool(onDisk: Bool) async throws {
        try await expectAsNew({ try Bench(onDisk: onDisk) }, after: lives) { $0.round() }
    }
}
