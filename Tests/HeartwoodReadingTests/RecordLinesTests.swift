import Heartwood
import HeartwoodReading
import SuiteSupport
import Testing

@Suite("Which lines begin records", .inTurn)
struct RecordLinesTests {
    private static let recognizer = LineRecognizer()

    /// The numbers of the lines that begin records.
    private func beginnings(_ lines: [String]) -> [Int] {
        var records = RecordLines()
        return lines.indices.filter { index in
            Array(lines[index].utf8).withUnsafeBytes { bytes in
                records.begins(bytes) { Self.recognizer.head(of: bytes) }
            }
        }
    }

    /// Lines that begin a record have a plus sign in front, others a blank.
    private static let cases: [(name: String, text: String)] = [
        ("the first line begins one, whatever it is", "+  at f\n+ready"),
        ("so does a closing bracket", "+}\n+ready"),
        ("and a blank line", "+\n+ready"),
        (
            "a blank line continues, and ends what a trace expects",
            "+{\"level\":\"error\",\"a\":1}\n \n+java.io.IOException: x\n \tat a.b(C.java:1)"
        ),
        ("an indented line continues, even with a time", "+2026-11-20 10:20:30 a\n   2026-11-20 10:20:31 b"),
        ("also after an object", "+{\"a\":1}\n   at f\n+ready"),
        ("a closing bracket continues", "+{\n   \"a\": 1\n }\n+ready"),
        ("what can only continue does so", "+ready\n Caused by: x\n ... 2 more\n+ready"),
        ("a time begins one", "+2026-11-20 10:20:30 a\n+2026-11-20 10:20:31 b"),
        ("also one whose moment is not known", "+10:20:30 ERROR boom\n+10:20:31 all is well again"),
        ("also one of an unknown zone", "+2026-11-20 10:20:30 IST ERROR a\n+2026-11-20 10:20:31 IST b"),
        ("a priority of syslog begins one", "+<11>a\n b\n+<14>c"),
        ("an object begins one", "+{\"a\":1}\n+{ \"a\":2}\n+{}\n+{\t}"),
        ("also after a header", "+ERROR: a\n+{\"a\":2}\n+ERROR: b\n+{}\n+ERROR: c\n+{ \t\"a\":1}"),
        (
            "a line of another container continues nothing",
            "+web-1  | ERROR: a\n web-1  | more\n+db-1  | ready to accept\n+redis-1  | more"
        ),
        ("a lone brace is no object", "+2026-11-20 10:20:30 a\n {\n { a\n {1}"),
        ("nor where records have no header", "+{\n+{ a\n+{1}"),
        (
            "an object begins one after the name of a container",
            "+web-1  | ERROR: a\n+web-1  | {\"a\":2}\n+web-1  | { a"
        ),
        (
            "a trace joins its error, also one of an object",
            """
            +{"level":"error","message":"a"}
             Traceback (most recent call last):
               File "a.py", line 3, in f
             KeyError: 'x'
            +KeyError: 'x'
            """
        ),
        (
            "a traceback joins any record",
            """
            +{"level":"info","message":"a"}
             Traceback (most recent call last):
               File "a.py", line 3, in f
             KeyError: 'x'
            +ready
            """
        ),
        ("a trace takes a line with a level", "+ERROR: a\n Error: b\n     at f (a.js:1:2)\n+ERROR: c"),
        (
            "numbers of frames are no times",
            """
            +💣 Program crashed: x
             
             Thread 0 crashed:
             
             0 0x0000000000401234 f() + 12 in shop at /a.swift:3:5
             1 [ra] 0x0000000000401234 g() + 12 in shop
             11 20 10:20:30 x in shop
            """
        ),
        (
            "in other traces, a number may begin a time",
            "+{\"level\":\"error\"}\n java.io.IOException: x:\n+20 Nov 2026 10:20:30 x in y"
        ),
        ("where there is no such trace, a number may begin a time", "+ready\n+1795000000 x in shop"),
        ("a level begins one", "+ERROR: a\n more\n+WARN: b\n more"),
        ("also after a time", "+2026-11-20 10:20:30 a\n more\n+WARN: b"),
        ("pairs begin one", "+u=ann a=1\n+u=bob\n+u=cid and more"),
        ("also after a plain line and an object", "+ready\n+u=ann x\n+{\"a\":1}\n+u=bob x"),
        (
            "after a header, one pair and words are a part of its text",
            "+2026-11-20 10:20:30 SELECT a WHERE\n id=5 and b=6\n id=5\n more"
        ),
        ("the same after a level", "+ERROR: a\n id=5 and b=6\n id=5 b=6 and"),
        ("two pairs begin one even there", "+2026-11-20 10:20:30 a\n+u=ann b=\"x y\"  c=2\n+u=bob"),
        ("also with a carriage return", "+ERROR: a\r\n+u=ann b=\"x y\"\r\n+ERROR: b\r\n more=1 x\r"),
        (
            "so does one that is a level, a time or a message by its name",
            "+ERROR: a\n+level=info or so\n+ERROR: b\n+ts=1795000000\n+ERROR: c\n+msg=\"a b\" c"
        ),
        ("a pair in the middle tells nothing", "+ERROR: a\n x y=1 z=2\n \"a\" b=1"),
        ("a plain line continues a record with a header", "+2026-11-20 10:20:30 a\n more\n and more"),
        (
            "so does a line of the text of an exception after a trace",
            """
            +2026-11-20 10:20:30 ERROR a
             Traceback (most recent call last):
               File "a.py", line 3, in f
             ValueError: first
             second
            +2026-11-20 10:20:31 INFO b
             java.io.IOException: first
             second
             \tat a.b(C.java:1)
             Caused by: a.b.C: first
             second
            +ERROR: c
             Traceback (most recent call last):
             ValueError: first
             second
            """
        ),
        (
            "without a header, it is a record by itself",
            """
            +{"level":"error"}
             java.io.IOException: first
             \tat a.b(C.java:1)
             Caused by: a.b.C: first
            +second
             \t... 2 more
            +ready
             Traceback (most recent call last):
             ValueError: first
            +second
            """
        ),
        (
            "a cause without frames takes no lines of others",
            """
            +java.lang.RuntimeException: q
             \tat a.b.C(C.java:1)
             Caused by: java.lang.NullPointerException
            +GET /orders 200 12ms
            +payment of customer 17 accepted
            +java.lang.IllegalStateException: second, unrelated
             \tat d.e.F(F.java:1)
             Caused by: java.lang.NullPointerException
            +user=ann id=5
            +ready
            """
        ),
        (
            "but what follows its colon",
            """
            +{"level":"error"}
             java.io.IOException: first
             \tat a.b(C.java:1)
             Caused by: a.b.C: several things:
             second
             \t... 2 more
            """
        ),
        (
            "a frame of PHP continues a message of PHP of the same time",
            """
            +[29-Nov-2026 10:00:00 UTC] PHP Fatal error:  Uncaught Exception: x
             Stack trace:
            \u{20}
             #0 {main}
               thrown in /a.php on line 3
             [29-Nov-2026 10:00:00 UTC] PHP Stack trace:
             [29-Nov-2026 10:00:00 UTC] PHP   1. {main}() /a.php:0
             [29-Nov-2026 10:00:00 UTC] PHP  12. require('/b c.php') /a.php:2
            +[29-Nov-2026 10:00:00 UTC] PHP Warning:  y
             [29-Nov-2026 10:00:00 UTC] PHP Stack trace:
            +[29-Nov-2026 10:00:00 UTC] PHP   1. not a frame
            +[29-Nov-2026 10:00:00 UTC] PHP   1. not a frame (either)
            +[29-Nov-2026 10:00:00 UTC] PHP  items: 1. f()
            """
        ),
        (
            "and no other record",
            """
            +[29-Nov-2026 09:00:00 UTC] PHP Notice:  z
            +[29-Nov-2026 11:00:00 UTC] PHP Stack trace:
             [29-Nov-2026 11:00:00 UTC] PHP   1. {main}() /a.php:0
            +[29-Nov-2026 11:00:00 UTC] ready
            +[29-Nov-2026 11:00:00 UTC] PHP   1. {main}() /a.php:0
            +2026-11-29 11:00:00 ERROR a
            +[29-Nov-2026 11:00:00 UTC] PHP Stack trace:
            +{"a":1}
            +[29-Nov-2026 11:00:00 UTC] PHP   1. {main}() /a.php:0
            """
        ),
        ("plain lines are records by themselves", "+ready\n+steady\n+go"),
        ("also after an object, and pairs", "+{\"a\":1}\n+ready\n+u=ann b=1\n+ready"),
        ("carriage returns are no text", "+2026-11-20 10:20:30 a\r\n \r\n }\r\n more\r\n+10:20:31 b\r"),
        ("a blank line may have a carriage return", "+{\"a\":1}\r\n \r\n+ready\r\n \r"),
        (
            "a trace in lines with carriage returns",
            "+{\"level\":\"error\"}\r\n java.io.IOException: x\r\n \tat a.b(C.java:1)\r\n+ready\r"
        ),
    ]

