import Heartwood
import HeartwoodLumberjack
import SuiteSupport
import Testing

extension LumberjackTests {
    /// In processes of their own: what they look at is standard error.
    @Suite("Consoles", .inTurn)
    struct ConsoleTests {
        private func lines(_ result: ExitTest.Result?) -> [String] {
            let bytes = result?.standardErrorContent ?? []
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }

        @Test("The terminal logger writes date, process, thread and text, or what its formatter makes of it")
        func layout() async throws {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let logger = try #require(DDTTYLogger.sharedInstance)
                #expect(logger.loggerName == .tty && logger.logFormatter == nil)
                DDLog.add(logger)
                DDLogInfo("plain")
                logger.logFormatter = Escaping()
                DDLogInfo("formatted")
                logger.automaticallyAppendNewlineForCustomFormatters = false
                DDLogInfo("with a newline\n")
                logger.logFormatter = nil
                DDLogInfo("plain again")
                DDLog.flushLog()
            }
            let lines = lines(result)
            let plain = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:\d{3} .+\[\d+:\d+\] plain/
            #expect(lines.count == 4 && lines[0].wholeMatch(of: plain) != nil)
            #expect(lines[1] == "\u{1b}[31mformatted\u{1b}[0m")
            #expect(lines[2] == "\u{1b}[31mwith a newline" && lines[3].hasSuffix("] plain again"))
        }

        @Test(
            "Colors are those of the tag, of the flag in its context, or of the flag, until they are taken back"
        )
        func colors() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                setenv("FORCE_COLOR", "3", 1)
                unsetenv("NO_COLOR")
                let logger = try #require(DDTTYLogger.sharedInstance)
                DDLog.add(logger)
                logger.logFormatter = Marker("")
                DDLogError("off")
                logger.colorsEnabled = true
                #expect(logger.colorsEnabled)
                DDLogError("red")
                DDLogWarn("orange")
                DDLogInfo("none")
                let blue = DDMakeColor(0, 0, 255)
                logger.setForegroundColor(blue, backgroundColor: nil, for: [.info, .debug])
                logger.setForegroundColor(
                    DDMakeColor(0, 255, 0), backgroundColor: blue, for: .info, context: 7)
                logger.setForegroundColor(DDMakeColor(1, 2, 3), backgroundColor: nil, forTag: "tag")
                DDLogDebug("blue")
                DDLogInfo("green on blue", context: 7)
                DDLogInfo("tag", context: 7, tag: "tag")
                logger.clearColors(forTag: "tag")
                logger.clearColors(for: .info, context: 7)
                DDLogInfo("blue", context: 7, tag: "tag")
                logger.clearColors(for: .info)
                DDLogInfo("none")
                logger.clearColorsForAllFlags()
                DDLogError("none")
                logger.clearAllColors()
                logger.colorsEnabled = false
                DDLogError("off")
                DDLog.flushLog()
            }
            let codes = [
                "off": "", "none": "", "red": "38;2;214;57;30", "orange": "38;2;204;121;32",
                "blue": "38;2;0;0;255",
                "green on blue": "38;2;0;255;0;48;2;0;0;255", "tag": "38;2;1;2;3",
            ]
            let expected = [
                "off", "red", "orange", "none", "blue", "green on blue", "tag", "blue", "none", "none", "off",
            ].map { name in
                let code = codes[name] ?? ""
                return code.isEmpty ? name : "\u{1b}[\(code)m\(name)\u{1b}[0m"
            }
            #expect(lines(result) == expected)
        }

        #if !canImport(os)
        @Test(
            "The logger of the system writes to standard error where there is no unified log, with its category"
        )
        func system() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                #expect(DDOSLogger.sharedInstance.loggerName == .os)
                DDLog.add(DDOSLogger.sharedInstance)
                DDLogInfo("one")
                DDLog.removeAllLoggers()
                DDLog.add(DDOSLogger(subsystem: "com.example.shop", category: "cart"))
                DDLogInfo("two")
                DDLog.flushLog()
            }
            let lines = lines(result)
            #expect(lines.count == 2 && lines[0].hasSuffix("] one") && lines[1].hasSuffix("] [cart] two"))
        }
        #endif

        @Test(
            "One console logger in three DDLogs writes each message once, with the formatter and colors that are set"
        )
        func several() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                setenv("FORCE_COLOR", "3", 1)
                unsetenv("NO_COLOR")
                let logger = try #require(DDTTYLogger.sharedInstance)
                let logs = [DDLog(), DDLog(), DDLog()]
                for log in logs { log.add(logger) }
                logger.logFormatter = Marker("> ")
                for (index, log) in logs.enumerated() { DDLogError("plain \(index)", ddlog: log) }
                logger.colorsEnabled = true
                for (index, log) in logs.enumerated() { DDLogError("red \(index)", ddlog: log) }
                let late = DDLog()
                late.add(logger)
                DDLogError("late", ddlog: late)
                for log in logs + [late] { log.removeAllLoggers() }
            }
            let red = "\u{1b}[38;2;214;57;30m"
            let expected =
                (0..<3).map { "> plain \($0)" } + (0..<3).map { "\(red)> red \($0)\u{1b}[0m" }
                + ["\(red)> late\u{1b}[0m"]
            #expect(lines(result) == expected)
        }

        @Test("What was logged before the program ends is written without a flush")
        func ending() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                if let logger = DDTTYLogger.sharedInstance { DDLog.add(logger) }
                for number in 0..<100 { DDLogVerbose("message \(number)") }
                exit(0)
            }
            #expect(lines(result).count == 100)
        }
    }
}

/// Colors its text itself.
private final class Escaping: NSObject, DDLogFormatter {
    func format(message logMessage: DDLogMessage) -> String? {
        let end = logMessage.message.hasSuffix("\n") ? "" : "\u{1b}[0m"
        return "\u{1b}[31m\(logMessage.message)\(end)"
    }
}
