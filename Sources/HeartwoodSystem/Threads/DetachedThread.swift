import CHeartwood
package import Dispatch
package import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A thread of its own, for work that blocks and so must not take one of the shared pools' threads.
package enum DetachedThread {
    /// For tests: whether it is as if the system had no thread to give.
    package static let refuses = Atomic<Bool>(false)

    /// Runs `body` on a new thread that takes no signals; false when the system has no thread to give.
    ///
    /// Without a size the stack is as large as those of other threads are.
    package static func start(
        stackSize: Int? = 512 * 1024, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        var attributes = pthread_attr_t()
        if refuses.load(ordering: .relaxed) || pthread_attr_init(&attributes) != 0 { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }

        // A new thread inherits the mask: the program's signal handlers go on running on its own threads.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // What the thread itself does wrong must still be seen by whoever reports crashes.
        for signal in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT] { sigdelset(&all, signal) }
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        return create(&attributes, Unmanaged.passRetained(Work(body)).toOpaque())
    }

    /// What `body` gives on a thread with 8 MiB of stack, or here where the system has no thread to give.
    ///
    /// For recursion whose depth is bounded, but may be more than the stack of the caller bears; the caller
    /// waits.
    package static func onLargeStack<Value>(_ body: @escaping () -> Value) -> Value {
        nonisolated(unsafe) let body = body
        nonisolated(unsafe) var value: Value?
        let done = DispatchSemaphore(value: 0)
        let isStarted = start(stackSize: 8 << 20) {
            value = body()
            done.signal()
        }
        if isStarted { done.wait() }
        return value ?? body()
    }

    /// Calls `body` with each number below `count`, and returns when all calls have returned.
    ///
    /// So many threads share the work, this one included, or as many as there are processors; fewer, where
    /// the system has no more to give.
    package static func perform(
        _ count: Int, threads: Int? = nil, _ body: @escaping @Sendable (Int) -> Void
    ) {
        let next = NextNumber()
        let share: @Sendable () -> Void = {
            while case let number = next.take(), number < count { body(number) }
        }
        let done = DispatchSemaphore(value: 0)
        let wanted = min(count, threads ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        let started = (0..<max(0, wanted - 1)).filter { _ in
            start(stackSize: nil) {
                share()
                done.signal()
            }
        }
        share()
        for _ in started { done.wait() }
    }

    private static func create(_ attributes: inout pthread_attr_t, _ work: UnsafeMutableRawPointer) -> Bool {
        #if canImport(Darwin)
        var thread: pthread_t?
        let result = pthread_create(&thread, &attributes, { runWork($0) }, work)
        #else
        var thread = pthread_t()
        let result = pthread_create(&thread, &attributes, { $0.flatMap { runWork($0) } }, work)
        #endif
        if result != 0 { Unmanaged<Work>.fromOpaque(work).release() }
        return result == 0
    }

    private final class NextNumber: Sendable {
        private let next = Atomic<Int>(0)
        func take() -> Int { next.add(1, ordering: .relaxed).oldValue }
    }

    fileprivate final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

extension DispatchQueue {
    /// Makes a serial queue.
    ///
    /// On Apple's systems it releases after each block what calls of Objective-C have left to be released,
    /// and not only when its thread rests.
    package static func serial(_ label: String, qos: DispatchQoS = .unspecified) -> DispatchQueue {
        #if canImport(Darwin)
        DispatchQueue(label: label, qos: qos, autoreleaseFrequency: .workItem)
        #else
        DispatchQueue(label: label, qos: qos)
        #endif
    }
}

private func runWork(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<DetachedThread.Work>.fromOpaque(context).takeRetainedValue().body()
    return nil
}