    @Test("Each rule, and what looks alike", arguments: cases)
    func rules(_ name: String, _ text: String) {
        // A carriage return and a newline are one character.
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let expected = lines.indices.filter { lines[$0].first == "+" }
        #expect(lines.allSatisfy { $0.first == "+" || $0.first == " " }, "\(name)")
        #expect(beginnings(lines.map { String($0.dropFirst()) }) == expected, "\(name)")
    }

    @Test("A trace is part of the record in front of it, or a record", arguments: TraceSamples.all)
    func traces(sample: TraceSamples.Sample) {
        let trace = sample.text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        for header in ["2026-11-20 10:20:30 ERROR x", "<11>x", "ERROR: x", "{\"a\":1}"] {
            for next in ["2026-11-20 10:20:31 x", "{\"a\":2}", "<11>x"] {
                let lines = [header] + trace + [next]
                let found = beginnings(lines)
                let end = lines.count - 1
                #expect(found == [0, end] || found == [0, 1, end], "after \(header): \(found)")
            }
        }
    }

    @Test("A line that surely begins a record does so in any place", arguments: TraceSamples.all)
    func sure(sample: TraceSamples.Sample) {
        let trace = sample.text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        for (text, isSure) in [
            ("2026-11-20 10:20:30 x", true), ("10:20:30 x", true), ("<11>x", true), ("{\"a\":1}", true),
            ("web-1  | {\"a\":1}", true), ("{", false), (" {\"a\":1}", false),
            (" 2026-11-20 10:20:30 x", false),
            ("ERROR: x", false), ("level=info a=1", true), ("u=ann a=1", false),
            ("ready", false), ("", false), ("\r", false),
            ("[29-Nov-2026 10:00:00 UTC] PHP Warning:  x", true),
            ("[29-Nov-2026 10:00:00 UTC] PHP Stack trace:", false),
        ] {
            let form = Array(text.utf8).withUnsafeBytes { bytes in
                let form = Self.recognizer.head(of: bytes, levels: false).form
                #expect(form == Self.recognizer.head(of: bytes).form)
                #expect(RecordLines.isSure(bytes) { form } == isSure, "\(text)")
                return form
            }
            guard isSure else { continue }
            for count in trace.indices {
                let lines = trace[...count] + [text]
                #expect(beginnings(Array(lines)).last == count + 1, "\(form) after \(trace[count])")
            }
        }
    }
}
