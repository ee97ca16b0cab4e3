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

    private static func tally(_ name: String) throws -> (tallies: [String: Tally], missed: [String]) {
        var tallies: [String: Tally] = [:]
        var missed: [String] = []
        for line in try rows(name).map(Line.init) {
            let shown = redacted(line.text)
            var tally = tallies[line.rule] ?? Tally()
            tally.lines += 1
            if line.isHidden(in: shown) { tally.hidden += 1 } else { missed.append(line.text) }
            if line.isExact(shown) { tally.exact += 1 }
            tallies[line.rule] = tally
        }
        return (tallies, missed)
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
            "-----BEGIN PRIVATE KEY-----", "<password ", "token=a;b&", "apikey.", "4111 ",
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
