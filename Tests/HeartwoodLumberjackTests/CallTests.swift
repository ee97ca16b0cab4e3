import Heartwood
import HeartwoodLumberjack
import HeartwoodTestSupport
import SuiteSupport
import Testing

extension LumberjackTests {
    @Suite("Calls", .inTurn)
    struct CallTests {
        private let log = DDLog()
        private let keeper = Keeper()

        init() { log.add(keeper) }

        private func logAll(_ level: DDLogLevel) {
            DDLogError("e", level: level, ddlog: log)
            DDLogWarn("w", level: level, ddlog: log)
            DDLogInfo("i", level: level, ddlog: log)
            DDLogDebug("d", level: level, ddlog: log)
            DDLogVerbose("v", level: level, ddlog: log)
            log.flushLog()
        }

        @Test("Each call has its flag, its place and what else it was given")
        func parameters() throws {
            logAll(.all)
            #expect(keeper.texts == ["e", "w", "i", "d", "v"])
            #expect(keeper.messages.map(\.flag) == [.error, .warning, .info, .debug, .verbose])
            let line: UInt = #line + 1
            DDLogInfo("x", context: 7, tag: "label", asynchronous: false, ddlog: log)
            let message = try #require(keeper.messages.last)
            #expect(message.context == 7 && message.representedObject as? String == "label")
            #expect(message.fileName == "CallTests" && message.file == #fileID && message.line == line)
            #expect(message.function == "parameters()" && message.level == .all)
            DDLogInfo(
                "y", file: "a/b.c/Own.File.swift", function: "f", line: 3, asynchronous: false, ddlog: log)
            let placed = try #require(keeper.messages.last)
            #expect(
                placed.file == "a/b.c/Own.File.swift" && placed.fileName == "Own.File" && placed.line == 3)
        }

        @Test("A call logs what its level lets pass, and messages tell the level of their call")
        func levels() {
            logAll(.warning)
            #expect(keeper.texts == ["e", "w"])
            #expect(keeper.messages.allSatisfy { $0.level == .warning })
            logAll(DDLogLevel(rawValue: DDLogFlag.debug.rawValue | DDLogFlag.error.rawValue) ?? .off)
            #expect(keeper.texts == ["e", "w", "e", "d"])
            logAll(.off)
            #expect(keeper.texts.count == 4)
        }

        @Test("The dynamic level limits all calls, changes while the program runs, and is reset to all")
        func dynamicLevel() {
            defer { resetDynamicLogLevel() }
            #expect(dynamicLogLevel == .all)
            dynamicLogLevel = .info
            logAll(.all)
            #expect(keeper.texts == ["e", "w", "i"])
            dynamicLogLevel = .error
            logAll(.all)
            #expect(keeper.texts == ["e", "w", "i", "e"])
            // A message that exists already is not asked for its level.
            log.log(asynchronous: false, message: DDLogMessage("ready", level: .off, flag: .verbose))
            #expect(keeper.texts.last == "ready")
            resetDynamicLogLevel()
            #expect(dynamicLogLevel == .all)
        }

        @Test(
            "A message is evaluated once where somebody wants it, on the caller's thread, and never otherwise"
        )
        func evaluation() {
            defer { resetDynamicLogLevel() }
            var count = 0
            func text() -> String {
                count += 1
                return "evaluated \(count)"
            }
            DDLogVerbose("\(text())", level: .debug, ddlog: log)
            dynamicLogLevel = .debug
            DDLogVerbose("\(text())", ddlog: log)
            resetDynamicLogLevel()
            log.add(keeper, with: .debug)
            DDLogVerbose("\(text())", ddlog: log)
            DDLogVerbose(text(), ddlog: log)
            log.remove(keeper)
            DDLogError("\(text())", ddlog: log)
            #expect(count == 0)
            log.add(keeper, with: .all)
            DDLogVerbose("\(text())", ddlog: log)
            DDLogVerbose(text(), ddlog: log)
            log.flushLog()
            #expect(count == 2 && keeper.texts == ["evaluated 1", "evaluated 2"])
        }

        @Test("Errors wait until they are handled, others where the call or the program says so")
        func synchronous() {
            defer { asyncLoggingEnabled = true }
            let gate = Gate()
            let slow = Waiting(gate)
            let log = DDLog()
            log.add(slow)
            DDLogInfo("free", ddlog: log)
            DDLogError("free", asynchronous: true, ddlog: log)
            #expect(slow.count == 0)
            gate.open()
            DDLogError("waits", ddlog: log)
            #expect(slow.count == 3)
            DDLogInfo("waits", asynchronous: false, ddlog: log)
            #expect(slow.count == 4)
            asyncLoggingEnabled = false
            DDLogVerbose("waits", ddlog: log)
            #expect(slow.count == 5 && !asyncLoggingEnabled)
            log.removeAllLoggers()
        }

