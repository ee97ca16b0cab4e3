import CoreFixtures
import CHeartwood
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// Each call that a spool makes for its files fails once, or is the last of its process: one after the other, all of
/// them.
@Suite(.inTurn) struct SpoolSweepTests {
    private let clock = ManualClock()

    /// What a program has done with a spool so far.
    private struct Course {
        var saved: Set<Int> = []
        var delivered: [Int] = []
        /// Of which the cursor on the disk says that they are done.
        var done: Set<Int> = []
        /// What was delivered though it was done.
        var repeated: Set<Int> = []
        var damagedBytes = 0
    }

    /// Fails one call, whatever it does.
    private final class OneFailure: DiskFaults {
        private let left: Locked<Int>
        private let error: Int32
        init(after calls: Int, _ error: Int32) { (left, self.error) = (Locked(calls), error) }

        var hasFailed: Bool { left.withLock { $0 < 0 } }
        private func next() -> Int32 {
            left.withLock { left in
                left -= 1
                return left == -1 ? error : 0
            }
        }
        func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? {
            next() == 0 ? nil : (count / 2, error)
        }
        func change() -> Int32 { next() }
        func read() -> Int32 { next() }
        func synchronize() -> Int32 { next() }
        func synchronizeNames() -> Int32 { next() }
    }

    /// What a spool went through when its power was cut.
    enum Shape: String, CaseIterable { case plain, compacted, partitioned }

    /// Opens a store that two messages fill a file of.
    private func open(_ shape: Shape, in path: String) throws -> any UnsentStore {
        var settings = SpoolSettings()
        (settings.segmentCount, settings.synchronizes) = (2, true)
        let path = path + "/of/messages"
        if shape != .partitioned {
            return try Spool(directory: path, settings: settings, clock: clock, calls: FaultyKernel.calls)
        }
        return try PartitionedSpool(
            path: path, partitionSize: .bytes(300), settings: settings, clock: clock,
            calls: FaultyKernel.calls
        ) { PartitionedSpool.freshName(after: $0, at: self.clock.now()) }
    }

    private func open(_ directory: TemporaryDirectory) throws -> Spool {
        try directory.openSpool(clock) { ($0.segmentCount, $0.synchronizes) = (3, true) }
    }

    private func deliver(_ pieces: Int, of spool: any UnsentStore, _ course: inout Course) {
        for _ in 0..<pieces {
            guard let piece = spool.nextPiece(maximumCount: 2, maximumBytes: .max) else { return }
            let numbers = piece.records.map { Int(String(decoding: $0.payload, as: UTF8.self)) ?? -1 }
            course.delivered += numbers
            course.repeated.formUnion(course.done.intersection(numbers))
            spool.complete(piece, done: piece.records.map(\.id))
            let spools = SimulatedPlace.spools(of: spool)
            for spool in spools { #expect(spool.plan.violation == nil) }
            if spools.allSatisfy(\.plan.isStateSaved) { course.done.formUnion(numbers) }
        }
    }

    /// Stores ten messages, sends some, and has another one go on.
    private func run(in directory: TemporaryDirectory, _ course: inout Course) throws {
        for part in 0..<2 {
            // A failed opening is tried again, as by a program that starts again.
            let spool = try (try? open(directory)) ?? open(directory)
            for number in part * 5..<part * 5 + 5 {
                spool.append(Array("\(number)".utf8), time: clock.now(), level: 4)
                if spool.save() { course.saved.formUnion(0...number) }
            }
            deliver(1, of: spool, &course)
            spool.close()
            course.damagedBytes += spool.counters.damagedBytes
        }
    }

    @Test(
        "Whichever call fails once, and is made again or not: every message arrives",
        arguments: [EIO, ENOSPC])
    func oneFailure(error: Int32) throws {
        var calls = 0
        while true {
            let directory = try TemporaryDirectory(isFast: true)
            let fault = OneFailure(after: calls, error)
            var course = Course()
            try FaultyKernel.$faults.withValue(fault) { try run(in: directory, &course) }
            let rest = try open(directory)
            deliver(10, of: rest, &course)
            #expect(Set(course.delivered) == Set(0..<10), "call \(calls): \(course.delivered)")
            #expect(rest.pending == 0 && rest.counters.lost == 0, "call \(calls)")
            #expect(
                course.repeated.isEmpty && course.damagedBytes + rest.counters.damagedBytes == 0,
                "call \(calls): \(course)")
            if !fault.hasFailed { break }
            calls += 1
        }
        #expect(calls > 60)
    }

    @Test(
        "Whichever call is the last of the process, and however much it writes: what was saved arrives",
        arguments: [0, 40, 100])
    func lastCall(torn: Int) throws {
        var calls = 0
        while true {
            let directory = try TemporaryDirectory(isFast: true)
            let disk = SimulatedDisk(copiesOnWrite: false)
            disk.die(after: calls, torn: torn)
            var course = Course()
            FaultyKernel.$faults.withValue(disk) { _ = try? run(in: directory, &course) }
            let rest = try open(directory)
            deliver(10, of: rest, &course)
            #expect(course.saved.isSubset(of: course.delivered), "call \(calls): \(course)")
            #expect(Set(course.delivered).isSubset(of: 0..<10), "call \(calls): \(course)")
            #expect(rest.pending == 0 && rest.counters.damagedRecords == 0, "call \(calls)")
            #expect(course.repeated.isEmpty, "call \(calls): \(course)")
            if !disk.isDead { break }
            calls += 1
        }
        #expect(calls > 30)
    }

    @Test(
        "Whenever the power is cut: what was saved with `synchronizes` arrives, and nothing done is sent again",
        arguments: Shape.allCases)
    func powerCut(_ shape: Shape) throws {
        let calls = try PowerLoss.sweep(looks: Tier.amount(5, full: 50)) { path, disk in
            var course = Course()
            FaultyKernel.$faults.withValue(disk) { _ = try? run(shape, in: path, disk, &course) }
            return course
        } look: { path, call, course in
            var course = course
            let rest = try open(shape, in: path)
            deliver(20, of: rest, &course)
            // The less serious ones may have made room.
            let saved = course.saved.filter { shape != .compacted || $0 % 5 != 3 }
            #expect(saved.isSubset(of: course.delivered), "call \(call): \(course)")
            #expect(Set(course.delivered).isSubset(of: 0..<10), "call \(call): \(course)")
            #expect(rest.pending == 0 && course.repeated.isEmpty, "call \(call): \(course)")
        }
        #expect(calls > 60)
    }

    /// Stores ten messages, sends some, and has another process go on.
    private func run(
        _ shape: Shape, in path: String, _ disk: PowerLoss, _ course: inout Course
    ) throws {
        var taken: Set<Int> = []
        for part in 0..<2 {
            let spool = try open(shape, in: path)
            for number in part * 5..<part * 5 + 5 {
                let isTaken = spool.append(
                    Array("\(number)".utf8), time: clock.now(), level: number % 5 == 3 ? 5 : 1, mark: 0)
                if isTaken { taken.insert(number) }
                if spool.save(), !disk.isOff { course.saved.formUnion(taken) }
            }
            if shape == .compacted { _ = (spool as? Spool)?.evict(below: 3) }
            let done = course.done
            deliver(2, of: spool, &course)
            if disk.isOff { course.done = done }
            spool.close()
        }
    }
}
