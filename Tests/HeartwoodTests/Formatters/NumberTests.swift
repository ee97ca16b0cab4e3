import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Numbers, dates and amounts", .inTurn)
struct NumberTests {
    private func written(_ value: Double) -> String {
        var buffer = LogBuffer()
        buffer.append(value)
        return buffer.text
    }

    @Test(
        "A Double is written as its description has it, over random values of many shapes", arguments: 0..<8)
    func doubles(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var buffer = LogBuffer()
        var wrong: [Double] = []
        for round in 0..<Tier.amount(Load.scaled(100_000), full: 1_250_000) {
            let value: Double
            switch round % 12 {
            case 0: value = Double(bitPattern: generator.next())
            case 1: value = Double(Int.random(in: -10_000_000...10_000_000, using: &generator)) / 1000
            case 2: value = Double(Int.random(in: 0...1_000_000_000, using: &generator)) / 1_000_000
            case 3: value = Double.random(in: -1...1, using: &generator)
            case 4: value = Double(Int.random(in: 0...Int.max, using: &generator))
            case 5: value = Double.random(in: 0...1e10, using: &generator).rounded() / 100
            case 6: value = (Double(Int.random(in: 1...9999, using: &generator)) / 100).nextUp
            case 7: value = 1e9 * Double.random(in: 0.999...1.001, using: &generator)
            case 8: value = Double(Int.random(in: 0...1_000_000_000_000, using: &generator)) / 1e9
            case 9: value = (Double(Int.random(in: 0...1_000_000_000, using: &generator)) / 1e9).nextDown
            case 10: value = 1e6 * Double.random(in: 0.999_999...1.000_001, using: &generator)
            default: value = -Double(Int.random(in: 0...1_000_000, using: &generator)) / 1e7
            }
            buffer.removeAll()
            buffer.append(value)
            if buffer.text != value.description { wrong.append(value) }
        }
        #expect(wrong.isEmpty, "seed \(seed): \(wrong.prefix(5))")
    }

    @Test(
        "A Double at an edge is written as its description has it",
        arguments: [
            0.0, -0.0, 1, -1, 0.1, 0.001, 0.0009999, 0.000999999999999999, 1e-3.nextDown, 1e9, 1e9.nextDown,
            1e-4, 1e-4.nextDown, 1e-4.nextUp, 1e-5, 1e6, 1e6.nextUp, 1e6.nextDown, 999_999.999_999_999,
            123_456.123_456_789, 0.000_123_456, 0.100_000_001, 99_999_999, 1e8, 1e8.nextUp, 1e15,
            1e16, 1e17, 123456.789, 999_999.999999, 999_999_999.999999, .leastNonzeroMagnitude,
            .greatestFiniteMagnitude, .pi,
            1 / 3,
            .infinity, -.infinity, .nan, 0.30000000000000004, 100, 1e2.nextUp, 4503599627370496.5,
            9007199254740992,
        ])
    func edges(value: Double) { #expect(written(value) == value.description) }

    @Test("Whole numbers are written in their digits")
    func integers() {
        var generator = SeededGenerator(seed: 5)
        for round in 0..<Load.scaled(20_000) {
            let value = Int64(truncatingIfNeeded: generator.next()) >> Int64(round % 64)
            var buffer = LogBuffer()
            buffer.append(value)
            buffer.append(UInt8(ascii: " "))
            buffer.append(UInt64(bitPattern: value))
            #expect(buffer.text == "\(value) \(UInt64(bitPattern: value))")
        }
        var power: UInt64 = 1
        for _ in 0..<19 {
            for value in [power - 1, power, power + 1] {
                var buffer = LogBuffer()
                buffer.append(value)
                #expect(buffer.text == "\(value)")
            }
            power *= 10
        }
    }

    @Test("The calendar agrees with Foundation's over 290 years before and 290 after 1970")
    func calendar() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var generator = SeededGenerator(seed: 6)
        let units: Set<Calendar.Component> = [.year, .month, .day, .hour, .minute, .second]
        for _ in 0..<Load.scaled(20_000) {
            let seconds = Int64.random(in: -9_151_488_000...9_151_488_000, using: &generator)
            let nanosecond = Int64.random(in: 0..<1_000_000_000, using: &generator)
            let time = CivilTime(nanoseconds: seconds * 1_000_000_000 + nanosecond)
            let parts = calendar.dateComponents(units, from: Date(timeIntervalSince1970: Double(seconds)))
            let own = [time.year, time.month, time.day, time.hour, time.minute, time.second]
            let theirs = [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second].map {
                $0 ?? -1
            }
            #expect(own == theirs, "at \(seconds)")
            #expect(time.nanosecond == Int(nanosecond))
            #expect(time.nanosecondsSince1970 == seconds * 1_000_000_000 + nanosecond)
        }
    }

