import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

private struct Point: CustomStringConvertible {
    let x = 1
    var description: String { "(1; 2)" }
}
private struct Order: Encodable {
    let id = 7
    let items = ["a", "b\n"]
}
private enum Fruit: String, Encodable { case apple }
private struct Failure: Error { let code = 5 }
private final class Thing {}

@Suite("The text of a message", .inTurn)
struct LogTextTests {
    private func text(_ text: LogText) -> String { LogMessage(text).text }
    private func value(_ text: LogText) -> LogValue? { LogMessage(text).fields["v"] }

    @Test("A value reads as it does in a String")
    func asInAString() {
        #expect(text("plain") == "plain")
        #expect(text("") == "")
        #expect(text("\(1) \(-2) \(3.5) \(true) \("s")") == "\(1) \(-2) \(3.5) \(true) \("s")")
        #expect(
            text("\(Int8.min) \(Int16.min) \(Int32.min) \(Int64.min) \(Int.min)")
                == "-128 -32768 -2147483648 -9223372036854775808 -9223372036854775808")
        #expect(
            text("\(UInt8.max) \(UInt16.max) \(UInt32.max) \(UInt64.max) \(UInt.max)")
                == "255 65535 4294967295 18446744073709551615 18446744073709551615")
        #expect(text("\(Int128.min) \(UInt128.max)") == "\(Int128.min) \(UInt128.max)")
        #expect(
            text("\(Float(0.1)) \(Double(0.1)) \(1e300) \(Double.nan) \(-Double.infinity)")
                == "0.1 0.1 1e+300 nan -inf")
        #expect(text("\("substring".prefix(3)) \(Character("é")) \(Character("👩‍👩‍👧‍👦"))") == "sub é 👩‍👩‍👧‍👦")
        #expect(
            text("\(Point()) \([1, 2]) \(["k": 1]) \(Fruit.apple) \(1...3)")
                == "(1; 2) [1, 2] [\"k\": 1] apple 1...3")
        #expect(text("\(Failure())") == "\(Failure())")
        #expect(text("\(Thing())") == "\(Thing())")
        #expect(text("\(type(of: 5)) \(Int.self)") == "Int Int")
    }

    @Test("Dates, UUIDs, decimals and URLs read as their standards have them")
    func foundationValues() throws {
        let date = Date(timeIntervalSince1970: 1_763_634_030.123)
        let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let url = try #require(URL(string: "https://example.org/a?b=c"))
        #expect(text("\(date)") == "2025-11-20T10:20:30.123Z")
        #expect(text("\(date, format: .isoDate) \(date, format: .isoTime)") == "2025-11-20 10:20:30.123")
        #expect(text("\(date, format: .unixSeconds)") == "1763634030.123")
        #expect(text("\(uuid) \(url)") == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F https://example.org/a?b=c")
        #expect(text("\(Decimal(string: "1234567890.0123456789") ?? 0)") == "1234567890.0123456789")
    }

    @Test("An optional reads as its value, as nil, or as its default")
    func optionals() {
        let none: Int? = nil
        let some: Int? = 5
        let word: String? = nil
        let date: Date? = Date(timeIntervalSince1970: 0)
        #expect(text("\(none as Int?) \(some as Int?)") == "nil 5")
        #expect(text("\(none, default: "none") \(some, default: "none")") == "none 5")
        #expect(text("\(word, default: "nobody")") == "nobody")
        #expect(text("\(date as Date?)") == "1970-01-01T00:00:00.000Z")
        #expect(value("\(none as Int?, as: "v")") == .null)
        #expect(value("\(some as Int?, as: "v")") == .integer(5))
        #expect(value("\(none, default: "-", as: "v")") == .string("-"))
    }

    @Test("The bytes of a date and of a time stamp are those that any process reads, today and before")
    func dateBytes() {
        // 1.5 s after 1970: nanoseconds, which were the bytes of dates as well; and seconds since 2001.
        let moment = LogTimestamp(nanoseconds: 1_500_000_000)
        #expect(("\(moment)" as LogText).bytes == [0x17, 0x00, 0x2F, 0x68, 0x59, 0, 0, 0, 0])
        let date = Date(timeIntervalSince1970: 1.5)
        let bits = (-978_307_198.5).bitPattern
        #expect(("\(date)" as LogText).bytes == [0x1D] + withUnsafeBytes(of: bits, Array.init))
        for (text, value) in [("\(moment, as: "v")", .timestamp(moment)), ("\(date, as: "v")", .date(date))]
            as [(LogText, LogValue)]
        {
            #expect(self.text(text) == "1970-01-01T00:00:01.500Z")
            #expect(self.value(text) == value)
        }
    }

    @Test("A value whose date is not a number is described, though Foundation cannot")
    func describedNoDate() {
        let none = Date(timeIntervalSince1970: .nan)
        #expect(text("\([none])") == "Array<Date>…[a date that is not a number]")
        #expect(text("\([1: [none as Date?]])").hasSuffix("…[a date that is not a number]"))
        #expect(text("\(none)") == "nan")
    }

    @Test("A named value keeps its type")
    func types() throws {
        let uuid = UUID()
        let date = Date(timeIntervalSince1970: 1.5)
        #expect(value("\(1, as: "v")") == .integer(1))
        #expect(value("\(UInt8(200), as: "v")") == .integer(200))
        #expect(value("\(UInt64.max, as: "v")") == .unsigned(.max))
        #expect(value("\(UInt128.max, as: "v")") == .decimal("340282366920938463463374607431768211455"))
        #expect(value("\(2.5, as: "v")") == .double(2.5))
        #expect(value("\(Float(0.1), as: "v")") == .double(0.1))
        #expect(value("\(true, as: "v")") == .bool(true))
        #expect(value("\("s", as: "v")") == .string("s"))
        #expect(value("\("substring".dropFirst(3), as: "v")") == .string("string"))
        #expect(value("\(Character("c"), as: "v")") == .string("c"))
        #expect(value("\(uuid, as: "v")") == .uuid(uuid))
        #expect(value("\(date, as: "v")") == .date(date))
        #expect(value("\(Decimal(string: "0.10") ?? 0, as: "v")") == .decimal("0.1"))
        #expect(value("\(Order(), as: "v")").map { "\($0)" }?.contains("\"items\":[\"a\",\"b\\n\"]") == true)
        #expect(value("\(Fruit.apple, as: "v")") == .string("apple"))
        #expect(value("\(Point(), as: "v")") == .string("(1; 2)"))
        #expect(value("\(5 as Any, as: "v")") == .integer(5))
        #expect(value("\(LogValue.array([1, "a", nil, ["k": 2.5]]), as: "v")") == [1, "a", nil, ["k": 2.5]])
    }

    @Test("Formats change the text, and leave the field its number")
    func formats() {
        #expect(
            text("\(255, format: .hex) \(255, format: .octal) \(5, format: .binary)") == "0xff 0o377 0b101")
        #expect(
            text("\(255, format: .hex(digits: 4)) \(5, format: .binary(digits: 8))") == "0x00ff 0b00000101")
        #expect(
            text("\(-255, format: .hex) \(7, format: .padded(3)) \(7, format: .padded(3, with: "0"))")
                == "-0xff   7 007")
        #expect(
            text("\(1536, format: .bytes) \(-1, format: .bytes) \(0, format: .bytes)")
                == "1.5 KiB -1 byte 0 bytes")
        #expect(
            text("\(2.005, format: .fixed(2)) \(2.5, format: .fixed(0)) \(1.0, format: .fixed(3))")
                == "2.00 2 1.000")
        #expect(
            text("\(12345.678, format: .scientific(2)) \(0.0, format: .scientific(1))") == "1.23e+04 0.0e+00")
        #expect(text("\(Float(1.5), format: .fixed(1)) \(Double.nan, format: .fixed(2))") == "1.5 nan")
        #expect(value("\(255, as: "v", format: .hex)") == .integer(255))
        #expect(value("\(2.005, as: "v", format: .fixed(0))") == .double(2.005))
        #expect(text("\(-7, format: .padded(4, with: "0")) \(-7, format: .padded(4))") == "-007   -7")
        let all = UInt64.max
        #expect(
            text("\(all, format: .hex) \(all, format: .hex(digits: 18))")
                == "0xffffffffffffffff 0x00ffffffffffffffff")
        #expect(
            text("\(all, format: .padded(22)) \(all, format: .bytes)")
                == "  18446744073709551615 18446744073709551615")
    }

    @Test("Nothing in a text is ever taken for a format, a path or an escape")
    func onlyText() {
        let user = "100% %s %@ %n ${jndi:ldap://x} {} \\(x) \\n"
        #expect(text("\(user)") == user)
        #expect(LogMessage(LogText(user)).text == user)
        #expect(text("100% %s %d %n") == "100% %s %d %n")
    }

    @Test("A String variable, a String expression and a literal are logged alike")
    func strings() {
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        let variable = "variable 100%"
        logInfo(variable, to: dispatcher)
        logInfo("a" + variable, to: dispatcher)
        logInfo(variable.uppercased(), to: dispatcher)
        logInfo(String(variable.prefix(3)), to: dispatcher)
        log(variable, level: .debug, to: dispatcher)
        logInfo(Bool.random() ? "one" : "one", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(
            logger.texts == [
                "variable 100%", "avariable 100%", "VARIABLE 100%", "var", "variable 100%", "one",
            ])
    }

    @Test("Bytes that are not UTF-8 arrive as replacement characters")
    func invalidUTF8() {
        let broken = String(
            decoding: [0x61, 0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80, 0x62] as [UInt8], as: UTF8.self)
        #expect(text("\(broken)") == broken)
        #expect(text("\(broken)").unicodeScalars.contains("\u{FFFD}"))
    }

    @Test("Pieces come in their order, with types, names and privacy")
    func pieces() {
        let message = LogMessage("a \(1, as: "n")\("s", privacy: .private) b\(2.5)")
        #expect(
            message.pieces == [
                .literal("a "), .value(.integer(1), name: "n", privacy: .public),
                .value(.string("s"), name: nil, privacy: .private), .literal(" b"),
                .value(.double(2.5), name: nil, privacy: .public),
            ])
    }

    @Test("A name that occurs twice in a text gives its first value")
    func sameName() {
        #expect(LogMessage("\(1, as: "v") \(2, as: "v")").fields == ["v": 1])
    }

    @Test(
        "A text that was cut short, or overwritten with anything, is read without harm",
        arguments: 0..<Tier.amount(4, full: 20))
    func damagedBytes(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let original = LogText(
            "a \(1, as: "n") \("text", as: "t", privacy: .private) \(LogValue.array([1, ["k": "v"]]), as: "l") \(2.5)"
        ).bytes
        for _ in 0..<2000 {
            var bytes = Array(original.prefix(Int.random(in: 0...original.count, using: &generator)))
            for _ in 0..<Int.random(in: 0...4, using: &generator) where !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            let storage = MessageStorage()
            storage.fill(MessageParts(text: bytes, fields: bytes))
            let message = LogMessage(storage: storage)
            _ = (message.text, message.pieces, message.fields, message.metadata)
            _ = (LineFormatter().format(message), JSONLinesFormatter().format(message))
        }
    }
}
