import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Thresholds and custom levels", .inTurn)
struct ThresholdTests {
    private static let audit = LogLevel(bit: 13, name: "threshold-audit", severity: .notice)
    private static let trace = LogLevel(bit: 14, name: "threshold-trace", severity: .debug)

    @Test("A threshold lets a custom level pass by its severity; a list only if it names it")
    func severity() {
        let (audit, trace) = (Self.audit, Self.trace)
        #expect(LogLevelMask.info.contains(audit) && !LogLevelMask.info.contains(trace))
        #expect(LogLevelMask.notice.contains(audit) && !LogLevelMask.warning.contains(audit))
        #expect(LogLevelMask.verbose.contains(trace) && LogLevelMask.debug.contains(trace))
        #expect(!([.notice, .error] as LogLevelMask).contains(audit))
        #expect(!([.fatal, .error, .warning, .notice] as LogLevelMask).contains(audit))
        #expect(([.error, audit] as LogLevelMask).contains(audit))
        #expect(LogLevelMask(atLeast: audit).contains(audit) && !LogLevelMask(atLeast: audit).contains(trace))
        #expect(LogLevelMask.all.contains(trace) && !LogLevelMask.off.contains(audit))
    }

    /// Sets of many kinds, two and two.
    private static let masks: [LogLevelMask] = [
        .off, .fatal, .warning, .notice, .info, .debug, .all, [audit], [trace], [.notice], [.error, audit],
        .warning.union([audit]), .info.subtracting([audit]), .all.subtracting([trace]),
        .all.subtracting([.info]),
        LogLevelMask(atLeast: audit), LogLevelMask(rawValue: audit.rawValue | trace.rawValue | 3),
    ]

    // One after the other: they share the lock of the declared levels.
    @Test(
        "Unions, intersections and differences are those of the levels, and so are the bits", .serialized,
        arguments: masks)
    func algebra(one: LogLevelMask) {
        let levels = LogLevel.standardLevels + [Self.audit, Self.trace]
        for other in Self.masks {
            for level in levels {
                let (here, there) = (one.contains(level), other.contains(level))
                #expect(one.union(other).contains(level) == (here || there), "\(one) ∪ \(other): \(level)")
                #expect(
                    one.intersection(other).contains(level) == (here && there), "\(one) ∩ \(other): \(level)")
                #expect(
                    one.subtracting(other).contains(level) == (here && !there), "\(one) − \(other): \(level)")
            }
        }
        for level in levels {
            #expect((one.rawValue & level.rawValue != 0) == one.contains(level), "\(one): \(level)")
        }
    }

    @Test("A logger, a dispatcher, a category and a file with thresholds take messages of custom levels")
    func delivery() {
        let dispatcher = LogDispatcher.forTest()
        let (info, warning, list) = (RecordingLogger(), RecordingLogger(), RecordingLogger())
        dispatcher.add(info, levels: .info)
        dispatcher.add(warning, levels: .warning)
        dispatcher.add(list, levels: [.info, .error])
        let category = LogCategory("thresholds-\(UUID())")
        category.levels = .notice
        dispatcher.levels = .info
        for level in [Self.audit, Self.trace] {
            log("\(level)", level: level, category: category, to: dispatcher)
            log("\(level) again", level: level, to: dispatcher)
        }
        category.levels = .warning
        log("not wanted", level: Self.audit, category: category, to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(info.texts == ["threshold-audit", "threshold-audit again"])
        #expect(warning.texts.isEmpty && list.texts.isEmpty)
        #expect(category.levels == .warning)
    }

    @Test("A level that is declared after the masks were set passes where its severity says so")
    func declaredLater() {
        let dispatcher = LogDispatcher.forTest()
        let (logger, strict) = (RecordingLogger(), RecordingLogger())
        let early = LogLevelMask.info.subtracting([.warning])
        dispatcher.add(logger, levels: .info)
        dispatcher.add(strict, levels: .error)
        dispatcher.synchronousLevels = .notice
        let category = LogCategory("later-\(UUID())")
        category.levels = .info
        logInfo("before", category: category, to: dispatcher)
        // Only here is it known to the program, as a constant is that is used for the first time.
        let late = LogLevel(bit: 15, name: "threshold-late", severity: .notice)
        let detail = LogLevel(bit: 16, name: "threshold-detail", severity: .verbose)
        #expect(isLogEnabled(late, category: category, to: dispatcher))
        #expect(!isLogEnabled(detail, category: category, to: dispatcher))
        log("late", level: late, category: category, to: dispatcher)
        // Logged synchronously: the logger has it already.
        #expect(logger.texts == ["before", "late"])
        log("detail", level: detail, category: category, to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["before", "late"])
        #expect(strict.texts.isEmpty)
        #expect(early.contains(late) && !early.contains(detail) && !early.contains(.warning))
    }

    @Test("Levels compare by how serious they are, custom ones by their severity")
    func order() {
        for (index, level) in LogLevel.standardLevels.enumerated() {
            for (other, candidate) in LogLevel.standardLevels.enumerated() {
                #expect((level > candidate) == (index < other) && (level >= candidate) == (index <= other))
            }
        }
        #expect(Self.audit >= .notice && Self.audit < .warning && Self.audit > .info)
        #expect(Self.trace < Self.audit && Self.trace >= .debug && Self.trace < .info)
        #expect([.info, Self.audit, .fatal, .verbose, .notice].max() == .fatal)
        #expect(
            [.warning, Self.audit, .notice, .info].sorted() == [.info, .notice, Self.audit, LogLevel.warning])
    }
}
