#if os(Linux)
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// How much memory a process takes whose server is down or hostile; each in a process of its own.
///
/// `HEARTWOOD_FULL=1` logs 60,000 messages instead of a sample, `HEARTWOOD_LONG=1` two million.
@Suite(.disabled(if: Sanitizer.isActive, "a sanitizer keeps what is freed"), .inTurn)
struct MemoryTests {
    private static let count =
        isLongRun
        ? 2_000_000 : Tier.amount(20_000, full: 60_000)

    /// A figure of /proc/self/status, in KiB.
    private static func kibibytes(_ name: String) -> Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    /// Sets the peak back to what is in use now.
    private static func forgetPeak() {
        try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    }

    @Test(
        "With the server down for the whole run, memory stays within the limits (promise 4)",
        arguments: [false, true])
    func serverDown(onDisk: Bool) async throws {
        let count = Self.count
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) { [onDisk = onDisk as Bool, count = count as Int] in
            let directory = try TemporaryDirectory()
            var settings = SpoolSettings()
            settings.maximumBytes = .mebibytes(8)
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.handler = { _ in }
            dispatcher.overflowPolicy = .block(upTo: .seconds(60))
            let logger = try HTTPLogger(
                "http://127.0.0.1:1/", settings: HTTPSettings(spoolSettings: settings),
                spool: onDisk ? directory.path + "/spool" : nil)
            logger.flushWait = .zero
            logger.overflowPolicy = .block(upTo: .seconds(60))
            logger.backlogLimit = .mebibytes(4)
            dispatcher.add(logger)
            for number in 0..<1000 { log("message \(number) of a run", level: .error, to: dispatcher) }
            await dispatcher.flush(timeout: .testLimit)
            let before = Self.kibibytes("VmRSS")
            var half = 0
            for number in 0..<count {
                if number == count / 2 { half = Self.kibibytes("VmRSS") }
                log("message \(number) of a run", level: .info, to: dispatcher)
            }
            await dispatcher.flush(timeout: .testLimit)
            let later = (Self.kibibytes("VmRSS") - half) / 1024
            let grown = (Self.kibibytes("VmHWM") - before) / 1024
            let figures = logger.httpStatistics
            print(
                "\(onDisk ? "on disk" : "in memory"): \(count) messages, \(grown) MiB more at the peak, \(later) MiB more at the end than at half"
            )
            guard figures.stored == count + 1000, figures.acknowledged == 0,
                figures.pending + figures.dropped == figures.stored
            else { exit(3) }
            // The ring, twice the backlog, the store in memory twice (as records, and their bookkeeping), and 16 MiB.
            exit(grown <= 4 + 8 + (onDisk ? 4 : 16) + 16 && (count < 500_000 || later <= 8) ? 0 : 4)
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }

    @Test(
        "A server that answers without end costs neither memory nor more than the time allowed", .secondTier)
    func hostileServer() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent]
        ) {
            let answers: [LoopbackAnswer] = [
                .huge(bytes: 200_000_000), .huge(bytes: 200_000_000, gzipped: true), .endlessHeader, .garbage,
                .longerThanSaid, .trickle(every: .milliseconds(20)), .silence,
            ]
            let server = try LoopbackServer(
                answers: [.ok, .endlessHeader, .huge(bytes: 1_000_000)] + answers)
            let transport = CurlTransport()
            let request = HTTPRequest(
                endpoint: try HTTPEndpoint(server.address), body: [1], timeout: .seconds(1))
            for _ in 0..<3 { _ = try? await transport.send(request) }
            Self.forgetPeak()
            let before = Self.kibibytes("VmRSS")
            for _ in answers {
                let began = ContinuousClock.now
                _ = try? await transport.send(request)
                if ContinuousClock.now - began > .seconds(10) { exit(5) }
            }
            let grown = Self.kibibytes("VmHWM") - before
            print("hostile server: \(grown) KiB more at the peak, \(server.requests.count) requests")
            // On a busy machine a request may be given up before it was sent; most must have been answered.
            exit(server.requests.count >= answers.count && grown <= 5 * 1024 ? 0 : 4)
        }
        print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
    }
}
#endif
