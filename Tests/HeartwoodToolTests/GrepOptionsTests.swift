import Foundation
import Heartwood
import HeartwoodReading
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

/// The options of `heartwood grep` that GNU grep has, too.
@Suite("The options of heartwood grep", .inTurn)
struct GrepOptionsTests {
    let tool: ToolProcess

    init() throws { tool = try ToolProcess() }

    @Test(
        "The options show the names, the numbers, the parts and the lines around that grep shows",
        arguments: [
            ("-n 5 a", "5:m5"), ("-o -n m[0-9] a", "1:m1 5:m5 9:m9"), ("-m 2 m a", "m1 m5"),
            ("-A1 m1 a", "m1 2"), ("-B 1 m5 a", "4 m5"),
            ("-C1 -n m a", "1:m1 2-2 -- 4-4 5:m5 6-6 -- 8-8 9:m9"),
            ("-nA3 'm1|m5' a", "1:m1 2-2 3-3 4-4 5:m5 6-6 7-7 8-8"),
            ("-m1 -A9 m a", "m1 2 3 4 m5 6 7 8 m9"), ("-E 'm1|m9' a", "m1 m9"), ("-i M1 a", "m1"),
            ("-vc m a", "6"), ("-c m a b", "a:3 b:1"), ("-hc m a b", "3 1"), ("-Hc m a", "a:3"),
            ("-c m DIR", "4"), ("-Hc m DIR", "DIR/a.log:3 DIR/b.log:1"), ("-l m a b", "a b"),
            ("-L m a b", ""), ("-L m9 a b", "b"), ("-l m9 a b", "a"), ("-n m1 a b", "a:1:m1 b:1:m1"),
            ("-hn m1 a b", "1:m1 1:m1"), ("-B1 m a b", "a:m1 -- a-4 a:m5 -- a-8 a:m9 -- b:m1"),
            ("-B2 m1 a b", "a:m1 -- b:m1"), ("-nB2 m1 a b", "a:1:m1 -- b:1:m1"), ("-o 'm|5' a", "m m 5 m"),
            ("-ov m a", ""), ("-m1 -c m a", "1"),
            ("-Hn m1 - < a", "(standard input):1:m1"),
            ("-l m - < a", "(standard input)"), ("-C1 -C0 m5 a", "m5"),
        ])
    func options(_ line: String, _ expected: String) async throws {
        let outcome = try await tool.shell(
            """
            printf 'm1\\n2\\n3\\n4\\nm5\\n6\\n7\\n8\\nm9' > a; printf 'm1\\n' > b; mkdir -m 700 DIR
            cp a DIR/a.log; cp b DIR/b.log; touch -d 2026-11-20 DIR/a.log; "$HEARTWOOD" grep \(line)
            """)
        #expect(outcome.output.split(separator: "\n").joined(separator: " ") == expected, "\(outcome.error)")
        #expect(outcome.code == (expected.isEmpty && !line.hasPrefix("-L") && !line.hasPrefix("-ov") ? 1 : 0))
    }

    /// A text as journald writes it in JSON where it has colors.
    private static func list(_ text: String, _ separator: String = ",") -> String {
        "[" + text.utf8.map { "\($0)" }.joined(separator: separator) + "]"
    }

