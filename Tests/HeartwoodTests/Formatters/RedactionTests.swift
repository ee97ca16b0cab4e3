import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Redaction of secrets in texts", .inTurn)
struct RedactionTests {
    @Test(
        "Bearer tokens, card numbers and e-mail addresses are found, and what only looks like one is not",
        arguments: [
            ("mail ann@example.org now", "mail <email> now"), ("<ann.b+x@mail.example.co.uk>.", "<<email>>."),
            ("é@münchen.example", "<email>"), ("a@b", "a@b"), ("@home me@ x@y.", "@home me@ x@y."),
            ("user@host.1", "user@host.1"), ("a@b.org@c.org", "<email>"),
            ("card 4111111111111111!", "card <card>!"), ("4111 1111 1111 1111", "<card>"),
            ("5500-0000-0000-0004", "<card>"), ("378282246310005", "<card>"), ("6011000990139424", "<card>"),
            ("2223003122003222", "<card>"), ("4111111111111112", "4111111111111112"),
            ("20 4111111111111111 7", "20 <card> 7"), ("1763634030123456789", "1763634030123456789"),
            ("x4111111111111111", "x4111111111111111"), ("0.4111111111111111", "0.4111111111111111"),
            ("550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"),
            ("4222222222222", "<card>"), ("4111111111111111.", "<card>."),
            ("41111111111111111111111", "41111111111111111111111"),
            ("Authorization: Bearer abc.def-123_~+/==", "Authorization: Bearer <token>"),
            ("BEARER  a1b2c3d4e5", "BEARER  <token>"), ("bearer of bad news", "bearer of bad news"),
            ("bearer: tokentokentokentokentoken", "bearer: <token>"), ("forbearer abc", "forbearer abc"),
            // Cards have 13 to 19 digits; of these, the first and the last have too few and too many.
            ("412345678905", "412345678905"), ("41234567890123458", "<card>"),
            ("412345678901234561", "<card>"), ("4123456789012345677", "<card>"),
            ("41234567890123456787", "41234567890123456787"), ("4123 4567 8901 2345 677", "<card>"),
            ("", ""), ("no secrets at all", "no secrets at all"), ("bearer ", "bearer "), ("earer", "earer"),
            ("ann@example.org 4111111111111111 Bearer a1b2c3d4e5", "<email> <card> Bearer <token>"),
        ])
    func standard(text: String, expected: String) {
        #expect(RedactionRules.standard.redacted(text) == expected)
    }

