import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

/// `--redact` of all commands that show or write lines.
@Suite("--redact", .inTurn)
struct RedactOptionTests {
    private let tool: ToolProcess
    private static let lines = """
        2026-11-20 10:00:00.000Z info    login user=ann password=hunter2 from 10.0.0.1
        {"level":"error","message":"to ann@example.org","auth":{"api_key":"k-1","n":4111111111111111},"ms":5}
        level=warning msg="call" token="a b" url=https://u:p@host.example/x ms=7
        key is -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj
        -----END PRIVATE KEY----- and more
        2026-11-20 10:00:01.000Z info    hunter2 is no password here

        """
    private static let clear = """
        2026-11-20 10:00:00.000Z info    login user=ann password=<secret> from 10.0.0.1
        {"level":"error","message":"to <email>","auth":{"api_key":"<secret>","n":"<card>"},"ms":5}
        level=warning msg="call" token="<secret>" url=https://<credentials>@host.example/x ms=7
        key is <private-key>
        <private-key>
        <private-key> and more
        2026-11-20 10:00:01.000Z info    hunter2 is no password here

        """
    private let path: String

    init() throws {
        tool = try ToolProcess()
        path = try tool.file("app.log", Array(RedactOptionTests.lines.utf8))
    }

    private func shell(_ line: String) async throws -> ToolProcess.Outcome {
        try await tool.shell(line.replacingOccurrences(of: "LOG", with: "'\(path)'"))
    }

    @Test(
        "What is shown, searched, counted and written has no secrets; JSON stays JSON, and a line a line",
        arguments: [
            ("cat LOG --redact", clear), ("cat --redact=standard - < LOG", clear),
            ("tail -n 7 LOG --redact", clear),
            ("grep -c hunter2 LOG --redact", "1\n"), ("grep -c hunter2 LOG", "2\n"),
            ("grep -n 'no password' LOG --redact", "7:" + clear.split(separator: "\n")[6] + "\n"),
            ("grep -o 'password=[^ ]*' LOG --redact", "password=<secret>\n"),
            ("grep -A 1 'key is' LOG --redact", "key is <private-key>\n<private-key>\n"),
            ("cat LOG --redact --level error --fields ms,message", "5\tto <email>\n"),
            (
                "cat LOG --redact=emailAddresses | head -n 2 | tail -n 1 | cut -c-46",
                #"{"level":"error","message":"to <email>","auth""# + "\n"
            ),
        ])
    func shows(line: String, expected: String) async throws {
        let outcome = try await shell("\"$HEARTWOOD\" " + line)
        #expect(outcome.output == expected, "\(outcome.error)")
    }

    @Test(
        "Files that pipe writes have no secrets, by either way, with joined records and with members of JSON")
    func pipe() async throws {
        for options in ["", "--raw", "--json", "--join traces", "--console", "--line-time"] {
            let directory = tool.logs + options.filter(\.isLetter)
            let outcome = try await shell(
                "\"$HEARTWOOD\" pipe -d '\(directory)' \(options) --redact < LOG > /dev/null && cat '\(directory)'/*"
            )
            #expect(outcome.code == 0, "\(outcome.error)")
            let text = outcome.output
            for secret in ["password=hunter2", "ann@", "k-1", "4111", "a b", "u:p@", "MIIE"] {
                #expect(!text.contains(secret), "\(options): \(text)")
            }
            #expect(text.contains("<email>") && text.contains("hunter2 is no password here"))
            #expect(text.contains("<card>") && text.contains("<private-key>"))
        }
    }

    @Test("Equal secrets are shown equal with hash; an unknown rule is an error that names the others")
    func rules() async throws {
        let outcome = try await shell(
            "printf 'password=a1\\ntoken=a1\\npwd=b2\\n' | \"$HEARTWOOD\" cat --redact=hash")
        let hashes = outcome.output.split(separator: "\n").map { $0.split(separator: "=")[1] }
        #expect(hashes.count == 3 && hashes[0] == hashes[1] && hashes[0] != hashes[2])
        #expect(hashes.allSatisfy { $0.wholeMatch(of: /<hash:[0-9a-f]{16}>/) != nil })
        let wrong = try await shell("\"$HEARTWOOD\" cat --redact=emailAdresses LOG")
        #expect(wrong.code == 2 && wrong.error.contains("did you mean “emailAddresses”?"), "\(wrong.error)")
    }
}
