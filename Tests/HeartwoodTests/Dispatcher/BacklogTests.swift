import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("A logger's backlog", .inTurn)
struct BacklogTests {
    /// A batch of records of these levels, as the drain makes it.
    private func batch(_ levels: [LogLevel], textSize: Int = 32) -> RecordBatch {
        let size = RecordView.padded(RecordView.header + textSize)
        let batch = RecordBatch(capacity: size * levels.count)
        for (index, level) in levels.enumerated() {
            let record = RecordView(batch.base + index * size)
            record.clear()
            record.textSize = textSize
            record.level = level.index
            batch.size += size
            batch.add(at: index * size, size: size, sequence: UInt64(index))
        }
        return batch
    }

    private func backlog(_ policy: OverflowPolicy, _ limit: Int, allowance: Int = 0) -> Backlog {
        var backlog = Backlog()
        backlog.setLimits(BacklogLimits(limit: .bytes(limit), policy: policy))
        backlog.allowance = allowance
        return backlog
    }

    private func slice(_ levels: [LogLevel], wanting mask: LogLevelMask = .all) -> RecordSlice {
        RecordSlice(batch(levels), levels: mask.rawValue)
    }

    /// Works everything off; returns what came out: how many records, and `-n` for a gap of n.
    private func drain(_ backlog: inout Backlog) -> [Int] {
        var result: [Int] = []
        while let entry = backlog.next() {
            switch entry {
            case .gap(let gap): result.append(-gap.count)
            case .work: result.append(0)
            case .records(let slice, let lost):
                if lost.count > 0 { result.append(-lost.count) }
                result.append(slice.count)
                backlog.finish(weighing: slice.weight)
            }
        }
        return result
    }

    /// Has a caller wait for the whole time while the logger makes no progress.
    private func giveUp(_ backlog: inout Backlog) {
        var now = Duration.zero
        while case .wait(let pause) = backlog.look(progress: 1, at: now) { now += pause }
    }

    @Test("Its weight is that of what waits and of what is being worked off, and 0 in the end")
    func weight() {
        var backlog = backlog(.dropNewest, 100_000)
        for _ in 0..<10 { #expect(backlog.append(slice([.info, .error])).isEmpty) }
        #expect(backlog.weight == 10 * (2 * 96 + RecordSlice.overhead))
        let entry = backlog.next()
        #expect(backlog.weight == 10 * (2 * 96 + RecordSlice.overhead))
        if case .records(let slice, _)? = entry { backlog.finish(weighing: slice.weight) }
        #expect(backlog.weight == 9 * (2 * 96 + RecordSlice.overhead))
        #expect(drain(&backlog) == [Int](repeating: 2, count: 9))
        #expect(backlog.weight == 0)
        #expect(backlog.isEmpty)
    }

    @Test(
        "Random traffic under each policy: nothing is lost uncounted, and the limit holds", arguments: 0..<40)
    func random(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let policies: [OverflowPolicy] = [
            .dropNewest, .dropOldest, .dropBelow(.warning), .block(upTo: .seconds(1)),
        ]
        let limit = Int.random(in: 500...20_000, using: &generator)
        var backlog = backlog(policies[seed % 4], limit, allowance: 1000)
        var received = 0
        var delivered = 0
        var announced = 0
        var freed = 0
        func take(_ entry: Backlog.Entry) {
            switch entry {
            case .gap(let gap): announced += gap.count
            case .work: break
            case .records(let slice, let lost):
                announced += lost.count
                var count = 0
                slice.forEach { _ in count += 1 }
                #expect(count == slice.count)
                delivered += count
                backlog.finish(weighing: slice.weight)
            }
        }
        for _ in 0..<2000 {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<6:
                let count = Int.random(in: 1...20, using: &generator)
                let levels = (0..<count).map { _ in
                    LogLevel.standardLevels.randomElement(using: &generator) ?? .info
                }
                let slice = slice(levels, wanting: Bool.random(using: &generator) ? .all : .info)
                if slice.count == 0 { continue }
                received += slice.count
                freed += backlog.append(slice).count
                let most = seed % 4 == 3 ? limit + 1000 : limit
                #expect(backlog.weight <= most)
            case 6: backlog.append {}
            case 7: giveUp(&backlog)
            default: if let entry = backlog.next() { take(entry) }
            }
        }
        while let entry = backlog.next() { take(entry) }
        #expect(received == delivered + backlog.dropped)
        #expect(announced == backlog.dropped)
        #expect(backlog.weight == 0)
        #expect(backlog.isEmpty)
    }

