import Foundation
import Heartwood
import HeartwoodArchive
import HeartwoodReading
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

/// The search is compared with that of GNU grep, byte for byte, on bytes of every kind.
@Suite("heartwood grep and cat, compared with grep and cat", .inTurn)
struct GrepTests {
    private let archives: Void = LogArchives.register()

    let tool: ToolProcess

    init() throws {
        tool = try ToolProcess()
        try FileManager.default.createDirectory(
            atPath: tool.logs, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        var bytes: [UInt8] = []
        for index in 0..<Tier.amount(3000, full: 40_000) {
            let user = ["root", "Érika", "ann", "İpek", "x\u{0}y"][index % 5]
            bytes += Array(
                "Nov 20 10:2\(index % 10):30 web sshd[\(index)]: Invalid user \(user) from 10.0.0.\(index % 256)"
                    .utf8)
            if index % 7 == 0 { bytes += [0x20, 0xFF, 0xC3, 0x28] }
            if index % 11 == 0 { bytes.append(0x0D) }
            bytes.append(0x0A)
            if index % 13 == 0 { bytes += Array("\n\n \tat Frame.swift:\(index)\n".utf8) }
            if index % 17 == 0 { bytes += Array("error: no route, code=\(index)\n".utf8) }
        }
        try Data(bytes).write(to: URL(fileURLWithPath: tool.logs + "/a.log"))
        // A long line across many blocks, and a last line without its end.
        let long =
            [UInt8](repeating: UInt8(ascii: "x"), count: Tier.amount(1, full: 10) << 20)
            + Array(" needle ".utf8)
        let end = Array("\nInvalid user last\n\nno newline: Invalid".utf8)
        try Data(long + long + end).write(to: URL(fileURLWithPath: tool.logs + "/b.log"))
    }

    @Test(
        "The lines found are those that grep finds, byte for byte",
        arguments: [
            ("-F", "Invalid user"), ("", "Invalid user"), ("-v", "Invalid user"), ("-c", "Invalid user"),
            ("-v -c", "Invalid user"), ("-i", "INVALID USER"), ("-i -F", "érika"), ("-c -i", "rOOt"),
            ("", "user (root|ann) from"), ("", "10\\.0\\.0\\.2[0-9]$"), ("", "^error: .*code=[0-9]+7$"),
            ("-v", "sshd|error|^$"), ("-c", "^$"), ("-c -v", "^$"), ("", "user [^a-z]"), ("", "needle"),
            ("-c", "x*"), ("", "x needle"), ("", "\\bann\\b.*255"), ("-F", "code=1"), ("-c", ""),
            ("-F -c", ""),
            ("", "fro?m 10\\.0\\.0\\.1$"), ("", "(Frame|code).*99"), ("-F", "not there at all"),
            ("", "\\sat Frame"), ("", "newline: Invalid$"), ("-c", "[[:digit:]]{5}\\]"),
            ("", "user x.y from 10.0.0.7"),
        ])
    func agrees(_ options: String, _ pattern: String) async throws {
        let kind = options.contains("-F") ? "" : "-P"
        let outcome = try await tool.shell(
            """
            export LC_ALL=C.UTF-8
            cat a.log > all; cat b.log >> all; echo >> all
            "$HEARTWOOD" grep \(options) '\(pattern)' '\(tool.logs)' > ours; echo $? > ours.code
            grep -a \(kind) \(options) -e '\(pattern)' all > theirs; echo $? > theirs.code
            cmp ours theirs && cmp ours.code theirs.code && echo same
            """.replacingOccurrences(of: "a.log", with: "'\(tool.logs)/a.log'")
                .replacingOccurrences(of: "cat b.log", with: "cat '\(tool.logs)/b.log'"))
        #expect(outcome.output == "same\n", "\(outcome.error)")
    }

    @Test(
        "All text is shown byte for byte as it is, from plain and compressed files, and each file ends with a newline"
    )
    func copies() async throws {
        let outcome = try await tool.shell(
            """
            cd '\(tool.logs)'; cat a.log b.log > ../all; echo >> ../all; gzip -c a.log > c.log.gz; cat a.log >> ../all
            gzip -c b.log | cat - c.log.gz > d.log.gz; cat b.log a.log >> ../all
            "$HEARTWOOD" cat . > ../ours; cd ..; cmp all ours && echo same
            grep -a -c Invalid all; "$HEARTWOOD" grep -c Invalid '\(tool.logs)'
            """)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.first == "same", "\(outcome.error)")
        #expect(lines.count == 3 && lines[1] == lines[2])
    }

    @Test("A file that is cut while it is read ends the reading of it, and not the process")
    func cut() throws {
        let path = tool.logs + "/a.log"
        let reader = LogBlockReader([path, tool.logs + "/b.log"])
        let first = try #require(try reader.next())
        #expect(first.path == path && first.bytes.last == 0x0A)
        #expect(truncate(path, 0) == 0)
        var rest = 0
        while let block = try reader.next() { rest += block.bytes.count }
        #expect(rest >= Tier.amount(2, full: 20) << 20)
        #expect(reader.damages.isEmpty)
    }

    @Test(
        "What is known of a pattern before it is compiled is true of all that it matches",
        arguments: [
            ("Invalid user", "Invalid user", true, true), ("a\\.b", "a.b", true, true),
            ("ab?c", "", false, true),
            ("warn|error", "", false, true), ("time(d)? out.*x", "time", false, true),
            ("x+yz", "yz", false, true), ("[a-z]+ing", "ing", false, true), ("[^a]bc", "", false, false),
            ("\\sab", "", false, false), ("(?i)abc", "", false, false), ("(ab|cd)ef", "ef", false, true),
            ("colou?r", "colo", false, true), ("é?bc", "bc", false, true), ("a{2}bcd", "bcd", false, true),
        ] as [(String, String, Bool, Bool)])
    func shape(_ pattern: String, _ required: String, _ isText: Bool, _ isSafe: Bool) {
        let shape = PatternShape(pattern, isLiteral: false, ignoresCase: false)
        #expect(shape.requiredText.map { String(decoding: $0, as: UTF8.self) } ?? "" == required)
        #expect(shape.isText == isText)
        #expect(shape.isSafeForBlocks == isSafe)
    }

    @Test("What matches in a terminal's line is shown where it is")
    func marks() throws {
        let searcher = try LineSearcher("a+|x*")
        let line = Array("baaxca".utf8)
        #expect(line.withUnsafeBytes { searcher.matches(in: $0) } == [1..<3, 3..<4, 5..<6])
    }
}
