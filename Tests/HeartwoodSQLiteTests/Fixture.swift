import CHeartwood
import CoreFixtures
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodSQLite

/// A database of a test's own, with a dispatcher and a clock.
final class Fixture: Sendable {
    private let scratch: Scratch
    var folder: String { scratch.path }
    let clock = ManualClock()
    let dispatcher: LogDispatcher
    let reports = Locked<[LogDiagnostics.Report]>([])
    var path: String { folder + "/log.sqlite" }

    init(inMemory: Bool = true) throws {
        scratch = Scratch(inMemory: inMemory)
        dispatcher = LogDispatcher(ringCapacity: .mebibytes(1), clock: clock)
        dispatcher.synchronousLevels = .off
        dispatcher.overflowPolicy = .block(upTo: .seconds(120))
        dispatcher.diagnostics.interval = .zero
        dispatcher.diagnostics.handler = { [reports] report in reports.withLock { $0.append(report) } }
    }

    deinit { dispatcher.removeAll() }

    /// Makes a logger and adds it.
    func add(_ change: (SQLiteLogger) -> Void = { _ in }) throws -> SQLiteLogger {
        let logger = try SQLiteLogger(path: path, clock: clock)
        logger.overflowPolicy = .block(upTo: .seconds(120))
        change(logger)
        dispatcher.add(logger)
        return logger
    }

    /// Logs messages of which each says its number, and has them saved.
    @discardableResult
    func log(_ range: Range<Int>, to other: LogDispatcher? = nil) -> FlushResult {
        for number in range { logInfo("\(number)", to: other ?? dispatcher) }
        return (other ?? dispatcher).flush(timeout: .testLimit)
    }

    /// The texts in the database, the first saved first.
    func texts(_ path: String? = nil) throws -> [String] {
        let query = LogQuery(order: .oldestFirst, limit: nil)
        return try SQLiteLogReader(path: path ?? self.path).records(query).sorted { $0.id < $1.id }.map(
            \.text)
    }

    func reported(_ kind: LogDiagnostics.Kind) -> [String] {
        reports.withLock { $0.filter { $0.kind == kind }.map(\.text) }
    }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() }

    func size(_ name: String = "log.sqlite") -> Int {
        (try? SystemCalls().status(path: folder + "/" + name).size) ?? 0
    }
}

extension LogDispatcher {
    /// Flushes, also from asynchronous code; whether everything was done.
    var isFlushed: Bool { flush(timeout: .testLimit).isComplete }
}

extension LoggerStatistics {
    /// Everything that was received has become something.
    var isBalanced: Bool { received == handled }
}

/// The `sqlite3` tool.
enum Tool {
    static let isThere = [String](
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/sqlite3" }
    ).contains { access($0, X_OK) == 0 }

    /// What it says to a command, without the newline at the end.
    static func run(_ path: String, _ command: String) throws -> String {
        let output = path + ".answer"
        defer { try? FileManager.default.removeItem(atPath: output) }
        let child = try ChildProcess(
            "sqlite3", ["-batch", path, command], output: .file(output), error: .output)
        child.wait(upTo: .seconds(120))
        let text = String(decoding: FileManager.default.contents(atPath: output) ?? Data(), as: UTF8.self)
        return text.trimmingCharacters(in: .newlines)
    }
}

/// `fork(2)`, which Swift does not offer.
@_silgen_name("fork") func forkProcess() -> Int32
