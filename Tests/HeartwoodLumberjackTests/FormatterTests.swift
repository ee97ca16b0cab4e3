import Heartwood
import HeartwoodLumberjack
import SuiteSupport
import Testing

extension LumberjackTests {
    @Suite("Formatters", .inTurn)
    struct FormatterTests {
        private let log = DDLog()
        private let keeper = Keeper()

        init() { log.add(keeper) }

        private func message(_ text: String, context: Int = 0) -> DDLogMessage {
            DDLogMessage(
                format: text, formatted: text, level: .all, flag: .info, context: context, file: "f",
                function: nil,
                line: 1, tag: nil, options: [], timestamp: Date(timeIntervalSince1970: 1_767_225_600.5))
        }

        @Test("A formatter takes effect exactly between the messages before and after it was set")
        func ordered() {
            DDLogInfo("a", ddlog: log)
            keeper.logFormatter = Marker("1 ")
            DDLogInfo("b", ddlog: log)
            let second = Marker("2 ")
            keeper.logFormatter = second
            #expect(keeper.logFormatter === second)
            DDLogInfo("c", ddlog: log)
            keeper.logFormatter = nil
            DDLogInfo("d", ddlog: log)
            log.flushLog()
            #expect(keeper.lines == ["a", "1 b", "2 c", "d"] && keeper.logFormatter == nil)
            log.removeAllLoggers()
        }

        @Test("A formatter that gives nil drops the message for its logger alone")
        func dropping() {
            let other = Keeper()
            log.add(other)
            let filter = DDContextDenylistFilterLogFormatter()
            filter.add(toDenylist: 7)
            keeper.logFormatter = filter
            DDLogInfo("a", context: 7, ddlog: log)
            DDLogInfo("b", ddlog: log)
            log.flushLog()
            #expect(keeper.lines == ["b"] && other.lines == ["a", "b"])
            log.removeAllLoggers()
        }

        @Test("A formatter hears of the loggers that use it, in order with their messages")
        func hooks() {
            let notes = Notes()
            let first = Listening("first", notes)
            keeper.logFormatter = first
            DDLogInfo("a", ddlog: log)
            keeper.logFormatter = Listening("second", notes)
            DDLogInfo("b", ddlog: log)
            log.flushLog()
            #expect(
                notes.all == [
                    "first added to Keeper", "first a", "first removed", "second added to Keeper", "second b",
                ])
            let old = OlderListening(notes)
            keeper.logFormatter = old
            log.flushLog()
            #expect(notes.all.suffix(2) == ["second removed", "older added"])
            log.removeAllLoggers()
        }

        @Test("A chain hands each formatter what the one before made, ends where one drops, and may change")
        func chain() {
            let (first, second) = (Marker("1"), Marker("2"))
            let chain = DDMultiFormatter()
            #expect(chain.format(message: message("x")) == "x")
            chain.add(first)
            chain.add(second)
            #expect(chain.format(message: message("x")) == "21x" && chain.formatters.count == 2)
            #expect(chain.isFormatting(with: first))
            let filter = DDContextAllowlistFilterLogFormatter()
            chain.add(filter)
            #expect(chain.format(message: message("x")) == nil)
            filter.add(toAllowlist: 3)
            let passing = message("x", context: 3)
            #expect(chain.format(message: passing) == "21x")
            chain.remove(first)
            #expect(chain.format(message: passing) == "2x" && !chain.isFormatting(with: first))
            chain.removeAll()
            #expect(chain.formatters.isEmpty && chain.format(message: passing) == "x")
            // The other properties of the message stay.
            let levels = DDMultiFormatter()
            levels.add(Marker("m"))
            levels.add(Describing())
            #expect(levels.format(message: passing) == "mx 3 4")
        }

