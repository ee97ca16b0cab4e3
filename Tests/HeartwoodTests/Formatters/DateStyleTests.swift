import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Date styles", .inTurn)
struct DateStyleTests {
    private let moment = LogTimestamp(nanoseconds: 1_020_957_660_000_000_000)

    @Test("Each style writes the moment of the reference")
    func writing() {
        #expect(LogDateStyle.rfc822.string(from: moment) == "Thu, 09 May 2002 15:21:00 GMT")
        #expect(LogDateStyle.rfc3339.string(from: moment) == "2002-05-09T15:21:00Z")
        #expect(LogDateStyle.iso8601.string(from: moment) == "2002-05-09T15:21:00.000Z")
        #expect("\(moment)" == "2002-05-09T15:21:00.000Z" && moment.description == "\(moment)")
    }

    @Test(
        "RFC 822 is read with and without weekday, seconds and zone",
        arguments: [
            ("Thu, 09 May 2002 15:21:00 GMT", 1_020_957_660), ("Mon, 9 May 2002 15:21 GMT", 1_020_957_660),
            ("9 May 2002 15:21:00", 1_020_957_660), ("09 May 2002 15:21", 1_020_957_660),
            ("09 May 2002 17:21:00 +0200", 1_020_957_660), ("9 may 02 11:21:00 EDT", 1_020_957_660),
            ("Thursday, 9 May 2002 15:21:00 UT", 1_020_957_660), ("01 Jan 70 00:00 Z", 0),
            ("31 Dec 2016 23:59:60 GMT", 1_483_228_800),
            ("", nil), ("garbage", nil), ("Xyz, 09 May 2002 15:21:00 GMT", nil),
            ("32 May 2002 15:21:00 GMT", nil),
            ("30 Feb 2002 15:21:00 GMT", nil), ("09 May 2002", nil), ("09 May 2002 25:21:00 GMT", nil),
            ("09 May 2002 15:21:00 GMT x", nil), ("Thu 09 May 2002 15:21:00 GMT", 1_020_957_660),
            ("09 May 2002 15:21:00 +02", nil), ("09 May 2002 1521", nil),
        ] as [(String, Int?)])
    func rfc822(text: String, seconds: Int?) {
        #expect(LogDateStyle.rfc822.timestamp(from: text)?.wholeSeconds == seconds, "\(text)")
    }

    @Test(
        "RFC 3339 is read with and without fraction and zone",
        arguments: [
            ("2002-05-09T15:21:00Z", 1_020_957_660_000_000_000),
            ("2002-05-09t15:21:00z", 1_020_957_660_000_000_000),
            ("2002-05-09T15:21:00", 1_020_957_660_000_000_000),
            ("2002-05-09T15:21:00.123Z", 1_020_957_660_123_000_000),
            ("2002-05-09T17:21:00.5+02:00", 1_020_957_660_500_000_000),
            ("2002-05-09T17:21:00-0000", 1_020_964_860_000_000_000),
            ("2002-05-09 15:21:00Z", 1_020_957_660_000_000_000),
            ("1969-12-31T23:59:59.999999999Z", -1),
            ("2002-05-09T15:21:00.1234567891234Z", 1_020_957_660_123_456_789),
            ("", nil), ("2002-05-09", nil), ("2002-05-09T15:21Z", nil), ("20020509T152100Z", nil),
            ("2002-13-09T15:21:00Z", nil), ("2002-02-29T15:21:00Z", nil), ("2002-05-09T24:00:00Z", nil),
            ("2002-05-09T15:21:00+25:00", nil), ("2002-05-09T15:21:00Zx", nil),
            ("2002-05-09T15:21:00.Z", nil),
            ("2002-05-09T15:21:00+02", nil), ("x", nil),
        ] as [(String, Int64?)])
    func rfc3339(text: String, nanoseconds: Int64?) {
        #expect(LogDateStyle.rfc3339.timestamp(from: text)?.nanoseconds == nanoseconds, "\(text)")
    }

    @Test(
        "ISO 8601 is read in its basic and extended forms",
        arguments: [
            ("20020509T152100Z", 1_020_957_660), ("2002-05-09", 1_020_902_400), ("20020509", 1_020_902_400),
            ("2002-05-09T15:21", 1_020_957_660), ("20020509T1521", 1_020_957_660),
            ("2002-05-09T15", 1_020_956_400),
            ("2002-05-09T15:21:00,250+00", 1_020_957_660), ("20020509T172100+0200", 1_020_957_660),
            ("2002-05-09T24:00:00Z", 1_020_988_800), ("2002-129", nil), ("2002129", nil), ("2002-W19-4", nil),
            ("2002W194T152100Z", nil), ("2002", nil), ("2002-05", nil),
            ("2002-0509", nil), ("200205-09", nil), ("2002-05-09T1521:00", nil),
            ("2002-05-09T24:00:01Z", nil), ("T15", nil),
            ("٢٠٠٢-05-09", nil), ("9999-01-01", nil),
        ] as [(String, Int?)])
    func iso8601(text: String, seconds: Int?) {
        #expect(LogDateStyle.iso8601.timestamp(from: text)?.wholeSeconds == seconds, "\(text)")
    }

    @Test("What a style writes, it reads, for any moment that it can say", arguments: LogDateStyle.allCases)
    func roundTrip(style: LogDateStyle) {
        var random = SeededGenerator(seed: 8)
        for _ in 0..<3000 {
            // From 1700 to 2200.
            let seconds = Int64.random(in: -8_500_000_000...7_200_000_000, using: &random)
            let moment = LogTimestamp(nanoseconds: seconds * 1_000_000_000)
            let text = style.string(from: moment)
            #expect(style.timestamp(from: text) == moment, "\(text)")
        }
    }

    @Test("Bytes of any kind are read or refused, never a crash", arguments: LogDateStyle.allCases)
    func anything(style: LogDateStyle) {
        var random = SeededGenerator(seed: 9)
        let alphabet = Array("0123456789-:TZ+. ,WMayThuGMT\u{0}é")
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...24, using: &random)).map { _ in
                    alphabet.randomElement(using: &random) ?? " "
                })
            if let moment = style.timestamp(from: text) {
                #expect(style.timestamp(from: style.string(from: moment)) != nil, "\(text)")
            }
        }
    }
}
