import CHeartwood
import Foundation
import CoreFixtures
import HeartwoodTestSupport
import SuiteSupport
import Synchronization
import Testing

@testable import Heartwood
@testable import HeartwoodConfiguration

@Suite("Watching configurations", .inTurn)
struct ConfigurationWatchTests {
    private typealias Contents = ConfigurationWatchState.Contents

    @Test("A change counts when it was seen twice, once")
    func decisions() {
        let (one, two, three) = (Contents(main: [1]), Contents(main: [2]), Contents(main: [2], overlay: [3]))
        let (empty, gone) = (Contents(main: []), Contents(main: nil, overlay: [3]))
        let steps: [(Contents, ConfigurationWatchState.Action)] = [
            (one, .wait), (two, .lookAgain), (two, .apply(two)), (two, .wait),
            // Emptied and written again: nothing has happened.
            (empty, .lookAgain), (two, .wait),
            // Written in two steps.
            (empty, .lookAgain), (one, .lookAgain), (one, .apply(one)),
            (three, .lookAgain), (three, .apply(three)),
            // The file goes, and comes back as it was, or as another one; then the overlay goes.
            (gone, .lookAgain), (gone, .missing), (gone, .wait), (three, .wait), (gone, .lookAgain),
            (gone, .missing),
            (two, .lookAgain), (two, .apply(two)),
        ]
        var state = ConfigurationWatchState(applied: one)
        for (index, (contents, action)) in steps.enumerated() {
            #expect(state.see(contents) == action, "step \(index)")
        }
    }

    /// A watch of a file, whose clock is moved by hand.
    private final class Scene {
        let scratch = Scratch()
        let clock = ManualClock()
        let dispatcher = LogDispatcher.forTest()
        let reports = Locked<[String]>([])
        var path: String { scratch.path + "/logging.json" }
        var overlay: String { scratch.path + "/logging.dev.json" }

        init() {
            dispatcher.diagnostics.handler = { [reports] report in reports.withLock { $0.append(report.text) }
            }
            dispatcher.diagnostics.interval = .zero
        }

        func text(_ level: String) -> String {
            #"{"loggers": {"c": {"kind": "console", "level": "\#(level)"}}}"#
        }

        func write(_ text: String, to path: String, atomically: Bool = false) throws {
            try text.write(toFile: path, atomically: atomically, encoding: .utf8)
        }

        func watch() throws -> LogConfigurationWatch {
            try LogConfigurationWatch(
                path, environment: "dev", variables: [:], dispatcher: dispatcher, clock: clock)
        }

        /// Lets the watch look until a change has settled.
        func look() { clock.advance(by: .seconds(5)) }

        var level: LogLevelMask? { dispatcher.configuredLogger(named: "c")?.levels }
    }

    @Test("A file that is written, emptied and written, replaced by renaming, or by a link, is applied")
    func changes() throws {
        let scene = Scene()
        try scene.write(scene.text("error"), to: scene.path)
        let watch = try scene.watch()
        let logger = try #require(scene.dispatcher.configuredLogger(named: "c"))
        #expect(scene.level == .error)
        scene.look()
        #expect(watch.counts.applied == 1)
        // Over the old bytes, of the same length.
        try scene.write(scene.text("debug"), to: scene.path)
        scene.look()
        #expect(scene.level == .debug)
        // Renamed over it, as most editors do.
        try scene.write(scene.text("info"), to: scene.path, atomically: true)
        scene.look()
        #expect(scene.level == .info)
        // Emptied and written.
        try scene.write("", to: scene.path)
        try scene.write(scene.text("notice"), to: scene.path)
        scene.look()
        #expect(scene.level == .notice)
        // A link that is switched, as in containers.
        try scene.write(scene.text("fatal"), to: scene.scratch.path + "/other")
        try FileManager.default.removeItem(atPath: scene.path)
        symlink("other", scene.path)
        scene.look()
        #expect(scene.level == .fatal)
        #expect(scene.dispatcher.configuredLogger(named: "c") === logger)
        #expect(watch.counts.applied == 5)
        #expect(scene.reports.withLock { $0 } == [])
        withExtendedLifetime(watch) {}
    }