        @Test("A list of contexts lets its own pass, or all others, and gives the text as it is")
        func contexts() {
            let (allow, deny) = (
                DDContextAllowlistFilterLogFormatter(), DDContextDenylistFilterLogFormatter()
            )
            for context in [5, 2] {
                allow.add(toAllowlist: context)
                deny.add(toDenylist: context)
            }
            #expect(allow.allowlist == [2, 5] && deny.denylist == [2, 5])
            #expect(allow.is(onAllowlist: 2) && !allow.is(onAllowlist: 0) && deny.is(onDenylist: 5))
            #expect(allow.format(message: message("a", context: 2)) == "a")
            #expect(allow.format(message: message("a")) == nil && deny.format(message: message("a")) == "a")
            #expect(deny.format(message: message("a", context: 2)) == nil)
            allow.remove(fromAllowlist: 2)
            deny.remove(fromDenylist: 2)
            #expect(allow.format(message: message("a", context: 2)) == nil)
            #expect(deny.format(message: message("a", context: 2)) == "a")
        }

        @Test(
            "The formatter of files writes the date in UTC, two blanks and the text, or a date of its own form"
        )
        func files() {
            let usual = DDLogFileFormatterDefault()
            #expect(usual.format(message: message("a\nb")) == "2026/01/01 00:00:00:500  a\nb")
            let dates = DateFormatter()
            dates.dateFormat = "yyyy"
            dates.timeZone = TimeZone(secondsFromGMT: 0)
            #expect(
                DDLogFileFormatterDefault(dateFormatter: dates).format(message: message("a")) == "2026  a")
        }

        @Test("The formatter of queues writes the queue's label, filled up, cut and replaced as it is set")
        func queues() throws {
            let formatter = DDDispatchQueueLogFormatter()
            let queue = DispatchQueue(label: "com.example.network")
            let message = queue.sync { self.message("a") }
            let line = try #require(formatter.format(message: message))
            #expect(line.hasSuffix(" [com.example.network (QOS:UN)] a"))
            #expect(line.wholeMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d:500 \[.*/) != nil)
            formatter.maxQueueLength = 5
            #expect(formatter.queueThreadLabel(for: message) == "com.e")
            formatter.setReplacementString("net", forQueueLabel: "com.example.network")
            formatter.minQueueLength = 4
            #expect(formatter.queueThreadLabel(for: message) == "net ")
            #expect(formatter.replacementString(forQueueLabel: "com.apple.main-thread") == "main")
            formatter.setReplacementString(nil, forQueueLabel: "com.example.network")
            #expect(formatter.replacementString(forQueueLabel: "com.example.network") == nil)
            #expect(formatter.queueThreadLabel(for: message) == "com.e")
            let other = Overridden()
            #expect(other.format(message: message) == "2026 [here (QOS:UN)] a")
            #expect(DDQualityOfServiceName(rawValue: "UI") == .userInteractive)
        }
    }
}

private final class Listening: NSObject, DDLogFormatter, @unchecked Sendable {
    private let (name, notes): (String, Notes)
    init(_ name: String, _ notes: Notes) { (self.name, self.notes) = (name, notes) }

    func format(message logMessage: DDLogMessage) -> String? {
        notes.add("\(name) \(logMessage.message)")
        return logMessage.message
    }
    func didAdd(to logger: any DDLogger, in queue: DispatchQueue) {
        notes.add("\(name) added to \(logger.loggerName.rawValue)")
    }
    func didAdd(to logger: any DDLogger) { notes.add("never: the other form is there") }
    func willRemove(from logger: any DDLogger) { notes.add("\(name) removed") }
}

private final class OlderListening: NSObject, DDLogFormatter, @unchecked Sendable {
    private let notes: Notes
    init(_ notes: Notes) { self.notes = notes }
    func format(message logMessage: DDLogMessage) -> String? { nil }
    func didAdd(to logger: any DDLogger) { notes.add("older added") }
}

private final class Describing: NSObject, DDLogFormatter {
    func format(message logMessage: DDLogMessage) -> String? {
        "\(logMessage.message) \(logMessage.context) \(logMessage.flag.rawValue)"
    }
}

private final class Overridden: DDDispatchQueueLogFormatter, @unchecked Sendable {
    override func configureDateFormatter(_ dateFormatter: DateFormatter) {
        super.configureDateFormatter(dateFormatter)
        dateFormatter.dateFormat = "yyyy"
        dateFormatter.timeZone = TimeZone(secondsFromGMT: 0)
    }
    override func queueThreadLabel(for logMessage: DDLogMessage) -> String { "here" }
}
