import Heartwood
import HeartwoodHTTP
import HeartwoodServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What arrived where: read back, counted, and compared with what was logged.
struct DemoReport {
    private(set) var text = "\nWhat arrived where\n"
    /// What is missing, if anything is.
    private(set) var missing: String?

    /// The part of a delivered entry that is looked at.
    private struct Entry: Decodable {
        let level: String
        let message: String
    }

    /// An event that is only counted.
    private struct AnyEvent: Decodable {}

    init(
        tally: Shop.Tally, console: LoggerStatistics, files: [LogFileInfo],
        http: DemoCollector.Content, events: DemoCollector.Content, eventCount: Int, undelivered: String?
    ) throws {
        let logged = tally.count(.all)
        row("logged", "\(Readable.count(logged)) messages, by \(Shop.tills) threads")
        check("console", console.delivered, of: tally.count(.info), "info and more severe")

        let lines = try files.reversed().flatMap { try DemoReport.lines(of: $0.path) }
        let size = ByteCount(files.reduce(0) { $0 + $1.size.bytes })
        let directory = files.first.map { String($0.path.dropLast($0.name.count + 1)) } ?? "no directory"
        check(
            "files", lines.count, of: logged,
            "everything: \(Readable.count(files.count, "file")), \(size), in \(directory)")
        let torn = lines.count { !$0.hasPrefix("20") }
        if torn > 0 { complain("\(torn) lines in the files do not start with a time") }

        let bodies = http.stored.filter { !$0.isEmpty }
        let entries = try bodies.flatMap { try JSONDecoder().decode([Entry].self, from: Data($0)) }
        let count = http.stored.count + http.rejected
        check(
            "http", entries.count, of: tally.count(.notice),
            "notice and more severe: \(Readable.count(count, "request")), \(http.rejected) of them rejected "
                + "with 503 and repeated")
        let arrived = events.stored.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
        check(
            "events",
            try arrived.reduce(0) {
                $0 + (try JSONDecoder().decode([AnyEvent].self, from: Data($1.utf8)).count)
            }, of: eventCount,
            "each sale, and the change in stock as an activity")
        if let undelivered { complain("messages missing at the collector: \(undelivered)") }

        let leaks =
            lines.count { $0.contains(Shop.privateMark) }
            + entries.count { $0.message.contains(Shop.privateMark) }
        if leaks > 0 { complain("\(leaks) messages show private data outside the console") }
        row(
            "private",
            leaks == 0 ? "no address of a customer in the files or at the collector" : "\(leaks) leaks")
        example(lines, bodies)
        picture(
            tally,
            [
                ("console", console.delivered), ("files", lines.count), ("http", entries.count),
                ("events", eventCount),
            ])
        if missing == nil { text += "\nEverything arrived, once and whole.\n" }
    }

    private mutating func check(_ place: String, _ got: Int, of wanted: Int, _ remark: String) {
        row(place, "\(Readable.count(got)) of \(Readable.count(wanted))  (\(remark))")
        if got != wanted { complain("\(place) has \(got) messages instead of \(wanted)") }
    }

    private mutating func row(_ title: String, _ content: String) {
        text += "  \(title)\(String(repeating: " ", count: max(1, 10 - title.count)))\(content)\n"
    }

    private mutating func complain(_ what: String) { missing = missing.map { "\($0); \(what)" } ?? what }

    /// The same message, as two readers see it.
    private mutating func example(_ lines: [String], _ bodies: [[UInt8]]) {
        guard let line = lines.first(where: { $0.contains(" error ") }) else { return }
        text += "\nOne call, two readers\n  file: \(line)\n"
        let body = bodies.map { String(decoding: $0, as: UTF8.self) }.first { $0.contains("\"error\"") }
        guard let body, let level = body.firstRange(of: "\"level\":\"error\"") else { return }
        let start = body[..<level.lowerBound].lastIndex(of: "{") ?? body.startIndex
        let rest = body[level.upperBound...]
        let end =
            rest.firstRange(of: "},{").map { body.index(after: $0.lowerBound) }
            ?? body.index(before: body.endIndex)
        text += "  http: \(body[start..<end].prefix(110))…\n"
    }

    /// How many messages there were of each level, and how many each logger took.
    private mutating func picture(_ tally: Shop.Tally, _ loggers: [(name: String, count: Int)]) {
        text += "\nThe same as a picture\n"
        let levels = LogLevel.standardLevels.map { (name: $0.name, count: tally.count([$0])) }
        let most = max(1, loggers.map(\.count).max() ?? 0)
        for (title, rows) in [("level", levels.filter { $0.count > 0 }), ("logger", loggers)] {
            for (index, row) in rows.enumerated() {
                let count = Readable.count(row.count)
                let cells = [
                    (index == 0 ? title : "", 8), (row.name, 15 - count.count), (count, count.count),
                ]
                text += "  "
                for (cell, width) in cells {
                    text += cell + String(repeating: " ", count: max(0, width - cell.count))
                }
                // What is there is seen.
                let eighths = row.count == 0 ? 0 : max(1, row.count * 320 / most)
                text += "  " + String(repeating: "█", count: eighths / 8)
                text += "▏▎▍▌▋▊▉".dropFirst(max(0, eighths % 8 - 1)).prefix(eighths % 8 > 0 ? 1 : 0) + "\n"
            }
        }
    }

    private static func lines(of path: String) throws -> [String] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        return bytes.split(separator: .newline).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// The server of the demo, on 127.0.0.1: refuses a first few requests, and keeps the bodies of all others.
final class DemoCollector: Sendable {
    /// The requests so far.
    struct Content: Sendable {
        /// How many were rejected with status 503.
        fileprivate(set) var rejected = 0
        /// The bodies of the others.
        fileprivate(set) var stored: [[UInt8]] = []

        fileprivate mutating func add(_ body: [UInt8], rejecting count: Int) -> String {
            if rejected < count {
                rejected += 1
                return "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n"
            }
            stored.append(body)
            return "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
        }
    }

    private let listener: SocketListener
    private let requests: Locked<Content>

    /// Starts a collector on a free port.
    ///
    /// - Parameter count: How many requests it rejects before it takes one.
    /// - Throws: `LogError` when no socket could be had.
    init(rejecting count: Int = 0) throws {
        let requests = Locked(Content())
        self.requests = requests
        listener = try SocketListener { stream, _ in
            while let body = Self.body(stream),
                stream.send(requests.withLock { $0.add(body, rejecting: count) })
            {}
        }
    }

    deinit { stop() }

    var address: String { "http://127.0.0.1:\(listener.port)" }
    var content: Content { requests.withLock { $0 } }

    func stop() { listener.stop() }

    /// Reads a request; its body has a length, as the framework sends it.
    private static func body(_ stream: SocketStream) -> [UInt8]? {
        guard case .head(let bytes) = stream.readHead(limit: 65_536),
            let head = try? HTTPRequestHead(parsing: bytes), !head.isChunked
        else { return nil }
        if head.headers["Expect"] != nil { stream.send("HTTP/1.1 100 Continue\r\n\r\n") }
        return stream.readBytes(head.length)
    }
}
