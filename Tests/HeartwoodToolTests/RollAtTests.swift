import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodTool

@Suite("New files at boundaries of the calendar", .inTurn)
struct RollAtTests {
    private let tool: ToolProcess

    init() throws { tool = try ToolProcess() }

    private func options(_ arguments: String...) throws -> PipeOptions {
        try PipeOptions(Arguments(parsing: ["-d", tool.logs] + arguments, options: PipeCommand.options))
    }

    @Test(
        "Each name of --roll-at is the boundary of that name, in UTC or in the system's zone",
        arguments: [("hour", LogCalendarBoundary.hour), ("day", .day), ("week", .week)])
    func boundaries(name: String, boundary: LogCalendarBoundary) throws {
        for (zone, expected) in [("utc", LogTimeZone.utc), ("local", .local)] {
            let options = try options("--roll-at", name, "--timestamps", zone)
            let destinations = try PipeDestinations(options)
            let file = try #require(destinations.fileLogger)
            #expect(file.rollingBoundary == boundary)
            #expect(file.zone == expected)
            // The boundary takes the place of the age of a day; both can be given.
            #expect(file.rollingInterval == nil)
            destinations.dispatcher.removeAll()
        }
        #expect(
            try self.options("--roll-at", name, "--max-age", "2h").files.settings.rollingInterval
                == .seconds(7200))
        #expect(throws: UsageError.self) { try self.options("--roll-at", "month") }
        #expect(throws: UsageError.self) { try self.options("--roll-at", "") }
    }

    @Test(
        "The newest ten files are kept, unless another limit is given without a number",
        arguments: [
            ([], 10), (["--keep-for", "30d"], nil), (["--quota", "1GiB"], nil),
            (["--keep-for", "30d", "--keep", "3"], 3), (["--quota", "0"], 10), (["--quota", "none"], 10),
            (["--keep", "none"], nil),
        ] as [([String], Int?)])
    func numberOfFiles(arguments: [String], count: Int?) throws {
        let parsed = try Arguments(parsing: ["-d", tool.logs] + arguments, options: PipeCommand.options)
        #expect(try PipeOptions(parsed).files.settings.maximumFileCount == count)
    }

    @Test(
        "What files cannot be kept by is told with its option, before anything is read",
        arguments: [
            (
                ["--max-size", "big"],
                "--max-size expects a size such as 64KiB, 10MiB or 4096, or none (got “big”)"
            ),
            (["--keep", "-1"], "--keep expects a whole number of at least 0, or none (got “-1”)"),
            (
                ["--fixed-name", "a/b"],
                "--fixed-name expects the name of a file, without a directory (got “a/b”)"
            ),
            (
                ["--current-link", ""],
                "--current-link expects the name of a file, without a directory (got “”)"
            ),
            (
                ["--current-link", "x", "--fixed-name", "x"],
                "--current-link and --fixed-name need different names (got “x” twice)"
            ),
        ])
    func refused(arguments: [String], message: String) throws {
        let parsed = try Arguments(parsing: ["-d", tool.logs] + arguments, options: PipeCommand.options)
        #expect(throws: UsageError(message)) { try PipeOptions(parsed) }
    }

    @Test("Without a directory, options about files are refused, those for limits as well")
    func limitsWithoutDirectory() throws {
        for option in ["--max-size", "--max-age", "--keep", "--quota", "--keep-for", "--mode"] {
            let parsed = try Arguments(parsing: [option, "5"], options: PipeCommand.options)
            #expect(throws: UsageError("\(option) is about files: add --directory DIR")) {
                try PipeOptions(parsed)
            }
        }
    }

    @Test("A key that cannot be read ends the pipe before it reads anything")
    func missingKey() async throws {
        let outcome = try await tool.shell(
            "\"$HEARTWOOD\" pipe -d '\(tool.logs)' --encrypt --key-file /nowhere/key < '\(#filePath)'")
        #expect(outcome.code == 1)
        #expect(outcome.error.contains("/nowhere/key"), "\(outcome.error)")
        #expect(!outcome.error.contains("dropped"), "\(outcome.error)")
    }

    /// Runs the pipe at a time of the wall clock.
    private func run(_ text: String, at time: String, zone: String = "UTC", _ arguments: String) async throws
    {
        let outcome = try await tool.shell(
            """
            export TZ='\(zone)' FAKETIME_DONT_FAKE_MONOTONIC=1
            echo '\(text)' | faketime -f '@\(time)' "$HEARTWOOD" pipe -d '\(tool.logs)' --raw --keep 0 \(arguments)
            """)
        #expect(outcome.code == 0, "\(outcome.error)")
    }

    /// What each file holds, in the order of their names.
    private func contents() throws -> [String] {
        try tool.logFiles().map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "A file is continued until its hour, day or week is over, and by no line after that",
        arguments: [
            // 4 January 2026 is a Sunday.
            ("hour", ["01-04 22:10:00", "01-04 22:59:58", "01-04 23:00:03", "01-04 23:30:00"], "UTC"),
            ("day", ["01-05 00:00:01", "01-05 23:59:58", "01-06 00:00:03", "01-06 13:00:00"], "UTC"),
            ("week", ["01-03 12:00:00", "01-04 23:59:58", "01-05 00:00:03", "01-11 23:00:00"], "UTC"),
            // Midnight in Kolkata is 18:30 UTC; faketime reads its times in the zone of the process.
            (
                "day --timestamps local",
                ["01-05 00:10:00", "01-05 23:59:58", "01-06 00:00:03", "01-06 05:00:00"], "Asia/Kolkata"
            ),
        ])
    func rolls(options: String, times: [String], zone: String) async throws {
        guard !Sanitizer.isActive else {
            return print("skipped: faketime and a sanitizer in one process wait for each other")
        }
        let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard paths.contains(where: { FileManager.default.isExecutableFile(atPath: $0 + "/faketime") }) else {
            return print("skipped: faketime is not installed")
        }
        for (index, time) in times.enumerated() {
            try await run("line \(index)", at: "2026-" + time, zone: zone, "--roll-at " + options)
        }
        #expect(try contents() == ["line 0\nline 1\n", "line 2\nline 3\n"])
    }
}
