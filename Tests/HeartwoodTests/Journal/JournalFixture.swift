import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// A program that dies, and its next run, in one process: what is left of the first is a copy of its journal.
///
/// The first run's disk is full, so that nothing but recovery can bring a line into the files.
final class JournalFixture: Sendable {
    let scratch = Scratch()
    /// Whether no write succeeds.
    let isFull = Box(true)
    let reports = Box<[LogDiagnostics.Report]>([])
    static let naming = LogFileNaming(application: "t")

    /// The journal's directory of each run; those of the dead ones are copies.
    var journal: String { scratch.path + "/journal" }
    var next: String { scratch.path + "/next" }

    func makeDispatcher(
        _ journal: String? = nil, ring: ByteCount = .kibibytes(64), key: (any SecretProvider)? = nil,
        clock: any LogClock = SystemClock()
    ) -> LogDispatcher {
        let dispatcher = LogDispatcher.forTest(ring: ring, clock: clock)
        dispatcher.diagnostics.handler = { [reports] report in reports.update { $0.append(report) } }
        dispatcher.diagnostics.interval = .zero
        dispatcher.journal = LogJournal(directory: journal ?? self.journal, key: key)
        return dispatcher
    }

    func makeLogger(
        _ directory: String = "logs", formatter: LogFormatter? = nil, name: String = "file"
    ) throws -> FileLogger {
        let calls = SystemCalls { [isFull] in isFull.value && $0 == .write ? .fails(ENOSPC) : nil }
        let logger = try FileLogger(
            Directory(scratch.path + "/" + directory, calls: calls),
            settings: FileSettings(naming: Self.naming), formatter: formatter, name: name)
        logger.minimumFreeSpace = .zero
        logger.maximumFileCount = nil
        return logger
    }

    /// Copies the journals as they are at this moment, as if the process had died.
    func die() throws {
        mkdir(next, 0o700)
        for name in scratch.names(journal) {
            try FileManager.default.copyItem(atPath: journal + "/" + name, toPath: next + "/" + name)
        }
    }

    /// Has the loggers of the first run forget what they could not write, and ends it.
    func end(_ dispatcher: LogDispatcher) {
        for case let logger as FileLogger in dispatcher.loggers {
            logger.perform { logger.forgetUnwritten() }
        }
        dispatcher.removeAll(timeout: .testLimit)
        dispatcher.journal = nil
        isFull.value = false
    }

    /// Logs with a full disk, and dies: after the logger has handled everything, or while it has handled nothing.
    func live(
        _ loggers: [FileLogger], isHandled: Bool = true, clock: any LogClock = SystemClock(),
        _ log: (LogDispatcher) throws -> Void
    ) throws {
        let dispatcher = makeDispatcher(clock: clock)
        // It sees to it that every call is made.
        dispatcher.add(RecordingLogger())
        for logger in loggers { dispatcher.add(logger) }
        let gate = Gate()
        if !isHandled {
            for logger in loggers { logger.perform { gate.pass() } }
            // Otherwise a caller that waits for the logger may do its work, and come to the gate itself.
            #expect(gate.waitForArrival(of: loggers.count))
        }
        try log(dispatcher)
        if isHandled { dispatcher.flush(timeout: .testLimit) } else { dispatcher.drainNow() }
        try die()
        gate.open()
        for logger in loggers {
            logger.perform { logger.forgetUnwritten() }
            _ = logger.waitUntilIdle(timeout: .testLimit)
        }
        end(dispatcher)
    }

    /// A run that recovers what is left.
    @discardableResult
    func recover(_ loggers: [FileLogger], _ body: (LogDispatcher) throws -> Void = { _ in }) throws -> Bool {
        let dispatcher = makeDispatcher(next)
        for logger in loggers { dispatcher.add(logger) }
        try body(dispatcher)
        let isComplete = dispatcher.flush(timeout: .testLimit).isComplete
        dispatcher.removeAll(timeout: .testLimit)
        dispatcher.journal = nil
        return isComplete
    }

    /// All lines of a directory's files but the notes about recoveries.
    func lines(_ directory: String = "logs", withNotes: Bool = false) -> [String] {
        let path = scratch.path + "/" + directory
        return scratch.names(path).filter { Self.naming.recognize($0) != nil }.flatMap { name -> [String] in
            let text = (try? String(contentsOfFile: path + "/" + name, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").map(String.init)
        }.filter { withNotes || !$0.contains("recovered ") }
    }
}
