import Foundation
import Heartwood
import HeartwoodArchive

/// What each formatter takes for a message, alone on one thread.
struct FormatterScenario: Scenario {
    let name = "formatters"
    let unit = "ns/message"

    private func formatters() throws -> [(String, LogFormatter)] {
        let key = try PrivacyKey(Secret(bytes: Array(0..<32)))
        func line(_ privacy: LogPrivacyPolicy) -> LineFormatter {
            var options = LineFormatter.Options()
            options.privacy = privacy
            return LineFormatter(options)
        }
        return [
            ("line", line(.redact)),
            ("pattern", try PatternFormatter("{time} {level:<7} {category} {file}:{line} {message}{fields}")),
            ("json", JSONLinesFormatter()), ("ecs", JSONLinesFormatter(.ecs(service: "shop"))),
            ("gelf", JSONLinesFormatter(.gelf(host: "web1"))), ("logfmt", LogfmtFormatter()),
            ("syslog", SyslogFormatter()),
            ("chain", FormatterChain([try PatternFormatter("{message}"), LineFormatter()])),
            ("private, hash", line(.hash)), ("private, keyed hash", line(.keyedHash(key))),
            ("private, encrypted", line(.encrypt(key))),
        ]
    }

    func run() throws -> [Measurement] {
        let message = LogMessage(
            "request \(17, as: "request") from \(user, as: "user", privacy: .private) took \(12.5, as: "ms") ms",
            category: LogCategory("net.http"))
        let count = 200_000
        return try formatters().map { name, formatter in
            var buffer = LogBuffer(capacity: 4096)
            var bytes = 0
            let start = now()
            for _ in 0..<count {
                buffer.removeAll()
                _ = formatter.format(message, into: &buffer)
                bytes += buffer.count
            }
            let time = now() - start
            try check(bytes > count * 40, "\(name) wrote too little")
            return Measurement(part: name, value: Double(time) / Double(count))
        }
    }
}

/// Everything that makes lines of messages: from the call to the file, lines per second and instructions per line.
struct FormatsScenario: Scenario {
    let name = "formats"
    let unit = "lines/s"
    let largerIsBetter = true

    private static let formatters: [(name: String, make: @Sendable () throws -> LogFormatter)] = [
        ("line", { LineFormatter() }), ("json", { JSONLinesFormatter() }),
        ("ecs", { JSONLinesFormatter(.ecs(service: "shop")) }),
        ("gelf", { JSONLinesFormatter(.gelf(host: "web1")) }), ("logfmt", { LogfmtFormatter() }),
        ("pattern", { try PatternFormatter("{time} {level:<7} {category} {file}:{line} {message}{fields}") }),
    ]

    private static let names = formatters.map(\.name) + ["console", "ndjson"]

    func run() throws -> [Measurement] {
        let rates = try FormatsScenario.names.map {
            Measurement(part: $0, value: try FormatsScenario.rate(of: $0, lines: 500_000, verifies: true))
        }
        return rates + (try FormatsScenario.instructions.get())
    }

    /// Instructions per line, counted once: they are the same each time.
    private static let instructions = Result { () throws -> [Measurement] in
        guard InstructionCount.isAvailable else { return [] }
        return try withTemporaryDirectory { directory in
            let program = try InstructionCount.program(in: directory)
            return try names.map { name in
                let count = try InstructionCount.perLine { lines in [program, "--lines", name, "\(lines)"] }
                return Measurement(part: "\(name), instructions", value: count, unit: "instr./line")
            }
        }
    }

    /// Has lines written in one format.
    static func rate(of format: String, lines: Int, verifies: Bool) throws -> Double {
        try withTemporaryDirectory { path in
            let directory = path + "/lines"
            var scenario = FileScenario(name: format, lines: lines)
            if format == "ndjson" { return try HTTPEncodingScenario.rateOfLines(lines) }
            let measurements: [Measurement]
            if format == "console" {
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
                measurements = try ConsoleScenario.writing(to: directory + "/console.log") {
                    try scenario.measure([ConsoleLogger()])
                }
            } else {
                guard let formatter = formatters.first(where: { $0.name == format }) else {
                    throw WrongResult("there is no format “\(format)”")
                }
                scenario.formatter = formatter.make
                measurements = try scenario.measure([scenario.makeLogger(directory)])
            }
            if verifies { try scenario.verify(directory) }
            return measurements[0].value
        }
    }
}

