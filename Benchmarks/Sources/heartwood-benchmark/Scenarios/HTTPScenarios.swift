import Foundation
import Heartwood
import HeartwoodHTTP
import HeartwoodTestSupport

/// From the first call until a server on the same machine has acknowledged the last message, in lines of JSON.
///
/// The server, which reads and keeps every request, runs in the same process and takes its share of the processors.
struct HTTPAcknowledgedScenario: Scenario {
    let name = "http-acknowledged"
    let unit = "messages/s"
    let largerIsBetter = true
    private let count = 200_000

    func run() throws -> [Measurement] {
        try withTemporaryDirectory { path in
            [
                Measurement(part: "memory", value: try measure(nil)),
                Measurement(part: "spool", value: try measure(path + "/spool")),
            ]
        }
    }

    private func measure(_ spool: String?) throws -> Double {
        let server = try LoopbackServer()
        defer { server.stop() }
        let logger = try HTTPLogger(
            server.address, settings: HTTPSettings(encoding: NDJSONEncoding()), spool: spool)
        logger.maximumMessagesPerRequest = 1000
        let dispatcher = LogDispatcher()
        // Nothing may be dropped here: the calls wait for the logger, and so are part of what is measured.
        dispatcher.overflowPolicy = .block(upTo: .seconds(60))
        logger.overflowPolicy = .block(upTo: .seconds(60))
        dispatcher.add(logger)
        defer { dispatcher.removeAll() }
        let start = now()
        for i in 0..<count { logRequest(i, 12.5, to: dispatcher) }
        try check(
            logger.deliver(timeout: .seconds(60)), "not everything was delivered: \(logger.httpStatistics)")
        let seconds = Double(now() - start) / 1e9

        var next = 0
        for request in server.stored {
            for line in request.text.split(separator: "\n") {
                let wanted = "\"message\":\"request \(next) from user-1234 took 12.5 ms\""
                try check(line.contains(wanted), "line \(next) is \(line)")
                next += 1
            }
        }
        try check(next == count, "\(next) of \(count) messages arrived")
        return Double(count) / seconds
    }
}

/// Keeps messages that were really logged.
private final class MessageCollector: AbstractLogger, @unchecked Sendable {
    private var messages: [LogMessage] = []

    override func log(_ message: LogMessage) { messages.append(message) }

    static func messages(_ count: Int) throws -> [LogMessage] {
        let collector = MessageCollector()
        let dispatcher = LogDispatcher()
        dispatcher.add(collector)
        for i in 0..<count { logRequest(i, 12.5, to: dispatcher) }
        dispatcher.flush()
        dispatcher.removeAll()
        try check(collector.messages.count == count, "\(collector.messages.count) of \(count) messages")
        return collector.messages
    }
}

/// The bodies of requests with 300 messages each, in every encoding; and one of them with gzip.
struct HTTPEncodingScenario: Scenario {
    let name = "http-encoding"
    let unit = "messages/s"
    let largerIsBetter = true
    private let size = 300
    private let rounds = 100

    func run() throws -> [Measurement] {
        let device: LogMetadata = ["os": "Linux", "hostName": "bench"]
        let batch = RemoteBatch(entries: try entries(), key: "key", device: device)
        let key = Secret(String(repeating: "k", count: 32))
        let encodings: [(String, any RemoteEncoding)] = [
            ("json", JSONArrayEncoding()), ("json-wrapped", JSONArrayEncoding(wrappingKey: "root")),
            ("ndjson", NDJSONEncoding()), ("otlp", OTLPEncoding(service: "bench")),
            ("loki", LokiEncoding(labels: ["job": "bench"])),
            ("elastic", ElasticsearchEncoding(index: "bench")),
            ("splunk", SplunkEncoding(source: "bench")), ("datadog", DatadogEncoding(service: "bench")),
            ("journal", JournalEncoding(identifier: "bench")),
            ("swiftybeaver", try SwiftyBeaverEncoding(encryptionKey: key)),
        ]
        var measurements = try encodings.map { name, encoding in
            Measurement(part: name, value: try measure(name, batch) { try encoding.encode(batch) })
        }
        let plain = NDJSONEncoding().encode(batch)
        let request = HTTPRequest(endpoint: try HTTPEndpoint("http://127.0.0.1/"), body: plain)
        let gzip = RequestDecorator.gzip(level: 6)
        let packed = try rate {
            let body = try gzip(request).body
            try check(body.starts(with: [0x1F, 0x8B]) && body.count < plain.count / 3, "this is not gzip")
        }
        measurements.append(Measurement(part: "gzip-6", value: packed))
        return measurements
    }

