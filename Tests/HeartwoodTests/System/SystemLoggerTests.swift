import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// A way to a log daemon, and how its messages look.
struct SystemWay: Sendable, CustomTestStringConvertible {
    var kind: SocketReceiver.Kind
    var format = SystemLogger.SyslogFormat.rfc5424
    var framing = SystemLogger.Framing.newline

    var testDescription: String { "\(kind) \(format) \(framing)" }

    static let kinds: [SocketReceiver.Kind] = [.localDatagram, .localStream, .udp, .tcp]
    static let all = kinds.flatMap { kind in
        [SystemLogger.SyslogFormat.rfc5424, .rfc3164].flatMap { format in
            [SystemLogger.Framing.newline, .octetCounting].map {
                SystemWay(kind: kind, format: format, framing: $0)
            }
        }
    }
}

@Suite("The system's log, over sockets", .inTurn)
struct SystemLoggerTests {
    private let scratch = Scratch()
    private var path: String { scratch.path + "/log" }

    /// A logger with time enough for a busy machine, in a dispatcher of its own, beside one that keeps the messages.
    private func start(
        _ destination: SystemLogger.Destination, clock: any LogClock = SystemClock()
    ) -> (LogDispatcher, SystemLogger, RecordingLogger) {
        let dispatcher = LogDispatcher.forTest(clock: clock)
        let logger = SystemLogger(destination)
        logger.sendTimeout = .seconds(30)
        let recording = RecordingLogger()
        dispatcher.add(recording)
        dispatcher.add(logger)
        return (dispatcher, logger, recording)
    }

    private func text(of message: LogMessage, _ way: SystemWay) -> String {
        let isLocal = way.kind == .localDatagram || way.kind == .localStream
        let frame = SyslogFrame(
            way.format, ending: .datagram, namesHost: !isLocal, limit: 0, options: SyslogFormatter.Options())
        var output = LogBuffer()
        _ = frame.append(message, to: &output) {
            $0.appendText(of: message, privacy: .redact, escaping: .escape)
            return true
        }
        return output.text
    }

    @Test(
        "Over every transport, in every form, the messages arrive in their order, byte for byte",
        arguments: SystemWay.all)
    func everyWay(way: SystemWay) throws {
        let receiver = try SocketReceiver(way.kind, path: path)
        let (dispatcher, logger, recording) = start(receiver.destination(way.format, way.framing))
        var bytes = 0
        // No more at a time than the kernel keeps for a socket of datagrams, which may be ten.
        for first in stride(from: 0, to: 100, by: 5) {
            for index in first..<first + 5 {
                logInfo(
                    "message \(index, as: "index")\nof \("all", privacy: .private)",
                    category: LogCategory("a.b"),
                    metadata: ["quote": "\"]\\"], to: dispatcher)
            }
            #expect(dispatcher.flush(timeout: .testLimit).isComplete)
            for message in recording.messages.suffix(5) {
                let expected = text(of: message, way)
                let isCounted =
                    way.framing == .octetCounting && (way.kind == .localStream || way.kind == .tcp)
                let received = isCounted ? receiver.counted() : receiver.message()
                #expect(received == expected)
                bytes += expected.utf8.count
            }
        }
        let statistics = logger.statistics
        #expect(statistics.delivered == 100 && statistics.isBalanced)
        #expect(statistics.bytes >= bytes && statistics.bytes <= bytes + 100 * 6)
        #expect(logger.statistics.waiting == 0)
    }

