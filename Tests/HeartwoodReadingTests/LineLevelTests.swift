import Heartwood
@testable import HeartwoodReading
import CoreFixtures
import SuiteSupport
import Testing

@Suite("Detecting the level of a line", .inTurn)
struct LineLevelTests {
    private func level(of line: String) -> LogLevel? {
        Array(line.utf8).withUnsafeBytes { LineRecognizer().level(of: $0) }
    }

    @Test(
        "The forms in which programs name levels are recognized",
        arguments: [
            ("<34>1 2003-10-11T22:14:15.003Z host su - ID47 - failed", LogLevel.fatal),
            ("<3>disk failure", .error),
            ("<165>Aug 24 05:34:00 mymachine", .notice), ("<191>x", .debug),
            ("E1120 10:20:30.123456 1234 server.go:12] boom", .error), ("I1120 10:20:30.1 x", .info),
            ("time=2026-11-20T10:20:30Z level=warn msg=\"disk nearly full\"", .warning),
            (#"{"time":"x","level":"error","msg":"INFO desk"}"#, .error),
            (#"{"level":40,"msg":"x"}"#, .warning),
            (#"{"msg":"ERROR codes","severity":"NOTICE"}"#, .notice), (#"{"log.level": "debug"}"#, .debug),
            ("2015-07-29 17:41:44,747 - INFO  [main] x", .info),
            ("2015-07-29 17:41:44,747 - WARN  [Send] x", .warning),
            ("[error] [client 10.0.0.1] no", .error),
            ("[Mon Nov 16 10:20:30 2026] [core:error] AH00128", .error),
            ("2026/11/20 10:20:30 [warn] 1#1: low", .warning), ("10:20:30 |debug| x", .debug),
            ("sshd[24680]: error: Received disconnect", .error), ("sshd[24680]: fatal: Write failed", .fatal),
            ("warn: Microsoft.Hosting[0]", .warning), ("dbug: x", .debug),
            ("2026-11-20T10:20:30+0000 notice app: up", .notice),
            ("2026-11-20 10:20:30.123Z error   boom", .error),
            ("ERROR:root:boom", .error), ("app CRITICAL out of memory", .fatal), ("(verbose) x", .verbose),
            ("TRACE entering", .verbose), ("kernel EMERGENCY stop", .fatal),
        ])
    func recognized(line: String, expected: LogLevel) { #expect(level(of: line) == expected) }

    @Test(
        "Words that are no levels are none",
        arguments: [
            "", "x", "no error found", "an informational text about warnings", "ERROR_CODE=5",
            "see /var/log/error",
            "<>", "<9999>x", "<1", "Invalid user webmaster from 173.234.31.186", "E112 x", "DEBUG2: x",
            "x.ERROR.y",
            "POSSIBLE BREAK-IN ATTEMPT!", "levels=error", "level=purple",
            "no ERROR found", "There was an ERROR in the config", "user typed ERROR in the form",
            "set level=error in the config file", "the last error: none", "make: *** [all] Error 2",
            "2026-11-20 10:20:30 I am here", "2026-11-20 10:20:30 Login failed for user error",
            "Nov 20 10:20:30 web1 app[12]: user said FATAL things", "key | value",
            "org.postgresql.util.PSQLException: ERROR: syntax error", #"{"message":"ERROR"}"#, "ÄERRORÄ",
        ])
    func ignored(line: String) { #expect(level(of: line) == nil) }

    @Test("It never looks beyond a line, whatever the bytes")
    func anyBytes() {
        var random = SystemRandomNumberGenerator()
        let alphabet = Array("<12>[]:=\"{levlERRORwarnE1 \u{0}".utf8) + [0xFF, 0xC3]
        for _ in 0..<20_000 {
            let line = (0..<Int.random(in: 0...24, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            // The byte behind the line would make a level of it: it must not be looked at.
            let alone = line.withUnsafeBytes { LineRecognizer().level(of: $0) }
            let followed = (line + Array("ERROR level=error".utf8)).withUnsafeBytes {
                LineRecognizer().level(of: UnsafeRawBufferPointer(rebasing: $0.prefix(line.count)))
            }
            #expect(alone == followed)
        }
    }
}
