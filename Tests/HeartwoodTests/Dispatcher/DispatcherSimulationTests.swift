import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// A whole dispatcher on one thread, in simulated time: ring, drain, inboxes and runners are the real ones, but their queues
/// stand still, and the world does their work step by step, in an order that a seed decides.
private final class DispatcherWorld {
    /// What callers log under, and whether the loggers stop at times.
    enum Kind: Int {
        /// Policies that block callers, and loggers that always go on: nothing may be lost.
        case exact
        /// The same with loggers that stop: what is lost is counted, and no caller waits for one that stands still.
        case stopping
        /// All policies, changed at any time.
        case lossy
    }

    private final class Sink: AbstractLogger, @unchecked Sendable {  // used by one thread
        @Ordered var color = 0
        /// The numbers of the messages that it is to get, and the color of each.
        var expected: [(number: Int, color: Int)] = []
        var next = 0
        /// Messages announced as missing since the last one that came.
        var announced = 0
        var totalMissing = 0
        var totalAnnounced = 0
        var faults: [String] = []
        var checksPlaces = true
        /// Until when it does nothing.
        var stopsUntil = Duration.zero
        var worked = Duration.zero
        /// The backlog's weight when its limits were last seen to have changed.
        var inherited = 0
        var seenLimits = 0

        override func log(_ message: LogMessage) {
            if message.category == .heartwood {
                let count = message.text.split(separator: " ").compactMap { Int($0) }.first ?? 0
                (announced, totalAnnounced) = (announced + count, totalAnnounced + count)
                return
            }
            let before = next
            while next < expected.count, expected[next].number != message.context { next += 1 }
            guard next < expected.count else { return fault("\(message.context) came, which is not for it") }
            if expected[next].color != color { fault("\(message.context) came with color \(color)") }
            settle(missing: next - before)
            next += 1
        }

        func settle(missing: Int) {
            totalMissing += missing
            if checksPlaces, missing != announced { fault("\(missing) missing, \(announced) announced") }
            announced = 0
        }

        func fault(_ text: String) { if faults.count < 3 { faults.append(text) } }
    }

    private struct Producer {
        /// When it looks again; nil where it does not wait.
        var look: Duration?
        var began = Duration.zero
    }

    /// A tag that counts how many of its kind are alive.
    private final class Tag: MeasuredTag, Sendable {
        let alive: Locked<Int>
        let tagSize: ByteCount
        init(_ alive: Locked<Int>, _ size: Int) {
            (self.alive, tagSize) = (alive, .bytes(size))
            alive.withLock { $0 += 1 }
        }
        deinit { alive.withLock { $0 -= 1 } }
    }

    private static let ring = 64 * 1024
    private static let allowance = 2 * ring
    private static let largest = 8 * 1024
    private static let patience: [Duration] = [.milliseconds(100), .milliseconds(250), .seconds(1)]

    private let kind: Kind
    private let clock = ManualClock()
    private let dispatcher: LogDispatcher
    private var sinks: [Sink] = []
    private var producers: [Producer]
    private var generator: SeededGenerator
    /// How often, in a hundred steps, a logger works, and how often a message is large.
    private let pace: Int
    private let share: Int
    private var number = 0
    /// The bytes in the ring and beside it.
    private var pending = 0
    private let alive = Locked(0)
    private let site = CallSiteTable.id(file: "Simulation", function: "produce", line: 1)
    /// What went wrong, and in which step.
    private(set) var faults: [String] = []
    /// How often callers had to wait: a world in which nobody does shows little.
    private(set) var waits = 0
    /// How often a synchronous call handled its message itself.
    private(set) var takenAlone = 0

    init(_ kind: Kind, seed: UInt64) {
        self.kind = kind
        generator = SeededGenerator(seed: seed)
        pace = [1, 5, 18].randomElement(using: &generator) ?? 1
        share = [10, 100].randomElement(using: &generator) ?? 10
        dispatcher = .forTest(ring: .bytes(Self.ring), clock: clock)
        dispatcher.consumer.queue.suspend()
        producers = (0..<Int.random(in: 1...6, using: &generator)).map { _ in Producer() }
        for index in 0..<Int.random(in: 1...3, using: &generator) {
            let queue = DispatchQueue(label: "simulated")
            queue.suspend()
            let sink = Sink(name: "sink \(index)", queue: queue)
            sink.overflowPolicy = .block(upTo: .seconds(1))
            sink.setRunsOnCaller(true)
            dispatcher.add(sink)
            sink.node.inbox.setAllowance(Self.allowance)
            sinks.append(sink)
        }
        dispatcher.drainNow()
    }

