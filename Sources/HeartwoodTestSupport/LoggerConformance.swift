#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Dispatch
public import Heartwood

/// Checks that a logger of your own does what all loggers must.
///
///     @Test("My logger keeps the rules") func conformance() throws {
///         try LoggerConformance.check { MyLogger() }
///     }
///
/// Each part makes a new logger and a dispatcher of its own:
///
/// - **order**: messages of four threads arrive once each, those of a thread in their order;
/// - **flush**: a flush is complete in time, and then every message is counted;
/// - **removal**: nothing arrives after the removal, and the logger can be added again;
/// - **re-entrance**: a formatter that logs does not block anything;
/// - **texts**: empty, of a megabyte, with all kinds of characters, and with every type of value;
/// - **amount**: a million messages leave no more memory in use than the limits allow.
///
/// What arrives is seen by a formatter that the check sets. A logger that does not use its formatter gives
/// its texts itself, with `texts:`; one that keeps only some messages reports the others with
/// `countFiltered()`.
public enum LoggerConformance {
    /// What a logger does wrong.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// The part that failed: `order`, `flush`, `removal`, `re-entrance`, `texts` or `amount`.
        package let part: String
        /// What was expected, and what happened.
        package let reason: String

        /// Both.
        public var description: String { "\(part): \(reason)" }
    }

    /// Checks loggers that a closure makes.
    ///
    /// - Parameters:
    ///   - messages: How many messages the part about the amount logs; a million unless given.
    ///   - timeout: How long a flush may take; a minute unless given.
    ///   - memory: How much more memory of the process may be in use after that part; 256 MiB unless given.
    ///     Other work of the process counts as well, such as tests that run at the same time.
    ///   - texts: The texts that a logger has taken, in their order; nil, the default: those that it had
    ///     formatted.
    ///   - make: Makes a logger that was never added; called several times.
    /// - Throws: ``Failure`` for the first part that fails, or what `make` or `texts` throws.
    public static func check<Logger: AbstractLogger>(
        messages: Int = 1_000_000, timeout: Duration = .seconds(60),
        memory: ByteCount = .mebibytes(256), texts: (@Sendable (Logger) throws -> [String])? = nil,
        _ make: () throws -> Logger
    ) throws {
        try order(ConformanceRun(try make(), timeout, texts))
        try removal(ConformanceRun(try make(), timeout, texts))
        try reentrance(ConformanceRun(try make(), timeout, texts))
        try contents(ConformanceRun(try make(), timeout, texts))
        try amount(ConformanceRun(try make(), timeout, texts), messages, memory.bytes)
    }

    private static func order<Logger>(_ run: ConformanceRun<Logger>) throws {
        let (threads, each) = (4, 500)
        let group = ConformanceThreads()
        for thread in 0..<threads {
            group.start { for number in 0..<each { logInfo("\(thread) \(number)", to: run.dispatcher) } }
        }
        group.wait()
        try run.flush("flush")
        let arrived = try run.arrived()
        try run.expect("flush", run.handled == threads * each) {
            "\(threads * each) messages were logged, and the logger's statistics account for \(run.handled)"
        }
        let left = run.logger.statistics.filtered + run.logger.statistics.failed
        try run.expect("order", arrived.count + left == threads * each) {
            "\(arrived.count) of \(threads * each) messages arrived, and "
                + "\(left) are counted as filtered or failed"
        }
        var next = [Int](repeating: -1, count: threads)
        for text in arrived {
            let parts = text.split(separator: " ").compactMap { Int($0) }
            guard parts.count == 2, next.indices.contains(parts[0]) else {
                throw Failure(part: "order", reason: "“\(text)” arrived, which was not logged")
            }
            try run.expect("order", parts[1] > next[parts[0]]) {
                "message \(parts[1]) of a thread arrived after its message \(next[parts[0]])"
            }
            next[parts[0]] = parts[1]
        }
        run.end()
    }

    private static func removal<Logger>(_ run: ConformanceRun<Logger>) throws {
        logInfo("before", to: run.dispatcher)
        try run.expect("removal", run.dispatcher.remove(run.logger, timeout: run.timeout)) {
            "the logger did not finish in \(run.timeout)"
        }
        let before = try run.arrived()
        try run.expect("removal", before == ["before"] || run.logger.statistics.filtered > 0) {
            "what was logged before the removal did not arrive: \(before)"
        }
        logInfo("removed", to: run.dispatcher)
        try run.flush("removal")
        try run.expect("removal", try !run.arrived().contains("removed")) {
            "a message arrived after the removal"
        }
        run.dispatcher.add(run.logger)
        logInfo("again", to: run.dispatcher)
        try run.flush("removal")
        try run.expect("removal", try run.arrived().last == "again" || run.logger.statistics.filtered > 0) {
            "a logger that was added again took nothing"
        }
        run.end()
    }

    private static func reentrance<Logger>(_ run: ConformanceRun<Logger>) throws {
        run.logger.formatter = ConformanceProbe { [dispatcher = run.dispatcher] message in
            if message.text == "outer" { logError("inner", asynchronous: false, to: dispatcher) }
        }
        for _ in 0..<100 { logInfo("outer", to: run.dispatcher) }
        logError("outer", asynchronous: false, to: run.dispatcher)
        try run.flush("re-entrance")
        run.end()
    }

    private static func contents<Logger>(_ run: ConformanceRun<Logger>) throws {
        let large = String(repeating: "abcdefgh", count: 131_072)
        let texts = ["", " ", "\n", "\u{0}\u{1B}[31m", "ü😀\u{202E}", "%s %n %@", "\\", large]
        for text in texts { log(text, level: .info, to: run.dispatcher) }
        logInfo(
            """
            \(1) \(UInt64.max) \(1.5) \(Float(0.1)) \(true) \("text") \(UUID()) \
            \(Date(timeIntervalSince1970: 0)) \([1, 2]) \(nil as Int?)
            """,
            metadata: [
                "null": nil, "bool": true, "integer": -1, "unsigned": .unsigned(.max), "double": 1e300,
                "infinite": .double(.infinity), "nan": .double(.nan), "string": "x",
                "date": .date(.distantFuture), "timestamp": .timestamp(LogTimestamp(nanoseconds: 0)),
                "uuid": .uuid(UUID()), "decimal": .decimal("1.10"), "json": .json("{\"a\":[1]}"),
                "array": .array([1, "a", nil]), "object": ["a": ["b": 1]], "": "no name",
            ], to: run.dispatcher)
        for level in LogLevel.standardLevels {
            log(
                "level \(level.name)", level: level, category: LogCategory("conformance"), context: -1,
                tag: 1, to: run.dispatcher)
        }
        try run.flush("texts")
        let count = texts.count + 1 + LogLevel.standardLevels.count
        try run.expect("texts", run.handled == count) {
            "\(count) messages were logged, and the logger's statistics account for \(run.handled)"
        }
        let arrived = try run.arrived().count
        let left = run.logger.statistics.filtered + run.logger.statistics.failed
        try run.expect("texts", arrived + left >= count) { "\(arrived) of \(count) messages arrived" }
        run.end()
    }

    private static func amount<Logger>(
        _ run: ConformanceRun<Logger>, _ messages: Int, _ mostMemory: Int
    ) throws {
        if run.usesProbe { run.logger.formatter = LineFormatter() }
        let before = ProcessMemory.resident
        for number in 0..<messages { logDebug("message \(number)", to: run.dispatcher) }
        try run.flush("amount")
        let (handled, memory) = (run.handled, ProcessMemory.resident - before)
        try run.expect("amount", handled == messages) {
            "\(messages) messages were logged, and the logger's statistics account for \(handled)"
        }
        try run.expect("amount", memory < mostMemory) {
            "\(messages) messages left \(memory / 1_048_576) MiB in use; bound what the logger keeps"
        }
        run.end()
    }
}

