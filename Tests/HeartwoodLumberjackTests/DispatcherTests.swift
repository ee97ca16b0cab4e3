import Heartwood
import HeartwoodLumberjack
import HeartwoodTestSupport
import SuiteSupport
import Testing

extension LumberjackTests {
    @Suite("DDLog", .inTurn)
    struct DispatcherTests {
        private let log = DDLog()

        @Test(
            "Loggers get what is logged after they were added and before they were removed, by their levels")
        func members() {
            let (first, second) = (Keeper(), Keeper())
            DDLogInfo("nobody", ddlog: log)
            log.add(first)
            DDLogInfo("a", ddlog: log)
            log.add(second, with: .warning)
            DDLogInfo("b", ddlog: log)
            DDLogWarn("c", ddlog: log)
            log.remove(first)
            DDLogWarn("d", ddlog: log)
            log.flushLog()
            #expect(first.texts == ["a", "b", "c"] && second.texts == ["c", "d"])
            log.removeAllLoggers()
            DDLogError("e", ddlog: log)
            #expect(second.texts.count == 2 && log.allLoggers.isEmpty)
            #expect(first.events == ["added", "log a", "log b", "log c", "removed"])
            #expect(second.events == ["added", "log c", "log d", "flushed", "removed"])
        }

        @Test(
            "Loggers are listed with their levels, and adding one again changes its level without doubling messages"
        )
        func lists() {
            let (first, second) = (Keeper(), Foreign())
            log.add(first)
            log.add(second, with: .error)
            #expect(
                log.allLoggers.map { ObjectIdentifier($0) } == [
                    ObjectIdentifier(first), ObjectIdentifier(second),
                ])
            #expect(log.allLoggersWithLevel.map(\.level) == [.all, .error])
            log.add(first, with: .debug)
            #expect(log.allLoggersWithLevel.map(\.level) == [.debug, .error])
            DDLogDebug("x", ddlog: log)
            log.flushLog()
            #expect(first.texts == ["x"])
            first.heartwoodLogger.levels = .warning
            #expect(log.allLoggersWithLevel.first?.level == .warning)
            log.dispatcher.remove(first.heartwoodLogger)
            #expect(log.allLoggers.count == 1)
            log.remove(Keeper())
            log.removeAllLoggers()
            #expect(log.allLoggersWithLevel.isEmpty)
        }

        @Test("A logger that adopts the protocol alone is served like the others")
        func protocolOnly() {
            let foreign = Foreign()
            log.add(foreign)
            DDLogInfo("one", ddlog: log)
            log.flushLog()
            log.remove(foreign)
            #expect(foreign.notes.all == ["added in lumberjack.foreign", "one", "flush", "removed"])
            let bare = Bare()
            log.add(bare)
            DDLogInfo("two", ddlog: log)
            log.flushLog()
            log.removeAllLoggers()
            #expect(bare.notes.all == ["added", "two"])
        }

        @Test("A logger lives while it is added, and ends when it is removed and nothing else keeps it")
        func lifetime() {
            weak var weakKeeper: Keeper?
            weak var weakForeign: Foreign?
            let notes: Notes
            do {
                let (keeper, foreign) = (Keeper(), Foreign())
                (weakKeeper, weakForeign) = (keeper, foreign)
                notes = foreign.notes
                log.add(keeper)
                log.add(foreign)
            }
            DDLogInfo("x", ddlog: log)
            log.flushLog()
            #expect(weakKeeper?.texts == ["x"] && notes.all.contains("x"))
            log.removeAllLoggers()
            #expect(weakKeeper == nil && weakForeign == nil)
        }