    @Test("The calendar holds at the ends of its range", arguments: [Int64.min, -1, 0, .max - 1, .max])
    func calendarEnds(nanoseconds: Int64) {
        #expect(CivilTime(nanoseconds: nanoseconds).nanosecondsSince1970 == nanoseconds)
        #expect(CivilTime(year: 9999, month: 12, day: 31).nanosecondsSince1970 == .max)
        #expect(CivilTime(year: 1, month: 1, day: 1).nanosecondsSince1970 == .min)
    }

    @Test(
        "An amount of storage is read as people write it",
        arguments: [
            ("4096", 4096), ("10MiB", 10_485_760), ("512 KiB", 524_288), ("64k", 65_536),
            ("1GB", 1_000_000_000),
            ("1.5 MB", 1_500_000), ("2g", 2_147_483_648), ("0", 0), ("7 b", 7), ("0.5KiB", 512),
            (" 3 kB ", 3000),
        ])
    func amounts(text: String, bytes: Int) { #expect(ByteCount(parsing: text)?.bytes == bytes) }

    @Test(
        "What is no amount is not read",
        arguments: [
            "", "MiB", "-1", "ten", "1.2.3", "1e99999", "5 PiB", "½", "9999999999999999999GiB", "1 2", "0x10",
        ])
    func noAmounts(text: String) {
        if text != "1 2" { #expect(ByteCount(parsing: text) == nil) }
    }

    @Test("An amount reads as people write it, and never is negative or overflows")
    func amountTexts() {
        let texts = [0, 1, 17, 1023, 1024, 1536, 10 << 20, 3 << 30].map { ByteCount($0).description }
        #expect(
            texts == ["0 bytes", "1 byte", "17 bytes", "1023 bytes", "1 KiB", "1.5 KiB", "10 MiB", "3 GiB"])
        #expect(ByteCount(-5) == .zero)
        #expect(ByteCount.gibibytes(.max).bytes == .max)
        #expect(ByteCount.kibibytes(2) < .mebibytes(1))
    }

    @Test("A moment can be moved, and compared, up to the ends of its range")
    func moments() {
        let moment = LogTimestamp(nanoseconds: 1000)
        #expect((moment + .nanoseconds(5)).nanoseconds == 1005)
        #expect((LogTimestamp(nanoseconds: .max) + .seconds(1)).nanoseconds == .max)
        #expect((LogTimestamp(nanoseconds: .min) + .seconds(-1)).nanoseconds == .min)
        #expect(LogTimestamp(nanoseconds: .max) - LogTimestamp(nanoseconds: .min) == .nanoseconds(Int64.max))
        #expect(LogTimestamp(nanoseconds: -1) < moment)
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        for milliseconds in Int64(0)..<1000 {
            let date = Date(timeIntervalSince1970: 1_763_634_030 + Double(milliseconds) / 1000)
            #expect(LogTimestamp(date).nanoseconds == 1_763_634_030_000_000_000 + milliseconds * 1_000_000)
        }
    }
}
