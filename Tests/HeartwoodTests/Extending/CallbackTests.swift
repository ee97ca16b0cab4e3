import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Loggers, formatters and the parts of file loggers that are made from closures.
@Suite(.inTurn) struct CallbackTests {
    private struct Refused: Error {}

    private let dispatcher = LogDispatcher.forTest()
    private let problems = Locked<[String]>([])

    init() {
        dispatcher.diagnostics.handler = { [problems] problem in
            problems.withLock { $0.append("\(problem)") }
        }
    }

    // MARK: Formatters

    @Test("A formatter's closure gives the text, or drops the message, which counts as filtered")
    func textFormatter() {
        let formatter = LogFormatter { message in
            message.level == .debug ? nil : "<\(message.text)>"
        }
        let logger = CallbackLogger(state: [String](), formatter: formatter) { $0.append($2) }
        dispatcher.add(logger)
        logInfo("one", to: dispatcher)
        logDebug("two", to: dispatcher)
        dispatcher.removeAll(timeout: .testLimit)
        #expect(logger.withState { $0 } == ["<one>"])
        #expect(logger.statistics.filtered == 1)
        #expect(!formatter.writesOwnColors)
        #expect(LogFormatter(writesOwnColors: true) { _ in nil }.writesOwnColors)
    }

    @Test("A closure that appends works through both methods, and what it appended goes when it drops")
    func bytesFormatter() {
        let formatter = LogFormatter(writesOwnColors: true) { message, output in
            output.append("part ")
            output.appendText(of: message, privacy: .redact)
            return message.level != .debug
        }
        #expect(formatter.writesOwnColors)
        let (kept, dropped) = (LogMessage("one", level: .info), LogMessage("two", level: .debug))
        #expect(formatter.format(kept) == "part one" && formatter.format(dropped) == nil)
        let logger = CallbackLogger(state: [String](), formatter: formatter) { $0.append($2) }
        dispatcher.add(logger)
        logDebug("two", to: dispatcher)
        logInfo("one \("secret", privacy: .private)", to: dispatcher)
        #expect(logger.withState { $0 } == ["part one <private>"])
        #expect(logger.statistics.filtered == 1)
        dispatcher.removeAll(timeout: .testLimit)
    }

    @Test("A text from a closure is redacted as any other, and nested in a chain it is the text of the next")
    func redactedText() {
        let shout = LogFormatter { $0.text.uppercased() }
        let logger = CallbackLogger(
            state: [String](), formatter: FormatterChain([shout, LogFormatter { "[\($0.text)]" }])
        ) { $0.append($2) }
        logger.redaction = RedactionRules([.emailAddresses])
        dispatcher.add(logger)
        logInfo("mail to ann@example.com", to: dispatcher)
        let line = logger.withState { $0.first ?? "" }
        #expect(line.hasPrefix("[MAIL TO ") && !line.lowercased().contains("ann@"), "\(line)")
        dispatcher.removeAll(timeout: .testLimit)
    }

    // MARK: Loggers

    @Test("The state is changed exactly between the messages of before and after, and read after them")
    func order() {
        let logger = CallbackLogger(name: "ordered", state: (factor: 1, sums: [Int]())) { state, message in
            state.sums.append((Int(message.text) ?? 0) * state.factor)
        }
        #expect(logger.withState { $0.factor } == 1)
        dispatcher.add(logger)
        for number in 1...300 {
            logInfo("\(number)", to: dispatcher)
            if number % 100 == 0 { logger.update { $0.factor *= 10 } }
        }
        let sums = logger.withState { $0.sums }
        #expect(sums == (1...300).map { $0 <= 100 ? $0 : $0 <= 200 ? $0 * 10 : $0 * 100 })
        dispatcher.removeAll(timeout: .testLimit)
        #expect(logger.name == "ordered" && logger.statistics.delivered == 300)
        #expect(logger.withState { $0.factor } == 1000)
    }

    @Test("What a closure throws counts as failed, is reported, and ends nothing")
    func failures() {
        let logger = CallbackLogger(name: "picky") { message in
            if message.text == "bad" { throw Refused() }
        }
        dispatcher.add(logger)
        for text in ["good", "bad", "good"] { logInfo("\(text)", to: dispatcher) }
        dispatcher.removeAll(timeout: .testLimit)
        #expect(logger.statistics.delivered == 2 && logger.statistics.failed == 1)
        #expect(problems.withLock { $0 }.contains { $0.contains("picky: Refused()") })
    }

