#if os(Linux)
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// mitmproxy with the fault kit's add-on, in front of a server that keeps what arrives.
@Suite(.inTurn) struct MitmTests {
    @Test("What a proxy loses, delays, refuses and spoils arrives nevertheless, once by its key")
    func faults() async throws {
        guard let mitmdump = RealProgram.find("mitmdump") else { return }
        let script = RealProgram.kit + "/mitm-faults.py"
        guard FileManager.default.isReadableFile(atPath: script) else {
            return print("skipped: the fault kit is missing")
        }
        let server = try LoopbackServer()
        let directory = try TemporaryDirectory()
        let port = RealProgram.freePort()
        let plan = "ok,lost_response,503,reset_before,slow,429,garbage,bomb"
        let proxy = try RealProgram(
            mitmdump,
            [
                "--mode", "reverse:\(server.address)", "--listen-host", "127.0.0.1", "-p", String(port), "-q",
                "--set", "confdir=\(directory.path)", "-s", script,
            ], in: directory.path, environment: ["PLAN": plan], listeningOn: port)
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        let logger = try HTTPLogger(
            "http://127.0.0.1:\(port)", settings: HTTPSettings(encoding: NDJSONEncoding()),
            spool: directory.path + "/spool")
        logger.maximumMessagesPerRequest = 10
        logger.requestTimeout = .seconds(10)
        logger.retryPolicy = StandardRetryPolicy(
            backoff: Backoff(initial: .milliseconds(5), maximum: .milliseconds(50)))
        dispatcher.add(logger)
        for number in 0..<50 { Heartwood.log("number \(number, as: "n")", level: .info, to: dispatcher) }
        #expect(await logger.deliver(timeout: .testLimit))
        let figures = logger.httpStatistics
        #expect(figures.acknowledged == 50 && figures.dropped == 0 && figures.rejected == 0)
        // Of eight requests five fail or are refused; of those that only break, libcurl repeats some by itself.
        #expect(figures.retried >= 2, "\(figures)")
        #expect(try server.storedNumbers() == Array(0..<50))
        #expect(server.stored.count > 5, "an answer that was lost has made a repetition")
        dispatcher.removeAll()
        proxy.stop()
    }
}
#endif
