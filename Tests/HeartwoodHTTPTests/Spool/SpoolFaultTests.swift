import CoreFixtures
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct SpoolFaultTests {
    /// Cuts every write that replaces something, and fails it.
    private final class TornCursor: DiskFaults {
        func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? {
            inPlace ? (count / 3, EIO) : nil
        }
        func change() -> Int32 { 0 }
    }

    private func spool(_ directory: TemporaryDirectory, count: Int = 0) throws -> Spool {
        let spool = try Spool(directory: directory.path, clock: ManualClock(), calls: FaultyKernel.calls)
        for number in 0..<count {
            spool.append(Array("\(number)".utf8), time: ManualClock().now(), level: 4)
        }
        spool.save()
        return spool
    }

    private func texts(_ piece: SpoolPiece?) -> [String] {
        piece?.records.map { String(decoding: $0.payload, as: UTF8.self) } ?? []
    }

    @Test("Writes of the cursor that fail again and again leave what it said before them")
    func tornCursor() throws {
        let directory = try TemporaryDirectory()
        let first = try spool(directory, count: 10)
        let piece = try #require(first.nextPiece(maximumCount: 4, maximumBytes: .max))
        first.complete(piece, done: piece.records.map(\.id))
        FaultyKernel.$faults.withValue(TornCursor()) {
            for _ in 0..<3 {
                let piece = first.nextPiece(maximumCount: 2, maximumBytes: .max)
                #expect(texts(piece).count == 2)
                if let piece { first.complete(piece, done: piece.records.map(\.id)) }
            }
        }
        first.close()
        let second = try spool(directory)
        #expect(second.drainErrors().isEmpty && second.pending == 6)
        #expect(texts(second.nextPiece(maximumCount: 4, maximumBytes: .max)) == ["4", "5", "6", "7"])
    }

    @Test("An open batch whose file cannot be read for a while stays as it is, and is sent later")
    func unreadableForAWhile() throws {
        let directory = try TemporaryDirectory()
        let first = try spool(directory, count: 10)
        let sent = try #require(first.nextPiece(maximumCount: 3, maximumBytes: .max))
        first.close()
        let second = try spool(directory)
        // A file with a second name is not read, since another user may have put it there.
        let segment = directory.path + "/" + (try #require(directory.segments().first))
        second.files?.reader = nil
        #expect(link(segment, directory.path + "/other") == 0)
        #expect(second.nextPiece(maximumCount: 3, maximumBytes: .max) == nil)
        #expect(second.pending == 10)
        #expect(unlink(directory.path + "/other") == 0)
        let again = second.nextPiece(maximumCount: 3, maximumBytes: .max)
        #expect(texts(again) == ["0", "1", "2"] && again?.key == sent.key)
        if let again { second.complete(again, done: again.records.map(\.id)) }
        #expect(texts(second.nextPiece(maximumCount: 100, maximumBytes: .max)).count == 7)
    }
}
