#if os(Linux)
import CoreFixtures
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("The thread of all timers", .inTurn)
struct TimerThreadTests {
    /// One for each test: its thread does not end.
    private let timers = TimerThread()
    private let calls = Box<[Int]>([])
    private let done = DispatchSemaphore(value: 0)

    private func schedule(_ number: Int, after delay: Duration = .zero) -> UInt64 {
        timers.schedule(after: delay) { [calls] in calls.update { $0.append(number) } }
    }

    /// Waits until all that is due has been called.
    private func finish() {
        _ = timers.schedule(after: .zero) { [done] in done.signal() }
        done.wait()
    }

    /// Has the thread wait for a gate, and returns when it does.
    private func hold() -> Gate {
        let gate = Gate()
        _ = timers.schedule(after: .zero) { gate.pass() }
        gate.waitForArrival()
        return gate
    }

    @Test("Many timers of many threads are called once each, none early, in the order in which they are due")
    func manyThreads() {
        let count = 200
        let found = Box<[Int: (earliest: Duration, latest: Duration)]>([:])
        let called = Box<[(number: Int, time: Duration)]>([])
        onThreads(4) { [timers, done] thread in
            var generator = SeededGenerator(seed: UInt64(thread))
            for number in thread * count..<(thread + 1) * count {
                let delay = Duration.microseconds(Int.random(in: 0...20_000, using: &generator))
                let before = SystemClock().uptime()
                _ = timers.schedule(after: delay) {
                    called.update { $0.append((number, SystemClock().uptime())) }
                    done.signal()
                }
                let after = SystemClock().uptime()
                found.update { $0[number] = (before + delay, after + delay) }
            }
        }
        for _ in 0..<4 * count { done.wait() }
        finish()
        let (calls, due) = (called.value, found.value)
        #expect(calls.map(\.number).sorted() == Array(0..<4 * count))
        #expect(calls.allSatisfy { $0.time >= due[$0.number]!.earliest })
        for (one, next) in zip(calls, calls.dropFirst()) {
            #expect(due[one.number]!.earliest <= due[next.number]!.latest)
        }
    }

    @Test("What is due already is called in the order in which it was scheduled")
    func order() {
        let gate = hold()
        for number in 0..<100 { _ = schedule(number, after: .seconds(-1)) }
        gate.open()
        finish()
        #expect(calls.value == Array(0..<100))
    }

    @Test("A timer that becomes the first wakes the thread")
    func first() throws {
        var later: [UInt64] = []
        for hours in [2, 1] {
            let place = Box("")
            later.append(schedule(hours, after: .seconds(3600 * hours)))
            _ = timers.schedule(after: .milliseconds(1)) {
                let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/thread-self")
                place.value = link ?? ""
            }
            finish()
            waitUntil("the timer has been called") { !place.value.isEmpty }
            try waitUntil("the thread waits") {
                try String(contentsOfFile: "/proc/\(place.value)/stat", encoding: .utf8).contains(") S ")
            }
        }
        finish()
        #expect(calls.value.isEmpty)
        for number in later { timers.cancel(number) }
    }

    @Test("A canceled timer is not called, also when it is due and another one is being called")
    func cancel() {
        let gates = [hold(), Gate()]
        let early = schedule(1)
        _ = timers.schedule(after: .zero) { gates[1].pass() }
        let late = schedule(2)
        _ = schedule(3)
        timers.cancel(early)
        gates[0].open()
        gates[1].waitForArrival()
        timers.cancel(late)
        gates[1].open()
        finish()
        #expect(calls.value == [3])
    }

    @Test("What is canceled on its own queue is not called, also when it waits for that queue")
    func cancelOnQueue() {
        let (queue, calls) = (DispatchQueue(label: "heartwood.tests.timer"), Locked(0))
        queue.sync {
            let timer = SystemClock().schedule(after: .milliseconds(1), on: queue) {
                calls.withLock { $0 += 1 }
            }
            _ = Semaphore().wait(upTo: .milliseconds(50))
            timer.cancel()
        }
        let done = Semaphore()
        let last = SystemClock().schedule(after: .milliseconds(50), on: queue) { done.signal() }
        #expect(done.wait(upTo: .seconds(30)))
        last.cancel()
        #expect(calls.withLock { $0 } == 0)
    }

    @Test("To cancel what has been called, or never was, changes nothing")
    func cancelAfterward() {
        let called = schedule(1)
        finish()
        let gate = hold()
        let next = schedule(2)
        #expect(next != called)
        for number in [called, called, 0, .max] { timers.cancel(number) }
        gate.open()
        finish()
        #expect(calls.value == [1, 2])
    }

    @Test("What is called may schedule, and cancel")
    func chain() {
        let never = schedule(-1, after: .seconds(3600))
        @Sendable func go(_ number: Int) {
            _ = timers.schedule(after: .microseconds(number % 3)) { [calls, done, timers] in
                calls.update { $0.append(number) }
                timers.cancel(never)
                if number < 100 { go(number + 1) } else { done.signal() }
            }
        }
        go(0)
        done.wait()
        #expect(calls.value == Array(0...100))
    }

    /// Schedules, and cancels, when it ends.
    private final class Last: Sendable {
        let (timers, work): (TimerThread, @Sendable () -> Void)
        init(_ timers: TimerThread, _ work: @escaping @Sendable () -> Void) {
            (self.timers, self.work) = (timers, work)
        }
        deinit { timers.cancel(timers.schedule(after: .seconds(3600), work)) }
    }

    @Test("What a closure holds ends with the call, or when it is canceled, and may schedule then")
    func ends() {
        for isCanceled in [true, false] {
            let gate = hold()
            weak var held: Last?
            let number = {
                let last = Last(timers) {}
                held = last
                return timers.schedule(after: .zero) { withExtendedLifetime(last) {} }
            }()
            #expect(held != nil)
            if isCanceled { timers.cancel(number) }
            #expect((held == nil) == isCanceled)
            gate.open()
            finish()
            waitUntil("the closure has ended") { held == nil }
        }
    }

    @Test("Where the system has no thread, callers call what is due, and ask again after a second")
    func refused() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let timers = TimerThread()
            let calls = Box<[pthread_t]>([])
            ProcessThreads.forbid()
            _ = timers.schedule(after: .zero) { calls.update { $0.append(pthread_self()) } }
            _ = timers.schedule(after: .seconds(3600)) { _exit(1) }
            if timers.start() { _exit(2) }
            for _ in 0..<2 { timers.callDue() }
            if calls.value != [pthread_self()] { _exit(3) }
            let refused = SystemClock().uptime()
            ProcessThreads.forbid(false)
            waitUntil { timers.start() }
            if SystemClock().uptime() - refused < .milliseconds(500) { _exit(4) }
            _ = timers.schedule(after: .zero) { calls.update { $0.append(pthread_self()) } }
            waitUntil { calls.value.count == 2 }
            _exit(calls.value[1] == pthread_self() ? 5 : 7)
        }
    }
}
#endif
