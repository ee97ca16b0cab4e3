import CoreFixtures
import Foundation
import Heartwood
import HeartwoodReading
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("heartwood cat and stats, with every format", .inTurn)
struct FormatsTests {
    let tool: ToolProcess
    static let formatters: [LogFormatter] = [
        LineFormatter(), JSONLinesFormatter(), JSONLinesFormatter(.ecs(service: "shop")),
        JSONLinesFormatter(.gelf(host: "web1")),
        LogfmtFormatter(), SyslogFormatter(),
    ]

    init() throws { tool = try ToolProcess() }

    /// 23 messages, two of them errors or worse, one an hour.
    private func write(_ formatter: LogFormatter) throws {
        try FileManager.default.createDirectory(
            atPath: tool.logs, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var text = ""
        for index in 0..<23 {
            let level: LogLevel = index == 5 ? .error : index == 17 ? .fatal : index % 2 == 0 ? .info : .debug
            let message = LogMessage(
                "request \(index) took \(index * 10, as: "ms") ms", level: level,
                category: LogCategory(index == 7 ? "net.http" : "shop"),
                timestamp: LogTimestamp(
                    nanoseconds: 1_795_000_000_000_000_000 + Int64(index) * 3_600_000_000_000))
            text += (formatter.format(message) ?? "") + "\n"
        }
        try Data(text.utf8).write(to: URL(fileURLWithPath: tool.logs + "/a.log"))
    }

    @Test("Levels, times, categories and fields select the same messages in every format", arguments: 0..<6)
    func selects(_ index: Int) async throws {
        try write(Self.formatters[index])
        let since = LineRecord.text(
            of: LogTimestamp(nanoseconds: 1_795_000_000_000_000_000 + 20 * 3_600_000_000_000))
        let outcome = try await tool.shell(
            """
            H="$HEARTWOOD"; L='\(tool.logs)'
            "$H" cat $L --level error | wc -l; "$H" cat $L --since \(since) | wc -l
            "$H" cat $L --category net.http | wc -l; "$H" cat $L --json --level error | grep -c '"level":"fatal"'
            "$H" stats $L --json
            """)
        let lines = outcome.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(Array(lines.prefix(4)) == ["2", "3", "1", "1"], "\(outcome.error)")
        #expect(outcome.error.isEmpty)
        let stats = try #require(lines.last)
        #expect(stats.contains(#""levels":{"fatal":1,"error":1,"info":12,"debug":9}"#), "\(stats)")
        #expect(stats.contains(#""categories":{"shop":22,"net.http":1}"#), "\(stats)")
        #expect(stats.contains(#""top":{"request # took # ms":23}"#), "\(stats)")
    }

    @Test(
        "A named value is a field where the format keeps it, and can be compared and shown",
        arguments: [1, 2, 3, 4, 5])
    func fields(_ index: Int) async throws {
        try write(Self.formatters[index])
        let name = index == 3 ? "_ms" : "ms"
        let outcome = try await tool.shell(
            "\"$HEARTWOOD\" cat '\(tool.logs)' --where '\(name)>=210' --fields \(name),level,message")
        #expect(outcome.output == "210\tdebug\trequest 21 took 210 ms\n220\tinfo\trequest 22 took 220 ms\n")
    }

    /// The samples of all programs, and lines of real logs.
    private static let lines: [String] = {
        let real = ["OpenSSH_2k.log", "Zookeeper_2k.log"].flatMap { name in
            (ToolProcess.realLog(name) ?? Data()).split(separator: 0x0A).prefix(60).map { line in
                String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
            }
        }
        // `cat --json` writes a line that joins the one before it with that one.
        var records = RecordLines()
        return (ProgramLine.all.map { $0.line } + real).filter { line in
            Array(line.utf8).withUnsafeBytes { bytes in
                records.begins(bytes) { LineRecognizer().head(of: bytes) }
            }
        }
    }()

    @Test("A line has the same time and level for the library, cat, tail, grep, stats, view and pipe")
    func agrees() async throws {
        let file = try tool.file("lines", (Self.lines.joined(separator: "\n") + "\n").utf8)
        let fields = "--json --fields time,level"
        let outcome = try await tool.shell(
            """
            H="$HEARTWOOD"; F='\(file)'
            "$H" cat $F \(fields); "$H" tail -n 1000 $F \(fields); "$H" grep '' $F \(fields)
            "$H" pipe -d '\(tool.logs)' --json --line-time --default-level notice < $F
            cat '\(tool.logs)'/*.log; "$H" stats $F --json
            """)
        let output = outcome.output.split(separator: "\n").map { String($0) }
        let count = Self.lines.count
        try #require(output.count == 4 * count + 1, "\(outcome.error)")
        var tally = LogTally()
        for (index, text) in Self.lines.enumerated() {
            let line = LogLine(text: text)
            var json = "{"
            if let moment = line.moment { json += "\"time\":\"\(LineRecord.text(of: moment))\"" }
            if let level = line.level { json += (json == "{" ? "" : ",") + "\"level\":\"\(level.name)\"" }
            json += "}"
            for command in 0..<3 { #expect(output[command * count + index] == json, "\(text)") }
            let written = LogLine(text: output[3 * count + index])
            #expect(written.level == line.level ?? .notice, "\(text)")
            if let moment = line.moment {
                let difference = try #require(written.moment).nanoseconds - moment.nanoseconds
                #expect(abs(difference) < 1_000_000, "\(text)")
            }
            try Array(text.utf8).withUnsafeBytes { bytes in
                let head = LineReader().head(of: bytes)
                let isContinuation = TraceLines.isContinuation(bytes)
                #expect(isContinuation || head.level == line.level && head.moment == line.moment)
                tally.add(bytes)
                try #require(isContinuation || tally.records > 0)
            }
        }
        let counted = tally.levels.prefix(7).reduce(0, +)
        let stats = try #require(output.last)
        #expect(stats.contains("\"fatal\":\(tally.levels[0])") && counted > count / 2, "\(stats)")
    }

    @Test("A level or a time that no line has is told once, and nothing is shown as if it had one")
    func complains() async throws {
        try FileManager.default.createDirectory(atPath: tool.logs, withIntermediateDirectories: true)
        try Data("some text\nmore text\n".utf8).write(to: URL(fileURLWithPath: tool.logs + "/a.log"))
        let level = try await tool.run("cat", tool.logs, "--level", "error")
        #expect(level.error.components(separatedBy: "recognizes no level in these lines").count == 2)
        #expect(level.output.isEmpty)
        let time = try await tool.run("grep", "text", tool.logs, "--since", "1h")
        #expect(time.error.contains("recognizes no time in these lines"))
        #expect(time.output.isEmpty)
    }

    @Test("A category or a field that no line has is told once; where one line has it, nothing is told")
    func complainsOfFields() async throws {
        let pattern = "10:22:31 [ERROR] the request timed out\n10:22:32 [INFO] fine\n"
        let file = try tool.file("a.log", Array(pattern.utf8))
        let category = try await tool.run("cat", file, "--category", "net.http")
        #expect(category.output.isEmpty)
        #expect(category.error.components(separatedBy: "recognizes no category in these lines").count == 2)
        let field = try await tool.run("tail", file, "--where", "ms>100")
        #expect(field.output.isEmpty && field.error.contains("recognizes no field “ms” in these lines"))
        // A field that may be missing is allowed, and so is one that only some lines have.
        #expect(try await tool.run("cat", file, "--where", "ms!=100").error.isEmpty)
        try write(JSONLinesFormatter())
        for arguments in [["--category", "net.ftp"], ["--where", "ms>100000"]] {
            let outcome = try await tool.shell(
                "\"$HEARTWOOD\" cat '\(tool.logs)' " + arguments.map { "'\($0)'" }.joined(separator: " "))
            #expect(outcome.output.isEmpty && outcome.error.isEmpty, "\(outcome.error)")
        }
    }
}