    @Test("An overlay that appears later is put over the file, and one that goes does not count any more")
    func overlay() throws {
        let scene = Scene()
        // Not even the directory is there at first.
        let watch = try scene.watch()
        #expect(scene.level == nil)
        try scene.write(scene.text("error"), to: scene.path)
        scene.look()
        #expect(scene.level == .error)
        try scene.write(scene.text("verbose"), to: scene.overlay)
        scene.look()
        #expect(scene.level == .verbose)
        try FileManager.default.removeItem(atPath: scene.overlay)
        scene.look()
        #expect(scene.level == .error)
        try FileManager.default.removeItem(atPath: scene.path)
        scene.look()
        scene.look()
        #expect(scene.level == .error)
        #expect(
            scene.reports.withLock { $0 }
                == ["\(scene.path) was removed; the current settings stay in effect until it exists again"])
        watch.stop()
        try scene.write(scene.text("debug"), to: scene.path)
        scene.look()
        #expect(scene.level == .error)
    }

    @Test("A version that is wrong is reported, once, and the settings in force stay")
    func wrong() throws {
        let scene = Scene()
        // Reports of the same are held back.
        scene.dispatcher.diagnostics.interval = .seconds(3600)
        try scene.write(scene.text("error"), to: scene.path)
        let watch = try scene.watch()
        try scene.write(scene.text("debgu"), to: scene.path)
        scene.look()
        scene.look()
        #expect(scene.level == .error)
        #expect(
            scene.reports.withLock { $0 } == [
                "cannot apply the configuration; the current settings stay in effect: \(scene.path):1:48: loggers.c.level: "
                    + "“debgu” is not a valid level: did you mean “debug”?"
            ])
        #expect(watch.counts == (1, 1))
        // Another mistake is reported as well, however soon it comes.
        try scene.write(scene.text("nottice"), to: scene.path)
        scene.look()
        #expect(scene.reports.withLock { $0.count { $0.contains("“nottice” is not a valid level") } } == 1)
        let error = #expect(throws: LogConfigurationError.self) { try watch.reload() }
        #expect(error?.problems.count == 1)
        try scene.write(scene.text("debug"), to: scene.path)
        scene.look()
        #expect(scene.level == .debug)
        try watch.reload()
        #expect(watch.counts == (3, 3))
    }

    @Test("A version that a reload has refused is not refused and reported again at every look")
    func refusedByReload() throws {
        let scene = Scene()
        try scene.write(scene.text("error"), to: scene.path)
        let watch = try scene.watch()
        try scene.write(scene.text("debgu"), to: scene.path)
        #expect(throws: LogConfigurationError.self) { try watch.reload() }
        for _ in 0..<4 { scene.look() }
        #expect(watch.counts == (1, 1))
        #expect(scene.reports.withLock { $0 } == [])
        // The same bytes again are no change; others are.
        try scene.write(scene.text("debgu"), to: scene.path)
        scene.look()
        #expect(watch.counts == (1, 1))
        try scene.write(scene.text("debug"), to: scene.path)
        scene.look()
        #expect(watch.counts == (2, 1))
        #expect(scene.level == .debug)
    }

    @Test("Files that are wrong at the beginning are an error, and a watch that is let go of looks no more")
    func beginning() throws {
        let scene = Scene()
        try scene.write("{", to: scene.path)
        #expect(throws: LogConfigurationError.self) { try scene.watch() }
        try scene.write(scene.text("error"), to: scene.path)
        _ = try scene.watch()
        try scene.write(scene.text("debug"), to: scene.path)
        scene.look()
        #expect(scene.level == .error)
    }
}

/// Counts how often it is told to open its files again.
private final class ReopeningCounter: AbstractLogger, ReopeningLogger, @unchecked Sendable {
    private let calls = Atomic<Int>(0)
    var count: Int { calls.load(ordering: .relaxed) }
    func reopen() { calls.add(1, ordering: .relaxed) }
}

