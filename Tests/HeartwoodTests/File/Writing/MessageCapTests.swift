import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Threat T9: one message cannot fill the disk.
@Suite(.inTurn) struct MessageCapTests {
    private let scratch = Scratch()

    private func lines(
        _ limit: ByteCount?, _ formatter: LogFormatter?, _ log: (LogDispatcher) -> Void
    ) async throws -> [String] {
        let naming = LogFileNaming(application: "t")
        let logger = try FileLogger(
            directory: scratch.logs, settings: FileSettings(naming: naming), formatter: formatter)
        if let limit { logger.maximumMessageSize = limit }
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        dispatcher.add(logger)
        log(dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        return Array(scratch.lines(naming).dropLast())
    }

    /// The number in the mark at the end.
    private func omitted(_ line: String) throws -> Int {
        let mark = try #require(line.range(of: "…[truncated "))
        return try #require(Int(line[mark.upperBound...].prefix { $0.isNumber }))
    }

    @Test("A message of 64 KiB is written whole, one of a byte more is cut, and says of how much")
    func standard() async throws {
        let whole = String(repeating: "x", count: 65_536)
        let lines = try await lines(nil, nil) {
            logInfo("\(whole)", to: $0)
            logInfo("\(whole)y", to: $0)
        }
        #expect(lines[0] == whole)
        let omitted = try omitted(lines[1])
        #expect(lines[1] == String(repeating: "x", count: 65_537 - omitted) + "…[truncated \(omitted) bytes]")
        #expect(lines[1].utf8.count <= 65_536 && omitted < 200)
    }

    @Test(
        "Without a limit nothing is cut; a limit that is too small for a mark is a larger one",
        arguments: [0, 1, 256])
    func limits(_ limit: Int) async throws {
        let text = String(repeating: "x", count: 200_000)
        let lines = try await lines(ByteCount(limit), LineFormatter()) { logInfo("\(text)", to: $0) }
        if limit == 0 {
            #expect(lines[0].hasSuffix(text))
        } else {
            #expect(lines[0].utf8.count <= 256 && lines[0].contains("xxx…[truncated "))
        }
    }

    @Test(
        "A text is cut between characters, however large they are", arguments: ["é", "👩‍👩‍👧‍👦", "日本", "e\u{301}"])
    func characters(_ character: String) async throws {
        let text = String(repeating: character, count: 300)
        for limit in 256..<300 {
            let (kept, omitted) = Truncation.split(text, at: limit)
            #expect(kept.utf8.count + omitted == text.utf8.count && kept.utf8.count <= limit)
            #expect(text.hasPrefix(kept) && limit - kept.utf8.count < 30)
            #expect(kept.count * character.utf8.count == kept.utf8.count * character.count)
        }
        let endless = "e" + String(repeating: "\u{301}", count: 500)
        #expect(Truncation.split(endless, at: 400).kept.utf8.count == 399)
    }

    @Test(
        "JSON stays JSON, with the fields while they fit, and says what is missing", arguments: [300, 20_000])
    func json(_ size: Int) async throws {
        let text = String(repeating: "\"\u{1b}", count: 5000)
        let lines = try await lines(.bytes(2000), JSONLinesFormatter()) {
            logInfo(
                "number \(17, as: "id") \(text)",
                metadata: ["large": .string(String(repeating: "m", count: size))], to: $0)
        }
        #expect(lines.count == 1 && lines[0].utf8.count <= 2000)
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any])
        let shown = String(describing: object)
        #expect(shown.contains("[truncated "))
        #expect(shown.contains("mmm") == (size == 300))
        #expect(shown.contains("number 17"))
    }

    @Test("Fields that are left out count among the bytes that the mark says are missing")
    func omittedFields() async throws {
        let value = LogValue.string(String(repeating: "m", count: 5000))
        let lines = try await lines(.bytes(1000), JSONLinesFormatter()) {
            logInfo("short", metadata: ["large": value], to: $0)
        }
        #expect(lines.count == 1 && lines[0].contains("short") && !lines[0].contains("mmm"))
        #expect(try omitted(lines[0]) == "large".utf8.count + "\(value)".utf8.count)
    }

    @Test(
        "A message that is cut shows no private value, in its text or its fields", arguments: [true, false])
    func privateValues(isJSON: Bool) async throws {
        let formatter: LogFormatter = isJSON ? JSONLinesFormatter() : LogfmtFormatter()
        let text = String(repeating: "x", count: 5000)
        let lines = try await lines(.bytes(1000), formatter) {
            logInfo("\("hunter2", as: "password", privacy: .private) \(text)", to: $0)
        }
        #expect(lines.count == 1 && lines[0].contains("truncated") && lines[0].contains("password"))
        #expect(!lines[0].contains("hunter2"), "\(lines)")
    }

    @Test("A formatter that makes as much of any message has its output cut")
    func stubborn() async throws {
        final class Stubborn: LogFormatter, @unchecked Sendable {
            override func format(_ message: LogMessage) -> String? { String(repeating: "z", count: 1000) }
        }
        let lines = try await lines(.bytes(500), Stubborn()) { logInfo("short", to: $0) }
        let omitted = try omitted(lines[0])
        #expect(lines[0] == String(repeating: "z", count: 1000 - omitted) + "…[truncated \(omitted) bytes]")
        #expect(lines[0].utf8.count <= 500)
    }
}
