import Heartwood
import HeartwoodLumberjack
import SuiteSupport
import Testing

extension LumberjackTests {
    @Suite("Messages", .inTurn)
    struct MessageTests {
        private func make(
            _ text: String = "text", flag: DDLogFlag = .info, file: String = "a/b.swift", tag: Any? = nil,
            timestamp: Date? = Date(timeIntervalSince1970: 1)
        ) -> DDLogMessage {
            DDLogMessage(
                format: "format %@", formatted: text, level: .debug, flag: flag, context: 3, file: file,
                function: "f()", line: 9, tag: tag, options: [.copyFile], timestamp: timestamp)
        }

        @Test("A message made by hand says what it was given, and where it was made")
        func byHand() {
            let queue = DispatchQueue(label: "lumberjack.tests")
            let message = queue.sync { make(tag: "tag") }
            #expect(message.message == "text" && message.messageFormat == "format %@")
            #expect(message.level == .debug && message.flag == .info && message.context == 3)
            #expect(message.file == "a/b.swift" && message.fileName == "b" && message.function == "f()")
            #expect(
                message.line == 9 && message.representedObject as? String == "tag"
                    && message.options == .copyFile)
            #expect(message.timestamp == Date(timeIntervalSince1970: 1))
            #expect(message.queueLabel == "lumberjack.tests" && UInt64(message.threadID) != nil)
            let before = Date()
            #expect(abs(make(timestamp: nil).timestamp.timeIntervalSince(before)) < 60)
            #expect(make(file: "c.d/e").fileName == "e")
        }

        @Test("A format and its list of values are put together at once")
        func formats() {
            let message = withVaList([5, "x"]) { list in
                DDLogMessage(
                    format: "%d items", args: list, level: .all, flag: .info, context: 0, file: "f",
                    function: nil,
                    line: 1, tag: nil, options: [], timestamp: nil)
            }
            #expect(
                message.message == "5 items" && message.messageFormat == "%d items" && message.function == nil
            )
        }

        @Test("A message of a literal knows its format, and equals another one that says the same")
        func literals() {
            let (count, name) = (5, "x")
            let message = DDLogMessage("\(count)% of \(name)", level: .all, flag: .info)
            #expect(message.message == "5% of x" && message.messageFormat == "%lli%% of %@")
            #expect(message.fileName == "MessageTests" && message.function == "literals()")
        }

        @Test(
            "Dates are written as Swift writes them, also optional ones and those of type Any, and stay dates in fields"
        )
        func dates() {
            let date = Date(timeIntervalSince1970: 1_700_000_000.75)
            let (optional, any): (Date?, Any) = (date, date)
            let message = DDLogMessage(
                "\(date), \(optional), \(any), \(optional, default: "none")", level: .all, flag: .info)
            #expect(message.message == Array(repeating: "\(date)", count: 4).joined(separator: ", "))
            let values = message.heartwoodMessage.pieces.compactMap { piece in
                if case .value(let value, _, _) = piece { value } else { nil }
            }
            #expect(values == Array(repeating: .date(date), count: 4))
        }

        @Test(
            "Number objects are written as what they hold, and percent signs are doubled beside values only")
        func numbersAndPercents() {
            let (count, flag): (Any, Any) = (NSNumber(value: 3), NSNumber(value: true))
            let message = DDLogMessage("\(count) \(flag) 5 %", level: .all, flag: .info)
            #expect(message.message == "3 1 5 %" && message.messageFormat == "%lli %i 5 %%")
            let literal = DDLogMessage("100 % of %20", level: .all, flag: .info)
            #expect(literal.message == "100 % of %20" && literal.messageFormat == literal.message)
        }

        @Test(
            "Booleans and floating-point numbers read as in the original, optional ones too, and stay what they are"
        )
        func originalTexts() {
            let (float, double, bool, id) = (Float(42.4344), 42.1345512, true, UUID())
            let (some, none): (Bool?, Double?) = (false, nil)
            let message = DDLogMessage(
                "\(float) \(double) \(bool) \(some, default: "-") \(some) \(none, default: "-") \(id) \(-1e300)",
                level: .all, flag: .info)
            let texts = [
                String(format: "%f", float), String(format: "%lf", double), "1", "0", "0", "-", id.uuidString,
                String(format: "%lf", -1e300),
            ]
            #expect(message.message == texts.joined(separator: " "))
            #expect(message.messageFormat == "%lf %lf %i %i %i %@ %@ %lf")
            let values = message.heartwoodMessage.pieces.compactMap { piece in
                if case .value(let value, _, _) = piece { value } else { nil }
            }
            #expect(values.prefix(4) == [.double(42.4344), .double(double), .bool(true), .bool(false)])
        }

        @Test("Copies are equal, and messages that differ in anything but options and file name are not")
        func equality() throws {
            let message = make(tag: "tag")
            let copy = try #require(message.copy() as? DDLogMessage)
            #expect(copy !== message && copy == message && copy.hash == message.hash)
            #expect(copy.representedObject as? String == "tag" && copy.timestamp == message.timestamp)
            #expect(make() == make() && make(tag: [1]) == make(tag: [1]))
            for other in [
                make("other"), make(flag: .error), make(file: "x"), make(tag: 2), make(timestamp: Date()),
            ] {
                #expect(make() != other)
            }
            #expect(!make().isEqual("text"))
            #expect(DDLogMessage().message == "" && DDLogMessage().level == .off)
        }

        @Test("A logged object arrives as the same object, its tag and level with it")
        func identity() {
            let log = DDLog()
            let (keeper, other) = (Keeper(), Keeper())
            log.add(keeper)
            log.add(other)
            let message = Special(make(tag: 5))
            log.log(asynchronous: true, message: message)
            log.flushLog()
            #expect(keeper.messages.first === message && other.messages.first === message)
            #expect((keeper.messages.first as? Special)?.note == "special")
            // What a formatter of Heartwood's sees.
            #expect(keeper.messages.first?.heartwoodMessage.text == "text")
            let again = DDLog()
            let last = Keeper()
            again.add(last)
            again.log(asynchronous: false, message: keeper.messages[0])
            #expect(last.messages.first === message)
            log.removeAllLoggers()
            again.removeAllLoggers()
        }

        @Test("The thread and the queue of a call are told")
        func threads() throws {
            let log = DDLog()
            let keeper = Keeper()
            log.add(keeper)
            DispatchQueue(label: "lumberjack.calls").sync { DDLogError("x", ddlog: log) }
            let message = try #require(keeper.messages.first)
            #expect(message.queueLabel == "lumberjack.calls" && message.qos == 0)
            #expect(message.threadID == String(message.heartwoodMessage.threadID))
            log.removeAllLoggers()
            let names = Notes()
            // Foundation gives a thread no name before the call that made it has returned.
            let (made, done) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            Thread.detachNewThread {
                made.wait()
                for name in ["first", "second"] {
                    Thread.current.name = name
                    names.add("\(make().threadName ?? "none") \(Thread.current.name ?? "none")")
                }
                done.signal()
            }
            made.signal()
            done.wait()
            #expect(names.all == ["first first", "second second"])
        }
    }
}

/// A message with something more.
private final class Special: DDLogMessage, @unchecked Sendable {
    let note = "special"
    init(_ message: DDLogMessage) {
        super.init(
            format: message.messageFormat, formatted: message.message, level: message.level,
            flag: message.flag,
            context: message.context, file: message.file, function: message.function, line: message.line,
            tag: message.representedObject, options: message.options, timestamp: message.timestamp)
    }
}
