import Dispatch
import Foundation
import Heartwood
import HeartwoodTestSupport
import Testing

/// Every hook and setting that a logger from outside may use.
final class EveryHook: AbstractLogger, @unchecked Sendable {
    @Ordered var prefix = "> "
    private(set) var calls: [String] = []
    private let written = DispatchQueue(label: "every hook")

    init() {
        super.init(name: "every hook", formatter: nil, queue: DispatchQueue(label: "own queue"))
    }

    override func log(_ message: LogMessage) {
        guard let text = formatted(message) else { return }
        note(prefix + text)
        noteWritten(text.utf8.count)
        if text.contains("bad") { reportFailure("bad text") }
    }

    private func note(_ call: String) { written.sync { calls.append(call) } }
    override func batchDidEnd() { note("batch") }
    override func flush() { note("flush") }
    override func didAdd() { note("didAdd") }
    override func willRemove() { note("willRemove") }
    override func settingsDidChange() { note("settings") }
    var texts: [String] { written.sync { calls.filter { $0.hasPrefix("> ") || $0.hasPrefix("! ") } } }
}

final class Brackets: LogFormatter, @unchecked Sendable {
    override func format(_ message: LogMessage) -> String? {
        message.level == .debug ? nil : "[\(message.text)]"
    }
}

final class Bytes: LogFormatter, @unchecked Sendable {
    override var writesOwnColors: Bool { false }
    override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
        guard message.level >= .info else { return false }
        output.append("text=")
        output.append(json: message.text)
        output.append(UInt8(ascii: " "))
        output.appendText(of: message, privacy: .redact, escaping: .escape)
        for piece in message.pieces {
            if case .value(let value, let name?, _) = piece { output.append(" \(name)=\(value)") }
        }
        return true
    }
}

final class RowLogger: AbstractDatabaseLogger<String>, @unchecked Sendable {
    private(set) var rows: [String] = []
    override func row(for message: LogMessage) -> String? { formatted(message) }
    override func save(_ rows: [String]) throws { self.rows += rows }
    override func deleteMessages(before moment: LogTimestamp) throws {}
    override func saveAndDelete(_ rows: [String], before moment: LogTimestamp) throws { try save(rows) }
    override func begin() {}
    override func end() {}
    override func applySettings() {}
}

@Suite("Loggers and formatters from outside of the package")
struct LoggerExtensionTests {
    @Test("A custom logger has its hooks called, on its own queue, with its settings in order")
    func logger() {
        let dispatcher = LogDispatcher()
        let logger = EveryHook()
        logger.formatter = Brackets()
        logger.backlogLimit = 1024 * 1024
        logger.overflowPolicy = .block(upTo: .seconds(60))
        logger.filter = LogFilter { !$0.text.contains("hidden") } && !.contexts(7)
        dispatcher.add(logger, levels: .info)
        logInfo("one", to: dispatcher)
        logger.prefix = "! "
        logInfo("two", to: dispatcher)
        logInfo("hidden", to: dispatcher)
        logInfo("seven", context: 7, to: dispatcher)
        logDebug("debug", to: dispatcher)
        log("audited", level: .audit, to: dispatcher)
        #expect(dispatcher.flush().isComplete)
        #expect(dispatcher.remove(logger))
        #expect(logger.texts == ["> [one]", "! [two]", "! [audited]"])
        #expect(Set(logger.calls).isSuperset(of: ["didAdd", "batch", "flush", "settings", "willRemove"]))
        #expect(logger.statistics.filtered == 2 && logger.statistics.bytes == 19)
    }

    @Test("Both kinds of formatters work, alone, in chains and with filters")
    func formatters() {
        let message = LogMessage("a \(5, as: "n")\n", level: .warning)
        #expect(Brackets().format(message) == "[a 5\n]")
        #expect(Bytes().format(message) == #"text="a 5\n" a 5\n n=5"#)
        #expect(Bytes().format(LogMessage("x", level: .debug)) == nil)
        #expect(FormatterChain([Brackets(), Bytes()]).format(message) == #"text="[a 5\n]" [a 5\n]"#)
        #expect(FilteringFormatter(.levels(.error), Brackets()).format(message) == nil)
    }

    @Test("A database logger saves its rows")
    func database() {
        let dispatcher = LogDispatcher()
        let logger = RowLogger(formatter: Brackets())
        logger.saveThreshold = 2
        dispatcher.add(logger)
        for number in 0..<5 { logInfo("\(number)", to: dispatcher) }
        dispatcher.removeAll()
        #expect(logger.rows == ["[0]", "[1]", "[2]", "[3]", "[4]"])
    }

    @Test("A facade keeps the place that it is given, and a bridge the whole message")
    func facade() throws {
        let dispatcher = LogDispatcher()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        func facade(_ text: String, file: String = #file, function: String = #function, line: Int = #line) {
            log(text, level: .audit, tag: ["t"], to: dispatcher, file: file, function: function, line: line)
        }
        facade("through a facade", file: "/src/Shop/Cart.swift", function: "pay()", line: 3)
        let message = LogMessage(
            "from a bridge", level: .error, category: LogCategory("lib"), context: 3, tag: 17,
            metadata: ["k": 1], timestamp: LogTimestamp(nanoseconds: 5), file: "lib.c", function: "f",
            line: 9,
            threadID: 77, threadName: "pump", queueLabel: "q", taskName: "t")
        dispatcher.log(message, asynchronous: false)
        let last = try #require(logger.messages.last)
        #expect(logger.messages.first?.file == "/src/Shop/Cart.swift" && logger.messages.first?.line == 3)
        #expect(last.timestamp == message.timestamp && last.threadName == "pump" && last.tag as? Int == 17)
        #expect(last != message && last.metadata == message.metadata)
        #expect(isLogEnabled(.info, to: dispatcher, file: "lib.c"))
    }

    @Test("The diagnostics handler hears of failures, and the recording logger checks what was logged")
    func diagnostics() throws {
        let dispatcher = LogDispatcher()
        let reports = Reports()
        dispatcher.diagnostics.interval = .zero
        dispatcher.diagnostics.handler = { reports.add("\($0.kind): \($0.text)") }
        let recording = RecordingLogger(formatter: Brackets())
        dispatcher.add(EveryHook())
        dispatcher.add(recording)
        logInfo("bad", to: dispatcher)
        dispatcher.flush()
        #expect(reports.all.contains { $0.contains("bad text") })
        try recording.expect(.info, containing: "bad")
        #expect(recording.lines == ["[bad]"])
    }
}

final class Reports: Sendable {
    private let queue = DispatchQueue(label: "reports")
    nonisolated(unsafe) private var reports: [String] = []
    func add(_ report: String) { queue.sync { reports.append(report) } }
    var all: [String] { queue.sync { reports } }
}