    /// Messages per second on their way to a body of NDJSON: an entry of each, and a line of each entry.
    static func rateOfLines(_ count: Int) throws -> Double {
        let size = 300
        let messages = try MessageCollector.messages(size)
        var (done, bytes) = (0, 0)
        let start = now()
        while done < count {
            let batch = RemoteBatch(entries: messages.map { RemoteEntry($0) }, key: "key")
            bytes += NDJSONEncoding().encode(batch).count
            done += size
        }
        let seconds = Double(now() - start) / 1e9
        try check(bytes > done * 100, "the lines are too short")
        return Double(done) / seconds
    }

    /// Entries as the logger stores them, of messages that were really logged.
    private func entries() throws -> [RemoteEntry] {
        try MessageCollector.messages(size).enumerated().map { index, message in
            var entry = RemoteEntry(message)
            entry.id = "0123456789abcdef0123456789abcdef-\(index)"
            return entry
        }
    }

    private func measure(_ name: String, _ batch: RemoteBatch, _ encode: () throws -> [UInt8]) throws
        -> Double
    {
        let body = String(decoding: try encode(), as: UTF8.self)
        if name == "swiftybeaver" {
            let clear = batch.entries.reduce(0) { $0 + $1.text.utf8.count }
            try check(
                body.hasPrefix("{\"payload\":\"") && body.utf8.count > clear * 4 / 3,
                "the payload is too short")
            try check(!body.contains("user-1234"), "the payload is readable")
        } else {
            let texts = body.matches(of: /request (\d+) from user-1234 took 12.5 ms/).compactMap {
                Int($0.output.1)
            }
            try check(
                texts == Array(0..<size), "\(name) has \(texts.count) of \(size) messages, or another order")
        }
        return try rate { try check(!encode().isEmpty, "\(name): there is no body") }
    }

    private func rate(_ work: () throws -> Void) throws -> Double {
        let start = now()
        for _ in 0..<rounds { try work() }
        return Double(rounds * size) / (Double(now() - start) / 1e9)
    }
}

/// The store on disk: from the first call until the last message is in its file, and reading all of them again.
struct HTTPSpoolScenario: Scenario {
    let name = "http-spool"
    let unit = "messages/s"
    let largerIsBetter = true
    private let count = 300_000

    func run() throws -> [Measurement] {
        try withTemporaryDirectory { path in
            let spool = path + "/spool"
            let logger = try HTTPLogger("http://127.0.0.1:1/", spool: spool)
            logger.isPaused = true
            let dispatcher = LogDispatcher()
            dispatcher.overflowPolicy = .block(upTo: .seconds(60))
            logger.overflowPolicy = .block(upTo: .seconds(60))
            dispatcher.add(logger)
            let start = now()
            for i in 0..<count { logRequest(i, 12.5, to: dispatcher) }
            try check(dispatcher.flush(timeout: .seconds(60)).isComplete, "the flush did not finish")
            let written = now()
            try check(
                logger.httpStatistics.pending == count, "not everything is stored: \(logger.httpStatistics)")
            dispatcher.removeAll()

            let opened = now()
            let unsent = try UnsentMessages(directory: spool)
            var next = 0
            var isRight = true
            unsent.forEach { entry in
                isRight = entry.text == "request \(next) from user-1234 took 12.5 ms"
                next += 1
                return isRight
            }
            let read = now()
            try check(isRight && next == count, "message \(next) of \(count) is not what was stored")
            return [
                Measurement(part: "write", value: Double(count) / (Double(written - start) / 1e9)),
                Measurement(part: "read", value: Double(count) / (Double(read - opened) / 1e9)),
            ]
        }
    }
}

/// The caller's cost of an enabled call while the server is down, and everything goes to the store on disk.
struct HTTPDownScenario: Scenario {
    let name = "http-down"
    let unit = "ns/call"

    func run() throws -> [Measurement] {
        try withTemporaryDirectory { path in
            let logger = try HTTPLogger("http://127.0.0.1:1/", spool: path + "/spool")
            LogDispatcher.shared.overflowPolicy = .block(upTo: .seconds(60))
            logger.overflowPolicy = .block(upTo: .seconds(60))
            LogDispatcher.shared.add(logger)
            defer { LogDispatcher.shared.removeAll() }
            let burst = Burst()
            let measurements = burst.measure(logger) { logRequest($0, Double($0 & 1023) / 8) }
            let figures = logger.httpStatistics
            try check(
                figures.stored == burst.calls && figures.pending == burst.calls,
                "\(figures.pending) of \(burst.calls) messages are stored")
            try check(figures.retried > 0, "no request was tried: is there a server on port 1?")
            return measurements
        }
    }
}

