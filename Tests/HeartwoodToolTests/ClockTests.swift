import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

/// Faults F14 and F16, and goal G17, with a real program whose clock is not right.
@Suite(.inTurn) struct ClockTests {
    private let tool: ToolProcess

    init() throws { tool = try ToolProcess() }

    private static var isInstalled: Bool {
        if Sanitizer.isActive {
            print("skipped: faketime and a sanitizer both put themselves before the C library, and hang")
            return false
        }
        for path in (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        where FileManager.default.isExecutableFile(atPath: path + "/faketime") { return true }
        print("skipped: faketime is not installed (Debian: faketime)")
        return false
    }

    @Test(
        "Whatever the clock says from run to run, lines stay in order, and no file is removed or overwritten",
        .enabled(if: ClockTests.isInstalled))
    func runs() async throws {
        let clocks = [
            "+0d", "-1d", "+10d", "-3650d", "+3650d", "-30d", "1970-01-01 00:00:05", "+0d",
            "2026-10-25 00:59:59", "2026-10-25 01:00:01",
        ]
        let script = clocks.enumerated().map { index, clock in
            """
            echo 'line \(index)' | FAKETIME_DONT_FAKE_MONOTONIC=1 TZ=Europe/Paris \
                faketime -f '\(clock.hasPrefix("2") || clock.hasPrefix("1") ? "@" : "")\(clock)' \
                "$HEARTWOOD" pipe --raw --quiet -d '\(tool.logs)' --max-size 8 --keep 0
            """
        }
        let outcome = try await tool.shell(
            script.joined(separator: "\n") + "\n\"$HEARTWOOD\" cat '\(tool.logs)'")
        #expect(outcome.output == clocks.indices.map { "line \($0)\n" }.joined(), "\(outcome.error)")
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.logs).filter {
            $0.hasSuffix(".log")
        }
        #expect(names.count == clocks.count)
        // A shell's glob has them in the same order.
        let glob = try await tool.shell("LC_ALL=C; cat '\(tool.logs)'/*.log")
        #expect(glob.output == outcome.output)
    }

    @Test(
        "A clock that runs a hundred times as fast rolls by its hours, and not more",
        .enabled(if: ClockTests.isInstalled))
    func fast() async throws {
        let outcome = try await tool.shell(
            """
            for i in 1 2 3 4 5 6 7 8 9 10; do echo "line $i"; sleep 0.1; done | FAKETIME_DONT_FAKE_MONOTONIC=1 \
                faketime -f '+0d x100' "$HEARTWOOD" pipe --raw --quiet -d '\(tool.logs)' --max-age 30s --keep 0
            "$HEARTWOOD" cat '\(tool.logs)'
            """)
        #expect(outcome.output == (1...10).map { "line \($0)\n" }.joined(), "\(outcome.error)")
        let names = try FileManager.default.contentsOfDirectory(atPath: tool.logs).filter {
            $0.hasSuffix(".log")
        }
        #expect((1...10).contains(names.count))
    }
}