    @Test("Evicted entries leave nothing behind, however long a logger is stuck", arguments: [0, 1, 2])
    func boundedBookkeeping(which: Int) {
        let policies: [OverflowPolicy] = [.dropOldest, .dropBelow(.warning), .dropNewest]
        var backlog = backlog(policies[which], 4000)
        backlog.append {}
        for index in 0..<50_000 {
            _ = backlog.append(slice([index % 50 == 0 ? .error : .info]))
            #expect(backlog.entryCount < 1000)
        }
        #expect(backlog.weight <= 4000)
        let out = drain(&backlog)
        let records = out.reduce(0) { $0 + abs($1) }
        #expect(records == 50_000)
    }

    @Test("Where there is no room, no more serious record goes for a less serious one")
    func mostSeriousStay() {
        var backlog = backlog(.dropBelow(.warning), 5 * (96 + RecordSlice.overhead))
        for _ in 0..<5 { _ = backlog.append(slice([.error])) }
        #expect(backlog.append(slice([.info])).isEmpty)
        #expect(drain(&backlog) == [1, 1, 1, 1, 1, -1])
    }

    @Test("A batch of which little is wanted is not kept for that")
    func sparse() {
        var backlog = backlog(.dropBelow(.error), 20_000)
        let levels = [LogLevel](repeating: .info, count: 150) + [.error]
        var kept: [RecordBatch] = []
        for _ in 0..<20 { _ = backlog.append(slice(levels)) }
        while let entry = backlog.next() {
            if case .records(let slice, _) = entry { kept.append(slice.batch) }
        }
        let size = kept.reduce(0) { $0 + $1.size }
        #expect(size <= 2 * 20_000)
        var narrow = self.backlog(.dropNewest, 20_000)
        _ = narrow.append(slice(levels, wanting: .error))
        if case .records(let slice, _)? = narrow.next() { #expect(slice.batch.size == 96) }
    }

    @Test("Places at which messages are missing that follow each other are one place")
    func gaps() {
        var backlog = backlog(.dropNewest, 700)
        #expect(backlog.append(slice([.info])).isEmpty)
        for _ in 0..<5 { _ = backlog.append(slice([.info, .info, .info, .info, .info])) }
        backlog.append(lostAtRing: 3)
        backlog.append {}
        backlog.append(lostAtRing: 2)
        let dropped = backlog.dropped
        let out = drain(&backlog)
        #expect(out.filter { $0 < 0 } == [-(dropped + 3), -2])
        #expect(out.filter { $0 == 0 }.count == 1)
    }

    @Test(
        "It holds callers beyond its limit, and lets them go on as soon as there is room, not at half of it")
    func holding() {
        var backlog = backlog(.block(upTo: .seconds(1)), 20_000, allowance: 2000)
        while !backlog.holdsCallers { _ = backlog.append(slice([.info])) }
        #expect(backlog.weight > 20_000)
        while backlog.holdsCallers, case .records(let slice, _)? = backlog.next() {
            backlog.finish(weighing: slice.weight)
        }
        #expect(backlog.weight > 17_000)
        #expect(backlog.dropped == 0)
    }

    @Test(
        "A lower limit leaves what waits, holds callers at once, and has room for what they have logged until then"
    )
    func lowerLimit() {
        var backlog = backlog(.block(upTo: .seconds(1)), 100_000, allowance: 2000)
        while backlog.weight < 90_000 { _ = backlog.append(slice([.info])) }
        #expect(!backlog.holdsCallers)
        backlog.setLimits(BacklogLimits(limit: .bytes(1000), policy: .block(upTo: .seconds(1))))
        #expect(backlog.holdsCallers)
        for _ in 0..<5 { _ = backlog.append(slice([.info])) }
        #expect(backlog.dropped == 0)
        // What comes beyond that has not waited, and finds no room.
        for _ in 0..<5 { _ = backlog.append(slice([.info])) }
        #expect(backlog.dropped > 0)
        while backlog.weight > 1000, case .records(let slice, _)? = backlog.next() {
            backlog.finish(weighing: slice.weight)
        }
        #expect(backlog.weight > 0)
        let dropped = backlog.dropped
        for _ in 0..<20 { _ = backlog.append(slice([.info])) }
        #expect(backlog.weight <= 3000 && backlog.dropped > dropped, "the new limit counts")
    }

    @Test("A logger that was given up stays so when its limits change, and its callers do not wait again")
    func changedWhileGivenUp() {
        var backlog = backlog(.block(upTo: .seconds(1)), 20_000, allowance: 2000)
        while !backlog.holdsCallers { _ = backlog.append(slice([.info])) }
        giveUp(&backlog)
        for limit in [19_000, 5000, 22_000, 30_000] {
            backlog.setLimits(BacklogLimits(limit: .bytes(limit), policy: .block(upTo: .seconds(1))))
            for _ in 0..<100 { _ = backlog.append(slice([.info]), progress: 1, now: .seconds(9)) }
            #expect(!backlog.holdsCallers, "\(limit)")
        }
        backlog.setLimits(BacklogLimits(limit: .bytes(100_000), policy: .block(upTo: .seconds(1))))
        while !backlog.holdsCallers { _ = backlog.append(slice([.info]), progress: 1, now: .seconds(9)) }
        #expect(backlog.weight > 100_000)
    }

    @Test("After a fork only work is left, also where messages had been evicted between")
    func forgetsMessages() {
        var backlog = backlog(.dropOldest, 1500)
        for _ in 0..<20 {
            _ = backlog.append(slice([.info]))
            backlog.append {}
        }
        for _ in 0..<10 { _ = backlog.append(slice([.info])) }
        backlog.forgetMessages()
        #expect(!backlog.isEmpty)
        #expect(drain(&backlog) == [Int](repeating: 0, count: 20))
        #expect(backlog.isEmpty && backlog.weight == 0)
    }

    @Test("A logger that was given up holds callers again when its backlog has fallen to half")
    func givenUp() {
        var backlog = backlog(.block(upTo: .seconds(1)), 2000, allowance: 2000)
        while !backlog.holdsCallers { _ = backlog.append(slice([.info])) }
        #expect(backlog.weight > 2000)
        giveUp(&backlog)
        #expect(!backlog.holdsCallers)
        let before = backlog.dropped
        for _ in 0..<10 { _ = backlog.append(slice([.info]), progress: 1, now: .seconds(9)) }
        #expect(!backlog.holdsCallers)
        #expect(backlog.dropped == before + 10)
        while backlog.weight > 1000, case .records(let slice, _)? = backlog.next() {
            backlog.finish(weighing: slice.weight)
        }
        while !backlog.holdsCallers { _ = backlog.append(slice([.info])) }
        #expect(backlog.weight > 2000)
    }

    @Test(
        "A message larger than the whole limit is taken where nothing waits, under each policy",
        arguments: [
            OverflowPolicy.dropNewest, .dropOldest, .dropBelow(.warning), .block(upTo: .seconds(1)),
        ])
    func largerThanTheLimit(policy: OverflowPolicy) {
        var backlog = backlog(policy, 1000)
        let large = RecordSlice(batch([.error], textSize: 5000), levels: LogLevelMask.all.rawValue)
        _ = backlog.append(large)
        #expect(backlog.dropped == 0)
        _ = backlog.append(slice([.error]))
        #expect(drain(&backlog).filter { $0 > 0 } == [1])
        #expect(backlog.dropped == 1)
        #expect(backlog.weight == 0)
    }

    @Test("A message larger than the whole limit waits with others where callers wait for room")
    func largerThanTheLimitBesideOthers() {
        var backlog = backlog(.block(upTo: .seconds(1)), 1000, allowance: 1000)
        _ = backlog.append(slice([.info]))
        _ = backlog.append(RecordSlice(batch([.info], textSize: 5000), levels: LogLevelMask.all.rawValue))
        #expect(backlog.dropped == 0)
        #expect(backlog.holdsCallers)
        _ = backlog.append(RecordSlice(batch([.info], textSize: 5000), levels: LogLevelMask.all.rawValue))
        #expect(backlog.dropped == 1, "one at a time")
    }
}
