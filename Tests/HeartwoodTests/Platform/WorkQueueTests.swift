import CoreFixtures
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Synchronization
import Testing

@testable import Heartwood

/// The label of the queue that the calling thread is in.
@_silgen_name("dispatch_queue_get_label") private func queueLabel(_ queue: UnsafeRawPointer?)
    -> UnsafePointer<CChar>

@Suite("Serial queues with threads of their own", .inTurn)
struct WorkQueueTests {
    /// What blocks have done, in their order.
    private let calls = Box<[Int]>([])

    /// Waits until what was appended so far has been called.
    private func finish(_ queue: WorkQueue) {
        let done = DispatchSemaphore(value: 0)
        queue.enqueue { done.signal() }
        done.wait()
    }

    @Test("Blocks of several threads are called one after another, those of each thread in its order")
    func order() {
        let queue = WorkQueue("test")
        let inside = Box(false)
        let overlaps = Counter()
        onThreads(4) { [calls] thread in
            for number in 0..<500 {
                queue.enqueue {
                    if inside.value { overlaps.increase() }
                    inside.value = true
                    calls.update { $0.append(thread * 1000 + number) }
                    inside.value = false
                }
            }
        }
        finish(queue)
        #expect(overlaps.value == 0)
        for thread in 0..<4 {
            #expect(calls.value.filter { $0 / 1000 == thread } == (0..<500).map { thread * 1000 + $0 })
        }
    }

    @Test("A block is in its queue, whose label it has; whether a thread is, is known once one stays")
    func place() {
        let queue = WorkQueue("heartwood.test.place")
        let (label, seen) = (Box(""), Box<[Bool]>([]))
        queue.enqueue {
            dispatchPrecondition(condition: .onQueue(queue.queue))
            label.value = String(cString: queueLabel(nil))
        }
        finish(queue)
        #expect(label.value == "heartwood.test.place")
        #expect(queue.keepThread() && queue.keepThread())
        #expect(!queue.isCurrent && !queue.lacksThread)
        queue.enqueue { seen.update { $0.append(queue.isCurrent) } }
        finish(queue)
        queue.sync { seen.update { $0.append(queue.isCurrent) } }
        queue.queue.sync { seen.update { $0.append(queue.isCurrent) } }
        WorkQueue("another").sync { seen.update { $0.append(queue.isCurrent) } }
        #expect(seen.value == [true, true, true, false])
    }

    @Test("A block may append to its own queue, and to another one")
    func appends() {
        let queues = [WorkQueue("one"), WorkQueue("two")]
        let done = DispatchSemaphore(value: 0)
        @Sendable func append(_ number: Int) {
            queues[number / 2 % 2].enqueue { [calls] in
                calls.update { $0.append(number) }
                if number < 200 { append(number + 1) } else { done.signal() }
            }
        }
        append(0)
        done.wait()
        #expect(calls.value == Array(0...200))
    }

