import Foundation
import SuiteSupport
import Testing

@testable import Heartwood

/// The ways of writing that look at many bytes at once: they write what the slow ways do.
@Suite(.inTurn) struct FastPathTests {
    @Test("Every byte is escaped in JSON wherever it is in a text, or needs no escape there")
    func everyByteEverywhere() {
        for length in Array(1...19) + [31, 32, 33, 40] {
            for place in 0..<length {
                for byte in UInt8(0)...0x7F {
                    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    bytes[place] = byte
                    var buffer = LogBuffer()
                    bytes.withUnsafeBytes { buffer.append(json: $0) }
                    let inside = buffer.text.dropFirst().dropLast()
                    let needsEscape = byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x7F
                    #expect((inside.utf8.count > length) == needsEscape, "\(byte) at \(place) of \(length)")
                    let data = Data(buffer.text.utf8)
                    let read = try? JSONDecoder().decode(String.self, from: data)
                    #expect(read.map { Array($0.utf8) } == bytes, "\(byte) at \(place) of \(length)")
                }
            }
        }
    }

    @Test("Every byte that a line must not have is escaped wherever it is in a text, and no other")
    func everyByteInLines() {
        for length in [0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 40] {
            for place in 0..<length {
                for byte in UInt8(0)...0x7F {
                    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    bytes[place] = byte
                    let isSafe = !bytes.withUnsafeBytes { LogBuffer.needsEscaping($0) }
                    #expect(
                        isSafe == (byte >= 0x20 && byte != 0x5C && byte != 0x7F),
                        "\(byte) at \(place) of \(length)")
                }
            }
        }
    }

    @Test("The greatest number of each length, and the smallest, is written in its digits", arguments: 1...19)
    func powersOfTen(exponent: Int) {
        let power = (0..<exponent).reduce(UInt64(1)) { product, _ in product * 10 }
        for number in [power - 1, power, power + 1] {
            var buffer = LogBuffer()
            buffer.append(number)
            #expect(buffer.text == "\(number)")
        }
    }

    @Test("A second's text is written for the moments of this second only, in a buffer of many messages")
    func seconds() {
        let moments: [Int64] = [
            1_763_634_030_000_000_000, 1_763_634_030_999_999_999, 1_763_634_031_000_000_000,
            1_763_634_030_500_000_000, 0, -1, 999_999_999, 1_000_000_000, 1_763_634_030_000_000_001,
        ]
        var buffer = LogBuffer(capacity: 16)
        for nanoseconds in moments + moments.reversed() {
            let moment = LogTimestamp(nanoseconds: nanoseconds)
            var fresh = LogBuffer()
            fresh.append(rfc3339: moment)
            let start = buffer.count
            buffer.append(rfc3339: moment)
            #expect(String(buffer.text.utf8.dropFirst(start)) == fresh.text)
            if nanoseconds == 0 { buffer.removeAll() }
        }
    }

    @Test("A named value becomes a field wherever it is in the text, and however it is written")
    func namedValues() throws {
        let messages: [LogMessage] = [
            LogMessage("\(1, as: "n")"), LogMessage("a \(2) \(1.5) \("s") \(1, as: "n")"),
            LogMessage("a \(true) \(1, as: "n") b"), LogMessage("\(1, as: "n") a \(2)"),
            LogMessage("a \(7, format: .hex) \(1, as: "n")"),
        ]
        for message in messages {
            let text = try #require(JSONLinesFormatter().format(message))
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            #expect(object?["n"] as? Int == 1, "\(text)")
        }
        let plain = try #require(JSONLinesFormatter().format(LogMessage("a \(2) \(1.5) \("s") b")))
        #expect(plain.contains("\"a 2 1.5 s b\""))
    }

    @Test("A character that is not ASCII is written in JSON wherever it is", arguments: 0..<18)
    func notASCII(place: Int) throws {
        let text = String(repeating: "a", count: place) + "é" + String(repeating: "b", count: 18 - place)
        var buffer = LogBuffer()
        buffer.append(json: text)
        #expect(buffer.text == "\"\(text)\"")
        let broken = Array(text.utf8.prefix(place + 1))
        var replaced = LogBuffer()
        broken.withUnsafeBytes { replaced.append(json: $0) }
        #expect(replaced.text.hasSuffix("a\\ufffd\"") || place == 0, "a part of a character")
        #expect(replaced.text.hasSuffix("\\ufffd\""))
    }

    @Test(
        "Times are written to the nanosecond, also in years without four digits",
        arguments: [
            (0, "1970-01-01T00:00:00.000000000Z"), (-1, "1969-12-31T23:59:59.999999999Z"),
            (1_763_634_030_123_456_789, "2025-11-20T10:20:30.123456789Z"),
            (Int64.max, "2262-04-11T23:47:16.854775807Z"), (Int64.min, "1677-09-21T00:12:43.145224192Z"),
        ] as [(Int64, String)])
    func times(nanoseconds: Int64, expected: String) {
        var buffer = LogBuffer()
        buffer.append(rfc3339: LogTimestamp(nanoseconds: nanoseconds))
        #expect(buffer.text == expected)
    }

    @Test("A day and a time are the same in one step and in parts", arguments: [0, 9, 99, 999, 9999, 12_345])
    func dateAndSeconds(year: Int) {
        var time = CivilTime(nanoseconds: 1_000_000_000)
        (time.year, time.month, time.day, time.hour, time.minute, time.second) = (year, 12, 31, 23, 59, 8)
        var step = LogBuffer()
        step.append(dateAndSeconds: time)
        var parts = LogBuffer()
        parts.append(date: time)
        parts.append(UInt8(ascii: "T"))
        parts.append(seconds: time)
        #expect(step.text == parts.text)
    }

    @Test("A list of names has each once, however many there are")
    func names() {
        var list = NameList()
        let names =
            (0..<200).map { "n\($0)" } + ["", "a", "b", "ab", "ba", "é", String(repeating: "x", count: 300)]
        for name in names { #expect(!list.contains(name), "\(name)") }
        for name in names {
            let isNew = list.insert(name)
            #expect(isNew, "\(name)")
        }
        for name in names {
            #expect(list.contains(name), "\(name)")
            let isNew = list.insert(name)
            #expect(!isNew, "\(name)")
        }
        #expect(!list.contains("n200"))
        #expect(NameList(["time", "level"]).contains("level"))
    }

    @Test("An object with a hundred fields has each once, and the formatter's own keys stay its own")
    func manyFields() throws {
        var metadata = LogMetadata()
        for number in 0..<100 { metadata["field\(number)"] = .integer(Int64(number)) }
        metadata["level"] = "mine"
        let message = LogMessage("x \(1, as: "level") \(2, as: "field7")", metadata: metadata)
        let text = JSONLinesFormatter().format(message) ?? ""
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["level"] as? String == "info")
        #expect(object["_level"] as? Int == 1)
        #expect(object["__level"] as? String == "mine")
        #expect(object["field7"] as? Int == 2)
        #expect(object["_field7"] as? Int == 7)
        #expect(object["field99"] as? Int == 99)
        #expect(object.keys.filter { $0.contains("field") }.count == 101)
    }

    @Test("Secrets in the names of files and functions are taken out of JSON, too")
    func redaction() throws {
        let message = LogMessage("x", file: "Shop/ann@example.org.swift", function: "a\"b(_:)", line: 3)
        var buffer = LogBuffer()
        buffer.redaction = .standard
        _ = JSONLinesFormatter().format(message, into: &buffer)
        #expect(!buffer.text.contains("ann@example.org"))
        let plain = JSONLinesFormatter().format(message) ?? ""
        #expect(
            plain.contains("\"file\":\"Shop/ann@example.org.swift\",\"line\":3,\"function\":\"a\\\"b(_:)\""))
    }
}
