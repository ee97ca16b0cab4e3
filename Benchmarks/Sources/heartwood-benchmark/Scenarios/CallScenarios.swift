import CAllocations
import Dispatch
import Foundation
import Heartwood
import Synchronization

let user = "user-1234"

/// The call that all scenarios make.
@inline(__always)
func logRequest(_ i: Int, _ ms: Double, to dispatcher: LogDispatcher? = nil) {
    logInfo("request \(i) from \(user) took \(ms) ms", to: dispatcher)
}

/// A logger that counts, and looks at as little as possible.
final class CountingLogger: AbstractLogger, @unchecked Sendable {
    private(set) var count = 0
    private(set) var bytes = 0

    override func log(_ message: LogMessage) {
        count += 1
        bytes += message.line
    }
}

/// Puts the shared dispatcher's ring into a journal.
func useJournal(_ path: String) throws {
    LogDispatcher.shared.journal = .file(path)
    guard case .active = LogDispatcher.shared.journalStatus else {
        throw WrongResult("there is no journal: \(LogDispatcher.shared.journalStatus)")
    }
}

/// A call that nobody wants.
struct DisabledCall: Scenario {
    let name = "disabled"
    let unit = "ns/call"

    func run() throws -> [Measurement] {
        let logger = CountingLogger()
        LogDispatcher.shared.add(logger, levels: .warning)
        defer { LogDispatcher.shared.removeAll() }
        let calls = 20_000_000
        let start = now()
        for i in 0..<calls { logRequest(i, 12.5) }
        let time = now() - start
        // The same loop with nothing in it, so that what is measured is the call.
        let empty = now()
        for i in 0..<calls { consume(i) }
        let base = now() - empty
        LogDispatcher.shared.flush()
        try check(logger.count == 0, "a disabled call was logged")
        return [Measurement(value: max(0, Double(time) - Double(base)) / Double(calls))]
    }
}

@inline(never)
func sink(_ value: Int) {}

@inline(__always)
func consume(_ value: Int) { withExtendedLifetime(value) {} }

/// The caller's cost of an enabled asynchronous call.
struct EnabledCall: Scenario {
    let name: String
    let unit = "ns/call"
    var isJournaled = false
    let call: @Sendable (Int) -> Void

    /// The same as `typed` with the crash journal: the message survives the process when the call has returned.
    static let journaled = EnabledCall(name: "call-journal", isJournaled: true) {
        logRequest($0, Double($0 & 1023) / 8)
    }
    static let typed = EnabledCall(name: "call") { logRequest($0, Double($0 & 1023) / 8) }
    static let string = EnabledCall(name: "call-string") { i in
        logInfo(i & 1 == 0 ? evenText : oddText)
    }

    func run() throws -> [Measurement] {
        try withTemporaryDirectory { path in
            if isJournaled { try useJournal(path) }
            defer { if isJournaled { LogDispatcher.shared.journal = nil } }
            return try measure()
        }
    }

    private func measure() throws -> [Measurement] {
        let logger = CountingLogger()
        LogDispatcher.shared.add(logger)
        defer { LogDispatcher.shared.removeAll() }
        let burst = Burst()
        let measurements = burst.measure(logger, call)
        try check(logger.count == burst.calls, "\(logger.count) of \(burst.calls) messages arrived")
        return measurements
    }
}

/// Calls in bursts of 1,000 with pauses in which the loggers catch up, and what each costs the caller.
struct Burst {
    private let bursts = 200
    private let size = 1000
    private let warmUp = 20_000

    /// How many calls are made in all.
    var calls: Int { warmUp + bursts * size }

    /// Makes the calls to the shared dispatcher, which is flushed after each burst.
    func measure(_ logger: AbstractLogger, _ call: (Int) -> Void) -> [Measurement] {
        for i in 0..<warmUp { call(i) }
        LogDispatcher.shared.flush()

        var means: [Double] = []
        /// In how many bursts the drain has handed out messages, which it does on another core.
        var disturbed = 0
        var single: [Double] = []
        single.reserveCapacity(bursts * size)
        let overhead = clockOverhead()
        for burst in 0..<bursts {
            if burst % 2 == 0 {
                let received = logger.statistics.received
                let start = now()
                for i in 0..<size { call(i) }
                means.append(Double(now() - start) / Double(size))
                if logger.statistics.received != received { disturbed += 1 }
            } else {
                for i in 0..<size {
                    let start = now()
                    call(i)
                    single.append(max(0, Double(now() - start) - overhead))
                }
            }
            LogDispatcher.shared.flush()
        }
        single.sort()
        return [
            Measurement(part: "mean", value: median(means)),
            Measurement(part: "least", value: percentile(means.sorted(), 0.1)),
            Measurement(
                part: "bursts with drain", value: 100 * Double(disturbed) / Double(means.count), unit: "%"),
            Measurement(part: "p50", value: percentile(single, 0.5)),
            Measurement(part: "p99", value: percentile(single, 0.99)),
            Measurement(part: "p99.9", value: percentile(single, 0.999)),
        ]
    }

    private func clockOverhead() -> Double {
        var times: [Double] = []
        for _ in 0..<10_000 {
            let start = now()
            times.append(Double(now() - start))
        }
        return median(times)
    }
}

private let evenText = "a text of forty-odd characters, made earlier on"
private let oddText = "another text of about as many characters as that"

/// The cost of an enabled call on several threads that make their calls at the same time.
struct ConcurrentCalls: Scenario {
    let callers: Int
    var name: String { "call-\(callers)" }
    let unit = "ns/call"

