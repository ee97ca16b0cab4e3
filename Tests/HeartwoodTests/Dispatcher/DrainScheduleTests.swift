import SuiteSupport
import Testing

@testable import Heartwood

/// When the drain sleeps: all orders of the steps of callers that wait for room, a logger that makes it, and the drain.
///
/// The ring is in a journal and all of it is handed out; room is made when the logger has written, and the drain has looked.
/// Where the system has no thread for the drain at first, its block waits, and those who log deliver what there is.
@Suite("The drain's sleep", .inTurn) struct DrainScheduleTests {
    /// What a program with a mistake does.
    enum Fault: CaseIterable {
        case looksBeforeItWaits, sleepsWhateverWasAsked, loggerDoesNotWake, loggerOnlySignals,
            looksEndSilently
        case wakesWhenItPauses
        case leaverDoesNotWake, leavesBeforeItPasses, sleepsWhateverWasLeft, schedulesOnce
        case callersOnlyDrain, losesBlockWithoutThread
    }

    private struct World: Hashable {
        enum Caller: Hashable { case full, registered, looking, waiting, woken, done }
        enum Logger: Hashable { case writing, written, waking, done }
        enum Block: Hashable {
            case none, start, begin, look(asked: Int), wake(asked: Int), pause(asked: Int), lingering
            case saidAsleep(asked: Int)
        }

        /// A synchronous call: it passes a message to two loggers, says so, wakes the drain, and is held up by the
        /// first one.
        enum Leaver: Hashable { case drained, passed, counted, heldUp }

        var callers: [Caller]
        var leaver = Leaver.drained
        var left = 0
        /// Of `left`, what the block has seen, and scheduled loggers for.
        var seen = 0
        var scheduled = 0
        /// Whether the second logger has the message, and whether its queue is scheduled.
        var hasEntry = false
        var runs = false
        var logger = Logger.writing
        var block = Block.none
        var schedule = RingConsumer.asleep
        /// How many looks without success are left before the drain sleeps.
        var patience = 1
        var signals = 0
        var asked = 0
        var hasRoom = false
        /// Whether the system has a thread to give for the drain; it may have one later.
        var hasThread = true
        var losesBlock = false

        /// Wakes those who wait; where there is no room, they begin to wait again.
        mutating func wakeCallers() {
            if hasRoom {
                for index in callers.indices where callers[index] == .waiting { callers[index] = .woken }
            }
        }

        mutating func wake(unlessRunning: Bool) {
            switch schedule {
            case RingConsumer.asleep:
                (schedule, block) = (RingConsumer.running, losesBlock && !hasThread ? .none : .start)
            case RingConsumer.running where unlessRunning: break
            default: signals = 1
            }
        }
    }