        @Test("Dispatchers have nothing in common, and the members of the type are those of the shared one")
        func instances() async {
            // In a process of its own, where nothing else uses the shared dispatcher.
            await #expect(processExitsWith: .success) {
                let (shared, own, log) = (Keeper(), Keeper(), DDLog())
                DDLog.add(shared)
                log.add(own)
                DDLogInfo("shared")
                DDLogInfo("own", ddlog: log)
                DDLog.flushLog()
                log.flushLog()
                #expect(shared.texts == ["shared"] && own.texts == ["own"])
                #expect(DDLog.allLoggers.count == 1 && DDLog.allLoggersWithLevel.first?.level == .all)
                #expect(DDLog.sharedInstance.dispatcher === LogDispatcher.shared)
                DDLog.log(asynchronous: false, message: DDLogMessage("ready", level: .all, flag: .info))
                DDLog.remove(shared)
                DDLog.add(shared, with: .error)
                DDLogInfo("not now")
                DDLog.removeAllLoggers()
                #expect(shared.texts == ["shared", "ready"] && DDLog.allLoggers.isEmpty)
            }
        }

        @Test("A format and a list of values are logged as they are put together on the caller's thread")
        func formats() {
            let keeper = Keeper()
            log.add(keeper)
            withVaList([3, 0.5]) { list in
                log.log(
                    asynchronous: false, level: .info, flag: .warning, context: 2, file: "x/File.m",
                    function: "-[A b]",
                    line: 4, tag: "t", format: "%d at %.2f", arguments: list)
            }
            let message = keeper.messages[0]
            #expect(
                message.message == "3 at 0.50" && message.messageFormat == "%d at %.2f"
                    && message.context == 2)
            #expect(message.fileName == "File" && message.function == "-[A b]" && message.level == .info)
            log.removeAllLoggers()
        }

        @Test("Loggers and formatters may log, flush, add, remove and read everything without a deadlock")
        func insideOfHooks() {
            let busy = Busy(log)
            busy.logFormatter = Marker("> ")
            log.add(busy)
            DDLogError("first", ddlog: log)
            log.flushLog()
            log.flushLog()
            log.removeAllLoggers()
            #expect(busy.notes.all == ["> first", "> from inside"])
            #expect(busy.wasInside && !busy.isOnInternalLoggerQueue && !busy.isOnGlobalLoggingQueue)
        }

        @Test(
            "A flush returns when all loggers have handled and flushed what was logged before, in their order"
        )
        func flush() {
            let keepers = [Keeper(), Keeper()]
            for keeper in keepers { log.add(keeper) }
            for number in 0..<1000 { DDLogVerbose("\(number)", ddlog: log) }
            log.flushLog()
            for keeper in keepers {
                #expect(keeper.texts == (0..<1000).map { "\($0)" } && keeper.events.last == "flushed")
            }
            log.removeAllLoggers()
        }

        @Test("The levels of registered classes are read and set by class and by name")
        func classes() {
            Network.ddLogLevel = .info
            #expect(DDLog.level(for: Network.self) == .info && DDLog.level(for: Keeper.self) == .all)
            DDLog.register(Network.self)
            DDLog.register(Network.self)
            #expect(DDLog.registeredClasses.count == 1 && DDLog.registeredClassNames == ["Network"])
            DDLog.setLevel(.debug, for: Network.self)
            #expect(Network.ddLogLevel == .debug)
            DDLog.setLevel(.error, forClassWithName: "Network")
            #expect(DDLog.levelForClass(withName: "Network") == .error)
            #expect(DDLog.levelForClass(withName: String(reflecting: Network.self)) == .error)
            #expect(DDLog.levelForClass(withName: "Nothing") == .all)
            DDLog.setLevel(.error, forClassWithName: "Nothing")
        }

        @Test(
            "One logger in several DDLogs gets the messages of each, one at a time, and the formatter is told of it once"
        )
        func severalDispatchers() {
            let (keeper, notes) = (Keeper(), Notes())
            let others = [DDLog(), DDLog()]
            log.add(keeper)
            keeper.logFormatter = Told(notes)
            for other in others { other.add(keeper, with: .error) }
            #expect(others.allSatisfy { $0.allLoggers.first === keeper })
            DispatchQueue.concurrentPerform(iterations: 3) { index in
                for number in 0..<100 {
                    DDLogError("\(index) \(number)", ddlog: index == 0 ? log : others[index - 1])
                }
            }
            DDLogInfo("not wanted", ddlog: others[0])
            for each in [log] + others { each.flushLog() }
            #expect(keeper.texts.count == 300 && keeper.lines.count == 300)
            for index in 0..<3 {
                #expect(
                    keeper.texts.filter { $0.hasPrefix("\(index) ") } == (0..<100).map { "\(index) \($0)" })
            }
            // Removed from one, it stays in the others.
            others[0].remove(keeper)
            DDLogError("gone", ddlog: others[0])
            DDLogError("there", ddlog: others[1])
            DDLogInfo("here", ddlog: log)
            for each in [log] + others { each.flushLog() }
            #expect(Set(keeper.texts.suffix(2)) == ["there", "here"] && keeper.texts.count == 302)
            #expect(
                keeper.events.count { $0 == "added" } == 3 && keeper.events.count { $0 == "removed" } == 1)
            for each in [log] + others { each.removeAllLoggers() }
            #expect(keeper.events.count { $0 == "removed" } == 3)
            keeper.logFormatter = nil
            #expect(notes.all.first == "added" && notes.all.count { $0 == "added" } == 1)
        }

        @Test("Old and new calls of several threads keep one order in old and new loggers")
        func mixedOrder() {
            let keeper = Keeper()
            let recorder = RecordingLogger()
            log.add(keeper)
            log.dispatcher.add(recorder)
            let dispatcher = log.dispatcher
            DispatchQueue.concurrentPerform(iterations: 4) { thread in
                for number in 0..<250 {
                    if number.isMultiple(of: 2) {
                        DDLogInfo("\(thread) \(number)", ddlog: log)
                    } else {
                        logInfo("\(thread) \(number)", to: dispatcher)
                    }
                }
            }
            log.flushLog()
            #expect(keeper.texts == recorder.texts && keeper.texts.count == 1000)
            for thread in 0..<4 {
                let own = keeper.texts.filter { $0.hasPrefix("\(thread) ") }
                #expect(own == (0..<250).map { "\(thread) \($0)" })
            }
            log.removeAllLoggers()
        }

        @Test("Messages of new calls arrive with flags, fields of Heartwood's and private pieces redacted")
        func newCalls() {
            let keeper = Keeper()
            log.add(keeper, with: .info)
            let dispatcher = log.dispatcher
            logFatal("f", to: dispatcher)
            logNotice("n \("secret", privacy: .private)", metadata: ["a": 1], to: dispatcher)
            logDebug("d", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            #expect(keeper.messages.map(\.flag) == [.error, .info])
            #expect(!keeper.texts[1].contains("secret"))
            #expect(keeper.messages[1].heartwoodMessage.metadata["a"] == 1)
            log.removeAllLoggers()
        }
    }
}