    private static let (bursts, size) = (100, 1000)

    func run() throws -> [Measurement] {
        let logger = CountingLogger()
        LogDispatcher.shared.add(logger)
        defer { LogDispatcher.shared.removeAll() }
        let arrived = Atomic<Int>(0)
        let means = Mutex<[Double]>([])
        let threads = (0..<callers).map { _ in
            let done = DispatchSemaphore(value: 0)
            Thread {
                for burst in 0..<Self.bursts {
                    arrived.add(1, ordering: .sequentiallyConsistent)
                    while arrived.load(ordering: .relaxed) < (burst + 1) * callers { sched_yield() }
                    let start = now()
                    for i in 0..<Self.size { logRequest(i, Double(i & 1023) / 8) }
                    let mean = Double(now() - start) / Double(Self.size)
                    means.withLock { $0.append(mean) }
                    usleep(5000)
                }
                done.signal()
            }.start()
            return done
        }
        for thread in threads { thread.wait() }
        LogDispatcher.shared.flush()
        let calls = callers * Self.bursts * Self.size
        try check(logger.count == calls, "\(logger.count) of \(calls) messages arrived")
        let sorted = means.withLock { $0.sorted() }
        return [
            Measurement(part: "mean", value: median(sorted)),
            Measurement(part: "p99 of bursts", value: percentile(sorted, 0.99)),
        ]
    }
}

/// Instructions of one call on its caller's thread, with what it waits for where it is synchronous.
struct CallInstructions: Scenario {
    let name = "calls"
    let unit = "instr./call"

    struct Kind: Sendable {
        let name: String
        /// Loggers of files; none for a logger that counts.
        var files = 0
        var levels = LogLevelMask.all
        var isInTask = false
        let call: @Sendable (Int) -> Void

        /// Makes so many calls; those in `countedCalls` are counted.
        func make(_ count: Int) throws {
            try withTemporaryDirectory { path in
                let dispatcher = LogDispatcher.shared
                for number in 0..<files {
                    dispatcher.add(try FileLogger(directory: path + "/\(number)"), levels: levels)
                }
                if files == 0 { dispatcher.add(CountingLogger(), levels: levels) }
                defer { dispatcher.removeAll() }
                // What the first calls do once is not counted.
                for i in 0..<100 { call(i) }
                for _ in 0..<count / 100 {
                    dispatcher.flush()
                    if isInTask { CallInstructions.inTask { countedCalls(call) } } else { countedCalls(call) }
                }
            }
        }
    }

    /// Waits for a task that calls `body`.
    private static func inTask(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            body()
            done.signal()
        }
        done.wait()
    }

    static let kinds = [
        Kind(name: "disabled", levels: .error) { logRequest($0, 12.5) },
        Kind(name: "literal") { _ in logInfo("the server has started and is ready to take requests") },
        Kind(name: "integer") { logInfo("request \($0)") },
        Kind(name: "string") { logInfo($0 & 1 == 0 ? evenText : oddText) },
        Kind(name: "usual") { logRequest($0, Double($0 & 1023) / 8) },
        Kind(name: "usual, in a task", isInTask: true) { logRequest($0, Double($0 & 1023) / 8) },
        Kind(name: "synchronous", files: 1) { logSynchronously($0) },
        Kind(name: "synchronous-2", files: 2) { logSynchronously($0) },
        Kind(name: "synchronous-3", files: 3) { logSynchronously($0) },
    ]

    func run() throws -> [Measurement] {
        guard InstructionCount.isAvailable else { throw WrongResult("valgrind is not installed") }
        return try withTemporaryDirectory { directory in
            let program = try InstructionCount.program(in: directory)
            return try CallInstructions.kinds.map { kind in
                let count = try InstructionCount.perLine(inside: "countedCalls") {
                    [program, "--lines", kind.name, "\($0)"]
                }
                return Measurement(part: kind.name, value: count)
            }
        }
    }
}

private func logSynchronously(_ i: Int) {
    logInfo("request \(i) from \(user) took \(Double(i & 1023) / 8) ms", asynchronous: false)
}

@inline(never)
private func countedCalls(_ call: (Int) -> Void) {
    for i in 0..<100 { call(i) }
}

/// Blocks that the caller's thread allocates for an enabled call.
struct Allocations: Scenario {
    let name = "allocations"
    let unit = "blocks/call"

    func run() throws -> [Measurement] {
        let counting = CountingLogger()
        let measured = try measure(counting, "asynchronous") { logRequest($0, 12.5) }
        try check(counting.count == 11_000, "\(counting.count) of 11,000 messages arrived")
        return try withTemporaryDirectory { path in
            [measured, try measure(FileLogger(directory: path), "synchronous") { logSynchronously($0) }]
        }
    }

    private func measure(
        _ logger: AbstractLogger, _ part: String, _ call: (Int) -> Void
    ) throws -> Measurement {
        LogDispatcher.shared.add(logger)
        defer { LogDispatcher.shared.removeAll() }
        for i in 0..<1000 { call(i) }
        let calls = 10_000
        let before = allocations_of_this_thread()
        for i in 0..<calls { call(i) }
        let blocks = allocations_of_this_thread() - before
        try check(before >= 0, "blocks are counted on Linux with the GNU C library only")
        try check(before > 0, "the counter does not count")
        LogDispatcher.shared.flush()
        return Measurement(part: part, value: Double(blocks) / Double(calls))
    }
}