    @Test("The end of a batch comes after its messages, and its failure counts them, once")
    func batches() {
        let isBroken = Locked(false)
        let logger = CallbackLogger(state: (waiting: 0, batches: [Int]())) { state, _, _ in
            state.waiting += 1
        } batchDidEnd: { state in
            defer { state.waiting = 0 }
            if isBroken.withLock({ $0 }) { throw Refused() }
            state.batches.append(state.waiting)
        }
        dispatcher.add(logger)
        for _ in 0..<1000 { logInfo("x", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        let batches = logger.withState { $0.batches }
        #expect(batches.reduce(0, +) == 1000 && !batches.contains(0))
        isBroken.withLock { $0 = true }
        for _ in 0..<7 { logInfo("x", to: dispatcher) }
        dispatcher.flush(timeout: .testLimit)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.statistics.failed == 7 && logger.statistics.delivered == 1000)
        dispatcher.removeAll(timeout: .testLimit)
    }

    @Test("A closure may log, and its line comes later")
    func loggingClosure() {
        let lines = Locked<[String]>([])
        let logger = CallbackLogger { [dispatcher] message, line in
            lines.withLock { $0.append(line) }
            if message.level == .error { logInfo("after \(line)", to: dispatcher) }
        }
        dispatcher.add(logger)
        logError("one", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        dispatcher.flush(timeout: .testLimit)
        #expect(lines.withLock { $0 } == ["one", "after one"])
        dispatcher.removeAll(timeout: .testLimit)
    }

    @Test("Asking for the state in the logger's own closure stops the program, and says why")
    func stateInside() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let logger = Locked<CallbackLogger<Int>?>(nil)
            let asking = CallbackLogger(state: 0) { _, _ in
                _ = logger.withLock { $0 }?.withState { $0 }
            }
            logger.withLock { $0 = asking }
            let dispatcher = LogDispatcher()
            dispatcher.add(asking)
            logInfo("x", to: dispatcher)
            dispatcher.flush()
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("use its parameter instead"))
    }

    @Test("A logger made from a closure passes the conformance check")
    func conformance() throws {
        try LoggerConformance.check(messages: 20_000, memory: .amongOtherTests) {
            CallbackLogger(state: 0) { count, _, _ in
                count += 1
            } batchDidEnd: { _ in
            }
        }
    }

    // MARK: Files

    @Test("Names, their order and what becomes of finished files can be closures")
    func files() throws {
        let scratch = Scratch()
        let naming = LogFileNaming(
            writing: { "trace-\(String($0.number, radix: 16)).log" },
            reading: { name in
                guard name.hasPrefix("trace-"), name.hasSuffix(".log") else { return nil }
                return Int(name.dropFirst(6).dropLast(4), radix: 16)
                    .map { LogFileLabel(createdAt: nil, number: $0) }
            })
        let filePolicy = LogFilePolicy(
            owns: { name, _ in name != "trace-1.log" }, removalOrder: { $0.reversed() })
        scratch.write("not ours\n", to: "trace-1.log")
        let file = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: naming, filePolicy: filePolicy))
        file.maximumFileCount = 2
        dispatcher.add(file)
        for number in 1...4 {
            logInfo("\(number)", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            file.rollNow()
        }
        dispatcher.flush(timeout: .testLimit)
        let names = scratch.names()
        #expect(names.allSatisfy { $0.hasPrefix("trace-") } && names.contains("trace-1.log"), "\(names)")
        // The order is reversed, so the oldest of the logger's own stays.
        #expect(
            names.count == 3 && scratch.text(names[1]).hasSuffix(" 1\n"),
            "\(names.map { ($0, scratch.text($0)) })")
        let processed = Locked<[String]>([])
        file.archiveProcessor = LogArchiveProcessor(retryDelay: .seconds(7)) { finished in
            processed.withLock { $0.append(finished.name) }
            return .remove
        }
        #expect(file.archiveProcessor?.retryDelay == .seconds(7))
        waitUntil("the files were processed") { scratch.names() == ["trace-1.log"] }
        #expect(processed.withLock { $0 } == Array(names.dropFirst()))
        dispatcher.removeAll(timeout: .testLimit)
    }
}
