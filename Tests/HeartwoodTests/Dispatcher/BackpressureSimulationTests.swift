import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Producers, a ring, a drain and a sink in simulated time: what the backlog decides, in hundreds of worlds.
private struct BackpressureWorld {
    struct Producer {
        /// When a caller that waits looks next; nil where it does not wait.
        var look: Int?
        var waited = 0
        var longest = 0
        var began = 0
    }

    static let patience = 250_000
    /// The most that a stop may cost a caller: its time, one look before that which still saw progress, and the steps of a
    /// millisecond that the world takes.
    static let most = patience + patience / 8 + 2_000
    static let limit = 64 * 1024
    static let ring = 16 * 1024
    static let record = 96

    var backlog = Backlog()
    /// In microseconds.
    var now = 0
    var producers: [Producer]
    var pending = 0
    var written = 0
    var delivered = 0
    var announced = 0
    var progress = 0
    private var slice: (weight: Int, rest: Int)?
    /// The time that the sink still needs for the message at hand.
    private var busy = 0
    private var batches: [Int: RecordBatch] = [:]

    init(producers count: Int) {
        producers = (0..<count).map { _ in Producer() }
        backlog.setLimits(
            BacklogLimits(limit: .bytes(Self.limit), policy: .block(upTo: .microseconds(Self.patience))))
        backlog.allowance = 2 * Self.ring
    }

    /// A millisecond of the world; `cost` says how long the sink needs for its next message.
    mutating func step(burst: Int, cost: () -> Int) {
        for index in producers.indices { produce(index, burst) }
        drain()
        for index in producers.indices { look(index) }
        work(1000, cost)
        now += 1000
    }

    private mutating func produce(_ index: Int, _ burst: Int) {
        for _ in 0..<burst where producers[index].look == nil {
            if (pending + 1) * Self.record > Self.ring { drain() }
            pending += 1
            written += 1
            if backlog.holdsCallers { (producers[index].look, producers[index].began) = (now, now) }
        }
    }

    private mutating func drain() {
        if pending == 0 { return }
        let slice = RecordSlice(batch(of: pending), levels: LogLevelMask.all.rawValue)
        _ = backlog.append(slice, progress: progress, now: .microseconds(now))
        pending = 0
        #expect(backlog.weight <= Self.limit + 2 * Self.ring)
    }

    private mutating func look(_ index: Int) {
        guard let time = producers[index].look else { return }
        if backlog.holdsCallers {
            if time > now { return }
            if case .wait(let pause) = backlog.look(progress: progress, at: .microseconds(now)) {
                producers[index].look = now + max(1, Int(pause / .microseconds(1)))
                return
            }
        }
        let waited = now - producers[index].began
        producers[index].waited += waited
        producers[index].longest = max(producers[index].longest, waited)
        producers[index].look = nil
    }

    mutating func work(_ time: Int, _ cost: () -> Int) {
        var time = time
        while time > 0 {
            guard let (weight, rest) = slice else {
                guard let entry = backlog.next() else { return }
                switch entry {
                case .gap(let gap): announced += gap.count
                case .work: break
                case .records(let slice, let lost):
                    announced += lost.count
                    self.slice = (slice.weight, slice.count)
                    busy = cost()
                }
                continue
            }
            let done = min(time, busy)
            (time, busy) = (time - done, busy - done)
            if busy > 0 { return }
            progress += 1
            delivered += 1
            if rest > 1 {
                slice = (weight, rest - 1)
                busy = cost()
            } else {
                slice = nil
                backlog.finish(weighing: weight)
            }
        }
    }

    /// The sink is done with the message that it has stopped at.
    mutating func goOn() { busy = 0 }

    /// A batch of so many records, made once.
    private mutating func batch(of count: Int) -> RecordBatch {
        if let known = batches[count] { return known }
        let batch = RecordBatch(capacity: Self.record * count)
        memset(batch.base, 0, Self.record * count)
        for index in 0..<count {
            batch.size += Self.record
            batch.add(at: index * Self.record, size: Self.record, sequence: 0)
        }
        batches[count] = batch
        return batch
    }

