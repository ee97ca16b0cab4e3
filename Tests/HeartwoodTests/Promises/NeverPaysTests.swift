import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Promise 7: the app never pays for our failures", .inTurn)
struct NeverPaysTests {
    @Test("Promise 7: no value makes a message trap, neither the caller's thread nor the logger's")
    func strangeValues() {
        let dispatcher = LogDispatcher.forTest()
        let line = RecordingLogger(name: "line", formatter: LineFormatter())
        let json = RecordingLogger(name: "json", formatter: JSONLinesFormatter())
        dispatcher.add(line)
        dispatcher.add(json)
        let dates = [
            Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .nan),
            Date(timeIntervalSince1970: .infinity), Date(timeIntervalSince1970: -.infinity),
            Date(timeIntervalSince1970: -9.3e9), Date(timeIntervalSince1970: 9.3e9),
        ]
        for date in dates {
            logInfo("\(date) \(date, format: .isoDate) \(date, format: .isoTime)", to: dispatcher)
            logInfo(
                "\(date, as: "date", format: .unixSeconds)", metadata: ["d": LogValue(date)], to: dispatcher)
        }
        for nanoseconds in [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max] {
            let moment = LogTimestamp(nanoseconds: nanoseconds)
            logInfo("\(moment, as: "moment") \(moment, format: .unixSeconds)", to: dispatcher)
        }
        for number in [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude] {
            logInfo(
                "\(number, as: "n", format: .fixed(30)) \(number, format: .scientific(99))", to: dispatcher)
            logInfo("\(number, format: .fixed(-5)) \(Float(number), as: "f")", to: dispatcher)
        }
        for number in [Int.min, .max, 0] {
            logInfo("\(number, format: .hex(digits: 999)) \(number, format: .bytes)", to: dispatcher)
            logInfo("\(number, format: .padded(-3)) \(number, format: .binary(digits: -1))", to: dispatcher)
        }
        logInfo("\(UInt64.max, format: .bytes) \(UInt128.max, as: "big") \(Int128.min)", to: dispatcher)
        logInfo("\(Decimal.nan, as: "d") \(Decimal.greatestFiniteMagnitude, as: "e")", to: dispatcher)
        var deep: LogValue = 1
        for _ in 0..<500 { deep = [deep] }
        logInfo("deep \(deep, as: "deep") end", to: dispatcher)
        logInfo("", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(line.lines.count == line.messages.count)
        #expect(json.statistics.delivered == json.statistics.received)
        #expect(line.texts.contains { $0.hasPrefix("deep [[") && $0.hasSuffix(" end") })
        for line in json.lines {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
    }

    @Test("Promise 7: a timestamp at the end of the range does not trap in any zone")
    func extremeTimestamps() {
        let zones: [LogTimeZone] = [
            .utc, .local, .offset(.seconds(50_400)), .offset(.seconds(-43_200)), .offset(.seconds(Int64.max)),
            .region(.current),
        ]
        for zone in zones {
            var options = LineFormatter.Options()
            options.zone = zone
            let formatter = LineFormatter(options)
            for nanoseconds in [Int64.min, -1, 0, .max] {
                let message = LogMessage("x", timestamp: LogTimestamp(nanoseconds: nanoseconds))
                #expect(formatter.format(message)?.hasSuffix(" x") == true)
                #expect(JSONLinesFormatter().format(message) != nil)
            }
        }
    }

    @Test("Promise 7: misuse is reported, and changes nothing")
    func misuse() {
        let dispatcher = LogDispatcher.forTest()
        let other = LogDispatcher.forTest()
        let logger = RecordingLogger()
        #expect(dispatcher.add(logger))
        #expect(!dispatcher.add(logger))
        #expect(!other.add(logger))
        #expect(dispatcher.diagnostics.totals[.misuse] == 1)
        #expect(other.diagnostics.totals[.misuse] == 1)
        logInfo("x", to: dispatcher)
        logInfo("y", to: other)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["x"])
        #expect(other.remove(logger))
        #expect(dispatcher.loggers.count == 1)
    }

    @Test("Promise 7: reports of a kind come once per interval, with the number of those held back")
    func rateLimit() {
        let clock = ManualClock()
        let diagnostics = LogDiagnostics(clock: clock)
        let reports = Box<[LogDiagnostics.Report]>([])
        diagnostics.handler = { report in reports.update { $0.append(report) } }
        for _ in 0..<100 { diagnostics.report(.writeFailed, "disk full", key: "a") }
        diagnostics.report(.writeFailed, "disk full", key: "b")
        diagnostics.report(.note, "something else")
        #expect(reports.value.map(\.count) == [1, 1, 1])
        clock.advance(by: .seconds(9))
        diagnostics.report(.writeFailed, "disk full", key: "a")
        #expect(reports.value.count == 3)
        clock.advance(by: .seconds(1))
        diagnostics.report(.writeFailed, "disk full", key: "a", count: 5)
        #expect(reports.value.map(\.count) == [1, 1, 1, 105])
        #expect(diagnostics.totals == [.writeFailed: 107, .note: 1])
        diagnostics.interval = .zero
        for _ in 0..<3 { diagnostics.report(.writeFailed, "disk full", key: "a") }
        #expect(reports.value.count == 7)
    }

    @Test("Promise 7: a timed-out synchronous call returns, and the logger that was late is named")
    func synchronousTimeout() {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.synchronousTimeout = .milliseconds(20)
        let stuck = StuckLogger(name: "the stuck one")
        let reports = Box<[LogDiagnostics.Report]>([])
        dispatcher.diagnostics.handler = { report in reports.update { $0.append(report) } }
        dispatcher.add(stuck)
        logError("x", asynchronous: false, to: dispatcher)
        // On a busy machine there may be reports of other kinds.
        let late = reports.value.filter { $0.kind == .timedOut }
        #expect(late.count == 1 && late[0].text.contains("the stuck one"), "\(reports.value)")
        stuck.release()
        dispatcher.flush(timeout: .testLimit)
    }

    @Test("A synchronous call has the loggers that do not want its message handle what was logged before it")
    func othersAreScheduled() {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.synchronousLevels = .error
        let other = RecordingLogger(name: "other", formatter: nil, runsOnCaller: true)
        dispatcher.add(other, levels: [.info])
        dispatcher.add(RecordingLogger(name: "errors"), levels: .error)
        dispatcher.flush(timeout: .testLimit)
        // The caller of the error finds the other message in the ring, and passes it on.
        dispatcher.consumer.queue.suspend()
        logInfo("before", to: dispatcher)
        logError("error", to: dispatcher)
        waitUntil { other.texts == ["before"] }
        dispatcher.consumer.queue.resume()
    }
}