    @Test("What waits when the owner is released is called, and then released", arguments: [false, true])
    func release(isKept: Bool) throws {
        let gate = Gate()
        let done = DispatchSemaphore(value: 0)
        var queue: WorkQueue? = WorkQueue("test")
        weak let released = queue
        if isKept { #expect(queue?.keepThread() == true) }
        var token: Gate? = Gate()
        weak let held = token
        queue?.enqueue { [token] in
            gate.pass()
            token?.open()
        }
        token = nil
        for number in 0..<100 { queue?.enqueue { [calls] in calls.update { $0.append(number) } } }
        queue?.enqueue { done.signal() }
        gate.waitForArrival()
        queue = nil
        #expect(released == nil && held != nil && calls.value.isEmpty)
        gate.open()
        done.wait()
        #expect(calls.value == Array(0..<100))
        waitUntil("what a block held is released") { held == nil }
    }

    @Test("A given queue that is suspended, or busy, delays what is called on it, and nothing else")
    func delays() {
        let (suspended, busy) = (DispatchQueue(label: "suspended"), DispatchQueue(label: "busy"))
        let gate = Gate()
        let done = DispatchSemaphore(value: 0)
        suspended.suspend()
        let thread = Thread { busy.sync { gate.pass() } }
        thread.start()
        gate.waitForArrival()
        let queues = [suspended, busy].map { WorkQueue($0) }
        for (index, queue) in queues.enumerated() {
            queue.enqueue { [calls] in
                calls.update { $0.append(index) }
                done.signal()
            }
        }
        finish(WorkQueue("free"))
        #expect(calls.value.isEmpty)
        gate.open()
        done.wait()
        #expect(calls.value == [1])
        suspended.resume()
        done.wait()
        #expect(calls.value == [1, 0])
    }

    @Test("Queues on one given queue, or with one target, exclude each other", arguments: [false, true])
    func exclusion(isTarget: Bool) {
        let given = DispatchQueue(label: "given")
        let queues = (0..<3).map { index in
            WorkQueue(isTarget ? DispatchQueue(label: "\(index)", target: given) : given)
        }
        let inside = Atomic<Bool>(false)
        let overlaps = Counter()
        onThreads(3) { thread in
            for _ in 0..<300 {
                queues[thread].enqueue {
                    dispatchPrecondition(condition: .onQueue(given))
                    if inside.exchange(true, ordering: .sequentiallyConsistent) { overlaps.increase() }
                    sched_yield()
                    inside.store(false, ordering: .sequentiallyConsistent)
                }
            }
        }
        for queue in queues { finish(queue) }
        #expect(overlaps.value == 0)
    }

    @Test("On a concurrent queue blocks begin in their order as well")
    func concurrent() {
        let queue = WorkQueue(DispatchQueue(label: "concurrent", attributes: .concurrent))
        for number in 0..<1000 { queue.enqueue { [calls] in calls.update { $0.append(number) } } }
        finish(queue)
        #expect(calls.value == Array(0..<1000))
    }

    #if os(Linux)
    @Test("The threads of released queues end, and leave no memory", .heavy)
    func threadsEnd() async {
        await #expect(processExitsWith: .exitCode(7)) {
            @Sendable func use(_ count: Int) {
                for number in 0..<count {
                    let queue = WorkQueue("test")
                    if number % 2 == 0, !queue.keepThread() { _exit(1) }
                    let done = DispatchSemaphore(value: 0)
                    queue.enqueue { done.signal() }
                    done.wait()
                }
            }
            // libdispatch frees the marks of queues on threads of its own, which stay for some seconds.
            let most = ProcessThreads.count + ProcessInfo.processInfo.activeProcessorCount
            // The allocator keeps what the first threads have freed.
            func measure(_ count: Int) -> Int {
                use(count)
                waitUntil { ProcessThreads.count <= most }
                return residentBytes()
            }
            let bytes = measure(5000)
            let more = measure(5000) - bytes
            if !Load.isSanitized, more > 1 << 20 { _exit(3) }
            _exit(7)
        }
    }

    @Test("Where the system has no thread, nobody waits, `sync` calls what waits, and a thread comes later")
    func refused() async {
        await #expect(processExitsWith: .exitCode(7)) {
            // Its threads are asked for by a timer, which has its own since a logger was added.
            let dispatcher = LogDispatcher(ringCapacity: .kibibytes(64))
            dispatcher.add(MemoryLogger())
            let calls = Box<[Int]>([])
            let (queue, kept) = (WorkQueue("test"), WorkQueue("kept"))
            ProcessThreads.forbid()
            for number in 0..<10 { queue.enqueue { calls.update { $0.append(number) } } }
            if !queue.lacksThread || kept.keepThread() || kept.keepThread() || !kept.lacksThread { _exit(2) }
            if !calls.value.isEmpty { _exit(3) }
            // One timer asks for its thread, however often that was refused.
            let timers = { TimerThread.shared.schedule(after: .seconds(3600)) {} }
            let before = timers()
            for _ in 0..<100 where kept.keepThread() { _exit(2) }
            if timers() - before > 50 { _exit(8) }
            queue.sync { calls.update { $0.append(10) } }
            if calls.value != Array(0...10) { _exit(4) }
            let done = DispatchSemaphore(value: 0)
            queue.enqueue { done.signal() }
            // The owner does not have to be there.
            WorkQueue("released").enqueue { done.signal() }
            ProcessThreads.forbid(false)
            for _ in 0..<2 { done.wait() }
            waitUntil { !kept.lacksThread }
            if queue.lacksThread || !kept.keepThread() { _exit(5) }
            if dispatcher.lacksThreads.load(ordering: .relaxed) { _exit(6) }
            kept.enqueue { done.signal() }
            done.wait()
            _exit(7)
        }
    }
    #endif
}
