import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodHTTP
@testable import HeartwoodLumberjack
@testable import HeartwoodSQLite

/// Dates of all years, and what is no date, as fields of every format: each is written as what it is.
@Suite("Dates in all formats", .inTurn) struct DateTableTests {
    /// A date and its texts.
    struct Sample: Sendable, CustomTestStringConvertible {
        let date: Date
        /// As ISO 8601, which is how each format writes it unless it is told otherwise.
        let text: String
        /// With `format: .unixSeconds`.
        let seconds: String
        /// With `format: .swift`.
        let swift: String
        let hasDay: Bool

        init(_ seconds: Double, _ text: String, _ written: String, _ swift: String) {
            self.init(Date(timeIntervalSince1970: seconds), text, written, swift, hasDay: true)
        }

        init(_ date: Date, _ text: String, _ seconds: String, _ swift: String, hasDay: Bool) {
            (self.date, self.text, self.seconds, self.swift) = (date, text, seconds, swift)
            self.hasDay = hasDay
        }

        static func none(_ seconds: Double, _ text: String) -> Sample {
            Sample(Date(timeIntervalSince1970: seconds), text, text, text, hasDay: false)
        }

        var testDescription: String { text }
        var json: String { hasDay ? "\"\(text)\"" : "null" }
        var day: String { hasDay ? String(text.prefix { $0 != "T" }) : text }
        var time: String { hasDay ? String(text.drop { $0 != "T" }.dropFirst().dropLast()) : text }
    }

    static let samples: [Sample] = [
        Sample(0, "1970-01-01T00:00:00.000Z", "0.000", "1970-01-01 00:00:00 +0000"),
        Sample(1_763_634_030.123, "2025-11-20T10:20:30.123Z", "1763634030.123", "2025-11-20 10:20:30 +0000"),
        Sample(-1.5, "1969-12-31T23:59:58.500Z", "-1.500", "1969-12-31 23:59:59 +0000"),
        Sample(10_413_792_000, "2300-01-01T00:00:00.000Z", "10413792000.000", "2300-01-01 00:00:00 +0000"),
        Sample(-11_670_998_400, "1600-02-29T00:00:00.000Z", "-11670998400.000", "1600-02-29 00:00:00 +0000"),
        Sample(
            -11_670_998_400.25, "1600-02-28T23:59:59.750Z", "-11670998400.250", "1600-02-29 00:00:00 +0000"),
        // Where the whole microseconds end, on both sides.
        Sample(
            7_599_999_999.999, "2210-11-01T23:06:39.999Z", "7599999999.999", "2210-11-01 23:06:39 +0000"),
        Sample(
            7_600_000_000.001, "2210-11-01T23:06:40.001Z", "7600000000.001", "2210-11-01 23:06:40 +0000"),
        Sample(
            -7_599_999_999.999, "1729-03-02T00:53:20.001Z", "-7599999999.999", "1729-03-02 00:53:21 +0000"),
        Sample(
            -7_600_000_000.001, "1729-03-02T00:53:19.999Z", "-7600000000.001", "1729-03-02 00:53:20 +0000"),
        Sample(-62_135_596_800, "0001-01-01T00:00:00.000Z", "-62135596800.000", "0001-01-01 00:00:00 +0000"),
        Sample(
            253_402_300_799.999, "9999-12-31T23:59:59.999Z", "253402300799.999", "9999-12-31 23:59:59 +0000"),
        // What is rounded up to the next day and year.
        Sample(
            253_402_300_799.9999, "+010000-01-01T00:00:00.000Z", "253402300800.000",
            "9999-12-31 23:59:59 +0000"),
        Sample(
            253_402_300_800, "+010000-01-01T00:00:00.000Z", "253402300800.000", "+010000-01-01 00:00:00 +0000"
        ),
        Sample(-62_162_035_200, "0000-03-01T00:00:00.000Z", "-62162035200.000", "0000-03-01 00:00:00 +0000"),
        Sample(-62_167_219_200, "0000-01-01T00:00:00.000Z", "-62167219200.000", "0000-01-01 00:00:00 +0000"),
        Sample(
            -62_167_305_600, "-000001-12-31T00:00:00.000Z", "-62167305600.000", "-000001-12-31 00:00:00 +0000"
        ),
        Sample(
            -63_517_824_000, "-000043-03-15T00:00:00.000Z", "-63517824000.000", "-000043-03-15 00:00:00 +0000"
        ),
        Sample(
            .distantFuture, "4001-01-01T00:00:00.000Z", "64092211200.000", "4001-01-01 00:00:00 +0000",
            hasDay: true),
        Sample(
            .distantPast, "0000-12-30T00:00:00.000Z", "-62135769600.000", "0000-12-30 00:00:00 +0000",
            hasDay: true),
        // Milliseconds and nanoseconds, passed as seconds by mistake.
        Sample(
            1_763_634_030_000, "+057857-05-03T21:40:00.000Z", "1763634030000.000",
            "+057857-05-03 21:40:00 +0000"),
        Sample(
            4e18, "+126754955997-03-31T07:06:40.000Z", "4000000000000000000.000",
            "+126754955997-03-31 07:06:40 +0000"),
        Sample(
            -4e18, "-126754952058-10-03T16:53:20.000Z", "-4000000000000000000.000",
            "-126754952058-10-03 16:53:20 +0000"),
        .none(0x1p62, "inf"), .none(1e300, "inf"), .none(-1e300, "-inf"), .none(.infinity, "inf"),
        .none(-.infinity, "-inf"), .none(.nan, "nan"),
    ]

