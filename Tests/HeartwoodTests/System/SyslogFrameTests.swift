import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Messages in syslog's frames", .inTurn)
struct SyslogFrameTests {
    private static let moment = LogTimestamp(nanoseconds: 1_763_634_030_123_456_789)

    private func frame(
        _ format: SystemLogger.SyslogFormat, _ ending: SyslogFrame.Ending, namesHost: Bool = true,
        limit: Int = 0
    ) -> SyslogFrame {
        var options = SyslogFormatter.Options()
        (options.host, options.program, options.facility) = ("web1", "shop [x]", .local0)
        return SyslogFrame(format, ending: ending, namesHost: namesHost, limit: limit, options: options)
    }

    private func text(
        _ message: LogMessage, _ frame: SyslogFrame
    ) -> (text: String, isCut: Bool) {
        var output = LogBuffer()
        output.append("before")
        let result = frame.append(message, to: &output) {
            $0.appendText(of: message, privacy: .redact, escaping: .escape)
            return true
        }
        #expect(result.isWanted)
        return (String(output.text.dropFirst(6)), result.isCut)
    }

    /// `Nov 20 10:20:30` in the zone of this machine.
    private func stamp(_ moment: LogTimestamp) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "MMM"
        let calendar = Calendar.current
        let date = Date(timeIntervalSince1970: Double(moment.nanoseconds / 1_000_000_000))
        let parts = calendar.dateComponents([.day, .hour, .minute, .second], from: date)
        func two(_ number: Int?, _ fill: String) -> String {
            let text = String(number ?? -1)
            return text.count == 1 ? fill + text : text
        }
        let time = [parts.hour, parts.minute, parts.second].map { two($0, "0") }.joined(separator: ":")
        return "\(formatter.string(from: date)) \(two(parts.day, " ")) \(time)"
    }

    @Test("RFC 5424 as a datagram, on a line, and counted, is just these bytes")
    func new() {
        let message = LogMessage(
            "charged\n12.5", level: .error, category: LogCategory("payments"), metadata: ["order": 17],
            timestamp: SyslogFrameTests.moment)
        let expected =
            "<131>1 2025-11-20T10:20:30.123456Z web1 shop_[x] \(getpid()) payments"
            + " [heartwood@32473 order=\"17\"] charged\\n12.5"
        #expect(text(message, frame(.rfc5424, .datagram)).text == expected)
        #expect(text(message, frame(.rfc5424, .newline)).text == expected + "\n")
        #expect(text(message, frame(.rfc5424, .counted)).text == "\(expected.utf8.count) \(expected)")
    }

    @Test("RFC 3164, with the host and without, on the days of one digit too", arguments: [0, 8, 12, 200])
    func old(day: Int) {
        let moment = SyslogFrameTests.moment + .seconds(day * 86_400)
        let message = LogMessage(
            "charged\n12.5", level: .info, category: LogCategory("payments"), metadata: ["order": 17],
            timestamp: moment)
        let rest = "shop__x_[\(getpid())]: [payments] charged\\n12.5 {order=17}"
        let start = "<134>\(stamp(moment)) "
        #expect(text(message, frame(.rfc3164, .datagram)).text == "\(start)web1 \(rest)")
        #expect(text(message, frame(.rfc3164, .newline, namesHost: false)).text == "\(start)\(rest)\n")
        let whole = start + rest
        #expect(
            text(message, frame(.rfc3164, .counted, namesHost: false)).text == "\(whole.utf8.count) \(whole)")
        #expect(text(LogMessage("x", timestamp: moment), frame(.rfc3164, .datagram)).text.hasSuffix("]: x"))
    }

    @Test("What is too long is cut where a character ends, and never in the middle of the fields")
    func cut() {
        for format in [SystemLogger.SyslogFormat.rfc5424, .rfc3164] {
            for limit in [480, 481, 482, 483, 1024, 2048] {
                let message = LogMessage(
                    LogText(String(repeating: "€", count: 1000)), metadata: ["order": 17])
                let (whole, _) = text(message, frame(format, .datagram))
                let (cut, isCut) = text(message, frame(format, .datagram, limit: limit))
                #expect(isCut)
                #expect(cut.utf8.count <= limit && cut.utf8.count > limit - 3)
                #expect(whole.hasPrefix(cut))
                #expect(!cut.contains("\u{FFFD}"))
            }
        }
        let many = LogMetadata((0..<100).map { ("field\($0)", LogValue.string("value ] \($0)")) })
        let (text, isCut) = text(LogMessage("hello", metadata: many), frame(.rfc5424, .datagram, limit: 1024))
        #expect(isCut)
        #expect(text.hasSuffix(" - - hello"))
        let (short, isShortCut) = self.text(LogMessage("x"), frame(.rfc5424, .datagram, limit: 1))
        #expect(short.hasSuffix(" x") && !isShortCut, "less than 480 counts as 480")
    }

    @Test("The number in front counts the octets behind it, whatever they are")
    func counted() throws {
        var generator = SeededGenerator(seed: 3)
        for _ in 0..<Load.random(500) {
            let message = LogMessage(LogText(HostileText.random(&generator)))
            let (text, _) = text(message, frame(.rfc5424, .counted))
            let parts = text.split(separator: " ", maxSplits: 1)
            #expect(Int(parts[0]) == parts[1].utf8.count)
            #expect(!text.utf8.contains(0x0A))
        }
    }

    @Test("What a formatter has made stays on a line, and its backslashes stay as they are")
    func formatted() {
        var output = LogBuffer()
        output.append("a")
        output.append("b\\n\nc\u{1B}[31m")
        output.makeLine(from: 1)
        #expect(output.text == "ab\\n\\nc\\u{1b}[31m")
    }
}
