import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("heartwood pipe, when things go wrong", .inTurn)
struct PipeFaultTests {
    let tool: ToolProcess

    init() throws { tool = try ToolProcess() }

    @Test("A directory that cannot be made is an error that names it, before anything is read")
    func noDirectory() async throws {
        let obstacle = try tool.file("obstacle")
        let outcome = try await tool.run("pipe", "-d", obstacle + "/logs", input: Array("x\n".utf8))
        #expect(outcome.code == 1)
        #expect(outcome.error.contains(obstacle))
        #expect(outcome.error.hasPrefix("heartwood pipe: "))
        #expect(outcome.error.contains("errno"))
    }

    @Test("A directory that others may write to is refused, unless it is meant")
    func sharedDirectory() async throws {
        try FileManager.default.createDirectory(atPath: tool.logs, withIntermediateDirectories: false)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: tool.logs)
        let refused = try await tool.run("pipe", "-d", tool.logs, input: Array("x\n".utf8))
        #expect(refused.code == 1)
        #expect(refused.error.contains("chmod go-w") && refused.error.contains("--shared-directory"))
        let accepted = try await tool.run(
            "pipe", "-d", tool.logs, "--shared-directory", input: Array("x\n".utf8))
        #expect(accepted.code == 0)
        #expect(try tool.messages() == ["x"])
    }

    @Test(
        "A disk that takes nothing costs the exit code, not the process, and says how many lines are missing",
        .disabled(if: Sanitizer.isActive, "a sanitizer does not start with a limit on the size of files"))
    func fullDisk() async throws {
        _ = try tool.file("input", Array((0..<1000).map { "line \($0)\n" }.joined().utf8))
        // No file may have a single byte.
        let outcome = try await tool.shell(
            "((ulimit -f 0; exec \"$HEARTWOOD\" pipe input -d logs); echo \"code $?\") 2>&1 | cat")
        #expect(outcome.output.contains("1,000 of 1,000 lines did not reach files"), "\(outcome.output)")
        #expect(outcome.output.hasSuffix("code 1\n"), "the process survives the limit")
    }

    @Test(
        "A limit on the size of files costs nothing: the lines go on in further files",
        .disabled(if: Sanitizer.isActive, "a sanitizer does not start with a limit on the size of files"))
    func fileSizeLimit() async throws {
        let lines = (0..<40_000).map { "line \($0)" }
        _ = try tool.file("input", Array((lines.joined(separator: "\n") + "\n").utf8))
        // 64 blocks of 512 or 1,024 bytes.
        let outcome = try await tool.shell(
            "ulimit -f 64; exec \"$HEARTWOOD\" pipe input -d logs --max-size 0 --keep 0")
        #expect(outcome.code == 0, "\(outcome.error)")
        ToolProcess.expectSame(try tool.messages(), lines)
    }

    @Test("A console whose reader goes does not keep lines from the files")
    func closedReader() async throws {
        _ = try tool.file("input", Array((0..<200_000).map { "line \($0)\n" }.joined().utf8))
        let outcome = try await tool.shell(
            "(\"$HEARTWOOD\" pipe input --console -d logs --keep 0; echo \"code $?\" >&2) | head -n 1 >/dev/null"
        )
        #expect(outcome.error.contains("code 1\n"))
        #expect(outcome.error.contains("did not reach console"))
        #expect(try tool.messages().count == 200_000)
    }

    @Test("A console whose reader is slow gets everything")
    func slowReader() async throws {
        _ = try tool.file("input", Array((0..<100_000).map { "line \($0)\n" }.joined().utf8))
        let outcome = try await tool.shell("\"$HEARTWOOD\" pipe input | (sleep 2; wc -l)")
        #expect(outcome.output.contains("100000"))
        #expect(outcome.error.contains("console: 100,000 delivered, 0 dropped, 0 failed"))
    }

    @Test("A console whose reader goes ends the work where lines go nowhere else")
    func closedOnlyReader() async throws {
        // `yes` never ends: the pipe must.
        let outcome = try await tool.shell(
            "(yes | \"$HEARTWOOD\" pipe; echo \"code $?\" >&2) | head -n 1")
        #expect(outcome.output.contains(" info    y"))
        #expect(outcome.error.contains("code 1\n"))
    }

    @Test("Closed standard streams are errors, and never get a log file's bytes")
    func closedStreams() async throws {
        let input = try await tool.shell("\"$HEARTWOOD\" pipe -d logs <&-; echo \"code $?\" >&2")
        #expect(input.error.contains("standard input"))
        #expect(input.error.contains("code 1\n"))
        let output = try await tool.shell("echo x | \"$HEARTWOOD\" pipe -d logs >&- 2>&-")
        #expect(output.code == 0)
        #expect(try tool.messages() == ["x"])
    }

    @Test(
        "SIGTERM: what has arrived is written, the summary is shown, and the signal is passed on",
        arguments: [SIGTERM, SIGINT])
    func signals(_ number: Int32) async throws {
        let input = try #require(SystemCalls.makePipe())
        let output = try #require(SystemCalls.makePipe())
        let error = try tool.file("error")
        let process = try tool.start(
            ["pipe", "-d", tool.logs, "--console"], input: .descriptor(input.reader),
            output: .descriptor(output.writer), error: .file(error))
        close(input.reader)
        close(output.writer)
        let writer = FileHandle(fileDescriptor: input.writer, closeOnDealloc: true)
        let reader = FileHandle(fileDescriptor: output.reader, closeOnDealloc: true)
        // Fewer bytes than a pipe holds, and an unfinished line at the end.
        let lines = (0..<1000).map { "line \($0)" }
        try writer.write(contentsOf: Data((lines.joined(separator: "\n") + "\nunfinished").utf8))
        // Once it shows something, it is ready for signals.
        _ = reader.availableData
        process.signal(number)
        let ending = await process.ended()
        #expect(ending.isSignal && ending.code == number)
        ToolProcess.expectSame(try tool.messages(), lines + ["unfinished"])
        let summary = String(decoding: try Data(contentsOf: URL(fileURLWithPath: error)), as: UTF8.self)
        #expect(summary.contains("1,001 lines"))
        #expect(summary.contains("ended by \(number == SIGTERM ? "SIGTERM" : "SIGINT")"))
        withExtendedLifetime(writer) {}
    }

    @Test(
        "A signal ends it even while the reader of the console reads nothing, and the files have everything")
    func signalWhileStuck() async throws {
        let lines = (0..<50_000).map { "line \($0)" }
        let input = try tool.file("input", Array(lines.map { $0 + "\n" }.joined().utf8))
        let output = try #require(SystemCalls.makePipe())
        let error = try tool.file("error")
        let process = try tool.start(
            ["pipe", input, "-d", tool.logs, "--console", "--keep", "0"],
            output: .descriptor(output.writer), error: .file(error))
        close(output.writer)
        let reader = FileHandle(fileDescriptor: output.reader, closeOnDealloc: true)
        _ = try reader.read(upToCount: 1)
        process.signal(SIGTERM)
        let ending = await process.ended()
        #expect(!ending.isSignal && ending.code == 1)
        let summary = String(decoding: try Data(contentsOf: URL(fileURLWithPath: error)), as: UTF8.self)
        #expect(summary.contains("did not reach console"), "\(summary)")
        let messages = try tool.messages()
        ToolProcess.expectSame(messages, Array(lines.prefix(messages.count)))
        // On a loaded machine the files may have had too little time as well, which is said, and get some more at the exit.
        if !summary.contains("did not get to files") {
            #expect(summary.contains("files: \(Readable.count(messages.count)) delivered"))
        }
        withExtendedLifetime(reader) {}
    }

    @Test("A server that is not there is named, and costs no line in the files")
    func deadServer() async throws {
        // The spool keeps what cannot be sent, so that the end does not wait for the server.
        let outcome = try await tool.run(
            "pipe", "-d", tool.logs, "--http", "http://127.0.0.1:1/", "--spool", tool.scratch.path + "/spool",
            input: Array("x\ny\n".utf8))
        #expect(outcome.code == 0)
        #expect(outcome.error.contains("2 wait for the next run"))
        #expect(try tool.messages() == ["x", "y"])
    }
}
