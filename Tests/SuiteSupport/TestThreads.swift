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
