#if os(Linux)
import Glibc
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Synchronization
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct BlockedPoolTests {
    @Test("A program that blocks every thread of Swift's task pool delivers nevertheless (promise 5)")
    func blockedPool() async {
        await #expect(processExitsWith: .exitCode(42)) {
            let started = Locked(0)
            // More than the system gives threads, so that whatever else waits for the pool waits forever.
            for priority in [TaskPriority.high, .medium, .utility, .background] {
                for _ in 0..<512 {
                    Task.detached(priority: priority) {
                        started.withLock { $0 += 1 }
                        while true { sleep(1000) }
                    }
                }
            }
            let work: @Sendable () -> Void = {
                while started.withLock({ $0 }) == 0 { usleep(1000) }
                guard let server = try? LoopbackServer(answers: [.status(503), .lost]),
                    let logger = try? HTTPLogger(server.address)
                else { exit(1) }
                let dispatcher = LogDispatcher()
                logger.retryPolicy = StandardRetryPolicy(
                    backoff: Backoff(initial: .milliseconds(1), maximum: .milliseconds(10)))
                dispatcher.add(logger)
                for number in 0..<100 { log("message \(number)", level: .info, to: dispatcher) }
                exit(logger.deliver(timeout: .testLimit) && server.stored.count == 2 ? 42 : 2)
            }
            if !DetachedThread.start(work) { exit(3) }
            while true { sleep(1000) }
        }
    }

    @Test(
        "Without a thread messages wait, which is reported, and are sent when there is one",
        arguments: [false, true])
    func noThread(isEarly: Bool) async {
        await #expect(processExitsWith: .exitCode(42)) { [isEarly = isEarly as Bool] in
            let (server, dispatcher) = (try LoopbackServer(), LogDispatcher())
            let reports = Locked<[String]>([])
            dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
            let logger = try HTTPLogger(server.address)
            logger.retryPolicy = StandardRetryPolicy(
                backoff: Backoff(initial: .milliseconds(1), maximum: .milliseconds(10)))
            if !isEarly {
                dispatcher.add(logger)
                dispatcher.flush()
            }
            DetachedThread.refuses.store(true, ordering: .relaxed)
            if isEarly { dispatcher.add(logger) }
            for number in 0..<100 { logError("message \(number)", to: dispatcher) }
            logger.sendNow()
            func isTold() -> Bool {
                if !isEarly {
                    return logger.httpStatistics.lastError?.contains("cannot start a thread") ?? false
                }
                return reports.withLock {
                    $0.contains { $0.contains("no thread could be created for sending") }
                }
            }
            while !isTold() { sched_yield() }
            #expect(server.stored.isEmpty)
            DetachedThread.refuses.store(false, ordering: .relaxed)
            while !logger.deliver(timeout: .seconds(1)) { logInfo("another", to: dispatcher) }
            #expect(
                server.stored.map { String(decoding: $0.body, as: UTF8.self) }.joined().contains("message 99")
            )
            exit(42)
        }
    }
}
#endif