    @Test(
        "A socket that the program has closed is opened again, and a file with its number gets nothing (promise 12)"
    )
    func closed() async {
        await #expect(processExitsWith: .success) {
            let scratch = Scratch()
            for kind in [SocketReceiver.Kind.localDatagram, .udp] {
                let receiver = try SocketReceiver(kind, path: scratch.path + "/\(kind)")
                let before = TakenNumbers.openNumbers(of: "socket:")
                let dispatcher = LogDispatcher.forTest()
                dispatcher.add(SystemLogger(receiver.destination()))
                logInfo("one", to: dispatcher)
                try #require(dispatcher.flush(timeout: .testLimit).isComplete)
                try #require(receiver.message()?.hasSuffix("one") == true)
                let taken = TakenNumbers(of: "socket:", except: before, data: scratch.path)
                try #require(!taken.numbers.isEmpty)
                logInfo("two", to: dispatcher)
                try #require(dispatcher.flush(timeout: .testLimit).isComplete)
                try #require(receiver.message()?.hasSuffix("two") == true)
                dispatcher.removeAll()
                try #require(taken.isUntouched)
            }
        }
    }

    @Test("A daemon that goes and comes back gets what was logged meanwhile", arguments: SystemWay.kinds)
    func restart(kind: SocketReceiver.Kind) throws {
        var receiver = try SocketReceiver(kind, path: path)
        let (dispatcher, logger, _) = start(receiver.destination())
        let reports = Box<[LogDiagnostics.Report]>([])
        dispatcher.diagnostics.handler = { report in reports.update { $0.append(report) } }
        logInfo("before", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(receiver.message()?.hasSuffix("before") == true)
        let port = receiver.port
        receiver.close()
        unlink(path)

        // UDP learns of it by the answer to a message that is lost; a stream by its end, which may take a moment.
        var sent = 0
        while dispatcher.flush(timeout: .testLimit).isComplete, sent < 1000 {
            sent += 1
            logInfo("meanwhile \(sent)", to: dispatcher)
        }
        let firstKept = sent
        if kind == .localDatagram { #expect(sent == 1) }
        for _ in 0..<5 {
            sent += 1
            logInfo("meanwhile \(sent)", to: dispatcher)
        }
        dispatcher.drainNow()
        if kind != .udp { waitUntil { logger.statistics.waiting == 6 } }

        receiver = try SocketReceiver(kind, path: path, port: port)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        if kind == .udp {
            // Each attempt, by timer or flush, may have cost one. Before the first of them, the answers may come
            // late on a busy machine, and what went out meanwhile is neither received nor counted.
            let lost = logger.statistics.failed
            #expect(lost > 0 && lost < sent)
            var numbers: [Int] = []
            while let text = receiver.datagram(within: 1).map({ String(decoding: $0, as: UTF8.self) }) {
                numbers.append(Int(text.split(separator: " ").last ?? "") ?? -1)
            }
            #expect(numbers == numbers.sorted() && numbers.last == sent)
            #expect(numbers.count + lost > sent - firstKept)
        } else {
            for number in firstKept...sent {
                #expect(receiver.message()?.hasSuffix("meanwhile \(number)") == true)
            }
            #expect(logger.statistics.failed == 0)
            #expect(reports.value.contains { $0.kind == .writeFailed && $0.text.contains("cannot reach") })
        }
        #expect(logger.statistics.isBalanced)
    }

    @Test(
        "Of a name's addresses the next is tried where one refuses, one that works stays, and they may change",
        arguments: [SocketReceiver.Kind.udp, .tcp])
    func addresses(kind: SocketReceiver.Kind) throws {
        let isStream = kind == .tcp
        let dead = try SocketReceiver(kind)
        dead.close()
        let first = try SocketReceiver(kind)
        let ports = Locked([dead.port, first.port])
        var sockets = SystemSockets()
        sockets.find = { _, _, isStream in
            var found: [SocketAddress] = []
            for port in ports.withLock({ $0 }) {
                let answer = SocketAddress.find("127.0.0.1", port: port, stream: isStream, numeric: true)
                if case .addresses(let each) = answer { found += each }
            }
            return .addresses(found)
        }
        let dispatcher = LogDispatcher.forTest()
        let logger = SystemLogger(
            isStream ? .tcp(host: "collector.example", framing: .newline) : .udp(host: "collector.example"),
            name: "system",
            formatter: nil, sockets: sockets)
        logger.sendTimeout = .seconds(30)
        dispatcher.add(logger)
        for number in 0..<20 { logInfo("number \(number)", to: dispatcher) }
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        for number in 0..<20 { #expect(first.message()?.hasSuffix("number \(number)") == true) }
        #expect(logger.statistics.failed == 0)

        // The one that works ends, and the name gets another address: what had left before that is known is lost.
        first.close()
        let second = try SocketReceiver(kind)
        ports.withLock { $0 = [first.port, dead.port, second.port] }
        var sent = 0
        var text: String?
        while text == nil, sent < 100 {
            sent += 1
            logInfo("later \(sent)", to: dispatcher)
            _ = dispatcher.flush(timeout: .testLimit)
            text =
                isStream
                ? second.line(within: 1)
                : second.datagram(within: 1).map { String(decoding: $0, as: UTF8.self) }
        }
        let lost = logger.statistics.failed
        #expect(lost <= 1)
        #expect(text?.hasSuffix("later \(lost + 1)") == true, "\(String(describing: text)), \(lost) lost")
        #expect(logger.statistics.isBalanced)
    }

    @Test("A timer tries again, and no flush is needed")
    func timer() throws {
        let clock = ManualClock()
        let (dispatcher, logger, _) = start(
            .local(socket: path, format: .rfc5424), clock: clock)
        logInfo("one", to: dispatcher)
        dispatcher.drainNow()
        waitUntil { logger.statistics.waiting == 1 && clock.pendingTimers == 1 }
        let receiver = try SocketReceiver(.localDatagram, path: path)
        clock.advance(by: .milliseconds(100))
        #expect(receiver.message()?.hasSuffix("one") == true)
        waitUntil { logger.statistics.waiting == 0 }
    }

    @Test(
        "A peer that never reads holds nobody up, and what it misses is counted and told",
        arguments: SystemWay.kinds)
    func neverReads(kind: SocketReceiver.Kind) throws {
        if kind == .udp { return }  // a datagram that nobody reads is taken by the kernel, and lost
        let receiver = try SocketReceiver(kind, path: path, buffer: 4096)
        // The clock stands still: after the first attempt only a flush makes another one.
        let (dispatcher, logger, _) = start(receiver.destination(), clock: ManualClock())
        let timeout = Duration.milliseconds(20)
        logger.sendTimeout = timeout
        // More than the kernel takes into its own buffers, by and by: 4 MiB for TCP; and less than what is logged.
        logger.waitingLimit = .mebibytes(6)
        let count = 20_000
        let filler = String(repeating: "x", count: 1000)
        for number in 0..<count { logInfo("\(number) \(filler)", to: dispatcher) }
        // What takes long here is the writing of messages; the waits are two, and far shorter than the limit of a test.
        dispatcher.flush(timeout: .testLimit)
        let result = dispatcher.flush(timeout: .testLimit)
        #expect(result.holding == ["system"])
        let failed = logger.statistics.failed
        #expect(failed > 0 && logger.statistics.isBalanced)
        #expect(logger.statistics.waiting > 0)

        logger.sendTimeout = .seconds(60)
        let finished = Gate()
        let everything = Box(false)
        Thread {
            everything.value = dispatcher.flush(timeout: .testLimit).isComplete
            finished.open()
        }.start()
        var (next, told) = (0, 0)
        while next < count {
            guard let text = receiver.message() else { break }
            let words = text.split(separator: " ").suffix(4)
            if words.last == "here", let lost = words.first.flatMap({ Int($0) }) {
                told += lost
                next += lost
                continue
            }
            #expect(words.dropLast().last.flatMap { Int($0) } == next)
            next += 1
        }
        finished.pass()
        #expect(next == count)
        // Some may have been dropped before, in the queue, and the notes of that here.
        #expect(told == failed + logger.statistics.dropped)
        #expect(everything.value)
        #expect(logger.statistics.delivered == count - told)
    }

    @Test(
        "A stream that breaks in a write neither kills the process nor loses the message",
        arguments: [true, false])
    func brokenPipe(isLocal: Bool) throws {
        let receiver = try SocketReceiver(isLocal ? .localStream : .tcp, path: path)
        let (dispatcher, logger, _) = start(receiver.destination())
        logInfo("one", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(receiver.line()?.hasSuffix("one") == true)
        receiver.breakConnection()
        // A broken TCP connection is noticed at the second write.
        for number in 0..<50 {
            logInfo("more \(number)", to: dispatcher)
            #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        }
        let first = try #require(receiver.line())
        #expect(first.contains("more"))
        if isLocal { #expect(first.hasSuffix("more 0")) }
        var last = first
        while !last.hasSuffix("more 49"), let line = receiver.line() { last = line }
        #expect(last.hasSuffix("more 49"))
        #expect(logger.statistics.isBalanced)
    }

    @Test("journald gets an entry per datagram, and 1 MiB as a sealed file")
    func journal() throws {
        let receiver = try SocketReceiver(.localDatagram, path: path)
        let (dispatcher, logger, recording) = start(.journal(socket: path))
        let large = String(repeating: "line €\n", count: 1 << 17)
        let texts = ["small", large, "with\nnewline", String(repeating: "x", count: 150_000), "last"]
        for text in texts { logNotice("\(text)", metadata: ["n": 1], to: dispatcher) }
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        for (index, text) in texts.enumerated() {
            let (bytes, seals) = try #require(receiver.datagramOrFile())
            let entry = try JournalReading.texts(bytes)
            #expect(entry["MESSAGE"]?.first?.count == text.count)
            #expect(entry["MESSAGE"] == [text])
            #expect(entry["PRIORITY"] == ["5"])
            #expect(entry["SYSLOG_IDENTIFIER"] == [ProcessFacts.name])
            #expect(entry["N"] == ["1"])
            #expect(entry["TID"] == [String(recording.messages[index].threadID)])
            // F_SEAL_SEAL, SHRINK, GROW, WRITE
            #expect(seals == (index == 1 ? 15 : nil))
        }
        #expect(logger.statistics.delivered == texts.count && logger.statistics.failed == 0)
    }

    @Test("The automatic choice is journald where its socket is there, else syslog; and it stays")
    func automatic() throws {
        let sockets = SystemSockets(journal: scratch.path + "/journal", syslog: path)
        let syslog = try SocketReceiver(.localDatagram, path: path)
        let (dispatcher, first, second) = (
            LogDispatcher.forTest(),
            SystemLogger(.automatic, name: "first", formatter: nil, sockets: sockets),
            { SystemLogger(.automatic, name: "second", formatter: nil, sockets: sockets) }
        )
        dispatcher.add(first)
        logInfo("one", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(syslog.message()?.hasSuffix("]: one") == true)
        let journal = try SocketReceiver(.localDatagram, path: sockets.journal)
        let other = second()
        dispatcher.add(other)
        first.facility = .daemon
        logInfo("two", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(syslog.message()?.hasPrefix("<30>") == true)
        #expect(journal.message()?.hasPrefix("MESSAGE=two\n") == true)
        first.destination = .automatic
        logInfo("three", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        // Set, but to what it was: nothing is looked for again.
        #expect(syslog.message()?.hasSuffix("]: three") == true)
    }

    @Test("Promise 2: settings take effect between messages, the destination too")
    func settings() throws {
        let first = try SocketReceiver(.localDatagram, path: path)
        let second = try SocketReceiver(.localDatagram, path: path + "2")
        let (dispatcher, logger, _) = start(first.destination())
        for start in stride(from: 0, to: 100, by: 4) {
            for index in start..<start + 4 {
                logger.program = "p\(index)"
                logger.destination = index % 2 == 0 ? first.destination() : second.destination()
                logInfo("m\(index)", to: dispatcher)
            }
            #expect(dispatcher.flush(timeout: .testLimit).isComplete)
            for index in start..<start + 4 {
                let text = try #require((index % 2 == 0 ? first : second).message())
                #expect(text.contains(" p\(index) ") && text.hasSuffix(" m\(index)"))
            }
        }
        logger.privacy = .reveal
        logger.host = "elsewhere"
        logInfo("\("secret", privacy: .private)", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        let text = try #require(second.message())
        #expect(text.contains(" elsewhere p99 ") && text.hasSuffix(" secret"))
    }

    @Test("A formatter makes the text, may drop messages, and redaction holds for text and fields")
    func formatter() throws {
        final class Tag: LogFormatter, @unchecked Sendable {
            override func format(_ message: LogMessage) -> String? {
                message.text.hasPrefix("no") ? nil : "tag: \(message.text)\nend"
            }
        }
        let receiver = try SocketReceiver(.localDatagram, path: path)
        let (dispatcher, logger, _) = start(receiver.destination())
        logger.formatter = Tag()
        logger.redaction = .standard
        logInfo("no", to: dispatcher)
        logInfo("mail ann@example.org", metadata: ["to": "bob@example.org"], to: dispatcher)
        logger.destination = .journal(socket: path)
        logInfo("mail ann@example.org", metadata: ["to": "bob@example.org"], to: dispatcher)
        logInfo("no", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        let text = try #require(receiver.message())
        #expect(text.hasSuffix(" [heartwood@32473 to=\"<email>\"] tag: mail <email>\\nend"))
        let entry = try JournalReading.texts(try #require(receiver.datagram()))
        #expect(entry["MESSAGE"] == ["tag: mail <email>\nend"])
        #expect(entry["TO"] == ["<email>"])
        #expect(logger.statistics.filtered == 2 && logger.statistics.delivered == 2)
    }

    @Test("A message that no datagram holds counts as failed, and the next one goes")
    func tooLong() throws {
        let receiver = try SocketReceiver(.udp)
        let (dispatcher, logger, _) = start(receiver.destination())
        logger.maximumMessageSize = .gibibytes(1)
        logInfo("\(String(repeating: "x", count: 70_000))", to: dispatcher)
        logInfo("short", to: dispatcher)
        logger.maximumMessageSize = nil
        logInfo("\(String(repeating: "x", count: 70_000))", to: dispatcher)
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(receiver.message()?.hasSuffix(" short") == true)
        #expect(receiver.datagram()?.count == 2048)
        #expect(logger.statistics.failed == 1 && logger.statistics.delivered == 2)
        #expect(logger.cutMessages == 1)
    }

    @Test("A host that nobody knows, and one that does not answer, hold nobody up")
    func noAnswer() throws {
        let (dispatcher, logger, _) = start(.tcp(host: "nobody.invalid"))
        logger.sendTimeout = .milliseconds(50)
        logInfo("one", to: dispatcher)
        #expect(!dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(logger.statistics.waiting == 1)

        // Connections beyond the queue of a socket that accepts none stay without an answer.
        let receiver = try SocketReceiver(.tcp)
        let full = receiver.fillQueue()
        #expect(full.count > 1)
        logger.destination = receiver.destination()
        logInfo("two", to: dispatcher)
        let result = dispatcher.flush(timeout: .testLimit)
        #expect(result.holding == ["system"])
        #expect(logger.statistics.waiting == 1)
        #expect(logger.statistics.failed == 1, "the one for the host that nobody knows")
        dispatcher.remove(logger, timeout: .testLimit)
        #expect(logger.statistics.failed == 2 && logger.statistics.isBalanced)
        for descriptor in full { close(descriptor) }
    }

    @Test("What still waits at the removal counts as failed")
    func removal() {
        let (dispatcher, logger, _) = start(.local(socket: path))
        for index in 0..<10 { logInfo("\(index)", to: dispatcher) }
        dispatcher.remove(logger, timeout: .testLimit)
        #expect(logger.statistics.failed == 10 && logger.statistics.delivered == 0)
        #expect(logger.statistics.waiting == 0)
    }
}