        @Test(
            "Numbers and Booleans are written as the original writes them, others as Swift does, and no text is a format"
        )
        func interpolation() {
            let (none, some, name): (Int?, Int?, String) = (nil, 5, "50% %s %@")
            DDLogInfo("\(Int8(65)) \(UInt8(7)) \(Int32(-472_345)) \(UInt64.max) \(true) \(1.5)", ddlog: log)
            DDLogInfo("\(none, default: "none") \(some, default: "none") \(none) \(some)", ddlog: log)
            DDLogInfo("100% \(name) %d", ddlog: log)
            DDLogInfo("100% %d", ddlog: log)
            DDLogInfo("\(name.prefix(3)) \([1, 2]) \(Kind.apple) \(NSString("text"))", ddlog: log)
            DDLogInfo(name, ddlog: log)
            DDLogInfo(Kind.apple, ddlog: log)
            DDLogInfo(DDLogMessageFormat(stringLiteral: name), ddlog: log)
            log.flushLog()
            #expect(
                keeper.texts == [
                    "65 7 -472345 18446744073709551615 1 1.500000", "none 5 nil 5", "100% 50% %s %@ %d",
                    "100% %d",
                    "50% [1, 2] apple text", name, "apple", name,
                ])
        }

        @Test(
            "The values of an old call keep their types for Heartwood's loggers, and the tag is theirs as it was given"
        )
        func typedValues() {
            let recorder = RecordingLogger()
            log.dispatcher.add(recorder)
            DDLogInfo("\(5) of \(2.5)", tag: 17, ddlog: log)
            DDLogInfo("x", level: .info, tag: 18, ddlog: log)
            log.flushLog()
            #expect(
                recorder.messages.first?.pieces == [
                    .value(.integer(5), name: nil, privacy: .public), .literal(" of "),
                    .value(.double(2.5), name: nil, privacy: .public),
                ])
            #expect(recorder.messages.first?.tag as? Int == 17)
            #expect(String(describing: recorder.messages[1].tag ?? "") == "18")
            log.removeAllLoggers()
        }

        @Test("A flag of the program's own is logged, and filtered like the others")
        func ownFlags() {
            let audit = DDLogFlag(rawValue: 1 << 5)
            func call(_ text: DDLogMessageFormat, _ flag: DDLogFlag, level: DDLogLevel = .all) {
                _DDLogMessage(
                    text, level: level, flag: flag, context: 0, file: #fileID, function: #function,
                    line: #line,
                    tag: nil, asynchronous: nil, ddlog: log)
            }
            call("a", audit)
            call("b", audit, level: .verbose)
            log.add(keeper, with: .verbose)
            call("c", audit)
            log.add(keeper, with: DDLogLevel(rawValue: audit.rawValue) ?? .off)
            call("d", audit)
            DDLogError("e", ddlog: log)
            log.flushLog()
            #expect(keeper.texts == ["a", "d"] && keeper.messages.allSatisfy { $0.flag == audit })
            log.add(keeper)
            call("f", [.error, .info])
            call("g", DDLogFlag(rawValue: 1 << 40))
            log.flushLog()
            let flags: [UInt] = keeper.messages.suffix(2).map(\.flag.rawValue)
            #expect(flags == [5, 1_099_511_627_776])
        }

        @Test("An assertion that holds logs nothing, and its condition is always evaluated")
        func assertions() {
            var count = 0
            func holds() -> Bool {
                count += 1
                return true
            }
            DDAssert(holds(), "not \(count)", ddlog: log)
            DDAssert(holds(), ddlog: log)
            log.flushLog()
            #expect(count == 2 && keeper.texts.isEmpty)
        }

        @Test("An assertion that fails is logged as an error, once evaluated, before it stops a debug build")
        func failingAssertions() async throws {
            let folder = Folder()
            let path = folder.path
            for kind in 0..<2 {
                await #expect(processExitsWith: .failure) { [path = path as String, kind = kind as Int] in
                    let file = DDFileLogger(logFileManager: DDLogFileManagerDefault(logsDirectory: path))
                    DDLog.add(file)
                    var count = 0
                    func number() -> Int {
                        count += 1
                        return count
                    }
                    if kind == 0 { DDAssert(1 > 2, "evaluated \(number())") }
                    DDAssertionFailure("reached \(number())")
                }
            }
            #if DEBUG
            #expect(folder.texts.joined().contains("  evaluated 1\n"))
            #expect(folder.texts.joined().contains("  reached 1\n"))
            #endif
        }

        @Test("The name of a file is without folders and ending")
        func fileNames() {
            #expect(currentFileName() == "CallTests")
            #expect(currentFileName("a/b.c/file") == "file" && currentFileName("x.y.swift") == "x.y")
            #expect(DDDefaultLogLevel == .all)
        }
    }
}

private enum Kind { case apple }

/// Handles messages once it is let.
private final class Waiting: DDAbstractLogger, @unchecked Sendable {
    private let gate: Gate
    private let handled = Locked(0)
    var count: Int { handled.withLock { $0 } }

    init(_ gate: Gate) {
        self.gate = gate
        super.init()
    }
    override func log(message logMessage: DDLogMessage) {
        gate.pass()
        handled.withLock { $0 += 1 }
    }
}
