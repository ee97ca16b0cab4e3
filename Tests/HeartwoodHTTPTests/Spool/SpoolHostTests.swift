import CHeartwood
import CoreFixtures
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// A spool in the environments of `hosts.md`: locks and modes refused, descriptors closed by the program, many
/// processes at once.
@Suite(.inTurn) struct SpoolHostTests {
    private static let time = LogTimestamp(nanoseconds: 1_790_000_000_000_000_000)

    /// Stores, sends and drops messages; calls `between` before each step, and returns what was delivered.
    private static func live(_ spool: Spool, _ between: () throws -> Void) rethrows -> [Int] {
        var delivered: [Int] = []
        for round in 0..<8 {
            for number in round * 4..<round * 4 + 4 {
                try between()
                spool.append(Array("\(number)".utf8), time: time, level: 4)
                try between()
                spool.save()
            }
            try between()
            guard let piece = spool.nextPiece(maximumCount: 3, maximumBytes: .max) else { continue }
            delivered += piece.records.compactMap { Int(String(decoding: $0.payload, as: UTF8.self)) }
            try between()
            spool.complete(piece, done: piece.records.map(\.id))
            if let violation = spool.plan.violation { Issue.record("\(violation)") }
        }
        while let piece = spool.nextPiece(maximumCount: 100, maximumBytes: .max) {
            delivered += piece.records.compactMap { Int(String(decoding: $0.payload, as: UTF8.self)) }
            spool.complete(piece, done: piece.records.map(\.id))
        }
        return delivered
    }

    private static func settings() -> SpoolSettings {
        var settings = SpoolSettings()
        settings.segmentCount = 3
        return settings
    }

    @Test("A file system without permissions of files keeps messages", arguments: [EPERM, EROFS, ENOSYS])
    func noModes(error: Int32) async {
        let directory = Scratch()
        await #expect(processExitsWith: .success) {
            [path = directory.path as String, error = error as Int32] in
            umask(0o277)  // what is made has another mode than asked for
            let calls = SystemCalls { $0 == .changeMode ? .fails(error) : nil }
            let spool = try Spool(directory: path + "/spool", settings: Self.settings(), calls: calls)
            #expect(Self.live(spool) {} == Array(0..<32))
            #expect(spool.pending == 0 && spool.counters.lost == 0)
        }
    }

    @Test("A file system without locks is refused, and nothing is made in it but the lock")
    func noLocks() throws {
        for error in [ENOLCK, ENOSYS, EOPNOTSUPP] {
            let directory = try TemporaryDirectory()
            let calls = SystemCalls { $0 == .lock ? .fails(error) : nil }
            let failure = #expect(throws: LogError.self) {
                try Spool(directory: directory.path + "/spool", calls: calls)
            }
            #expect(failure?.message.contains("has no locks") == true)
            #expect(directory.names("spool") == ["lock"])
        }
    }

    #if os(Linux)
    @Test("A program that closes the spool's descriptors again and again, and has files of its own there")
    func takenDescriptors() async {
        let directory = Scratch()
        await #expect(processExitsWith: .success) {
            [path = directory.path as String] in
            let spool = try Spool(directory: path + "/spool", settings: Self.settings())
            var round = 0
            var taken: [TakenNumbers] = []
            let delivered = Self.live(spool) {
                round += 1
                guard round % 3 == 0 else { return }
                let data = "\(path)/data-\(round)"
                mkdir(data, 0o700)
                taken.append(TakenNumbers(of: path + "/spool", data: data))
            }
            #expect(delivered == Array(0..<32) && spool.pending == 0 && spool.counters.lost == 0)
            #expect(taken.count > 20 && taken.allSatisfy(\.isUntouched))
        }
    }
    #endif

    @Test("Processes that want one spool have it one after the other, and each message is there once")
    func manyProcesses() async throws {
        let directory = Scratch()
        let count = Tier.amount(6, full: 40)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<count {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [path = directory.path as String, number = number as Int] in
                        let spool = try waitUntil("the spool is free") { () throws -> Spool? in
                            do {
                                return try Spool(directory: path + "/spool", settings: Self.settings())
                            } catch let error as LogError where error.code == .inUse { return nil }
                        }
                        for part in 0..<10 {
                            let payload = Array("\(number * 10 + part)".utf8)
                            spool.append(payload, time: Self.time, level: 4)
                            spool.save()
                        }
                        // Without a close.
                        exit(spool.plan.violation == nil && spool.unsavedCount == 0 ? 0 : 3)
                    }
                }
            }
        }
        let spool = try Spool(directory: directory.path + "/spool")
        var numbers: [Int] = []
        spool.forEachPending { record in
            numbers.append(Int(String(decoding: record.payload, as: UTF8.self)) ?? -1)
            return true
        }
        #expect(numbers.sorted() == Array(0..<count * 10) && spool.counters.damagedRecords == 0)
    }
}
