import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Lines of other programs with made secrets, and lines that only look as if they had some, from files that were
/// written by people who had not seen the rules.
@Suite("Redaction of a corpus of lines", .inTurn)
struct RedactionCorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Corpus")

    private static func rows(_ name: String) throws -> [[String]] {
        try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8).split(separator: "\n")
            .map {
                $0.split(separator: "\t", maxSplits: 2).map(String.init)
            }
    }

    private static let rules: RedactionRules = {
        var rules = RedactionRules.standard
        rules.rules.append(.nationalNumbers(of: Set(NationalNumber.allCases)))
        return rules
    }()

    private static func redacted(_ line: String, by rules: RedactionRules = rules) -> String {
        var redactor = LineRedactor(rules)
        var output = LogBuffer()
        redactor.append(line, to: &output)
        return output.text
    }

    /// A line of the corpus: each secret is between « and », and ⁝ keeps other scanners from finding it.
    private struct Line {
        let rule: String
        let text: String
        /// What is before, between and after the secrets.
        var rest: [String] = []
        var secrets: [String] = []

        init(_ row: [String]) {
            rule = row[0]
            let marked = row[2].replacingOccurrences(of: "⁝", with: "")
            text = marked.filter { $0 != "«" && $0 != "»" }
            for (index, part) in marked.components(separatedBy: "«").enumerated() {
                let pieces = part.components(separatedBy: "»")
                if index > 0 { secrets.append(pieces[0]) }
                rest.append(pieces[pieces.count - 1])
            }
        }

        /// Whether nothing but the secrets is replaced.
        func isExact(_ shown: String) -> Bool {
            let pattern = rest.map(NSRegularExpression.escapedPattern(for:)).joined(
                separator: #"\\*"?<[a-z-]+>\\*"?"#)
            return shown.range(of: "^\(pattern)$", options: .regularExpression) != nil
        }

        /// Whether none of the secrets is there any more.
        func isHidden(in shown: String) -> Bool {
            isExact(shown) || secrets.allSatisfy { !shown.contains($0) }
        }
    }

    /// How many lines a rule has, how many of them lose all their secrets, and how many nothing else.
    private struct Tally: Equatable, CustomStringConvertible {
        var lines = 0
        var hidden = 0
        var exact = 0
        var description: String { "\(hidden) of \(lines), \(exact) exact" }
    }

    /// How a line is shown, with what is not visible of it.
    enum Show: CaseIterable {
        /// As it is.
        case plainly
        /// Each word in a color.
        case words
        /// A color between the letters of each word, spelled as Heartwood's files and JSON spell it.
        case spelled
        /// Marks of no width between letters.
        case marks
        /// Each letter struck twice, as for a printer.
        case struck

        func callAsFunction(_ line: String) -> String {
            if self == .plainly { return line }
            let isJSON = line.hasPrefix("{") || line.hasPrefix("[")
            var result = ""
            var before = Character(" ")
            for (index, character) in line.enumerated() {
                let begins = character.isLetter != before.isLetter
                // What follows a backslash or a percent sign belongs to it.
                let isFree = !"\\%".contains(before) && character.isASCII
                switch self {
                case .words where begins && isFree: result += "\u{1B}[\(31 + index % 7)m\(character)"
                case .spelled where !begins && isFree && character.isLetter:
                    result += (isJSON ? "\\u001b[0;1m" : "\\u{1b}[38;5;21m") + "\(character)"
                case .marks where !begins && isFree:
                    result += ["\u{200B}", "\u{AD}", "\u{2060}"][index % 3] + "\(character)"
                case .struck where character.isLetter && isFree: result += "\(character)\u{8}\(character)"
                default: result.append(character)
                }
                before = character
            }
            return result
        }

        /// What a person sees of a line.
        func seen(_ line: String) -> String {
            switch self {
            case .plainly: line
            case .words: line.replacing(/\u{1B}\[\d+m/, with: "")
            case .spelled: line.replacing("\\u001b[0;1m", with: "").replacing("\\u{1b}[38;5;21m", with: "")
            case .marks: String(line.unicodeScalars.filter { ![0x200B, 0xAD, 0x2060].contains($0.value) })
            case .struck: line.replacing(/.\u{8}/, with: "")
            }
        }
    }

    private static func tally(
        _ name: String, _ show: Show = .plainly
    ) throws -> (tallies: [String: Tally], missed: [String]) {
        var tallies: [String: Tally] = [:]
        var missed: [String] = []
        for line in try rows(name).map(Line.init) {
            let shown = show.seen(redacted(show(line.text)))
            var tally = tallies[line.rule] ?? Tally()
            tally.lines += 1
            if line.isHidden(in: shown) {
                tally.hidden += 1
            } else {
                missed.append(line.text + " → " + shown)
            }
            if line.isExact(shown) { tally.exact += 1 }
            tallies[line.rule] = tally
        }
        return (tallies, missed)
    }

    @Test("Each country that can be chosen has forms of numbers", arguments: NationalNumber.allCases)
    func countries(country: NationalNumber) {
        #expect(SecretNumbers.kinds[country]?.forms.isEmpty == false)
    }

    @Test(
        "Of the secrets of the corpus, as many are hidden as the page says, and little else",
        arguments: ["secrets", "secrets-2"])
    func secrets(name: String) throws {
        let (tallies, missed) = try RedactionCorpusTests.tally(name + ".tsv")
        let text = tallies.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")
        #expect(text == RedactionCorpusTests.expected[name], "missed: \(missed.joined(separator: "\n"))")
    }

    private static let expected = [
        "secrets": """
        apikey: 73 of 75, 73 exact
        bearer: 15 of 15, 10 exact
        card: 15 of 15, 15 exact
        email: 12 of 12, 12 exact
        iban: 13 of 13, 13 exact
        keys: 175 of 175, 170 exact
        national: 19 of 19, 19 exact
        pem: 10 of 10, 10 exact
        userinfo: 15 of 15, 14 exact
        webtoken: 11 of 11, 11 exact
        """,
        "secrets-2": """
        apikey: 15 of 15, 14 exact
        bearer: 17 of 17, 12 exact
        card: 5 of 5, 5 exact
        email: 7 of 7, 7 exact
        iban: 5 of 5, 5 exact
        keys: 109 of 137, 95 exact
        national: 6 of 8, 6 exact
        pem: 5 of 5, 4 exact
        userinfo: 24 of 24, 1 exact
        webtoken: 9 of 9, 9 exact
        """,
    ]

    @Test(
        "Lines that only look as if they had a secret stay as they are, but for three",
        arguments: ["lookalikes", "lookalikes-2"])
    func lookalikes(name: String) throws {
        let lines = try RedactionCorpusTests.rows(name + ".tsv").map { $0[1...].joined(separator: "\t") }
        #expect(lines.count >= 200)
        // Any cookie counts as one of a session; a name in a path and a number may look like a secret.
        let known = ["Set-Cookie: lang=de", "secret:prod/db/main-a1B2c3", "cell 262-01-4411"]
        for line in lines {
            let isKnown = known.contains { line.contains($0) }
            #expect((RedactionCorpusTests.redacted(line) == line) != isKnown, "\(line)")
        }
    }

    @Test(
        "With colors and marks in a line, all but one as many secrets are found as without",
        arguments: Show.allCases.dropFirst(), ["secrets.tsv", "secrets-2.tsv"])
    func seen(show: Show, name: String) throws {
        let (plain, _) = try RedactionCorpusTests.tally(name)
        let (found, missed) = try RedactionCorpusTests.tally(name, show)
        let lost = plain.values.reduce(0) { $0 + $1.hidden } - found.values.reduce(0) { $0 + $1.hidden }
        let exact = plain.values.reduce(0) { $0 + $1.exact } - found.values.reduce(0) { $0 + $1.exact }
        #expect(lost <= 1, "\(show): \(missed.joined(separator: "\n"))")
        #expect(exact <= 1, "\(show)")
        for line in try RedactionCorpusTests.rows(name).map(Line.init) where isJSON(line.text) {
            let text = show(line.text)
            let isSame = isJSON(RedactionCorpusTests.redacted(text)) == isJSON(text)
            #expect(isSame, "\(RedactionCorpusTests.redacted(text))")
        }
    }

    @Test(
        "Lines that only look as if they had a secret stay as they are, with their colors and marks",
        arguments: Show.allCases.dropFirst(), ["lookalikes.tsv", "lookalikes-2.tsv"])
    func seenLookalikes(show: Show, name: String) throws {
        let lines = try RedactionCorpusTests.rows(name).map { $0[1...].joined(separator: "\t") }
        let changed = lines.filter { RedactionCorpusTests.redacted($0) == $0 }
            .filter { RedactionCorpusTests.redacted(show($0)) != show($0) }
        #expect(changed.count <= 1, "\(show): \(changed.joined(separator: "\n"))")
    }

    @Test(
        "What is not visible does not hide a secret; other colors stay, and JSON stays JSON",
        arguments: [
            ("\u{1B}[36mpassword \u{1B}[0m=hunter2", "\u{1B}[36mpassword \u{1B}[0m=<secret>"),
            ("password=\u{1B}[35mhunter2 \u{1B}[0mx", "password=\u{1B}[35m<secret> \u{1B}[0mx"),
            ("Bearer \u{1B}[1mabcdef123456\u{1B}[22m x", "Bearer \u{1B}[1m<token>\u{1B}[22m x"),
            (
                "https://ann:\u{1B}[31mpw\u{1B}[0m@host.example/",
                "https://<credentials>\u{1B}[0m@host.example/"
            ),
            (#"{"a":"\u001b[1mpassword\u001b[0m=hunter2"}"#, #"{"a":"\u001b[1mpassword\u001b[0m=<secret>"}"#),
            (#"{"\u001b[34mpassword\u001b[0m":"hunter2"}"#, #"{"\u001b[34mpassword\u001b[0m":"<secret>"}"#),
            (
                "\u{1B}[1m{\u{1B}[34m\"password\"\u{1B}[0m:\u{1B}[32m\"hunter2\"\u{1B}[0m}",
                "\u{1B}[1m{\u{1B}[34m\"password\"\u{1B}[0m:\u{1B}[32m\"<secret>\"\u{1B}[0m}"
            ),
            (
                #"10:00 INFO \u{1b}[33mtoken\u{1b}[0m=k4x8q9w2e7"#,
                #"10:00 INFO \u{1b}[33mtoken\u{1b}[0m=<secret>"#
            ),
            ("pass\u{AD}word=hunter2", "pass\u{AD}word=<secret>"),
            ("pwd=hun\u{200B}ter2 x", "pwd=<secret> x"),
            ("p\u{8}pw\u{8}wd\u{8}d=h\u{8}hunter2", "p\u{8}pw\u{8}wd\u{8}d=<secret>"),
            ("_\u{8}p_\u{8}w_\u{8}d=hunter2_\u{8}2 x", "_\u{8}p_\u{8}w_\u{8}d=<secret> x"),
            (#"{"a":"p\bpwd=hunter2"}"#, #"{"a":"p\bpwd=<secret>"}"#),
            (
                "see \u{1B}]8;;https://h.example/?token=k4x8q9w2e7\u{1B}\\this\u{1B}]8;;\u{1B}\\ link",
                "see \u{1B}]8;;https://h.example/?token=<secret>\u{1B}\\this\u{1B}]8;;\u{1B}\\ link"
            ),
            ("4111 \u{1B}[1m1111 1111\u{1B}[0m 1111", "<card>"),
            ("\u{1B}(B\u{1B}[mpassword\u{F}=hunter2", "\u{1B}(B\u{1B}[mpassword\u{F}=<secret>"),
            ("x \u{1B}[31 password=hunter2Xy9", "x \u{1B}[31 password=<secret>"),
            (
                "x \u{1B}[31secret=hunter2Xy9 \u{1B}[1Apwd=k4x8",
                "x \u{1B}[31secret=<secret> \u{1B}[1Apwd=<secret>"
            ),
            ("x\u{1B}(password=hunter2Xy9", "x\u{1B}(password=<secret>"),
            ("\u{1B}[0;3 AKIAIOSFODNN7EXAMPLE", "\u{1B}[0;3 <api-key>"),
            (#"C:\e[password=hunter2Xy9"#, #"C:\e[password=<secret>"#),
            ("password=hunter2Xy9\u{8}\u{8}\u{8}", "password=<secret>\u{8}\u{8}\u{8}"),
            ("password=hunter2Xy9\u{8} \u{8}\u{8} \u{8}", "password=<secret>\u{8} \u{8}\u{8} \u{8}"),
            (#"{"m":"password=hunter2Xy9\b\b\b"}"#, #"{"m":"password=<secret>\b\b\b"}"#),
            ("password=\0hunter2Xy9", "password=\0<secret>"),
            ("pass\u{7F}word=hunter2Xy9", "pass\u{7F}word=<secret>"),
            ("#033[36mpassword#033[0m=hunter2Xy9 #033[0m", "#033[36mpassword#033[0m=<secret> #033[0m"),
            ("^[[36mpassword^[[0m=hunter2Xy9", "^[[36mpassword^[[0m=<secret>"),
            (
                #"msg="\x1b[1mpassword\x1b(B\x1b[m=hunter2Xy9""#,
                #"msg="\x1b[1mpassword\x1b(B\x1b[m=<secret>""#
            ),
            (
                #"INFO {"token":"abc123\u001b]0;","c":"x\u0007def456","z":1}"#,
                #"INFO {"token":"<secret>","c":"x\u0007def456","z":1}"#
            ),
            (
                "\u{1B}[1m{\"a\":\"\u{1B}[31mERR\u{1B}[0m password=hunter2 \u{1B}[32mok\u{1B}[0m\"}",
                "\u{1B}[1m{\"a\":\"\u{1B}[31mERR\u{1B}[0m password=<secret> \u{1B}[32mok\u{1B}[0m\"}"
            ),
            (#"C:\temp\u12 password=hunter2 \x1b"#, #"C:\temp\u12 password=<secret> \x1b"#),
        ])
    func unseen(line: String, expected: String) {
        #expect(RedactionCorpusTests.redacted(line) == expected)
        #expect(RedactionCorpusTests.redacted(expected) == expected)
        // The message of a logger, and a value of JSON that a logger writes.
        if !line.contains("{\"") && !line.contains("\u{1B}[1m{") {
            #expect(RedactionRules.standard.redacted(line) == expected)
        }
    }

    @Test(
        "Whatever sequences are cut, nested or mixed, what is visible has its place, and the rest is kept",
        arguments: 0..<Tier.amount(20, full: 400))
    func seenFuzz(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let parts: [[UInt8]] =
            [
                "\u{1B}", "[", "31m", "]8;;", "\u{7}", "\\", "\\\\u001b", "\\u{1b}[0m", "\\x1b[K", "\\e[1m",
                "\u{8}", "_",
                "\u{AD}", "\u{200B}", "\u{9B}1m", "(B", "P", "x", "é", "💡", "{\"a\":\"", "\"}", "\n", "=",
                "\u{F}", " ",
            ].map { Array($0.utf8) } + [[0xE2], [0x80], [0xF3, 0xA0], [0xC2], [0xFF]]
        for _ in 0..<200 {
            var text: [UInt8] = []
            for _ in 0..<Int.random(in: 0...60, using: &random) {
                text += parts[Int.random(in: 0..<parts.count, using: &random)]
            }
            var output = LogBuffer()
            var redactor = LineRedactor(RedactionCorpusTests.rules)
            text.withUnsafeBytes { redactor.append($0, to: &output) }
            #expect(output.withUnsafeBytes { Array($0) } == text)
            text.withUnsafeBytes { text in
                guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                // The walk of sixteen bytes a step finds what a walk byte by byte does.
                var place = 0
                while place < text.count, text[place] != 0x08, hw_unseen(base, text.count, place) == 0 {
                    repeat {
                        place += 1
                    } while place < text.count && text[place - 1] == 0x5C && text[place] == 0x5C
                }
                #expect(hw_next_unseen(base, text.count, 0) == place)
                guard let seen = SeenText(text) else { return }
                var last = 0
                for index in seen.bytes.indices {
                    let range = seen.place(of: index..<index + 1)
                    #expect(range.lowerBound >= last && range.upperBound <= text.count)
                    #expect(seen.bytes[index] & 0xC0 == 0x80 || text[range].contains(seen.bytes[index]))
                    last = range.upperBound
                }
            }
        }
    }

    @Test("Equal secrets have equal hashes, whatever color they have")
    func hashes() {
        var rules = RedactionRules.standard
        rules.replacement = .hash
        let plain = RedactionCorpusTests.redacted("password=hunter2", by: rules)
        #expect(RedactionCorpusTests.redacted("password=hun\u{1B}[1mter2", by: rules) == plain)
    }

    @Test("A private key in colors is replaced line by line")
    func coloredKey() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
        let text = """
            key \u{1B}[33m-----BEGIN PRIVATE KEY-----\u{1B}[0m
            \u{1B}[33m\(body)\u{1B}[0m
            10:00 \u{1B}[33m\(body)\u{1B}[0m
            \u{1B}[33m-----END PRIVATE KEY-----\u{1B}[0m and more

            """
        let key = "\u{1B}[33m<private-key>\u{1B}[0m"
        #expect(RedactionCorpusTests.redacted(text) == "key \(key)\n\(key)\n10:00 \(key)\n\(key) and more\n")
    }

    @Test("What is redacted stays as it is when it is redacted again, and JSON stays JSON")
    func again() throws {
        var objects = 0
        for line in try ["secrets.tsv", "secrets-2.tsv"].flatMap(RedactionCorpusTests.rows).map(Line.init) {
            let shown = RedactionCorpusTests.redacted(line.text)
            #expect(RedactionCorpusTests.redacted(shown) == shown)
            guard isJSON(line.text) else { continue }
            objects += 1
            #expect(isJSON(shown), "\(shown)")
        }
        #expect(objects > 30)
    }

    private func isJSON(_ text: String) -> Bool {
        (try? JSONSerialization.jsonObject(with: Data(text.utf8))) != nil
    }

    @Test("The lines are the same where they are redacted together, as a file, and one by one")
    mutating func blocks() throws {
        let lines = try ["secrets.tsv", "lookalikes.tsv", "secrets-2.tsv"].flatMap { name in
            try RedactionCorpusTests.rows(name).compactMap(\.last)
        }.map { $0.replacingOccurrences(of: "⁝", with: "") }.shuffled(using: &generator)
        let whole = lines.joined(separator: "\n") + "\n"
        let singly = lines.map { RedactionCorpusTests.redacted($0) + "\n" }.joined()
        #expect(RedactionCorpusTests.redacted(whole) == singly)
    }

    private var generator = SeededGenerator(seed: 42)

    @Test(
        "A replacement tells nothing of a secret's length, and equal secrets are equal if a key hashes them")
    func lengths() throws {
        let lines = ["password=a7", "password=" + String(repeating: "x7", count: 30)]
        #expect(Set(lines.map { RedactionCorpusTests.redacted($0) }).count == 1)
        var hashing = RedactionRules.standard
        hashing.replacement = .hash
        let hashed = lines.map { RedactionCorpusTests.redacted($0, by: hashing) }
        #expect(Set(hashed.map(\.count)).count == 1 && Set(hashed).count == 2)
        let other = RedactionCorpusTests.redacted(#"{"Db-Password":"a7"}"#, by: hashing)
        #expect(other == #"{"Db-Password":"\#(hashed[0].dropFirst(9))"}"#)
    }

    @Test(
        "A line that is made to be slow takes a time that goes with its length",
        arguments: [
            "password=a ", "token={", "token: {", "a://b:", "a%40", "eyJ-", "xoxb-", "authorization: basic ",
            "authorization: digest ", "cookie: a=b; ", "token=string(", #"token=""#, #"token=\""#, "DE89 ",
            "-----BEGIN PRIVATE KEY-----", "<password ", "token=a;b&", "apikey.", "4111 ", "\u{1B}",
            "\u{1B}]",
            "\\u{1b}]", "\\u{1b}[", "\\\\", "\\u{1b}P\\", "x\u{8}", "\u{AD}",
        ])
    func slow(part: String) {
        for line in [part, #"{"\u0061":""# + part.filter { $0 != "\"" }] {
            let line = String(repeating: line, count: 65_536 / line.utf8.count)
            let clock = ContinuousClock()
            let duration = clock.measure { _ = RedactionCorpusTests.redacted(line) }
            // A debug build takes some ten nanoseconds a byte; all against all would take minutes.
            #expect(duration < .seconds(20), "\(part)")
        }
    }
}
