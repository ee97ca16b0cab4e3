import Heartwood

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
            "notice and more severe: \(Readable.count(count, "request")), \(http.rejected) of them rejected with 503 and repeated"
        )
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
        example(of: arrived)
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
        text += "  http: \(body[start..<end])\n"
    }

    /// A typed event, and an event of an activity.
    private mutating func example(of events: [String]) {
        guard let first = events.first?.firstRange(of: "}"), let sale = events.first?[..<first.upperBound],
            let activity = events.lazy.compactMap({ text in
                text.firstRange(of: "{\"_id\"").map { text[$0.lowerBound...].dropLast() }
            }).first
        else { return }
        text += "\nTwo kinds of events\n  typed:    \(sale.dropFirst())\n  activity: \(activity)\n"
    }

    private static func lines(of path: String) throws -> [String] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        return bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    }
}