    /// A message that has the date in every place.
    private static func message(_ date: Date) -> LogMessage {
        LogMessage(
            "at \(date) as \(date as Any) \(date, as: "named") \(date as Date?, as: "maybe")",
            metadata: ["own": LogValue(date), "list": [.date(date)], "object": ["inner": date.logValue]],
            file: "Module/File.swift", function: "f()", line: 1, threadID: 7)
    }

    private static func text(_ sample: Sample) -> String {
        "at \(sample.text) as \(sample.text) \(sample.text) \(sample.text)"
    }

    private typealias Format = (
        name: String, write: (LogMessage) throws -> String, parts: (Sample) -> [String]
    )

    private static func line(_ formatter: LogFormatter) -> (LogMessage) throws -> String {
        { try #require(formatter.format($0)) }
    }

    private static func body(_ encoding: any RemoteEncoding) -> (LogMessage) throws -> String {
        // By way of the spool.
        { message in
            let bytes = EntryCoder.encode(RemoteEntry(message))
            let entry = try #require(EntryCoder.decode(bytes, id: "id"))
            let body = try encoding.encode(RemoteBatch(entries: [entry], key: "k"))
            return String(decoding: body, as: UTF8.self)
        }
    }

    private static func members(_ sample: Sample) -> [String] {
        [
            text(sample), "\"named\":\(sample.json)", "\"maybe\":\(sample.json)", "\"own\":\(sample.json)",
            "\"list\":[\(sample.json)]", "\"object\":{\"inner\":\(sample.json)}",
        ]
    }

    /// The same, where lists and objects are texts of JSON.
    private static func flatMembers(_ sample: Sample) -> [String] {
        members(sample).prefix(4) + ["\"list\":\"[\(quoted(sample))]\"", "{\\\"inner\\\":\(quoted(sample))}"]
    }

    /// The date's JSON in a text of JSON.
    private static func quoted(_ sample: Sample) -> String {
        sample.json.replacingOccurrences(of: "\"", with: "\\\"")
    }

    private static var formats: [Format] {
        [
            ("text", { $0.text + "\($0.metadata)" }, { [text($0), "own=\($0.text), list=[\($0.text)]"] }),
            ("line", line(LineFormatter()), { [text($0)] }),
            (
                "logfmt", line(LogfmtFormatter()),
                { [text($0), "named=\($0.text)", "own=\($0.text)", "[\(quoted($0))]"] }
            ),
            (
                "pattern",
                { try line(PatternFormatter("{message}|{field.named}|{field.own}|{fields}"))($0) },
                {
                    [
                        "\(text($0))|\($0.text)|\($0.text)|",
                        "own=\($0.text) list=[\($0.text)] object={inner=\($0.text)}",
                    ]
                }
            ),
            ("syslog", line(SyslogFormatter()), { [text($0), "own=\"\($0.text)\""] }),
            ("json", line(JSONLinesFormatter()), members),
            ("ecs", line(JSONLinesFormatter(.ecs())), flatMembers),
            (
                "gelf", line(JSONLinesFormatter(.gelf())),
                { [text($0), "\"_own\":\($0.hasDay ? $0.json : "\"null\"")"] }
            ),
            ("ndjson", body(NDJSONEncoding()), members), ("array", body(JSONArrayEncoding()), members),
            ("elasticsearch", body(ElasticsearchEncoding(index: "i")), members),
            ("datadog", body(DatadogEncoding(service: "s")), members),
            ("splunk", body(SplunkEncoding()), members),
            (
                "otlp", body(OTLPEncoding(service: "s")),
                {
                    let value = $0.hasDay ? "{\"stringValue\":\($0.json)}" : "{}"
                    return [text($0), "{\"key\":\"own\",\"value\":\(value)}", "{\"values\":[\(value)]}"]
                }
            ),
            ("loki", body(LokiEncoding(labels: ["a": "b"])), { [text($0), "\"own\":\"\($0.text)\""] }),
            ("journal", body(JournalEncoding(identifier: "i")), { [text($0), "OWN=\($0.text)\n"] }),
        ]
    }

    @Test("Every format writes a date of any year as it is, and null for what is no date", arguments: samples)
    func formats(_ sample: Sample) throws {
        let message = Self.message(sample.date)
        for (name, write, parts) in Self.formats {
            let output = try write(message)
            for part in parts(sample) { #expect(output.contains(part), "\(name): \(part) in \(output)") }
        }
    }

    @Test("The formats of dates in a text hold for all years", arguments: samples)
    func dateFormats(_ sample: Sample) {
        let date = sample.date
        let message = LogMessage(
            """
            \(date, format: .iso8601)|\(date, format: .isoDate)|\(date, format: .isoTime)|\
            \(date, format: .unixSeconds)|\(date, format: .swift)
            """)
        let texts = [sample.text, sample.day, sample.time, sample.seconds, sample.swift]
        #expect(message.text == texts.joined(separator: "|"))
        let lumberjack: DDLogMessageFormat = "\(date)"
        #expect(LogMessage(lumberjack.text).text == sample.swift)
    }

    @Test("A database has dates of any year in its fields, and null for what is no date")
    func database() throws {
        let scratch = FileManager.default.temporaryDirectory.path + "/heartwood-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: scratch) }
        let dispatcher = LogDispatcher()
        dispatcher.add(try SQLiteLogger(path: scratch + "/log.sqlite"))
        for sample in Self.samples { logInfo("\(sample.date, as: "at")", to: dispatcher) }
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll()
        let query = LogQuery(order: .oldestFirst, limit: nil)
        let records = try SQLiteLogReader(path: scratch + "/log.sqlite").records(query)
            .sorted { $0.id < $1.id }
        #expect(records.map(\.text) == Self.samples.map(\.text))
        #expect(records.map(\.metadataJSON) == Self.samples.map { "{\"at\":\($0.json)}" })
    }

    @Test("A time stamp as a field keeps its nanoseconds' milliseconds, and its own text")
    func timestamps() throws {
        let moment = LogTimestamp(nanoseconds: .max)
        let message = LogMessage("\(moment) \(moment, as: "at")", metadata: ["own": .timestamp(moment)])
        let text = "2262-04-11T23:47:16.854Z"
        #expect(message.text == "\(text) \(text)")
        #expect(message.pieces.contains(.value(.timestamp(moment), name: "at", privacy: .public)))
        let line = try #require(JSONLinesFormatter().format(message))
        #expect(line.contains("\"at\":\"\(text)\"") && line.contains("\"own\":\"\(text)\""))
    }

    @Test("Private dates are hidden, and equal ones have equal hashes", arguments: samples)
    func privacy(_ sample: Sample) {
        let date = sample.date
        let messages = (0..<2).map { _ in
            LogMessage("\(date, privacy: .private) \(date, as: "at", privacy: .privateHashed)")
        }
        #expect(messages[0].text(privacy: .redact).hasPrefix("<private> <hash:"))
        #expect(messages[0].text(privacy: .redact) == messages[1].text(privacy: .redact))
        #expect(messages[0].text(privacy: .reveal) == "\(sample.text) \(sample.text)")
    }

    @Test("A spool keeps each date bit by bit")
    func spool() throws {
        for date in Self.samples.map(\.date) + [Date(timeIntervalSinceReferenceDate: 0.1 + 0.2)] {
            var entry = RemoteEntry()
            entry.metadata = ["at": .date(date)]
            let found = try #require(EntryCoder.decode(EntryCoder.encode(entry), id: "id"))
            guard case .date(let kept) = try #require(found.metadata["at"]) else {
                Issue.record("\(found.metadata)")
                continue
            }
            #expect(
                kept.timeIntervalSinceReferenceDate.bitPattern
                    == date.timeIntervalSinceReferenceDate.bitPattern)
        }
    }
}
