import Foundation
import CoreFixtures
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodConfiguration

/// Input of any kind for everything that reads settings: it is read or refused, and neither traps nor hangs.
@Suite("Settings from any bytes", .inTurn)
struct ConfigurationFuzzTests {
    /// A binary property list of lists, each of which names the next one several times.
    private static func bomb(depth: Int, references: Int, isCircular: Bool = false) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [Int] = []
        for number in 0..<depth {
            offsets.append(bytes.count)
            bytes.append(0xA0 | UInt8(references))
            bytes += Array(repeating: UInt8(number + 1), count: references)
        }
        offsets.append(bytes.count)
        if isCircular { bytes += [0xA1, 0] } else { bytes += [0x51, UInt8(ascii: "x")] }
        let table = bytes.count
        for offset in offsets { bytes += [UInt8(offset >> 8), UInt8(offset & 255)] }
        func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(value).bigEndian, Array.init) }
        return bytes + [0, 0, 0, 0, 0, 0, 2, 1] + number(offsets.count) + number(0) + number(table)
    }

    private func outcome(_ bytes: [UInt8]) -> String {
        do throws(LogConfigurationError) {
            _ = try PropertyListReader.read(bytes, source: "x.plist")
            return "read"
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "A binary property list whose references stand for more values than there are atoms is refused at once"
    )
    func bombs() {
        for (depth, references) in [(40, 2), (60, 2), (20, 14), (200, 2), (6, 14), (250, 14)] {
            let bytes = Self.bomb(depth: depth, references: references)
            #expect(
                bytes.count < 5000 && outcome(bytes).contains("more than 100,000 values"),
                "\(depth) \(references)")
        }
        #expect(!outcome(Self.bomb(depth: 3, references: 2, isCircular: true)).isEmpty)
        #expect(outcome(Self.bomb(depth: 3, references: 2)) == "read")
        #expect(outcome(Self.bomb(depth: 10, references: 2)) == "read")
    }

    @Test("An ordinary binary property list is read, whatever its size")
    func ordinary() throws {
        let list =
            ["loggers": ["c": ["kind": "console"]], "names": Array(repeating: "same", count: 5000)]
            as [String: Any]
        let data = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        #expect(outcome(Array(data)) == "read")
        #expect(BinaryPropertyList.size(of: Array(data), limit: 100_000) == 5009)
    }

    /// Bytes with some of them changed, left out, doubled or put elsewhere.
    private func damaged(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(bytes[index], at: index)
            case 3: bytes.removeSubrange(index...)
            case 4: bytes[index] = [0, 0xFF, 0x7F, 0x80, 0xF0, 0x1F].randomElement(using: &random) ?? 0
            default: bytes += bytes[index...].prefix(16)
            }
        }
        return bytes
    }

    @Test("Damaged property lists and JSON are read or refused, and what is read is applied or refused")
    func files() throws {
        var random = SeededGenerator(seed: 13)
        let list: [String: Any] = [
            "loggers": ["c": ["kind": "console", "level": "info", "backlogLimit": "1 MiB"]],
            "categories": ["net.*": "debug"], "level": "notice", "n": 1.5, "f": true,
            "l": [1, 2, ["x": "y"]],
        ]
        let binary = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
        let xml = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        let json = try JSONSerialization.data(withJSONObject: list)
        for data in [binary, xml, json, Data(Self.bomb(depth: 30, references: 3))] {
            for _ in 0..<Load.random(300) {
                let bytes = damaged(Array(data), &random)
                try? LogConfiguration(bytes: bytes, name: "x").check()
            }
        }
    }

    private static let extremes = [
        "", " ", "-", "-1", "0", "00", "1e400", "1e-400", "9223372036854775807", "9223372036854775808",
        "-9223372036854775808", "18446744073709551616", "99999999999999999999999999999GiB", "9e18", "8EiB",
        "1.5.5 KB",
        ".", ".5", "5.", "nan", "inf", "٣ KiB", "1\u{0}", "10 MiB10", "1e3", "0x10", "+5", "½ GB",
        "9007199254740993",
        "8589934592GiB", "8589934591GiB", "106751991167d", "9e9s", "1 fortnight", "-5m", "-0.0s", "1e308w",
    ]

    @Test("Sizes, times, levels and numbers of any kind are read or refused", arguments: extremes)
    func values(text: String) {
        if let size = ByteCount(parsing: text) { #expect(size.bytes >= 0) }
        _ = ByteCount(Int.max) * Int.max
        _ = LogLevel(named: text)
        for quoted in ["\"\(text)\"", text] {
            let json = """
                {"level": \(quoted), "loggers": {"c": {"kind": "console", "backlogLimit": \(quoted), "level": \(quoted)},
                 "m": {"kind": "memory", "capacity": \(quoted)}, "f": {"kind": "file", "directory": "/tmp/x",
                 "rollingInterval": \(quoted), "maximumFileSize": \(quoted), "maximumFileCount": \(quoted),
                 "naming": {"application": \(quoted)}}}, "synchronousTimeout": \(quoted)}
                """
            try? LogConfiguration(bytes: Array(json.utf8), name: "x").check()
        }
    }

    @Test(
        "Patterns, date layouts and level rules of random pieces are compiled or refused, and then write something"
    )
    func patterns() {
        var random = SeededGenerator(seed: 17)
        let pieces = [
            "{", "}", "{{", "}}", "{time", ":", "yyyy", "SSSSSSSSSS", "'", "{message", "<", ">", "^",
            "9999999999999999999",
            "-9223372036854775808", "{level:>", "{field:", "x", "$D", "$d", "$M", "$L", "é", "\u{0}", "%",
            "\\", "{utc:", "*",
            ".", "{thread:.", "$", ",", "=", "debug",
        ]
        let message = LogMessage("text \(5, as: "x")")
        for _ in 0..<Load.random(3000) {
            let text = (0..<Int.random(in: 1...8, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            _ = try? PatternFormatter(text).format(message)
            _ = try? LogFormatter.swiftyBeaver(text).format(message)
            var rules = LevelRules(separator: ".")
            rules.set(.info, for: NamePattern(text))
            _ = rules.levels(of: text)
        }
    }
}
