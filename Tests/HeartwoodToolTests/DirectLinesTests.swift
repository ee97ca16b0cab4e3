import CoreFixtures
import Foundation
import Heartwood
import HeartwoodReading
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("The short way of lines into files", .inTurn)
struct DirectLinesTests {
    /// Lines of every kind: words for levels in every place, all bytes, real logs, and what is around 64 and 512 bytes.
    private static let lines: [[UInt8]] = {
        var lines: [[UInt8]] = []
        let paddings = [0, 1, 40, 55, 60, 61, 62, 63, 64, 125, 126, 127, 128, 500, 505, 508, 510, 512]
        let words = [
            "error", "ERROR", "Error", "warn", "WARNING", "info", "INF", "debug", "trace", "fatal", "FATALX",
            "XERROR",
            "level", "lvl", "severity", "levelname", "loglevel", "note", "crit", "emergency", "in", "IN",
            "ERR",
        ]
        let frames = [
            ("", ":"), ("[", "]"), ("(", ")"), ("<", ">"), ("|", "|"), (" ", " "),
            ("2026-11-20 10:20:30 ", " x"), ("a ", "=warn"),
            ("\"", "\":\"error\""), ("x", ""), ("", "_x"), ("{\"", "\": 40}"), ("<34>", ""),
            ("E1120 10:20:30 ", ""),
            ("10:20 T ", " y"), ("[12", "] "), ("é", ":"), ("", ""), ("12Z ", " "),
        ]
        for word in words {
            for (before, after) in frames {
                for padding in Tier.amount([0, 1, 61, 63, 64, 127, 510], full: paddings) {
                    lines.append(Array((String(repeating: "-", count: padding) + before + word + after).utf8))
                    lines.append(
                        Array((String(repeating: "a", count: padding) + " " + before + word + after).utf8))
                }
            }
        }
        lines +=
            (0...255).map { [UInt8($0)] }
            + (0...255).map { Array("text ".utf8) + [UInt8($0)] + Array(" \"end".utf8) }
        for name in ["OpenSSH_2k.log", "Zookeeper_2k.log"] {
            lines += (ToolProcess.realLog(name).map { [UInt8]($0) } ?? []).split(separator: 0x0A).map(
                Array.init)
        }
        return lines
    }()

    private func scan(_ line: [UInt8]) -> LineScan {
        (line + [UInt8](repeating: UInt8(ascii: "E"), count: LineScan.slack)).withUnsafeBytes {
            LineScan(UnsafeRawBufferPointer(rebasing: $0.prefix(line.count)), findsLevels: true)
        }
    }

    @Test(
        "A line that is said to name no level names none, and most real lines without one are not looked at")
    func levels() {
        var looked = 0
        for line in Self.lines {
            let level = line.withUnsafeBytes { LineRecognizer().level(of: $0) }
            let scan = scan(line)
            if scan.mayHaveLevel { looked += 1 }
            #expect(level == nil || scan.mayHaveLevel, "\(String(decoding: line, as: UTF8.self))")
        }
        let real = (ToolProcess.realLog("OpenSSH_2k.log").map { [UInt8]($0) } ?? []).split(separator: 0x0A)
            .map(Array.init)
        let suspects = real.filter { scan($0).mayHaveLevel }.count
        #expect(suspects <= real.count / 4, "\(suspects) of \(real.count)")
        #expect(looked > 100)
    }

    @Test("A line is looked at closely when, and only when, it is not plain text")
    func care() {
        for line in Self.lines {
            let scan = scan(line)
            #expect(scan.needsCare == line.contains { $0 < 0x20 || $0 >= 0x7F || $0 == 0x5C })
            #expect(scan.hasQuote == line.contains(0x22))
        }
    }