/// A logger under check, with a dispatcher of its own.
struct ConformanceRun<Logger: AbstractLogger> {
    let logger: Logger
    let dispatcher = LogDispatcher()
    let timeout: Duration
    private let probe: ConformanceProbe?
    private let texts: (@Sendable (Logger) throws -> [String])?

    init(
        _ logger: Logger, _ timeout: Duration, _ texts: (@Sendable (Logger) throws -> [String])?
    ) {
        (self.logger, self.timeout, self.texts) = (logger, timeout, texts)
        probe = texts == nil ? ConformanceProbe() : nil
        if let probe { logger.formatter = probe }
        dispatcher.synchronousLevels = .off
        // Callers wait, so that nothing may be missing.
        dispatcher.overflowPolicy = .block(upTo: timeout)
        logger.overflowPolicy = .block(upTo: timeout)
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(logger, levels: .all)
    }

    /// Whether arrivals are seen by the formatter that the check has set.
    var usesProbe: Bool { probe != nil }

    /// How many messages the logger accounts for.
    var handled: Int { logger.statistics.handled }

    /// The texts that have arrived.
    func arrived() throws -> [String] { try texts?(logger) ?? probe?.texts ?? [] }

    /// Flushes; fails where that is not complete in time.
    func flush(_ part: String) throws {
        let result = dispatcher.flush(timeout: timeout)
        guard result.isComplete else {
            throw LoggerConformance.Failure(
                part: part, reason: "a flush was not complete after \(timeout): \(result.unfinished)")
        }
    }

    /// Fails unless something holds.
    func expect(_ part: String, _ condition: Bool, _ reason: () -> String) throws {
        if !condition { throw LoggerConformance.Failure(part: part, reason: reason()) }
    }

    /// Removes the logger.
    func end() { dispatcher.removeAll(timeout: timeout) }
}

/// Threads that are waited for.
struct ConformanceThreads {
    private let group = DispatchGroup()

    func start(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async(group: group, execute: body)
    }

    func wait() { group.wait() }
}

/// A formatter that notes which messages a logger has it format, and in which order.
final class ConformanceProbe: LogFormatter, @unchecked Sendable {  // a lock guards the notes
    private let seen = Locked<[String]>([])
    /// Called with each text, before it is noted.
    private let body: @Sendable (LogMessage) -> Void

    init(_ body: @escaping @Sendable (LogMessage) -> Void = { _ in }) { self.body = body }

    /// The texts so far, without what the framework says itself.
    var texts: [String] { seen.withLock { $0 } }

    override func format(_ message: LogMessage) -> String? {
        body(message)
        let text = message.text
        if message.category != .heartwood { seen.withLock { $0.append(text) } }
        return text
    }
}