    @Test(
        "A message that is a list of bytes is found by the text that it is, and no other list is",
        arguments: [
            ("{\"MESSAGE\":\(list("\u{1B}[31mboom\u{1B}[0m")),\"PRIORITY\":\"3\"}", true),
            ("{\"MESSAGE\":\(list("bo\u{1B}[1mom")),\"PRIORITY\":\"3\"}", true),
            ("{\"PRIORITY\":\"3\",\"MESSAGE\":\(list("a boom\n\u{FF}"))}", true),
            ("{\"a\":\"\\n\",\"MESSAGE\" : \(list("boom", ", "))}", true),
            ("{\"a\":[1,2],\"Message\":\(list("boom"))}", true),
            ("{\"log\":\"{\\\"msg\\\":\(list("boom"))}\\n\",\"stream\":\"stdout\"}", true),
            ("{\"fields\":{\"message\":\(list("boom"))}}", true),
            ("{\"MESSAGE\":\(list("bo om")),\"PRIORITY\":\"3\"}", false),
            ("{\"MESSAGE\":\"x\",\"DATA\":\(list("boom"))}", false),
            ("{\"MESSAGE\":\"x\",\"a\":{\"MESSAGE\":\(list("boom"))}}", false),
            ("{\"MESSAGE\":[98,111,111,109,256]}", false), ("{\"MESSAGE\":[98,111,\"o\",109]}", false),
            ("{\"MESSAGE\":\"\(list("boom"))\"}", false), ("x \"MESSAGE\":\(list("boom"))", false),
            ("{\"PRIORITY\":\"3\",\"MESSAGE\":[]}", false),
        ])
    func bytes(_ line: String, _ isFound: Bool) async throws {
        let text = "{\"message\":\"first\"}\n\(line)\nlast\n"
        _ = try tool.file("log", text.utf8)
        for search in [
            "grep boom log", "grep -F boom log", "grep '\\bbo+m' log", "cat log --where message~boom",
        ] {
            let outcome = try await tool.shell("$HEARTWOOD \(search)")
            #expect(outcome.output == (isFound ? line + "\n" : ""), "\(search): \(outcome.error)")
        }
        let shown = try await tool.shell("$HEARTWOOD cat --fields message log | grep -c boom")
        #expect(shown.output == (isFound ? "1\n" : "0\n"))
        let parts = try await tool.shell("$HEARTWOOD grep -o bo+m log; $HEARTWOOD cat --not boom log")
        let rest = "{\"message\":\"first\"}\n" + (isFound ? "" : line + "\n") + "last\n"
        #expect(parts.output == (isFound ? "boom\n" : "") + rest)
    }

    @Test("In a second and a third file, every option shows what grep shows")
    func severalFiles() async throws {
        let outcome = try await tool.shell(
            """
            printf 'm1\\n2\\n3\\n4\\nm5\\n6\\n7\\n8\\nm9\\n' > a; printf 'm1\\nx\\ny\\n' > b; printf 'z\\nm1\\nm2\\n' > c
            n=0; ok=0
            for f in 'a b c' 'b a b'; do for p in m m1 nope; do
                for o in '' -n -c '-B 2' '-A 2' '-C 1' '-n -B 2' '-n -C 3' '-m 2' '-m 1 -B 1' -o '-o -n' -l -L \
                    '-h -n' '-h -C 1' -v '-v -n -B 1' '-c -v' '-m 1 -c' '-H -o'; do
                    n=$((n + 1)); "$HEARTWOOD" grep $o $p $f > ours; grep $o $p $f > theirs
                    if cmp -s ours theirs; then ok=$((ok + 1)); else echo "$o $p $f"; fi
            done; done; done; echo $ok of $n
            """)
        #expect(outcome.output == "126 of 126\n", "\(outcome.error)")
    }

    @Test(
        "It ends with 0 if a line was found, 1 if none was, and 2 if something could not be read; -q does so silently",
        arguments: [
            ("-q Inv a", 0), ("-q nope a", 1), ("-q Inv nowhere a", 0), ("-q nope nowhere a", 2),
            ("Inv a nowhere", 2),
            ("-q Inv - < a", 0), ("-m 0 Inv a", 1), ("-q -f Inv a", 0), ("-c -f Inv a", 2), ("-A x Inv a", 2),
            ("-L Inv a", 0), ("-L nope a", 1), ("-h", 2), ("--help", 0),
        ] as [(String, Int32)])
    func codes(_ line: String, _ code: Int32) async throws {
        let outcome = try await tool.shell("echo Invalid > a; \"$HEARTWOOD\" grep \(line)")
        #expect(outcome.code == code, "\(outcome.error)")
        if line.hasPrefix("-q") { #expect(outcome.output.isEmpty) }
        #expect(
            outcome.error.isEmpty == !(code == 2 || line.contains("nowhere"))
                || line.hasPrefix("-q Inv nowhere"))
    }

    @Test("Lines around are shown across the blocks in which files are read")
    func contextAcrossBlocks() async throws {
        let outcome = try await tool.shell(
            """
            yes 'a line of some length, to fill a block' | head -n 14000 | awk '{ print NR, $0; if (NR % 3001 == 0) print "hit" }' > a
            seq 300000 | awk '{ print ($1 % 2 ? "" : "hit ") $1 }' > b
            gzip -k a; n=0; ok=0
            for o in '' --redact; do
                n=$((n + 1)); "$HEARTWOOD" grep -n -B 2 $o hit b > ours; grep -n -B 2 hit b > theirs
                cmp ours theirs && ok=$((ok + 1))
            done
            for f in a a.gz; do for o in '-n -C 2' '-B 9000' '-A 9000 -n' '-n -B 3000 -A 1' '-n -m 3 -A 5'; do
                n=$((n + 1)); "$HEARTWOOD" grep $o hit $f > ours; grep $o hit a > theirs; cmp ours theirs && ok=$((ok + 1))
            done; done; echo $ok of $n
            """)
        #expect(outcome.output == "12 of 12\n", "\(outcome.error)")
    }

    @Test("On real logs, every mix of options shows what grep shows, byte for byte", .secondTier)
    func mixes() async throws {
        for name in ["OpenSSH_2k.log", "Zookeeper_2k.log"] {
            guard let data = ToolProcess.realLog(name) else { return }
            _ = try tool.file(name, data)
        }
        let options = [
            "-o", "-n", "-m 3", "-m1", "-A 2", "-B 3", "-C 1", "-i", "-v", "-c", "-l", "-L", "-h", "-H", "-q",
            "-C0",
            "-m 0", "-F",
        ]
        let patterns = [
            "Invalid user", "Failed password for root", "WARN.*40", "[0-9]+:[0-9]+", "user|root",
            "nothing_at_all",
            "^", "$", "x*",
        ]
        let operands = [
            "OpenSSH_2k.log", "Zookeeper_2k.log", "OpenSSH_2k.log Zookeeper_2k.log", "b.log c.log",
            "c.log b.log OpenSSH_2k.log", "- < b.log", "b.log nowhere c.log",
        ]
        var random = SeededGenerator(seed: 29)
        var lines = [
            "head -n 50 OpenSSH_2k.log > b.log; printf 'no newline: Invalid' > c.log; export LC_ALL=C.UTF-8"
        ]
        for _ in 0..<400 {
            let chosen = Set(options.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random)))
            if chosen.isSuperset(of: ["-h", "-H"]) || chosen.isSuperset(of: ["-l", "-L"]) { continue }
            let words = chosen.sorted().joined(separator: " ")
            let rest =
                "'\(patterns.randomElement(using: &random) ?? "")' \(operands.randomElement(using: &random) ?? "")"
            lines.append("\"$HEARTWOOD\" grep \(words) \(rest) > ours 2> errors; echo $? >> ours")
            lines.append(
                "grep -a \(chosen.contains("-F") ? "" : "-P") \(words) \(rest) > theirs 2> errors; echo $? >> theirs"
            )
            lines.append(
                "cmp -s ours theirs || echo \"differs: \(words) \(rest.replacingOccurrences(of: "$", with: "\\\\$"))\""
            )
        }
        let outcome = try await tool.shell(lines.joined(separator: "\n"))
        #expect(outcome.output.isEmpty, "\(outcome.error)")
    }

    @Test(
        "Text that JSON escapes is found as its reader sees it, and in no other lines",
        arguments: [
            ("café", "1"), ("'say \"hi\"'", "2"), ("-F '\"hi\"'", "2"), ("-i CAFÉ", "1"),
            ("'C:\\\\t'", "3 5"),
            ("-F 'a/b'", "4"), ("'^second'", "6"), ("😀", "7"), ("-F '\\\"hi'", "2"),
            ("-o 'café'", "café"), ("-c 'café|hi'", "2"), ("-vc café", "7"), ("-F 'u00e9'", "1"),
            ("'\\t'", ""), ("plain", "8"), ("-n plain", "8:8"), ("--not café -c ''", "7"),
        ])
    func escapes(_ options: String, _ expected: String) async throws {
        let lines = #"""
            {"n":1,"message":"caf\u00e9"}
            {"n":2,"message":"say \"hi\" now"}
            {"n":3,"message":"C:\\temp"}
            {"n":4,"message":"a\/b"}
            n=5 C:\temp
            {"n":6,"message":"first\nsecond"}
            {"n":7,"message":"\ud83d\ude00 \ud83d"}
            {"n":8,"message":"plain"}
            """#
        _ = try tool.file("a", Array((lines + "\n").utf8))
        let end =
            options.contains("-o") || options.contains("c ")
            ? "" : #" | sed -E 's/\{?"?n"?[=:]([0-9]).*/\1/'"#
        let outcome = try await tool.shell("\"$HEARTWOOD\" grep \(options) a\(end)")
        #expect(outcome.output.split(separator: "\n").joined(separator: " ") == expected, "\(outcome.error)")
    }

    @Test(
        "Escapes are resolved as JSON means them, whatever the bytes are",
        arguments: 0..<Tier.amount(200, full: 5000))
    func resolves(_ seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let scalars: [Unicode.Scalar] = [
            "a", "é", "😀", "\"", "\\", "\n", "\t", "\r", "/", "\u{1}", "語", "\u{8}", "\u{c}",
        ]
        let text = String(
            String.UnicodeScalarView(
                (0..<Int.random(in: 0...12, using: &random)).compactMap { _ in
                    scalars.randomElement(using: &random)
                }))
        var written = ""
        for unit in text.unicodeScalars {
            let isPlain = unit.value >= 32 && unit != "\"" && unit != "\\"
            if isPlain, Bool.random(using: &random) {
                written.unicodeScalars.append(unit)
            } else {
                for unit in String(unit).utf16 {
                    let digits = String(unit, radix: 16, uppercase: Bool.random(using: &random))
                    written += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        let bytes = Array(written.utf8)
        #expect(bytes.withUnsafeBytes { JSONMembers.unescaped($0, 0..<$0.count) } == text, "\(written)")
    }
}
