import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading
@testable import HeartwoodTool

@Suite("Lines that are one record", .inTurn)
struct JoinRuleTests {
    /// Adds a line with the bytes after it that may be read.
    private func add(
        _ line: String, to joiner: inout RecordJoiner, at now: Duration,
        _ body: (RecordJoiner.Record) -> Void
    ) {
        let bytes = Array(line.utf8) + repeatElement(0, count: LineScan.slack)
        bytes.withUnsafeBytes {
            joiner.add(UnsafeRawBufferPointer(rebasing: $0.prefix(line.utf8.count)), at: now, body)
        }
    }

    private func joined(_ text: String, _ kind: JoinRule.Kind = .traces, limit: Int = 65_536) -> [String] {
        var joiner = RecordJoiner(JoinRule(kind), limit: limit, patience: .seconds(1))
        var records: [String] = []
        func take(_ record: RecordJoiner.Record) {
            records.append(String(decoding: record.bytes, as: UTF8.self))
            let lines = records.last?.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines?.count == record.lines)
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            add(String(line), to: &joiner, at: .zero, take)
        }
        joiner.finish(take)
        #expect(records.joined(separator: "\n") == text)
        return records
    }

    @Test("A Java trace belongs to the error in front of it, with its causes")
    func java() {
        let trace = """
            2026-11-20 10:20:30 ERROR payment failed
            java.lang.IllegalStateException: declined
            \tat com.shop.Payment.charge(Payment.java:12)
            \t... 12 more
            Caused by: java.io.IOException: timed out
            \tat com.shop.Net.read(Net.java:3)
            """
        let next = "2026-11-20 10:20:31 INFO next"
        #expect(joined(trace + "\n" + next) == [trace, next])
        let cause = trace.split(separator: "\n").dropLast().joined(separator: "\n")
        #expect(joined(cause + "\nready\nsteady\n" + next) == [cause, "ready", "steady", next])
        let alone = """
            Exception in thread "main" java.lang.RuntimeException: x
            \tat Main.main(Main.java:1)
            """
        #expect(joined("started\n\(alone)\n\(next)") == ["started", alone, next])
        // An exception's name after a line that is no error begins a record.
        #expect(joined("INFO ready\njava.lang.Error: x\n\tat A.b(A.java:1)").count == 2)
    }

    @Test(
        "A Python traceback is whole with the exception's line, and with the exceptions that it was handling")
    func python() {
        let trace = """
            ERROR:root:payment failed
            Traceback (most recent call last):
              File "a.py", line 2, in <module>
                raise ValueError("x")
            ValueError: x

            During handling of the above exception, another exception occurred:

            Traceback (most recent call last):
              File "a.py", line 4, in <module>
            KeyError: 'y'
            """
        #expect(joined(trace + "\nINFO:root:next") == [trace, "INFO:root:next"])
        // An uncaught one has nothing to do with the line in front of it.
        let alone = "Traceback (most recent call last):\n  File \"a.py\", line 1\nNameError: z"
        #expect(joined("INFO:root:ready\n\(alone)\nbye") == ["INFO:root:ready", alone, "bye"])
    }

    @Test("A Go panic is whole with all goroutines, and so is one that a server has recovered")
    func go() {
        let panic = """
            panic: runtime error: index out of range [5] with length 3

            goroutine 1 [running]:
            main.run(0xc000012345, 0x3)
            \t/app/main.go:12 +0x1b
            created by main.main in goroutine 1
            \t/app/main.go:7 +0x1d
            exit status 2
            """
        #expect(joined(panic + "\nrestarted") == [panic, "restarted"])
        let served = """
            2026/11/20 10:20:30 http: panic serving 127.0.0.1:4711: boom
            goroutine 18 [running]:
            net/http.(*conn).serve.func1()
            \t/usr/local/go/src/net/http/server.go:1868 +0xb9
            """
        #expect(joined(served + "\n2026/11/20 10:20:31 next") == [served, "2026/11/20 10:20:31 next"])
    }

    @Test("A Swift crash is whole with its frames, registers and images")
    func swift() {
        let crash = """
            app/main.swift:3: Fatal error: Index out of range

            *** Signal 4: Backtracing from 0x7f2a1c3b... done ***

            💣 Program crashed: Illegal instruction at 0x00007f2a1c3b

            Platform: x86_64 Linux (Debian 12)

            Thread 0 "app" crashed:

            0 0x00007f2a1c3b _assertionFailure + 123 in libswiftCore.so
            1 [ra] 0x000055d0a1b2 main + 45 in app at /app/main.swift:3:7
            2 [inlined] [system] closure #1 in run() in app at /app/main.swift:9:1

                 1│ let list = [1]
            Registers:

            rax 0x0000000000000001  1
            r15 0x0000000000000000  0
            Images (12 omitted):

            0x000055d0a000–0x000055d0b000 app

            Backtrace took 0.02s
            """
        #expect(joined(crash + "\n2026-11-20T10:20:30Z info next").count == 2)
    }

    @Test(
        "Ordinary lines are never joined, and every byte of a real log comes out again",
        arguments: [
            "OpenSSH_2k.log", "Zookeeper_2k.log", "Apache_2k.log", "Linux_2k.log", "OpenStack_2k.log",
        ])
    func ordinary(name: String) throws {
        #expect(joined("a\nb\n\nc\n{\"a\":1}\n<34>x") == ["a", "b", "", "c", "{\"a\":1}", "<34>x"])
        guard let data = ToolProcess.realLog(name) else { return }
        let text = String(decoding: data.filter { $0 != 0x0D }, as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
        #expect(joined(text).count > lines * 95 / 100)
    }

    @Test("Patterns and indentation decide where they are asked for")
    func rules() throws {
        let start = try CompiledPattern("^[0-9]{4}", of: "x")
        #expect(joined("2026 a\nb\n\nc\n2027 d", .start(start)) == ["2026 a\nb\n\nc", "2027 d"])
        let more = try CompiledPattern("^(\\+|;)", of: "x")
        #expect(joined("+ a\n+ b\nc\n; d", .continuation(more)) == ["+ a\n+ b", "c\n; d"])
        #expect(joined("a\n b\n\tc\nd\n\ne", .indented) == ["a\n b\n\tc", "d", "", "e"])
        #expect(throws: UsageError.self) { try CompiledPattern("(", of: "x") }
    }

    @Test("A record is bounded: the line that would make it too long begins another one")
    func bounded() {
        let text =
            "a\n" + (0..<1000).map { " \($0) \(String(repeating: "x", count: 90))" }.joined(separator: "\n")
        let records = joined(text, .indented, limit: 1000)
        #expect(records.count > 90 && records.allSatisfy { $0.utf8.count <= 1000 })
    }

    @Test("A record waits for as long as it should, and then begins the next one")
    func patience() {
        var joiner = RecordJoiner(JoinRule(.indented), limit: 1000, patience: .seconds(1))
        var records: [String] = []
        func take(_ record: RecordJoiner.Record) {
            records.append(String(decoding: record.bytes, as: UTF8.self))
        }
        func add(_ text: String, _ now: Duration) {
            self.add(text, to: &joiner, at: now, take)
        }
        add("a", .zero)
        add(" b", .milliseconds(900))
        joiner.expire(at: .milliseconds(1_899), take)
        #expect(records.isEmpty && joiner.deadline == .milliseconds(1_900))
        joiner.expire(at: .milliseconds(1_900), take)
        #expect(records == ["a\n b"] && joiner.deadline == nil)
        add(" c", .seconds(5))
        joiner.finish(take)
        #expect(records == ["a\n b", " c"])
    }

    @Test("Any lines come out again, whatever the rule")
    func fuzz() throws {
        var generator = SeededGenerator(seed: 4)
        let pieces = [
            "panic: x", "goroutine 1 [running]:", "\tat x", "Caused by: y", "", "  File", "ValueError: x",
            "Traceback (most recent call last):", "main.run(0x1)", "Fatal error: x", "0 0x1 main",
            "Thread 1:",
            "2026-11-20T10:20:30Z error x", "a.b.Exception: x", "rax 0x1", "{\"a\":1}", "💣 x", "plain",
        ]
        let pattern = try CompiledPattern("a", of: "x")
        for _ in 0..<2_000 {
            let lines = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                pieces.randomElement(using: &generator) ?? ""
            }
            let text = lines.joined(separator: "\n")
            for kind in [JoinRule.Kind.traces, .indented, .start(pattern), .continuation(pattern)] {
                _ = joined(text, kind, limit: Int.random(in: 16...200, using: &generator))
            }
        }
    }
}
