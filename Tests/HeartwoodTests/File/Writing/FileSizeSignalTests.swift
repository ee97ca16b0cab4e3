import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Synchronization
import Testing

@testable import Heartwood
@testable import HeartwoodReading

/// A limit on the size of files that is lowered while a file is written, and the signal that comes with it.
///
/// Each test needs a process of its own: a limit and a signal are those of all threads.
@Suite(.enabled(if: !Load.isSanitized, "a sanitizer delivers signals later than the kernel"), .inTurn)
struct FileSizeSignalTests {
    private static let handled = Atomic<Int>(0)

    /// Has the signal come as on a main thread: the threads that run tests block it, and a parent may have it ignored.
    private static func unblock(_ handler: sighandler_t? = SIG_DFL) {
        signal(SIGXFSZ, handler)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGXFSZ)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    private static func lower(to bytes: UInt64) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        limit.rlim_cur = rlim_t(bytes)
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    private static func makeLogger(_ path: String) throws -> (FileLogger, LogDispatcher) {
        let logger = try FileLogger(
            directory: path, settings: FileSettings(naming: LogFileNaming(application: "t")), formatter: nil)
        logger.maximumFileCount = nil
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        return (logger, dispatcher)
    }

    /// Writes to a file of the process's own that is at the limit.
    private static func writeBeyondLimit(_ path: String) -> Int {
        let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        guard file >= 0 else { _exit(9) }
        let bytes = [UInt8](repeating: 0x78, count: 3000)
        _ = write(file, bytes, bytes.count)
        return write(file, bytes, bytes.count)
    }

    @Test("A limit that is lowered between two lines does not kill the process; lines go on in more files")
    func lowered() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .success) { [path = scratch.logs as String] in
            FileSizeSignalTests.unblock()
            let (logger, dispatcher) = try FileSizeSignalTests.makeLogger(path)
            for number in 0..<100 { logInfo("line \(number)", asynchronous: false, to: dispatcher) }
            FileSizeSignalTests.lower(to: 500)
            for number in 100..<200 { logInfo("line \(number)", asynchronous: false, to: dispatcher) }
            dispatcher.flush(timeout: .testLimit)
            _exit(logger.statistics.failed == 0 && logger.statistics.delivered == 200 ? 0 : 3)
        }
        var lines: [String] = []
        let reader = LogFileReader(directory: scratch.logs, naming: LogFileNaming(application: "t"))
        for try await line in try reader.lines() { lines.append(line.text) }
        #expect(lines == (0..<200).map { "line \($0)" })
        #expect(scratch.names().count > 2)
    }

    @Test("The same signal for a file of the program's own still ends the process")
    func ownFile() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .signal(SIGXFSZ)) { [path = scratch.path as String] in
            FileSizeSignalTests.unblock()
            let (_, dispatcher) = try FileSizeSignalTests.makeLogger(path + "/logs")
            for number in 0..<10 { logInfo("line \(number)", asynchronous: false, to: dispatcher) }
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
            FileSizeSignalTests.lower(to: 3000)
            _ = FileSizeSignalTests.writeBeyondLimit(path + "/own")
            _exit(0)
        }
        #expect(scratch.names(scratch.path) == ["logs", "own"])
    }

    @Test("A handler of the program's own is still called for its own files, and not for the log")
    func ownHandler() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            FileSizeSignalTests.unblock { _ in FileSizeSignalTests.handled.add(1, ordering: .relaxed) }
            let (_, dispatcher) = try FileSizeSignalTests.makeLogger(path + "/logs")
            for number in 0..<400 { logInfo("line \(number)", asynchronous: false, to: dispatcher) }
            FileSizeSignalTests.lower(to: 3000)
            for number in 0..<10 { logInfo("line \(number)", asynchronous: false, to: dispatcher) }
            guard FileSizeSignalTests.handled.load(ordering: .relaxed) == 0 else { _exit(3) }
            guard FileSizeSignalTests.writeBeyondLimit(path + "/own") < 0 else { _exit(4) }
            _exit(FileSizeSignalTests.handled.load(ordering: .relaxed) == 1 ? 0 : 5)
        }
        #expect(scratch.names(scratch.path) == ["logs", "own"])
    }

    @Test("An ignored signal stays ignored")
    func ignored() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            FileSizeSignalTests.unblock(SIG_IGN)
            let (_, dispatcher) = try FileSizeSignalTests.makeLogger(path + "/logs")
            logInfo("line", asynchronous: false, to: dispatcher)
            var action = sigaction()
            sigaction(SIGXFSZ, nil, &action)
            let isIgnored = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
            FileSizeSignalTests.lower(to: 3000)
            _exit(isIgnored && FileSizeSignalTests.writeBeyondLimit(path + "/own") < 0 ? 0 : 3)
        }
        #expect(scratch.names(scratch.path) == ["logs", "own"])
    }

    @Test("The number of the process is that of the child in a child, also in one that runs no fork handlers")
    func processNumber() async throws {
        await #expect(processExitsWith: .success) {
            alarm(60)
            guard SystemCalls().process == getpid() else { exit(1) }
            for isRaw in [false, true] {
                let child = isRaw ? forkWithoutHandlers() : forkProcess()
                if child == 0 { _exit(SystemCalls().process == getpid() ? 0 : 7) }
                var status: Int32 = 0
                guard child > 0, waitpid(child, &status, 0) == child, status == 0 else { exit(isRaw ? 3 : 2) }
            }
            exit(SystemCalls().process == getpid() ? 0 : 4)
        }
    }
}
