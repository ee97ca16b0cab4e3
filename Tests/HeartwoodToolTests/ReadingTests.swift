import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("heartwood cat, tail, grep and decrypt", .inTurn)
struct ReadingTests {
    private let archives: Void = LogArchives.register()

    let tool: ToolProcess

    init() throws {
        tool = try ToolProcess()
        try FileManager.default.createDirectory(
            atPath: tool.logs, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Three files, one of them compressed, of two lines each, an hour apart.
    private func makeLogs() throws {
        let levels = ["info", "error", "warning"]
        for hour in 0..<3 {
            let text = """
                2026-11-20 1\(hour):00:00.000Z \(levels[hour].padding(toLength: 7, withPad: " ", startingAt: 0)) shop A.swift:1 number \(hour)
                2026-11-20 1\(hour):30:00.000Z debug   A.swift:2 detail \(hour)
                  of \(hour)

                """
            let bytes = Array(text.utf8)
            let name = "shop 2026-11-20--1\(hour)-00-00-000.log" + (hour == 1 ? ".gz" : "")
            let data = hour == 1 ? try GzipMember.compress(bytes) : bytes
            try Data(data).write(to: URL(fileURLWithPath: tool.logs + "/" + name))
        }
    }

    @Test(
        "The lines asked for are shown, across plain and compressed files, and no others",
        arguments: [
            ("cat LOGS | wc -l", "9"),
            ("cat LOGS --level warning | grep -o 'number .'", "number 1\nnumber 2"),
            ("cat LOGS --category shop | grep -c number", "3"),
            (
                "cat LOGS --since 2026-11-20T11:30 --until '2026-11-20 12:00'",
                "2026-11-20 11:30:00.000Z debug   A.swift:2 detail 1\n  of 1"
            ),
            ("tail -n 1 LOGS", "  of 2"),
            ("tail -n 4 LOGS | head -n 1", "  of 1"),
            ("tail -n 100 LOGS | wc -l", "9"),
            ("tail -n 0 LOGS", ""),
            ("tail -n 1 LOGS --level error", "2026-11-20 11:00:00.000Z error   shop A.swift:1 number 1"),
            ("grep -c 'number [12]' LOGS", "2"),
            ("grep -F 'NUMBER 1' -i LOGS | wc -l", "1"),
            ("grep -v -c 'o' LOGS", "3"),
            ("grep -H 'number 0' LOGS | cut -d: -f1 | sed 's|.*/||'", "shop 2026-11-20--10-00-00-000.log"),
            (
                "grep 'number 1' LOGS --color always | tr '\\033' E",
                "E[31m2026-11-20 11:00:00.000Z error   shop A.swift:1 E[1;7mnumber 1E[0mE[31mE[0m"
            ),
            ("cat LOGS | head -n 1 | cut -c1-19", "2026-11-20 10:00:00"),
        ])
    func shows(_ line: String, _ expected: String) async throws {
        try makeLogs()
        let outcome = try await tool.shell(
            "\"$HEARTWOOD\" " + line.replacingOccurrences(of: "LOGS", with: "'\(tool.logs)'"))
        #expect(outcome.output.trimmingCharacters(in: .newlines) == expected, "\(outcome.error)")
    }

    @Test(
        "Arguments that make no sense are told, with exit code 2; what cannot be read, with exit code 1",
        arguments: [
            (["cat"], 2), (["cat", "--since", "soon", "logs"], 2), (["tail", "-n", "-1", "logs"], 2),
            (["grep"], 2),
            (["grep", "(", "logs"], 2), (["cat", "--color", "blue", "logs"], 2), (["decrypt"], 2),
            (["cat", "nowhere"], 1),
            (["grep", "nothing", "logs"], 1), (["tail", "--level", "loud", "logs"], 2),
        ] as [([String], Int32)])
    func refuses(_ arguments: [String], _ code: Int32) async throws {
        try makeLogs()
        #expect(try await tool.start(arguments).ended().code == code)
    }

    @Test("What was encrypted is read with the key, and what is damaged is told and left out")
    func decrypts() async throws {
        let key = String(repeating: "a7", count: 32)
        var encoder = try FrameEncoder(FrameCipher(key: Secret(key)))
        var bytes = try encoder.encode(Array("one\n".utf8), isLast: false)
        let second = bytes.count
        bytes += try encoder.encode(Array("two\n".utf8), isLast: false)
        bytes += try encoder.encode(Array("three\n".utf8), isLast: true)
        let place = tool.logs + "/shop 2026-11-20--10-00-00-000.log.hwe"
        try Data(bytes).write(to: URL(fileURLWithPath: place))
        let whole = try await tool.shell("KEY=\(key) \"$HEARTWOOD\" decrypt --key-env KEY '\(place)'")
        #expect(whole.output == "one\ntwo\nthree\n")
        #expect(whole.code == 0, "\(whole.error)")
        let lines = try await tool.shell("KEY=\(key) \"$HEARTWOOD\" tail -n 2 --key-env KEY '\(tool.logs)'")
        #expect(lines.output == "two\nthree\n")
        let keyless = try await tool.run("cat", tool.logs)
        #expect(keyless.code == 1)
        #expect(keyless.error.contains("key"))
        bytes[second + 50] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: place))
        let damaged = try await tool.shell("KEY=\(key) \"$HEARTWOOD\" decrypt --key-env KEY '\(place)'")
        #expect(damaged.output == "one\nthree\n")
        #expect(damaged.code == 1)
        #expect(damaged.error.contains("damaged"))
        let other = try await tool.shell(
            "KEY=\(String(repeating: "1", count: 64)) \"$HEARTWOOD\" decrypt --key-env KEY '\(place)'")
        #expect(other.output.isEmpty)
        #expect(other.code == 1)
    }

    @Test("Following shows lines as they come, across a roll")
    func follows() async throws {
        try makeLogs()
        let outcome = try await tool.shell(
            """
            "$HEARTWOOD" tail -f -n 1 '\(tool.logs)' > out & PID=$!
            for i in $(seq 1 200); do [ -s out ] && break; sleep 0.2; done
            echo 'old file' >> '\(tool.logs)/shop 2026-11-20--12-00-00-000.log'
            echo 'new file' > '\(tool.logs)/shop 2026-11-20--13-00-00-000.log'
            for i in $(seq 1 200); do grep -q 'new file' out && break; sleep 0.3; done
            kill -9 $PID; cat out
            """)
        #expect(outcome.output == "  of 2\nold file\nnew file\n")
    }

    @Test("Following says at its end how many records have no known time")
    func followsUnknownTimes() async throws {
        let outcome = try await tool.shell(
            """
            printf '10:20:30 INFO x\n' > day
            "$HEARTWOOD" tail -f --until 2099-01-01 day > out 2> err & PID=$!
            for i in $(seq 1 200); do [ -s out ] && break; sleep 0.2; done
            printf '10:20:31 INFO y\n10:20:32 INFO z\n' >> day
            for i in $(seq 1 200); do grep -q z out && break; sleep 0.3; done
            kill $PID; wait $PID; echo $?; tail -n +2 err
            """)
        let count = "have no known time and were not left out by --until\n"
        #expect(
            outcome.output
                == "143\nheartwood: 1 record has no known time and was not left out by --until\n"
                + "heartwood: 3 records \(count)")
    }
}
