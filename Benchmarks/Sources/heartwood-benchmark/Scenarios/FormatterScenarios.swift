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

/// What looking for secrets takes, beyond a copy of the text.
struct RedactionScenario: Scenario {
    let name = "redaction"
    let unit = "ns/text"

    func run() throws -> [Measurement] {
        let plain =
            "2026-11-20 request 17 from user-1234 took 12.5 ms at /shop/cart/items, session 8f14e45f, ok: 200 (cached)"
        let secret =
            "mail to ann@example.org about card 4111 1111 1111 1111, header Authorization: Bearer a1b2c3d4e5f6"
        let none = RedactionRules([])
        let count = 200_000
        func time(_ rules: RedactionRules, _ text: String) -> Double {
            var bytes = 0
            let start = now()
            for _ in 0..<count { bytes += rules.redacted(text).utf8.count }
            sink(bytes)
            return Double(now() - start) / Double(count)
        }
        try check(RedactionRules.standard.redacted(plain) == plain, "a secret was found where none is")
        try check(
            RedactionRules.standard.redacted(secret)
                == "mail to <email> about card <card>, header Authorization: Bearer <token>",
            "a secret was not found")
        let expression = RedactionRules([try .matching("user-[0-9]+", name: "user")])
        let base = time(none, plain)
        return [
            Measurement(part: "bearer", value: time(RedactionRules([.bearerTokens]), plain) - base),
            Measurement(part: "card", value: time(RedactionRules([.cardNumbers]), plain) - base),
            Measurement(part: "email", value: time(RedactionRules([.emailAddresses]), plain) - base),
            Measurement(part: "all three", value: time(.standard, plain) - base),
            Measurement(part: "all three, all found", value: time(.standard, secret) - base),
            Measurement(part: "an expression", value: time(expression, plain) - base),
        ]
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