    @Test("Of all 16-digit numbers that begin like a card's, those with a right check digit are found")
    func luhn() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<2000 {
            let digits = "4" + (0..<15).map { _ in String(Int.random(in: 0...9, using: &random)) }.joined()
            // Written another way than in the code: from the left, by the position's parity.
            let sum = digits.enumerated().reduce(0) { sum, digit in
                let value = digit.element.wholeNumberValue ?? 0
                if digit.offset % 2 == 1 { return sum + value }
                return sum + [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][value]
            }
            #expect((RedactionRules.standard.redacted(digits) == "<card>") == (sum % 10 == 0), "\(digits)")
        }
    }

    @Test(
        "Rules of one's own: prefixes, expressions, functions; the first rule counts where two find the same")
    func custom() throws {
        let rules = RedactionRules([
            .tokens(startingWith: "sk_live_", name: "stripe key!"),
            try .matching("user-[0-9]+", name: "user"),
            .custom(name: "") { bytes, start in bytes.firstRange(of: Array("hush".utf8), from: start) },
            .emailAddresses,
        ])
        #expect(
            rules.redacted("sk_live_aB3 user-12 hush ann@example.org user-x é")
                == "<stripekey> <user> <secret> <email> user-x é")
        #expect(
            RedactionRules([try .matching("a.*g", name: "r"), .emailAddresses]).redacted("ann@example.org")
                == "<r>")
        let error = try #require(throws: LogError.self) { _ = try RedactionRule.matching("(", name: "x") }
        #expect(error.code == .setting)
    }

    @Test("An expression that matches nothing at all, or bytes that are no UTF-8, do no harm")
    func oddities() throws {
        let empty = RedactionRules([try .matching("x*", name: "r")])
        #expect(empty.redacted("abc") == "abc")
        var buffer = LogBuffer()
        buffer.redaction = RedactionRules([try .matching("user-[0-9]+", name: "user")])
        buffer.append([0xFF, 0x20] + Array("user-1 é".utf8) + [0xE2])
        buffer.redactSecrets(from: 0)
        #expect(buffer.withUnsafeBytes { Array($0) } == [0xFF, 0x20] + Array("<user> é".utf8) + [0xE2])
    }

    @Test("Secrets are shown as a hash, or encrypted, if asked")
    func ways() throws {
        let key = try PrivacyKey(Secret(bytes: Array(0..<32)))
        let hashed = RedactionRules([.emailAddresses], replacement: .keyedHash(key))
        #expect(hashed.redacted("ann@example.org").wholeMatch(of: /<hash:[0-9a-f]{16}>/) != nil)
        #expect(hashed.redacted("ann@example.org") == hashed.redacted("ann@example.org"))
        let encrypted = RedactionRules([.emailAddresses], replacement: .encrypt(key)).redacted(
            "ann@example.org")
        #expect(key.decrypt(encrypted) == "ann@example.org")
        #expect(
            RedactionRules([.emailAddresses], replacement: .reveal).redacted("ann@example.org")
                == "ann@example.org")
        #expect(RedactionRules([.emailAddresses], replacement: .hash).redacted("a@b.org").hasPrefix("<hash:"))
    }

    @Test(
        "A logger that asks for it redacts whatever its formatter writes, and JSON stays JSON",
        arguments: EveryFormatter.names)
    func loggers(name: String) throws {
        let dispatcher = LogDispatcher.forTest()
        let asking = RecordingLogger(formatter: try EveryFormatter.make(name))
        let other = RecordingLogger(formatter: try EveryFormatter.make(name))
        asking.redaction = .standard
        dispatcher.add(asking)
        dispatcher.add(other)
        logInfo(
            """
            to \("ann@example.org", as: "mail")
            bob@example.org \(4_111_111_111_111_111, as: "card") \("pw nine", as: "password")
            """,
            metadata: [
                "who": "eve@example.org", "list": ["Bearer a1b2c3d4e5f6"],
                "json": .json("{\"k\":\"zoe@example.org\"}"),
                "n": 5_500_000_000_000_004, "dec": .decimal("4111111111111111"),
                "X-Api-Key": "k seven", "nested": ["auth": ["db_password": "pw eight", "user": "u"]],
                "token_count": 12, "tokens": 34, "raw": .json(#"{"secret":[1,"s five"]}"#),
            ], to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let line = try #require(asking.lines.first)
        for secret in [
            "example.org", "a1b2c3d4e5f6", "4111111111111111", "5500000000000004", "seven", "eight", "nine",
            "five",
        ] {
            #expect(!line.contains(secret), "\(line)")
        }
        #expect(line.contains("<email>") && line.contains("<card>"))
        if EveryFormatter.json.contains(name) {
            #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) != nil, "\(line)")
        }
        #expect(other.lines.first?.contains("ann@example.org") == true)
    }

    @Test("Values lose their secrets and keep their types")
    func values() {
        let rules = RedactionRules.standard
        let cases: [(LogValue, LogValue)] = [
            (.null, .null), (true, true), (5, 5), (2.5, 2.5), ("plain", "plain"),
            ("to a@example.com", "to <email>"), (4_111_111_111_111_111, "<card>"),
            (.unsigned(4_111_111_111_111_111), "<card>"), (.decimal("1.5"), .decimal("1.5")),
            (.decimal("4111111111111111"), "<card>"), (["a@example.com", 1], ["<email>", 1]),
            (.object(["mail": "a@example.com"]), .object(["mail": "<email>"])),
            (.json(#"{"n":1}"#), .json(#"{"n":1}"#)),
            // A code of an error is no secret, in JSON as elsewhere; one that was made at random is.
            (
                .json(#"{"code":404,"errorCode":"PERMISSION_DENIED"}"#),
                .json(#"{"code":404,"errorCode":"PERMISSION_DENIED"}"#)
            ),
            (.object(["code": 404, "status": "x"]), .object(["code": 404, "status": "x"])),
            (.object(["code": "resource-not-available"]), .object(["code": "resource-not-available"])),
            (.json(#"{"code":"fqG6jhW0V3KFm28mmexN6"}"#), .json(#"{"code":"<secret>"}"#)),
        ]
        for (value, shown) in cases { #expect(rules.redacted(value) == shown) }
        guard case .json(let text) = rules.redacted(.json(#"{"mail":"a@example.com","n":1}"#)) else {
            Issue.record("no JSON any more")
            return
        }
        #expect(!text.contains("example.com"))
        #expect((try? JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)) != nil)
    }

    @Test("Formatters of one's own are redacted as a whole, in either form")
    func ownFormatters() {
        final class Shout: LogFormatter, @unchecked Sendable {
            override func format(_ message: LogMessage) -> String? { "! " + message.text }
        }
        final class Bytes: LogFormatter, @unchecked Sendable {
            override func format(_ message: LogMessage, into output: inout LogBuffer) -> Bool {
                output.append(message.text)
                return true
            }
        }
        for formatter in [Shout(), Bytes(), FormatterChain([Shout(), LineFormatter()]), nil]
            as [LogFormatter?]
        {
            let dispatcher = LogDispatcher.forTest()
            let logger = RecordingLogger(formatter: formatter)
            logger.redaction = .standard
            dispatcher.add(logger)
            logInfo("to ann@example.org", to: dispatcher)
            logger.redaction = nil
            logInfo("to ann@example.org", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            #expect(logger.lines.count == 2)
            #expect(logger.lines[0].contains("to <email>"))
            #expect(logger.lines[1].contains("to ann@example.org"))
        }
    }
}

@Suite("Private pieces, hashed or encrypted with a key", .inTurn)
struct PrivacyKeyTests {
    private let secret = Secret(bytes: Array(0..<32))

    private func line(_ policy: LogPrivacyPolicy, _ text: LogText) throws -> String {
        var options = PatternFormatter.Options()
        options.privacy = policy
        return try #require(try PatternFormatter("{message}", options).format(LogMessage(text)))
    }

    @Test(
        "A keyed hash is the same for the same value and key, in every process, and another for another key")
    func hash() throws {
        let (key, same) = (try PrivacyKey(secret), try PrivacyKey(secret))
        let other = try PrivacyKey(Secret(bytes: Array(1..<33)))
        let text = { (value: String) -> LogText in "\(value, privacy: .private)" }
        let hash = try line(.keyedHash(key), text("ann"))
        // HMAC-SHA-256 of "ann" with the key derived for hashing, by another library: the first eight bytes.
        #expect(hash == "<hash:bfd4c062758c1b9d>")
        #expect(try line(.keyedHash(same), text("ann")) == hash)
        #expect(try line(.keyedHash(key), text("bob")) != hash)
        #expect(try line(.keyedHash(other), text("ann")) != hash)
        #expect(try line(.keyedHash(key), "\("ann", privacy: .privateHashed)") == hash)
        #expect(try line(.keyedHash(key), "\("ann") \("x", privacy: .sensitive)") == "ann <sensitive>")
    }

    @Test("What is encrypted can be read back with the key alone, and is another text each time")
    func encryption() throws {
        let key = try PrivacyKey(secret)
        let first = try line(.encrypt(key), "\("ann é", privacy: .private)")
        let second = try line(.encrypt(key), "\("ann é", privacy: .private)")
        #expect(first != second)
        // A nonce of 12 bytes, 64 for any short value, and a tag of 16.
        #expect(first.wholeMatch(of: /<enc:[0-9a-f]{184}>/) != nil)
        let long = String(repeating: "é", count: 32)
        #expect(try line(.encrypt(key), "\(long, privacy: .private)").utf8.count == 6 + 2 * (12 + 128 + 16))
        #expect(key.decrypt(try line(.encrypt(key), "\(long, privacy: .private)")) == long)
        #expect(key.decrypt(first) == "ann é")
        #expect(try PrivacyKey(Secret(bytes: Array(1..<33))).decrypt(first) == nil)
        var changed = Array(first)
        changed[40] = changed[40] == "0" ? "1" : "0"
        #expect(key.decrypt(String(changed)) == nil)
        for text in ["", "<enc:>", "<enc:zz>", "<enc:abc>", "enc"] { #expect(key.decrypt(text) == nil) }
        #expect(
            key.decrypt(try line(.encrypt(key), "\(12.5, privacy: .private, format: .fixed(2))")) == "12.50")
    }

    @Test("Fields, JSON and decoded values follow the same policy")
    func fields() throws {
        let key = try PrivacyKey(secret)
        let message = LogMessage("\("ann", as: "who", privacy: .private)")
        guard case .string(let text)? = message.fields(privacy: .encrypt(key))["who"] else {
            Issue.record("no text")
            return
        }
        #expect(key.decrypt(text) == "ann")
        var options = JSONLinesFormatter.Options()
        options.privacy = .encrypt(key)
        let line = try #require(JSONLinesFormatter(options).format(message))
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect((object["who"] as? String).flatMap { key.decrypt($0) } == "ann")
        #expect((object["message"] as? String).flatMap { key.decrypt($0) } == "ann")
    }

    @Test("A key of another length is refused")
    func badKey() {
        let error = #expect(throws: LogError.self) { _ = try PrivacyKey(Secret("short")) }
        #expect(error?.code == .secret)
    }
}
