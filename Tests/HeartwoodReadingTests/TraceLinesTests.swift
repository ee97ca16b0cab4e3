import CoreFixtures
import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodReading

@Suite("Lines of stack traces", .inTurn)
struct TraceLinesTests {
    /// Joins lines as `pipe` does.
    private func records(_ lines: [String]) -> [[String]] {
        var trace = TraceLines()
        var records: [[String]] = []
        for line in lines {
            let takes = withBytes(line) { bytes in
                !records.isEmpty && trace.takes(bytes) { startsRecord(String(decoding: $0, as: UTF8.self)) }
            }
            if takes {
                records[records.count - 1].append(line)
            } else {
                let isError = ["ERROR", "CRITICAL", "[error]", "[ERR]", "fail: "].contains {
                    line.contains($0)
                }
                withBytes(line) { trace.begin(with: $0, isError: isError && !line.hasPrefix("==")) }
                records.append([line])
            }
        }
        return records
    }

    /// Bytes in a buffer of exactly their size.
    private func withBytes<T>(_ line: String, _ body: (UnsafeRawBufferPointer) -> T) -> T {
        Array(line.utf8).withUnsafeBytes(body)
    }

    private func startsRecord(_ line: String) -> Bool {
        line.hasPrefix("2026-") || line.hasPrefix("[2026-") || line.hasPrefix("2026/")
            || line.hasPrefix("{\"")
            || line.hasPrefix("<3") || line.hasPrefix("E, [")
    }

    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
    }

    @Test("A trace is one record between ordinary lines", arguments: TraceSamples.all)
    func whole(sample: TraceSamples.Sample) {
        let trace = lines(sample.text)
        for next in [
            "2026-11-20 10:20:31 INFO next", "server started", "GET /x 200", "{\"level\":\"info\"}", "<34>x",
        ] {
            let all = records(["2026-11-20 10:20:29 INFO ready"] + trace + [next])
            #expect(all == [["2026-11-20 10:20:29 INFO ready"], trace, [next]], "\(sample.name)")
        }
        // Two of them in a row are two.
        if trace.first?.isEmpty == false, !sample.joinsItself {
            #expect(records(trace + ["2026-11-20 10:20:31 INFO next"] + trace).count == 3, "\(sample.name)")
            #expect(records(trace + trace) == [trace, trace], "\(sample.name)")
        }
    }

    @Test("Lines that no trace has begin a record", arguments: TraceSamples.apart)
    func apart(text: String) {
        let all = lines(text)
        #expect(records(all) == all.map { [$0] })
    }

    @Test("A trace ends before a line that does not belong to it", arguments: TraceSamples.ends)
    func ends(count: Int, text: String) {
        let all = records(lines(text))
        #expect(all.first?.count == count, "\(all)")
    }

    @Test("At most 20 lines of a message join")
    func messageLimit() {
        let first = ["2026-11-20 10:20:30 ERROR x", "java.sql.SQLException: ERROR"]
        let all = records(first + (0..<30).map { _ in "Detail: near" } + ["\tat a.b.C.d(C.java:1)"])
        #expect(all.map(\.count) == [22, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2])
    }

    @Test("Only the beginning and the end of a line are read")
    func longLines() {
        let long = String(repeating: "x", count: 100_000)
        #expect(
            records(["2026 ERROR \(long): Traceback (most recent call last):", "  File", "KeyError: \(long)"])
                .count == 1)
        #expect(
            records(["2026 ERROR a", "java.lang.Error: \(long)", "\tat \(long)", "Caused by: \(long)"]).count
                == 1)
        #expect(records(["2026 \(long) Fatal error: ", "0 0x1 main"]).count == 2)
    }

    @Test(
        "Lines that can only continue a record are known alone",
        arguments: [
            ("", true), (" x", true), ("\tx", true), ("}", true), (")", true), ("]", true), ("\"}", true),
            ("Caused by: x", true), ("Caused by:", true), ("Caused", false), ("Traceback (most recent", true),
            ("... 12 more", true), ("... 4 common frames omitted", true), ("... done", false),
            ("goroutine 1 [running]:", true), ("goroutine x", false), ("#0 /a.php(3): f()", true),
            ("#1 {main}", true), ("#12 server started", false), ("[stacktrace]", true), ("[error] x", false),
            ("During handling of the above exception, another exception occurred:", true),
            ("--- End of stack trace from previous location ---", true), ("--- End", false),
            ("2026-11-20 10:20:30 INFO x", false), ("java.lang.Error: x", false), ("panic: x", false),
            ("ready", false), ("{", false), ("\"quoted\"", false),
        ])
    func continuation(line: String, expected: Bool) {
        #expect(withBytes(line) { TraceLines.isContinuation($0) } == expected)
    }

    @Test("Any bytes, cut anywhere, are read within their bounds", arguments: 0..<40 as Range<UInt64>)
    func fuzz(seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func random(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        let pieces = TraceSamples.all.flatMap { lines($0.text) }
        var trace = TraceLines()
        trace.begin(with: UnsafeRawBufferPointer(start: nil, count: 0), isError: true)
        for _ in 0..<2_000 {
            var bytes = Array(pieces[random(pieces.count)].utf8)
            if random(3) == 0 { bytes = (0..<random(20)).map { _ in UInt8(random(256)) } + bytes }
            if random(3) == 0, !bytes.isEmpty { bytes[random(bytes.count)] = UInt8(random(256)) }
            bytes.removeLast(random(2) == 0 ? 0 : random(bytes.count + 1))
            // The memory ends where the line does.
            let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            defer { memory.deallocate() }
            memory.copyBytes(from: bytes)
            let line = UnsafeRawBufferPointer(memory)
            _ = TraceLines.isContinuation(line)
            let answer = random(4) == 0
            if random(8) == 0 || !trace.takes(line, startsRecord: { _ in answer }) {
                trace.begin(with: line, isError: random(2) == 0)
            }
        }
    }
}
