import Foundation
import Heartwood
import HeartwoodConfiguration
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// Each key of a configuration sets the property of its name, and no other.
@Suite(.inTurn) struct HTTPSettingsTableTests {
    init() { LogConfiguration.register(.http) }

    private func properties(of logger: HTTPLogger) -> [String: String] {
        [
            "sendInterval": "\(logger.sendInterval)",
            "backgroundInterval": "\(String(describing: logger.backgroundInterval))",
            "jitter": "\(logger.jitter)", "levelWeights": "\(logger.levelWeights)",
            "pointThreshold": "\(String(describing: logger.pointThreshold))",
            "countThreshold": "\(String(describing: logger.countThreshold))",
            "maximumMessagesPerRequest": "\(String(describing: logger.maximumMessagesPerRequest))",
            "maximumBytesPerRequest": "\(logger.maximumBytesPerRequest)",
            "requestTimeout": "\(logger.requestTimeout)",
            "compressionLevel": "\(logger.compressionLevel)",
            "maximumMessageSize": "\(logger.maximumMessageSize)", "privacy": "\(logger.privacy)",
            "isPaused": "\(logger.isPaused)", "userName": "\(String(describing: logger.userName))",
            "spoolLimit": "\(logger.spoolSettings.maximumBytes)",
            "spoolMaximumAge": "\(String(describing: logger.spoolSettings.maximumAge))",
            "spoolOverflow": "\(logger.spoolSettings.overflow)",
            "spoolSynchronizes": "\(logger.spoolSettings.synchronizes)",
            "saveDelay": "\(logger.saveDelay)", "deadLetterLimit": "\(logger.deadLetterLimit)",
            "flushWait": "\(String(describing: logger.flushWait))", "exitWait": "\(logger.exitWait)",
        ]
    }

    private func logger(_ extra: String) throws -> HTTPLogger {
        let configuration = try LogConfiguration(
            parsing: """
                {"loggers": {"r": {"kind": "http", "url": "https://a.example", "encoding": "json"\(extra)}}}
                """)
        let dispatcher = LogDispatcher()
        defer { dispatcher.removeAll() }
        try configuration.apply(to: dispatcher)
        return try #require(dispatcher.configuredLogger(named: "r") as? HTTPLogger)
    }

    @Test(
        "Each setting of a remote logger sets its own property alone",
        arguments: [
            ("sendInterval", "7s"), ("backgroundInterval", "8s"), ("jitter", "0.5"), ("pointThreshold", "3"),
            ("countThreshold", "4"), ("maximumMessagesPerRequest", "5"),
            ("maximumBytesPerRequest", "\"6 KiB\""),
            ("requestTimeout", "9s"), ("compressionLevel", "2"), ("maximumMessageSize", "\"11 KiB\""),
            ("privacy", "\"reveal\""), ("isPaused", "true"), ("userName", "\"ann\""),
            ("spoolLimit", "\"12 MiB\""),
            ("spoolMaximumAge", "13s"), ("spoolOverflow", "\"dropNewest\""), ("spoolSynchronizes", "true"),
            ("saveDelay", "14s"), ("deadLetterLimit", "\"15 KiB\""), ("flushWait", "16s"),
            ("exitWait", "17s"),
        ])
    func alone(key: String, value: String) throws {
        let before = properties(of: try logger(""))
        let text = value.hasSuffix("s") ? "\"\(value)\"" : value
        let after = properties(of: try logger(", \"\(key)\": \(text)"))
        let changed = after.filter { before[$0.key] != $0.value }.map(\.key)
        #expect(changed == [key])
        #expect(Set(before.keys).contains(key))
    }

    @Test("All three ways of dropping unsent messages can be configured, and a wrong one is named")
    func spoolOverflow() throws {
        for (text, expected) in [
            ("\"dropOldest\"", SpoolOverflow.dropOldest), ("\"dropNewest\"", .dropNewest),
            ("{\"dropBelow\": \"warning\"}", .dropBelow(.warning)),
        ] {
            #expect(try logger(", \"spoolOverflow\": \(text)").spoolSettings.overflow == expected)
        }
        for wrong in ["\"dropBelow\"", "{\"dropBelow\": \"loud\"}", "{\"block\": \"1s\"}", "{}"] {
            let error = #expect(throws: LogConfigurationError.self) {
                try logger(", \"spoolOverflow\": \(wrong)")
            }
            #expect(error?.problems.allSatisfy { $0.path.contains("spoolOverflow") } == true)
        }
    }
}