    @Test(
        "Each line is written as the formatter writes it, byte for byte", arguments: [false, true],
        ["", "shop \"a@b\""])
    func template(_ isJSON: Bool, _ name: String) {
        let category = name.isEmpty ? LogCategory.default : LogCategory(name)
        var lineOptions = LineFormatter.Options()
        lineOptions.showsSource = false
        var jsonOptions = JSONLinesFormatter.Options()
        jsonOptions.includesSource = false
        jsonOptions.includesThread = false
        let formatter: LogFormatter = isJSON ? JSONLinesFormatter(jsonOptions) : LineFormatter(lineOptions)
        let template = LineTemplate(isJSON ? .json : .line, formatter: formatter, category: category)
        let moment = LogTimestamp(nanoseconds: 1_795_000_000_123_456_789)
        template.begin(at: moment)
        for (index, line) in Self.lines.enumerated() {
            let level = LogLevel.standardLevels[index % 7]
            var output = LogBuffer()
            let scan = scan(line)
            line.withUnsafeBytes {
                template.append($0, level, needsCare: scan.needsCare, hasQuote: scan.hasQuote, to: &output)
            }
            var expected = LogBuffer()
            let text = line.withUnsafeBytes { LogText(utf8: $0) }
            let message = LogMessage(
                text, level: level, category: category, timestamp: moment, sequence: UInt64(index), file: "",
                function: "", line: 0)
            #expect(formatter.format(message, into: &expected))
            expected.append(0x0A as UInt8)
            #expect(output.text == expected.text)
        }
    }

    @Test("Whatever members an object has, in whatever order, a line is written as the formatter writes it")
    func members() {
        let all: [JSONMember] = [
            .time(), .time("t", .unixSeconds), .time("ms", .unixMilliseconds), .time("m", .milliseconds),
            .level(), .level("n", .upperName), .level("sys", .syslog), .level("sb", .swiftyBeaver),
            .category(), .context(), .file(), .line(), .function(), .thread(), .threadLabel("label"),
            .threadName(), .queue(), .task(), .sequence(), .constant("app", "a@b\"c"), .constant("n", 17),
            .fields, .traceID(), .spanID(), .error(), .reserved("id"),
        ]
        let moments = [1_795_000_000_123_456_789, 1_795_000_123_000_000_000].map {
            LogTimestamp(nanoseconds: $0)
        }
        var cases = all.flatMap {
            [[$0, .message()], [.message(), $0], [.level(), .message(), $0, .sequence()]]
        }
        cases += [
            JSONMember.standard, all + [.message()], [.message()] + all,
            [.message(), .message("text"), .sequence("n"), .sequence()], [.time(), .level()],
        ]
        for members in cases {
            var options = JSONLinesFormatter.Options()
            options.members = members
            options.includesThread = false
            let formatter = JSONLinesFormatter(options)
            let template = LineTemplate(.json, formatter: formatter, category: LogCategory("shop"))
            template.begin(at: moments[0])
            for index in 0..<4 {
                let (line, level) = (Array("line \(index)".utf8), LogLevel.standardLevels[index + 1])
                let own = index < 2 ? nil : moments[1]
                var output = LogBuffer()
                line.withUnsafeBytes {
                    template.append($0, level, needsCare: false, hasQuote: false, at: own, to: &output)
                }
                let message = LogMessage(
                    line.withUnsafeBytes { LogText(utf8: $0) }, level: level, category: LogCategory("shop"),
                    timestamp: own ?? moments[0], sequence: UInt64(index), file: "", function: "", line: 0)
                #expect(output.text == (formatter.format(message) ?? "") + "\n", "\(members.map(\.self))")
            }
        }
    }

    @Test(
        "A line with a time of its own is written as the formatter writes it, whatever was in front",
        arguments: [false, true], ["UTC", "local", "none"])
    func ownTimes(_ isJSON: Bool, _ zone: String) {
        var lineOptions = LineFormatter.Options()
        lineOptions.showsSource = false
        lineOptions.showsTime = zone != "none"
        lineOptions.zone = zone == "local" ? .local : .utc
        var jsonOptions = JSONLinesFormatter.Options()
        jsonOptions.includesSource = false
        jsonOptions.includesThread = false
        let formatter: LogFormatter = isJSON ? JSONLinesFormatter(jsonOptions) : LineFormatter(lineOptions)
        let template = LineTemplate(isJSON ? .json : .line, formatter: formatter, category: .default)
        let block = LogTimestamp(nanoseconds: 1_795_000_000_123_456_789)
        template.begin(at: block)
        var random = SeededNumbers(7)
        var moment: Int64 = 0
        for index in 0..<2000 {
            // Another day, the next second, the same second, the time of the block.
            switch random.number(0...3) {
            case 0: moment = Int64.random(in: 0...4_000_000_000, using: &random) * 1_000_000_000
            case 1: moment += Int64.random(in: 1...90, using: &random) * 1_000_000_000
            case 2:
                moment =
                    moment / 1_000_000_000 * 1_000_000_000
                    + Int64.random(in: 0..<1_000_000_000, using: &random)
            default: break
            }
            let own = random.chance(5) ? nil : LogTimestamp(nanoseconds: moment)
            let level = random.pick(LogLevel.standardLevels)
            let line = Array("order \(index) \(index % 3 == 0 ? "\"x\"" : "")".utf8)
            var output = LogBuffer()
            line.withUnsafeBytes {
                template.append($0, level, needsCare: false, hasQuote: index % 3 == 0, at: own, to: &output)
            }
            var expected = LogBuffer()
            let message = LogMessage(
                line.withUnsafeBytes { LogText(utf8: $0) }, level: level, timestamp: own ?? block,
                sequence: UInt64(index), file: "", function: "", line: 0)
            #expect(formatter.format(message, into: &expected))
            expected.append(0x0A as UInt8)
            #expect(output.text == expected.text)
        }
    }

