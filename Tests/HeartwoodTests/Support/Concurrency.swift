import Dispatch
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Synchronization

@testable import Heartwood

/// A number that threads count up.
final class Counter: Sendable {
    private let number = Locked(0)
    var value: Int { number.withLock { $0 } }
    @discardableResult
    func increase() -> Int {
        number.withLock { number in
            number += 1
            return number
        }
    }
}

/// A value that a test hands to a closure of another thread.
final class Box<Value: Sendable>: Sendable {
    private let content: Locked<Value>
    init(_ value: Value) { content = Locked(value) }
    var value: Value {
        get { content.withLock { $0 } }
        set { content.withLock { $0 = newValue } }
    }
    func update(_ change: (inout Value) -> Void) { content.withLock { change(&$0) } }
}

/// Gives the calling thread a name, at once; Foundation's `Thread` may be late with it.
func nameThisThread(_ name: String) {
    #if os(Linux)
    try? name.write(toFile: "/proc/thread-self/comm", atomically: false, encoding: .utf8)
    #else
    pthread_setname_np(name)
    #endif
}

extension Backpressure {
    /// Whether a logger holds callers back.
    var isHeld: Bool { holders != 0 }
    /// How many loggers do.
    var holders: Int { count.pointee.load(ordering: .relaxed) }
}

extension LogDispatcher {
    /// Waits until the global queue sleeps, so that nothing is drained unless something wakes it.
    func waitUntilAsleep() {
        waitUntil { consumer.schedule.pointee.load(ordering: .relaxed) == RingConsumer.asleep }
    }
}

#if os(Linux)
/// How many threads this process has, and may have; for a process of a test's own.
enum ProcessThreads {
    static var count: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }

    /// From now on the system has no thread to give, or has some again.
    static func forbid(_ isForbidden: Bool = true) {
        // The limit holds for the threads of a user, and not for root.
        if getuid() == 0 { setuid(uid_t(100_000 + getpid())) }
        let kind = __rlimit_resource_t(6)  // RLIMIT_NPROC, which Glibc's module does not show
        var limit = rlimit()
        getrlimit(kind, &limit)
        limit.rlim_cur = isForbidden ? 1 : limit.rlim_max
        setrlimit(kind, &limit)
    }
}
#endif