/// A logger's start with 512 MiB of unsent messages, left by a process that died without sealing its last file.
struct HTTPStartScenario: Scenario {
    let name = "http-start-512MiB"
    let unit = "ms"
    let isDefault = false
    private let size = 512 << 20

    func run() throws -> [Measurement] {
        try withTemporaryDirectory { path in
            var settings = SpoolSettings()
            settings.maximumBytes = .bytes(size + (64 << 20))
            let dispatcher = LogDispatcher()
            dispatcher.overflowPolicy = .block(upTo: .seconds(60))
            let logger = try HTTPLogger(
                "http://127.0.0.1:1/", settings: HTTPSettings(spoolSettings: settings), spool: path + "/spool"
            )
            logger.isPaused = true
            logger.overflowPolicy = .block(upTo: .seconds(60))
            dispatcher.add(logger)
            let text = String(repeating: "x", count: 1000)
            var count = 0
            while count * 1150 < size {
                for _ in 0..<1000 { logInfo("\(count) \(text)", to: dispatcher) }
                count += 1000
                dispatcher.flush(timeout: .seconds(60))
            }
            // What a process that is killed now leaves.
            try FileManager.default.copyItem(atPath: path + "/spool", toPath: path + "/left")
            try? FileManager.default.removeItem(atPath: path + "/left/lock")
            chmod(path + "/left", 0o700)
            logger.removeAllPending()
            dispatcher.removeAll()

            let files = try FileManager.default.contentsOfDirectory(atPath: path + "/left")
            let bytes = files.reduce(0) { sum, name in
                let attributes = try? FileManager.default.attributesOfItem(atPath: path + "/left/" + name)
                return sum + (attributes?[.size] as? Int ?? 0)
            }
            try check(bytes >= size, "\(bytes) bytes are left instead of \(size)")
            let start = now()
            let next = try HTTPLogger(
                "http://127.0.0.1:1/", settings: HTTPSettings(spoolSettings: settings), spool: path + "/left")
            let milliseconds = Double(now() - start) / 1e6
            try check(
                next.httpStatistics.recovered == count,
                "\(next.httpStatistics.recovered) of \(count) were found")
            return [Measurement(value: milliseconds)]
        }
    }
}

/// Delivery of a store with one message in each file, in messages a second: the same with 100,000 files as with 10,000.
struct HTTPFilesScenario: Scenario {
    let name = "http-files"
    let unit = "messages/s"
    let largerIsBetter = true
    let isDefault = false

    func run() throws -> [Measurement] {
        try [10_000, 100_000].map { Measurement(part: "\($0)", value: try measure($0)) }
    }

    private func measure(_ count: Int) throws -> Double {
        try withTemporaryDirectory { path in
            var settings = SpoolSettings()
            (settings.segmentCount, settings.maximumFiles) = (1, 0)
            let dispatcher = LogDispatcher()
            let server = try LoopbackServer()
            defer { server.stop() }
            let logger = try HTTPLogger(
                server.address, settings: HTTPSettings(encoding: NDJSONEncoding(), spoolSettings: settings),
                spool: path + "/spool")
            logger.isPaused = true
            logger.overflowPolicy = .block(upTo: .seconds(60))
            dispatcher.overflowPolicy = .block(upTo: .seconds(60))
            dispatcher.add(logger)
            defer { dispatcher.removeAll() }
            for i in 0..<count { logRequest(i, 12.5, to: dispatcher) }
            try check(dispatcher.flush(timeout: .seconds(300)).isComplete, "the flush did not finish")
            let files = try FileManager.default.contentsOfDirectory(atPath: path + "/spool")
            try check(files.count > count, "\(files.count) files instead of \(count)")
            let start = now()
            logger.isPaused = false
            try check(
                logger.deliver(timeout: .seconds(600)),
                "not everything was delivered: \(logger.httpStatistics)")
            let seconds = Double(now() - start) / 1e9
            try check(logger.httpStatistics.acknowledged == count, "\(logger.httpStatistics)")
            return Double(count) / seconds
        }
    }
}