    @Test(
        "The short way and the way of messages write the same",
        arguments: ["", "--json"], ["--line-time", "--join traces", "--line-time --join traces"])
    func bothWays(_ form: String, _ options: String) async throws {
        let tool = try ToolProcess()
        var lines = [
            "2026-11-20 10:20:30,123 ERROR shop cannot charge", "java.lang.Error: x", "\tat a.b(C.java:1)",
            "Caused by: y",
        ]
        lines += ["2026-11-20 10:20:30,124 INFO ready", "no time", "<11>Nov 20 10:20:31 web1 shop[7]: boom"]
        lines += [#"{"time":"2026-11-20T10:20:32Z","level":"warn","msg":"slow"}"#, "\tindented", "tab\there"]
        lines += ProgramLine.all.map(\.line)
        let path = try tool.file("all", Array((lines.joined(separator: "\n") + "\n").utf8))
        let command = "\"$HEARTWOOD\" pipe \(form) \(options)"
        let outcome = try await tool.shell(
            "\(command) -d '\(tool.logs)/a' '\(path)'; \(command) -d '\(tool.logs)/b' --console '\(path)' > /dev/null;"
                + " cat '\(tool.logs)'/a/*.log > '\(tool.logs)/a.txt'; cat '\(tool.logs)'/b/*.log > '\(tool.logs)/b.txt'"
        )
        let texts = try ["a", "b"].map {
            try String(contentsOfFile: "\(tool.logs)/\($0).txt", encoding: .utf8)
        }
        // Lines without a time have the one at which they were read; numbers begin at 0 or 1.
        let own = try Regex(#"2026-1[12]-(2[1-9]|3[01])[T ][0-9:.]+Z|"seq":[0-9]+"#)
        let (short, long) = (texts[0].replacing(own, with: ""), texts[1].replacing(own, with: ""))
        #expect(short == long && short.utf8.count > 10_000)
        for start in ["  levels:", "  lines:"] {
            let said = outcome.error.split(separator: "\n").filter { $0.hasPrefix(start) }
            #expect(Set(said).count <= 1 && said.count != 1, "\(said)")
        }
    }

    @Test(
        "With --raw the files hold exactly what was read, whatever it is, across many files",
        arguments: ["64KiB", "0"])
    func raw(_ size: String) async throws {
        let tool = try ToolProcess()
        var input: [UInt8] = []
        for _ in 0..<3 { for line in Self.lines { input += line + [0x0A] } }
        input += [UInt8](repeating: 0x0A, count: Tier.amount(20_000, full: 100_000))
        let path = try tool.file("all", input)
        let outcome = try await tool.shell(
            "cat '\(path)' | \"$HEARTWOOD\" pipe --raw -d '\(tool.logs)' --max-size \(size) --keep 0; cat '\(tool.logs)'/*.log | cmp - '\(path)' && echo same"
        )
        #expect(outcome.output == "same\n", "\(outcome.error)")
        let files = try tool.logFiles()
        #expect(size == "0" ? files.count == 1 : files.count > 30)
        #expect(files.allSatisfy { $0.last == 0x0A && (size == "0" || $0.count <= 65_536) })
    }
}