/// What looking for secrets takes, beyond a copy of the text.
struct RedactionScenario: Scenario {
    let name = "redaction"
    let unit = "ns/text"

    func run() throws -> [Measurement] {
        let plain =
            "2026-11-20 request 17 from user-1234 took 12.5 ms at /shop/cart/items, queue 8f14e45f, 200 (found, from disk)"
        let words =
            "2026-11-20 token 17 of session 1234 took 12.5 ms at /shop/cart/items, the password was checked: it is well"
        let secret =
            "mail to ann@example.org about card 4111 1111 1111 1111, header Authorization: Bearer a1b2c3d4e5f6"
        let none = RedactionRules([])
        let expression = RedactionRules([try .matching("user-[0-9]+", name: "user")])
        let count = 200_000
        func time(_ rules: RedactionRules, _ text: String, isJSON: Bool = false) -> Double {
            (0..<5).map { _ in
                var bytes = 0
                let start = now()
                for _ in 0..<count {
                    if isJSON {
                        if case .json(let text) = rules.redacted(.json(text)) { bytes += text.utf8.count }
                    } else {
                        bytes += rules.redacted(text).utf8.count
                    }
                }
                sink(bytes)
                return Double(now() - start) / Double(count)
            }.sorted()[2]
        }
        let lines: [(String, String, String)] = [
            ("no trigger", plain, plain),
            ("a word such as token", words, words),
            (
                "a password", "login of user=ann with password=hunter2 from 10.0.0.1",
                "login of user=ann with password=<secret> from 10.0.0.1"
            ),
            ("a header", "header Authorization: Bearer abc.def-123", "header Authorization: Bearer <token>"),
            (
                "JSON", #"{"user":"ann","password":"hunter2","card":4111111111111111}"#,
                #"{"user":"ann","password":"<secret>","card":"<card>"}"#
            ),
            (
                "email, card and header", secret,
                "mail to <email> about card <card>, header Authorization: Bearer <token>"
            ),
        ]
        var measurements: [Measurement] = []
        for (name, line, expected) in lines {
            let isJSON = line.hasPrefix("{")
            let redacted =
                isJSON
                ? RedactionRules.standard.redacted(LogValue.json(line))
                : .string(RedactionRules.standard.redacted(line))
            try check(redacted == (isJSON ? .json(expected) : .string(expected)), "\(name): \(redacted)")
            let base = time(none, line, isJSON: isJSON)
            measurements.append(Measurement(part: name, value: time(.standard, line, isJSON: isJSON) - base))
        }
        measurements.append(Measurement(part: "without rules", value: time(none, plain)))
        measurements.append(
            Measurement(part: "an expression", value: time(expression, plain) - time(none, plain)))
        return measurements
    }
}

/// What filters take for a message.
struct FilterScenario: Scenario {
    let name = "filters"
    let unit = "ns/message"

    func run() throws -> [Measurement] {
        let message = LogMessage(
            "request \(17, as: "request") from \(user) took \(12.5) ms", category: LogCategory("net.http"))
        let filters: [(String, LogFilter, Bool)] = [
            ("levels", .levels(.info), true), ("category", .category("net.*"), true),
            ("message contains", .message(.contains("heartbeat")), false),
            ("three together", .levels(.info) && .contexts(except: 7) && .file(.contains("swift")), true),
            ("sampling", .sampling(0, by: .field("request")), false),
            ("rate limit", .rateLimit(1_000_000_000, per: .seconds(1)), true),
        ]
        let count = 500_000
        return try filters.map { name, filter, expected in
            var passed = 0
            let start = now()
            for _ in 0..<count where filter.passes(message) { passed += 1 }
            let time = now() - start
            try check(passed == (expected ? count : 0), "\(name) let \(passed) pass")
            return Measurement(part: name, value: Double(time) / Double(count))
        }
    }
}