    private func random(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    private func fault(_ text: String) {
        if faults.count < 3 { faults.append("\(number) messages: \(text)") }
    }

    // MARK: - Steps

    func run(_ steps: Int) {
        for _ in 0..<steps where faults.isEmpty {
            switch random(0...99) {
            case 0..<55: produce(random(0...producers.count - 1))
            case 55..<70: drain()
            case 70..<76: change(sinks[random(0...sinks.count - 1)])
            case 76..<78: if kind != .exact { stop(sinks[random(0...sinks.count - 1)]) }
            case 78..<82: settle()
            case let step: if step - 82 < pace { work(sinks[random(0...sinks.count - 1)]) }
            }
            clock.advance(by: .microseconds(random(0...4000)))
            // A logger that is not stopped takes a step in less than any patience.
            for sink in sinks where clock.uptime() - sink.worked > .milliseconds(60) { work(sink) }
            for index in producers.indices { look(index) }
            check()
        }
        finish()
    }

    private func produce(_ index: Int) {
        if producers[index].look != nil { return }
        if pending > Self.ring / 2 { drain() }
        number += 1
        let level: LogLevel = random(0...3) == 0 ? .error : .info
        let size = random(1...100) <= share ? random(0...Self.largest) : random(0...500)
        let text = LogText(String(repeating: "x", count: size))
        var call = Call(
            text: UnsafeRawBufferPointer(start: text.buffer.base, count: text.count), level: level.rawValue,
            category: nil, context: number, site: site)
        call.flags.insert(.wallTime)
        if random(0...9) == 0 {
            let box = dispatcher.retainedBox(Tag(alive, random(0...Self.largest)))
            if !box._withUnsafeGuaranteedRef(dispatcher.room.claim(for:)) { fault("no room for a tag") }
            pending += Self.largest
            call.tag = box
            call.flags.insert(.tag)
        }
        pending += call.size
        dispatcher.intake.pointee.write(&call, wakes: true)
        text.recycle()
        for sink in sinks where sink.levels.rawValue & level.rawValue != 0 {
            sink.expected.append((number, sink.color))
        }
        // A synchronous call, which handles its message itself where nothing else is to be done.
        if random(0...3) == 0, sinks.allSatisfy({ $0.stopsUntil <= clock.uptime() }) {
            let isAlone = dispatcher.consumer.handleAlone()
            if isAlone {
                takenAlone += 1
                pending = 0
                if let sink = sinks.first, sink.expected.count != sink.next {
                    fault("it was not alone: \(sink.next) of \(sink.expected.count)")
                }
            }
        }
        if dispatcher.backpressure.isHeld {
            waits += 1
            producers[index] = Producer(look: clock.uptime(), began: clock.uptime())
        }
    }

    private func drain() {
        dispatcher.drainNow()
        pending = 0
    }

    /// Has the logger work off one entry.
    private func work(_ sink: Sink) {
        if sink.stopsUntil > clock.uptime() { return }
        sink.worked = clock.uptime()
        sink.node.runner.run(until: InboxMark(), .now())
    }

    /// A pause in which the loggers that are not stopped become idle.
    private func settle() {
        drain()
        for sink in sinks where sink.stopsUntil <= clock.uptime() {
            while !sink.node.inbox.backlog.isEmpty { work(sink) }
        }
    }

    private func stop(_ sink: Sink) { sink.stopsUntil = clock.uptime() + .milliseconds(random(1...4000)) }

    private func change(_ sink: Sink) {
        switch random(0...9) {
        case 0...4:
            sink.backlogLimit = .bytes([0, 1, 4096, 32_768, 131_072, 524_288, 2_097_152][random(0...6)])
        case 5, 6:
            let blocking = OverflowPolicy.block(upTo: Self.patience[random(0...2)])
            let policies = [blocking, .dropNewest, .dropOldest, .dropBelow(.warning)]
            sink.overflowPolicy = kind == .lossy ? policies[random(0...3)] : blocking
            if case .dropBelow = sink.overflowPolicy { sink.checksPlaces = false }
        case 7: sink.color += 1
        case 8: sink.levels = random(0...1) == 0 ? .all : .error
        default: dispatcher.unmeasuredTagSize = .kibibytes(random(1...64))
        }
    }

    /// A caller that waits looks, as `Backpressure.wait` does.
    private func look(_ index: Int) {
        guard let time = producers[index].look, time <= clock.uptime() else { return }
        let now = clock.uptime()
        let holders = sinks.filter { $0.node.inbox.backlog.holdsCallers }
        let pause = holders.compactMap { $0.node.inbox.look(at: now, for: dispatcher.backpressure) }.min()
        if dispatcher.backpressure.isHeld, let pause {
            producers[index].look = now + pause
            // The patience of a logger that stands still, and the look before that which still saw it move.
            let moved = holders.map { max($0.worked, producers[index].began) }.max() ?? now
            if now - moved > .milliseconds(2500) { fault("a caller waits for a logger that stands still") }
        } else {
            producers[index].look = nil
        }
    }

    // MARK: - Invariants

    private func check() {
        var holders = 0
        for sink in sinks {
            for text in sink.faults { fault("\(sink.name): \(text)") }
            let backlog = sink.node.inbox.backlog
            if backlog.holdsCallers { holders += 1 }
            if backlog.limits.number != sink.seenLimits {
                (sink.seenLimits, sink.inherited) = (backlog.limits.number, backlog.weight)
            }
            let limit = max(backlog.limits.bytes, sink.inherited)
            var most = limit + 3 * Self.largest
            if case .block = backlog.limits.policy {
                most += Self.allowance
                if kind == .exact, backlog.weight > backlog.limits.bytes, !backlog.holdsCallers {
                    fault("\(sink.name) is full and holds nobody")
                }
            } else if backlog.holdsCallers {
                fault("\(sink.name) holds callers, though its policy drops")
            }
            if backlog.weight > most { fault("\(sink.name) holds \(backlog.weight) bytes of \(limit)") }
            if kind == .exact, backlog.dropped > 0 { fault("\(sink.name) dropped \(backlog.dropped)") }
        }
        if dispatcher.backpressure.holders != holders { fault("\(holders) hold callers, not all are known") }
    }

    /// Works everything off: what was logged came, or was announced as missing.
    private func finish() {
        for sink in sinks { sink.stopsUntil = .zero }
        settle()
        for sink in sinks {
            // Once more for what it has yet to say of lost messages.
            work(sink)
            sink.settle(missing: sink.expected.count - sink.next)
            let figures = sink.statistics
            if figures.received != sink.expected.count {
                fault("\(figures.received) of \(sink.expected.count)")
            }
            if !figures.isBalanced { fault("not balanced: \(figures)") }
            if sink.totalMissing != figures.dropped || sink.totalAnnounced != figures.dropped {
                fault(
                    "\(sink.totalMissing) missing, \(sink.totalAnnounced) announced, \(figures.dropped) dropped"
                )
            }
            if sink.node.inbox.backlog.weight != 0 { fault("\(sink.name) still weighs something") }
        }
        check()
        if dispatcher.backpressure.isHeld { fault("callers are still held") }
        if alive.withLock({ $0 }) != 0 { fault("tags are still alive") }
        dispatcher.consumer.queue.resume()
        for sink in sinks { sink.queue.resume() }
        dispatcher.removeAll()
    }
}

@Suite("A dispatcher under changing settings, simulated", .inTurn)
struct DispatcherSimulationTests {
    /// `HEARTWOOD_WORLDS` sets how many worlds there are, and `HEARTWOOD_SEED` selects one.
    private static let seeds: Range<UInt64> = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["HEARTWOOD_SEED"].flatMap(UInt64.init) { return seed..<seed + 1 }
        return 0..<(environment["HEARTWOOD_WORLDS"].flatMap(UInt64.init) ?? 30)
    }()

    @Test(
        "Promises 2 and 4: settings change in any order under load; nothing is lost uncounted, and nobody waits for a stuck logger"
    )
    func settings() {
        var (waits, takenAlone) = (0, 0)
        for seed in Self.seeds {
            let kind = DispatcherWorld.Kind(rawValue: Int(seed % 3)) ?? .exact
            let world = DispatcherWorld(kind, seed: seed)
            world.run(1000)
            waits += world.waits
            takenAlone += world.takenAlone
            #expect(world.faults == [], "seed \(seed), \(kind)")
        }
        if Self.seeds.count > 3 { #expect(waits > 50 && takenAlone > 10) }
    }
}
