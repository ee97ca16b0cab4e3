import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Values out of Foundation's collections, which are objects.
@Suite(.inTurn) struct NumberObjectTests {
    private func log(_ value: Any) -> (text: String, json: String) {
        let recorder = RecordingLogger()
        let dispatcher = LogDispatcher()
        dispatcher.add(recorder)
        logInfo("\(value)", to: dispatcher)
        logInfo("\(value, as: "v")", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        let json = JSONLinesFormatter().format(recorder.messages[1]) ?? ""
        let field =
            json.range(of: "\"v\":").map { json[$0.upperBound...].prefix { !",}".contains($0) } } ?? "none"
        return (recorder.messages[0].text, String(field))
    }

    @Test("A number out of JSON is written as the integer, the fraction or the Boolean that it is")
    func json() throws {
        let text =
            #"{"a":3,"b":true,"c":1.5,"d":18446744073709551615,"e":-9007199254740993,"f":false,"g":0,"h":1}"#
        let values = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        let expected = [
            "a": "3", "b": "true", "c": "1.5", "d": "18446744073709551615", "e": "-9007199254740993",
            "f": "false",
            "g": "0", "h": "1",
        ]
        for (key, want) in expected {
            let written = log(try #require(values[key]))
            #expect(written == (want, want), "\(key)")
        }
    }

    @Test("A number object of each kind keeps its kind")
    func objects() {
        let rows: [(Any, String)] = [
            (NSNumber(value: 12_345_678), "12345678"), (NSNumber(value: Int8(-65)), "-65"),
            (NSNumber(value: UInt64.max), "18446744073709551615"), (NSNumber(value: true), "true"),
            (NSNumber(value: 2.5), "2.5"), (NSNumber(value: Float(0.1)), "0.1"),
            (NSDecimalNumber(string: "1.10"), "1.1"),
            (NSDecimalNumber(string: "12345678901234567890123"), "12345678901234567890123"),
        ]
        for (value, want) in rows { #expect(log(value) == (want, want)) }
        #expect(log(NSString("text")).text == "text" && log([1, 2] as NSArray).text.contains("1"))
    }

    @Test("The size of a file is an integer, and Swift's own values are what they were")
    func others() throws {
        let attributes = try FileManager.default.attributesOfItem(atPath: "/")
        let size = try #require(attributes[.size])
        #expect(Int(log(size).text) != nil)
        #expect(log(3.0).text == "3.0" && log(true).text == "true" && log(Int8(3)).text == "3")
        #expect(log(Optional<Any>.some(NSNumber(value: 7)) as Any).text.contains("7"))
    }

    @Test("A date in Swift's form is what Swift writes, also before 1970 and with fractions of a second")
    func dates() {
        for seconds in [0, 1_700_000_000.999, -1, -0.5, -1.5, 951_868_799] as [Double] {
            let date = Date(timeIntervalSince1970: seconds)
            #expect(LogMessage("\(date, format: .swift)").text == "\(date)")
        }
    }
}
