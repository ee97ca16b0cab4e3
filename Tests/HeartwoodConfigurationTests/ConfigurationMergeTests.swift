import CoreFixtures
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodConfiguration

@Suite("Merging of settings", .inTurn)
struct ConfigurationMergeTests {
    @Test(
        "The later one wins, key by key and however deep",
        arguments: [
            // GI3: the file of the environment wins, key by key.
            (["a": 1, "b": 2], ["b": 3, "c": 4], ["a": 1, "b": 3, "c": 4]),
            (["a": ["b": ["c": 1, "d": 2]]], ["a": ["b": ["d": 3]]], ["a": ["b": ["c": 1, "d": 3]]]),
            (["a": [1, 2]], ["a": [3]], ["a": [3]]),
            (["a": ["b": 1]], ["a": 2], ["a": 2]),
            (["a": 2], ["a": ["b": 1]], ["a": ["b": 1]]),
            (["a": 1, "b": 2], ["a": nil], ["b": 2]),
            (["a": 1], ["b": nil], ["a": 1]),
            (["a": 1], [:], ["a": 1]),
            ([:], ["a": 1], ["a": 1]),
            (
                ["x": ["kind": "file", "directory": "d"]], ["x": ["level": "off"]],
                ["x": ["kind": "file", "directory": "d", "level": "off"]]
            ),
            (
                ["x": ["kind": "file", "directory": "d"]], ["x": ["kind": "console"]],
                ["x": ["kind": "console"]]
            ),
            (
                ["x": ["kind": "file", "directory": "d"]], ["x": ["kind": "file"]],
                ["x": ["kind": "file", "directory": "d"]]
            ),
        ] as [(LogSetting, LogSetting, LogSetting)])
    func merge(first: LogSetting, second: LogSetting, result: LogSetting) {
        var merged = first
        merged.merge(second)
        #expect(merged == result)
    }

    @Test("Keys keep their places in the order")
    func order() {
        var merged: LogSetting = ["b": 1, "a": 2]
        merged.merge(["c": 1, "a": 3, "b": 2])
        #expect(merged.members?.map(\.key) == ["b", "a", "c"])
    }

    @Test("A path of keys reads, sets, makes and takes away")
    func paths() {
        var configuration: LogConfiguration = ["loggers": ["file": ["kind": "file"]]]
        #expect(configuration["loggers", "file", "kind"] == "file")
        configuration["loggers", "file", "level"] = "debug"
        configuration["loggers", "console", "kind"] = "console"
        configuration["loggers", "file", "kind"] = nil
        #expect(
            configuration
                == ["loggers": ["file": ["level": "debug"], "console": ["kind": "console"]]])
        #expect(configuration["nothing", "there"] == nil)
    }

    @Test(
        "The overlay's name has the environment in front of its ending",
        arguments: [
            ("logging.json", "logging.dev.json"), ("/etc/a.b/logging.json", "/etc/a.b/logging.dev.json"),
            ("/etc/a.b/logging", "/etc/a.b/logging.dev"), (".logging", ".logging.dev"),
            ("Configuration.plist", "Configuration.dev.plist"),
        ])
    func overlayName(path: String, overlay: String) {
        #expect(LogConfiguration.overlayPath(path, "dev") == overlay)
    }

    @Test("What is written as JSON is read as the same")
    func json() throws {
        let configuration: LogConfiguration = [
            "level": "info", "loggers": ["a \"b\"\n": ["kind": "console", "x": [1, 2.5, true, ["y": nil]]]],
            "empty": [:],
        ]
        #expect(try LogConfiguration(parsing: configuration.json) == configuration)
        #expect(LogConfiguration().json == "{}\n")
    }
}
