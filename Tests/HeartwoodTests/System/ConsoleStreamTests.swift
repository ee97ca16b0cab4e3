import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// What a console stream says of a batch that was written in part.
@Suite(.inTurn) struct ConsoleStreamTests {
    @Test("Of a batch that fails in the middle, only the lines that did not arrive whole are lost")
    func partOfBatch() async {
        let scratch = Scratch()
        let path = scratch.path + "/console"
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            let file = open(path, O_CREAT | O_WRONLY, 0o600)
            var limit = rlimit(rlim_cur: 25, rlim_max: 25)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            var stream = ConsoleStream(file)
            for number in 0..<5 {
                stream.buffer.append("line \(number) ..\n")
                stream.pending += 1
            }
            let (written, lost, reason) = stream.write(waiting: .zero)
            guard written == 25, reason == SystemFailure.reason(of: EFBIG) else { _exit(1) }
            guard lost == 3, stream.pending == 0, !stream.isBlocked else { _exit(Int32(10 + lost)) }
            _exit(7)
        }
        #expect((try? String(contentsOfFile: path, encoding: .utf8)) == "line 0 ..\nline 1 ..\nline ")
    }

    private static func message(_ text: String, _ level: LogLevel) -> LogMessage {
        LogMessage(LogText(text), level: level)
    }

    @Test("While standard output is blocked, standard error waits too, so that lines stay in their order")
    func orderWhileBlocked() async {
        let scratch = Scratch()
        let path = scratch.path + "/errors"
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            alarm(120)
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { _exit(90) }
            var terminal: Int32 = -1
            let filler = [UInt8](repeating: 0x0A, count: 1000)
            for count in [filler.count, 1] {
                while hw_write_now(ends[1], filler, count, &terminal) > 0 {}
            }
            dup2(ends[1], STDOUT_FILENO)
            let file = open(path, O_CREAT | O_WRONLY, 0o600)
            dup2(file, STDERR_FILENO)
            let console = ConsoleLogger(.split(errors: .error))
            // On this thread, which may not wait for the reader: the logger has never run on its queue.
            console.log(ConsoleStreamTests.message("first", .info))
            console.log(ConsoleStreamTests.message("second", .error))
            console.batchDidEnd()
            var status = stat()
            guard fstat(file, &status) == 0, status.st_size == 0 else { _exit(1) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            guard read(ends[0], &bytes, bytes.count) > 0 else { _exit(2) }
            console.finishOutput()
            guard fstat(file, &status) == 0, status.st_size > 0 else { _exit(3) }
            _exit(7)
        }
        #expect((try? String(contentsOfFile: path, encoding: .utf8))?.contains("second") == true)
    }

    @Test("A message that the formatter drops leaves nothing at a terminal with colors either")
    func droppedWithColors() async {
        final class Selective: LogFormatter, @unchecked Sendable {
            override func format(_ message: LogMessage) -> String? {
                message.text == "drop" ? nil : message.text
            }
        }
        let scratch = Scratch()
        let path = scratch.path + "/console"
        await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
            let file = open(path, O_CREAT | O_RDWR, 0o600)
            dup2(file, STDERR_FILENO)
            let console = ConsoleLogger(.standardError, formatter: Selective())
            console.colorDepth = .ansi
            let dispatcher = LogDispatcher()
            dispatcher.add(console)
            func written(_ texts: [String]) -> [UInt8] {
                ftruncate(file, 0)
                lseek(file, 0, SEEK_SET)
                for text in texts { logError(text, to: dispatcher) }
                guard dispatcher.flush(timeout: .testLimit).isComplete else { _exit(91) }
                var bytes = [UInt8](repeating: 0, count: 4096)
                return Array(bytes[..<max(0, pread(file, &bytes, bytes.count, 0))])
            }
            let kept = written(["keep"])
            guard kept.first == 0x1B, kept.last == 0x0A else { _exit(1) }
            guard written(["drop", "keep"]) == kept, written(["drop"]) == [] else { _exit(2) }
            _exit(7)
        }
    }

    @Test("What is held for a reader that has stopped is limited where no queue can wait for it")
    func heldLimit() async {
        await #expect(processExitsWith: .exitCode(7)) {
            alarm(120)
            let reader = StoppedConsole.install(.pipe)
            let console = ConsoleLogger(.standardError)
            let long = String(repeating: "x", count: 500_000)
            // On this thread, as above.
            for _ in 0..<20 {
                console.log(ConsoleStreamTests.message(long, .error))
                console.batchDidEnd()
            }
            // Of these ten megabytes, four MiB and the message that exceeds them are held.
            _ = fcntl(reader, F_SETFL, O_NONBLOCK)
            var total = 0
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            while case let count = read(reader, &buffer, buffer.count), count > 0 {
                total += count
                console.finishOutput()
            }
            _exit(total > 4 << 20 && total < 5 << 20 ? 7 : 1)
        }
    }
}
