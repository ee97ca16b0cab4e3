import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Synchronization
import Testing

@Suite(.inTurn) struct LogMetricTests {
    private final class Failing: AbstractLogger, @unchecked Sendable {
        override func log(_ message: LogMessage) { reportFailure("no") }
    }

    @Test("Each loss is a counter of its own, by logger, and Prometheus reads it")
    func counters() {
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(Failing(name: "a \"quoted\" \\ name"), levels: .error)
        dispatcher.add(RecordingLogger())
        logError("x", to: dispatcher)
        logInfo("y", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let metrics = dispatcher.statistics.metrics()
        #expect(metrics.first { $0.counter == .accepted }?.total == 2)
        let failed = metrics.filter { $0.counter == .loggerFailed && $0.total > 0 }
        #expect(failed.map(\.logger) == ["a \"quoted\" \\ name"] && failed.allSatisfy(\.isLoss))
        #expect(metrics.filter(\.isLoss).count == 5 && failed.first?.increase == 1)
        let text = dispatcher.statistics.prometheusText
        #expect(text.contains("\n# TYPE heartwood_logger_failed_total counter\n"))
        #expect(text.contains("\nheartwood_logger_failed_total{logger=\"a \\\"quoted\\\" \\\\ name\"} 1\n"))
        #expect(
            text.hasPrefix("# HELP heartwood_accepted_total ")
                && text.contains("\nheartwood_accepted_total 2\n"))
        // Each counter is described once.
        #expect(
            text.split(separator: "\n").filter { $0.hasPrefix("# TYPE") }.count
                == LogMetric.Counter.allCases.count)
    }

    @Test(
        "An observer gets the increase of each interval, nothing when there was none, and no call after its end"
    )
    func observer() {
        let clock = ManualClock()
        let dispatcher = LogDispatcher(clock: clock)
        dispatcher.add(RecordingLogger())
        let calls = Mutex<[[Int]]>([])
        var observer: LogMetricsObserver? = dispatcher.observeMetrics(every: .seconds(10)) { metrics in
            let accepted = metrics.filter { $0.counter == .accepted }
            calls.withLock { $0.append(accepted.flatMap { [$0.total, $0.increase] }) }
        }
        for _ in 0..<3 { logInfo("x", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        clock.advance(by: .seconds(9))
        #expect(calls.withLock { $0 }.isEmpty)
        clock.advance(by: .seconds(1))
        logInfo("x", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        clock.advance(by: .seconds(20))
        #expect(calls.withLock { $0 } == [[3, 3], [4, 1], [4, 0]])
        withExtendedLifetime(observer) {}
        observer?.cancel()
        clock.advance(by: .seconds(20))
        observer = dispatcher.observeMetrics(every: .seconds(1)) { _ in calls.withLock { $0.append([]) } }
        observer = nil
        clock.advance(by: .seconds(5))
        #expect(calls.withLock { $0 }.count == 3)
    }
}
