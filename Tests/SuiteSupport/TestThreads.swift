import Foundation

/// Runs the jobs of tests, each at once: where all threads are busy or blocked, on a new one.
///
/// The threads of Swift's own executor are as many as processors. A test that blocks one takes it from all others, and from
/// the code that it waits for.
final class TestThreads: TaskExecutor, @unchecked Sendable {  // the condition guards the mutable state
    static let shared = TestThreads()

    /// How many threads wait for the next job at most.
    private static let spareThreads = 16

    private let condition = NSCondition()

    // MARK: Guarded by 'condition'
    private var jobs: [UnownedJob] = []
    private var idleThreads = 0

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        condition.lock()
        jobs.append(job)
        let isTaken = jobs.count <= idleThreads
        if isTaken { condition.signal() }
        condition.unlock()
        if !isTaken { startThread() }
    }

    private func startThread() {
        let thread = Thread { [self] in
            while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
        thread.name = "test"
        thread.stackSize = 8 << 20
        thread.start()
    }

    private func next() -> UnownedJob? {
        condition.lock()
        defer { condition.unlock() }
        while jobs.isEmpty {
            if idleThreads >= TestThreads.spareThreads { return nil }
            idleThreads += 1
            condition.wait()
            idleThreads -= 1
        }
        return jobs.removeFirst()
    }
}

/// What `body` gives on a thread with 128 KiB of stack, or what a sanitizer makes of that; what it expects belongs to no test.
@discardableResult
package func onSmallStack<Value>(_ body: @escaping () throws -> Value) throws -> Value {
    nonisolated(unsafe) var result = Result<Value, any Error>.failure(CancellationError())
    nonisolated(unsafe) var work: (() -> Void)? = { result = Result { try body() } }
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        work?()
        done.signal()
    }
    thread.stackSize = (Watchdog.isSanitized ? 8 : 1) * 128 * 1024
    thread.start()
    done.wait()
    work = nil  // freed here: what it refers to may be nested deeper than the small stack bears
    return try result.get()
}