    /// Works everything off: what was written is delivered or announced as missing.
    mutating func finish() {
        drain()
        while !backlog.isEmpty || slice != nil { work(1_000_000) { 1 } }
        #expect(delivered + backlog.dropped == written)
        #expect(announced == backlog.dropped)
        #expect(backlog.weight == 0)
    }
}

@Suite("Producers and a sink, simulated", .inTurn)
struct BackpressureSimulationTests {
    private static let worlds = !Tier.isLong ? 15 : 20_000

    @Test("Promise 4: a sink that makes progress, however slowly, loses nothing, and memory stays bounded")
    func steady() {
        for seed in 0..<Self.worlds {
            var generator = SeededGenerator(seed: UInt64(seed))
            var world = BackpressureWorld(producers: Int.random(in: 1...8, using: &generator))
            let pace = [1, 5, 20, 100, 1000, 10_000, 60_000, 200_000].randomElement(using: &generator) ?? 1
            let burst = Int.random(in: 1...100, using: &generator)
            for _ in 0..<2000 {
                world.step(burst: burst) {
                    // A pause now and then, as for a disk: shorter than the patience.
                    Int.random(in: 0..<200, using: &generator) == 0
                        ? Int.random(in: 0...200_000, using: &generator) : pace
                }
            }
            #expect(world.backlog.dropped == 0, "seed \(seed), \(pace) µs a message")
            world.finish()
        }
    }

    @Test(
        "Promise 4: a sink that stops costs each caller its patience once, and is waited for again when it goes on"
    )
    func stops() {
        for seed in 0..<Self.worlds {
            var generator = SeededGenerator(seed: UInt64(seed))
            var world = BackpressureWorld(producers: Int.random(in: 1...8, using: &generator))
            let pace = [1, 20, 100].randomElement(using: &generator) ?? 1
            let burst = Int.random(in: 20...100, using: &generator)
            for _ in 0..<200 { world.step(burst: burst) { pace } }
            #expect(world.backlog.dropped == 0)
            let before = world.producers.map(\.waited)
            for _ in 0..<3000 { world.step(burst: burst) { 1_000_000_000 } }
            for (producer, before) in zip(world.producers, before) {
                #expect(producer.look == nil, "seed \(seed)")
                #expect(producer.waited - before <= BackpressureWorld.most, "seed \(seed)")
            }
            #expect(world.backlog.dropped > 0)
            // The message at hand is done with, and the sink works again: a few steps later nothing is lost.
            world.work(1_000_000_000) { pace }
            for _ in 0..<20 { world.step(burst: burst) { pace } }
            let dropped = world.backlog.dropped
            for _ in 0..<2000 { world.step(burst: burst) { pace } }
            #expect(world.backlog.dropped == dropped, "seed \(seed)")
            world.finish()
        }
    }

    @Test(
        "Promise 4: a sink that stopped once and is slow from then on loses nothing more, though it stays full"
    )
    func slowAfterStop() {
        var world = BackpressureWorld(producers: 4)
        for _ in 0..<3000 { world.step(burst: 20) { 1_000_000_000 } }
        #expect(world.backlog.dropped > 0)
        // A message in 2 ms: the backlog never falls to half, where callers would be held again in any case.
        world.goOn()
        for _ in 0..<50 { world.step(burst: 20) { 2000 } }
        let dropped = world.backlog.dropped
        for _ in 0..<2000 {
            world.step(burst: 20) { 2000 }
            #expect(world.backlog.weight > BackpressureWorld.limit / 2)
        }
        #expect(world.backlog.dropped == dropped)
        world.finish()
    }

    @Test(
        "Promise 4: a sink that limps, a message in a second, costs a caller its patience once and not each second"
    )
    func limps() {
        var world = BackpressureWorld(producers: 4)
        for _ in 0..<60_000 { world.step(burst: 5) { 1_000_000 } }
        for producer in world.producers {
            #expect(producer.waited <= BackpressureWorld.most)
        }
        world.finish()
    }
}