    /// What each of them can do next.
    private func steps(_ world: World, _ fault: Fault?) -> [World] {
        var results: [World] = []
        func step(_ change: (inout World) -> Void) {
            var next = world
            change(&next)
            results.append(next)
        }
        for (index, caller) in world.callers.enumerated() {
            switch caller {
            case .full:
                step {
                    if fault == .looksBeforeItWaits { $0.wake(unlessRunning: true) }
                    $0.callers[index] = .registered
                }
            case .registered:
                step {
                    $0.asked += 1
                    $0.callers[index] = .looking
                }
            case .looking:
                step {
                    if fault != .looksBeforeItWaits { $0.wake(unlessRunning: true) }
                    $0.callers[index] = $0.hasRoom ? .done : .waiting
                }
            case .woken: step { $0.callers[index] = .done }
            // It waits for a moment only, and then looks again; with a thread, that must not be needed.
            case .waiting where !world.hasThread && world.hasRoom: step { $0.callers[index] = .woken }
            case .waiting, .done: break
            }
        }
        switch world.leaver {
        case .drained:
            step {
                if fault == .leavesBeforeItPasses { $0.left += 1 } else { $0.hasEntry = true }
                $0.leaver = .passed
            }
        case .passed:
            step {
                if fault == .leavesBeforeItPasses { $0.hasEntry = true } else { $0.left += 1 }
                $0.leaver = .counted
            }
        case .counted:
            step {
                if $0.schedule == RingConsumer.asleep, fault != .leaverDoesNotWake {
                    $0.wake(unlessRunning: true)
                }
                $0.leaver = .heldUp
            }
        case .heldUp: break
        }
        switch world.logger {
        case .writing: step { $0.logger = .written }
        case .written:
            step {
                let isAwaited = $0.callers.contains { $0 == .looking || $0 == .waiting }
                if isAwaited, fault != .loggerOnlySignals { $0.asked += 1 }
                $0.logger = isAwaited && fault != .loggerDoesNotWake ? .waking : .done
            }
        case .waking:
            step {
                $0.wake(unlessRunning: false)
                $0.logger = .done
            }
        case .done: break
        }
        // Another call, which does what the drain would do: `deliverHere`.
        if !world.hasThread {
            step {
                if $0.logger != .writing { $0.hasRoom = true }
                if $0.hasEntry, fault != .callersOnlyDrain { $0.runs = true }
            }
        }
        switch world.block {
        case .none: break
        case .start where !world.hasThread: break
        case .start:
            step {
                $0.scheduled = fault == .schedulesOnce ? $0.left : $0.left - 1
                $0.seen = $0.scheduled
                $0.block = .begin
            }
        case .begin:
            step {
                $0.schedule = RingConsumer.running
                if $0.seen != $0.scheduled, $0.hasEntry { $0.runs = true }
                ($0.scheduled, $0.seen) = ($0.seen, $0.left)
                $0.block = .look(asked: $0.asked)
            }
        case .look(let asked):
            step {
                if $0.logger != .writing { $0.hasRoom = true }
                $0.block = .wake(asked: asked)
            }
        case .wake(let asked):
            // Less than half of a ring was freed: only the end of the look wakes who waits for it.
            step {
                if fault != .looksEndSilently, fault != .wakesWhenItPauses { $0.wakeCallers() }
                $0.block = .pause(asked: asked)
            }
        case .pause(let asked):
            step {
                if $0.patience == 0 {
                    $0.schedule = RingConsumer.asleep
                    $0.block = .saidAsleep(asked: asked)
                } else {
                    $0.patience -= 1
                    if fault == .wakesWhenItPauses { $0.wakeCallers() }
                    $0.schedule = RingConsumer.lingering
                    $0.block = .lingering
                }
            }
        case .lingering:
            step {
                $0.signals = 0
                $0.block = .begin
            }
        case .saidAsleep(let asked):
            step {
                let isAsked = $0.asked != asked && fault != .sleepsWhateverWasAsked
                let isLeft = $0.left != $0.scheduled && fault != .sleepsWhateverWasLeft
                if !isAsked, !isLeft { return $0.block = .none }
                $0.schedule = RingConsumer.running
                $0.patience = 1
                $0.block = .begin
            }
        }
        return results.filter { $0 != world }
    }

    /// Tries all orders of the steps.
    ///
    /// Returns a final state in which a caller waits for room that no one makes, or a logger waits for a call
    /// that does not continue. Returns nil if no order leads to such a state.
    private func stuck(callers: Int, hasThread: Bool = true, _ fault: Fault?) -> (end: World?, count: Int) {
        var first = World(callers: Array(repeating: .full, count: callers))
        first.hasThread = hasThread
        first.losesBlock = fault == .losesBlockWithoutThread
        var (seen, due): (Set<World>, [World]) = ([first], [first])
        while let world = due.popLast() {
            var next = steps(world, fault)
            if next.isEmpty, world.callers.contains(.waiting) || !world.runs { return (world, seen.count) }
            if !world.hasThread {
                // The system has one now; it need not.
                next.append(world)
                next[next.count - 1].hasThread = true
            }
            for world in next where seen.insert(world).inserted { due.append(world) }
        }
        return (nil, seen.count)
    }

    @Test("Whoever waits for room is seen by the logger that makes it, or by the drain", arguments: 1...3)
    func noneWaitsForEver(callers: Int) {
        for hasThread in callers < 3 ? [true, false] : [true] {
            let (end, count) = stuck(callers: callers, hasThread: hasThread, nil)
            #expect(end == nil)
            #expect(count > 50)
        }
    }

    @Test("The model finds each mistake", arguments: Fault.allCases)
    func faults(fault: Fault) {
        let isAboutThreads = fault == .callersOnlyDrain || fault == .losesBlockWithoutThread
        #expect(stuck(callers: 2, hasThread: !isAboutThreads, fault).end != nil)
    }
}