/// What needs a process of its own: signals, environment variables, levels of everything.
@Suite("Configurations of processes", .inTurn)
struct ConfigurationProcessTests {
    @Test(
        "SIGHUP reads the files anew and opens log files anew; the handler of before is called, and put back")
    func hangup() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .exitCode(7)) { [path = scratch.path as String] in
            signal(SIGHUP) { _ in ConfigurationProcessTests.calls.add(1, ordering: .relaxed) }
            let file = path + "/logging.json"
            func write(_ level: String) throws {
                try """
                {"loggers": {"f": {"kind": "file", "directory": "\(path)/logs", "level": "\(level)", "formatter": "text",
                 "naming": {"application": "t", "activeName": "t.log"}}}}
                """.write(toFile: file, atomically: true, encoding: .utf8)
            }
            try write("info")
            // Looked at once an hour: it is the signal that does it.
            var watch: LogConfigurationWatch? = try LogConfigurationWatch(
                file, variables: [:], interval: .seconds(3600), reloadsOnHangup: true)
            logInfo("one")
            LogDispatcher.shared.flush()
            rename(path + "/logs/t.log", path + "/logs/taken")
            try write("debug")
            kill(getpid(), SIGHUP)
            waitUntil { watch?.counts.applied == 2 }
            logDebug("two")
            LogDispatcher.shared.flush()
            waitUntil { (try? String(contentsOfFile: path + "/logs/t.log", encoding: .utf8)) == "two\n" }
            guard try String(contentsOfFile: path + "/logs/taken", encoding: .utf8) == "one\n" else {
                exit(2)
            }
            waitUntil { ConfigurationProcessTests.calls.load(ordering: .relaxed) == 1 }
            // A bad version leaves all as it is.
            LogDispatcher.shared.diagnostics.handler = { _ in }
            try write("debgu")
            kill(getpid(), SIGHUP)
            waitUntil { watch?.counts.refused == 1 }
            guard LogDispatcher.shared.configuredLogger(named: "f")?.levels == .debug else { exit(5) }
            // The loggers open their files again all the same; this one perhaps already after the signal before.
            let reopening = ReopeningCounter()
            LogDispatcher.shared.add(reopening)
            kill(getpid(), SIGHUP)
            waitUntil { watch?.counts.refused == 2 && reopening.count >= 1 }
            LogDispatcher.shared.remove(reopening)
            watch = nil
            kill(getpid(), SIGHUP)
            waitUntil { ConfigurationProcessTests.calls.load(ordering: .relaxed) == 4 }
            exit(7)
        }
    }

    private static let calls = Atomic<Int>(0)

    @Test(
        "Without a handler of before, SIGHUP does not end the process while it is watched, and does so after it"
    )
    func disposition() async throws {
        await #expect(processExitsWith: .signal(SIGHUP)) {
            var watch: LogConfigurationWatch? = try LogConfigurationWatch(
                "/nowhere/x.json", variables: [:], reloadsOnHangup: true)
            let other = try LogConfigurationWatch("/nowhere/y.json", variables: [:], reloadsOnHangup: true)
            watch = nil
            kill(getpid(), SIGHUP)
            waitUntil { other.counts.applied == 2 }
            guard watch == nil else { exit(1) }
            other.stop()
            kill(getpid(), SIGHUP)
            // The signal may find another thread first.
            waitUntil { false }
            exit(2)
        }
    }

    @Test("A signal that was ignored is ignored again afterwards")
    func ignored() async throws {
        await #expect(processExitsWith: .exitCode(7)) {
            signal(SIGHUP, SIG_IGN)
            let watch = try LogConfigurationWatch("/nowhere/x.json", variables: [:], reloadsOnHangup: true)
            kill(getpid(), SIGHUP)
            waitUntil { watch.counts.applied == 2 }
            watch.stop()
            kill(getpid(), SIGHUP)
            exit(7)
        }
    }

    @Test("HEARTWOOD_LEVEL works without a file, over a file, and for source files")
    func environment() async throws {
        let scratch = Scratch()
        await #expect(processExitsWith: .exitCode(7)) { [path = scratch.path as String] in
            let logger = RecordingLogger()
            LogDispatcher.shared.add(logger)
            let (net, http, shop) = (LogCategory("net"), LogCategory("net.http"), LogCategory("shop"))
            func texts() -> String {
                logger.removeRecords()
                logDebug("default")
                logDebug("net", category: net)
                logVerbose("http", category: http)
                logInfo("shop", category: shop)
                LogDispatcher.shared.flush()
                return logger.texts.joined(separator: " ")
            }
            guard texts() == "default net http shop" else { exit(1) }
            setenv("HEARTWOOD_LEVEL", "notice,net.*=verbose", 1)
            try LogConfiguration.environment().apply()
            guard texts() == "http" else { exit(2) }
            // Over the file, key by key.
            try #"{"level": "off", "categories": {"shop": "info"}}"#
                .write(toFile: path + "/x.json", atomically: true, encoding: .utf8)
            try LogConfiguration.load(path + "/x.json").apply()
            guard texts() == "http shop" else { exit(3) }
            setenv("HEARTWOOD_LEVEL", "HeartwoodConfigurationTests/ConfigurationWatchTests.swift=verbose", 1)
            try LogConfiguration.load(path + "/x.json").apply()
            guard texts() == "default net http shop" else { exit(4) }
            setenv("HEARTWOOD_LEVEL", "off", 1)
            try LogConfiguration.environment().apply()
            guard texts() == "" else { exit(5) }
            unsetenv("HEARTWOOD_LEVEL")
            try LogConfiguration.environment().apply()
            guard texts() == "default net http shop" else { exit(6) }
            exit(7)
        }
    }
}
