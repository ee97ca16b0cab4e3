import Foundation
import SuiteSupport

@testable import Heartwood

/// One run of a simulated program: its dispatcher and its loggers, all on the thread of the world.
final class JournalRun {
    private struct Attached {
        let logger: FileLogger
        let series: Int
        var levels: LogLevelMask
    }

    let fate: JournalFate
    let dispatcher: LogDispatcher
    private var attached: [Int: Attached] = [:]
    /// Whether a logger was removed that may have left something in the journal.
    private(set) var hasLeftSomething = false
    /// In the same order each time.
    private var present: [Attached] { attached.sorted { $0.key < $1.key }.map(\.value) }
    /// All file loggers of the run, whose queues are suspended.
    private var all: [FileLogger] = []

    /// `dispatcher`'s queue is suspended, until the run ends.
    init(_ fate: JournalFate, _ dispatcher: LogDispatcher) {
        self.fate = fate
        self.dispatcher = dispatcher
    }

    func has(_ logger: Int) -> Bool { attached[logger] != nil }

    /// Which series a message of a level is for.
    func series(wanting level: LogLevel) -> [Int] {
        present.filter { $0.levels.contains(level) }.map(\.series)
    }

    /// Adds a logger, whose queue is suspended.
    func add(_ file: FileLogger, _ logger: Int, _ levels: LogLevelMask, _ series: Int) {
        all.append(file)
        dispatcher.add(file, levels: levels)
        attached[logger] = Attached(logger: file, series: series, levels: levels)
    }

    func setLevels(_ levels: LogLevelMask, of logger: Int) {
        attached[logger]?.logger.levels = levels
        attached[logger]?.levels = levels
    }

    func remove(_ logger: Int) {
        guard let old = attached.removeValue(forKey: logger) else { return }
        if fate.isFull { hasLeftSomething = true }
        dispatcher.remove(old.logger, timeout: .testLimit)
    }

    /// Has a logger handle all that waits for it.
    func workOff(_ logger: Int) {
        dispatcher.drainNow()
        if let logger = attached[logger]?.logger { _ = logger.waitUntilIdle(timeout: .testLimit) }
    }

    /// Flushes; says whether that was complete.
    @discardableResult
    func flush() -> Bool {
        // The first sets it off for all, and the second finds it done.
        dispatcher.flush(timeout: .zero)
        for logger in present.map(\.logger) { _ = logger.waitUntilIdle(timeout: .testLimit) }
        return present.map(\.logger).allSatisfy { logger in
            let isDone = Locked(false)
            logger.perform { [unowned logger] in
                isDone.withLock { $0 = logger.isSettled && !logger.node.recovery.isUnfinished }
            }
            return logger.waitUntilIdle(timeout: .testLimit) && isDone.withLock { $0 }
        }
    }

    /// Ends the run; if it is dead, nothing of that changes a file.
    func end() {
        for one in present where fate.isDead { one.logger.perform { one.logger.forgetUnwritten() } }
        for one in present { dispatcher.remove(one.logger, timeout: .testLimit) }
        dispatcher.journal = nil
        for logger in all { logger.queue.resume() }
        dispatcher.consumer.queue.resume()
    }
}