private final class Network: DDRegisteredDynamicLogging {
    nonisolated(unsafe) static var ddLogLevel = DDLogLevel.info
}

/// Notes which loggers use it.
private final class Told: NSObject, DDLogFormatter, @unchecked Sendable {
    private let notes: Notes
    init(_ notes: Notes) { self.notes = notes }
    func format(message logMessage: DDLogMessage) -> String? { logMessage.message }
    func didAdd(to logger: any DDLogger) { notes.add("added") }
    func willRemove(from logger: any DDLogger) { notes.add("removed") }
}

/// A logger without a base class.
private final class Foreign: NSObject, DDLogger, @unchecked Sendable {
    let notes = Notes()
    var logFormatter: (any DDLogFormatter)?
    let loggerQueue = DispatchQueue(label: "lumberjack.foreign")
    var loggerName: DDLoggerName { DDLoggerName("foreign") }

    func log(message logMessage: DDLogMessage) {
        dispatchPrecondition(condition: .onQueue(loggerQueue))
        notes.add(logMessage.message)
    }
    func didAdd() { notes.add("never: the other form is there") }
    func didAdd(in queue: DispatchQueue) { notes.add("added in \(queue.label)") }
    func willRemove() { notes.add("removed") }
    func flush() { notes.add("flush") }
}

/// A logger with what it must have.
private final class Bare: NSObject, DDLogger, @unchecked Sendable {
    let notes = Notes()
    var logFormatter: (any DDLogFormatter)?
    func log(message logMessage: DDLogMessage) { notes.add(logMessage.message) }
    func didAdd() { notes.add("added") }
}

/// Does inside of its hook what deadlocks elsewhere.
private final class Busy: DDAbstractLogger, @unchecked Sendable {
    let notes = Notes()
    private let log: DDLog
    private(set) var wasInside = false

    init(_ log: DDLog) {
        self.log = log
        super.init()
    }

    override func log(message logMessage: DDLogMessage) {
        wasInside = isOnInternalLoggerQueue
        notes.add(logFormatter?.format(message: logMessage) ?? "")
        _ = log.allLoggers.count + log.allLoggersWithLevel.count
        log.flushLog()
        if logMessage.message == "first" { DDLogError("from inside", ddlog: log) }
        let other = Keeper()
        log.add(other)
        log.remove(other)
    }
}
