import Foundation
import HeartwoodArchive
import CoreFixtures
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodConfiguration

/// What a configuration says of its own mistakes.
@Suite("Mistakes in configurations", .inTurn)
struct ConfigurationCheckTests {
    private let archives: Void = LogArchives.register()

    private func problems(_ text: String) -> String {
        do throws(LogConfigurationError) {
            try LogConfiguration(parsing: text, name: "x.json").check()
            return ""
        } catch {
            return error.description
        }
    }

    @Test(
        "A mistake is told with file, line, column, key and the nearest name",
        arguments: [
            (#"{"levle": "info"}"#, "x.json:1:2: unknown setting “levle”: did you mean “level”?"),
            (
                #"{"zzzzzz": 1}"#,
                "x.json:1:2: unknown setting “zzzzzz”; there are level, categories, sources, journal, "
                    + "recordsFatalSignals, overflow, synchronousLevels, synchronousTimeout, metadata, loggers"
            ),
            (
                #"{"level": "debgu"}"#,
                "x.json:1:11: level: “debgu” is not a valid level: did you mean “debug”?"
            ),
            (
                #"{"level": ["info", "x"]}"#,
                "x.json:1:20: level: “x” is not a valid level; there are fatal, error, warning, notice, info, debug, verbose, off, all"
            ),
            (
                #"{"level": 5}"#,
                "x.json:1:11: level: the number 5 is not a valid level; use info, off, all or a list of levels"
            ),
            (
                #"{"categories": ["a"]}"#,
                "x.json:1:16: categories: expected an object such as {\"net.*\": \"debug\"}, found a list"
            ),
            (
                #"{"categories": {"net.*": "lod"}}"#,
                "x.json:1:26: categories.net.*: “lod” is not a valid level; there are fatal, error, warning, notice, info, debug, verbose, off, all"
            ),
            (
                #"{"loggers": {"f": {}}}"#,
                "x.json:1:19: loggers.f: missing setting “kind”; use a string in double quotes"
            ),
            (
                #"{"loggers": {"f": {"kind": "fiel"}}}"#,
                "x.json:1:28: loggers.f.kind: unknown logger kind “fiel”: did you mean “file”?"
            ),
            (
                #"{"loggers": {"f": {"kind": "file"}}}"#,
                "x.json:1:19: loggers.f: missing setting “directory”; use a path in quotes"
            ),
            (
                #"{"loggers": {"f": 5}}"#,
                "x.json:1:19: loggers.f: expected an object, found the number 5"
            ),
            (
                #"{"loggers": {"f": {"kind": "file", "directory": "d", "maximumFileSize": "10 QB"}}}"#,
                "x.json:1:73: loggers.f.maximumFileSize: “10 QB” is not a valid size; use 64 KiB, 10 MB or a number of bytes, or none"
            ),
            (
                #"{"loggers": {"f": {"kind": "file", "directory": "d", "rollingInterval": "1 fortnight"}}}"#,
                "x.json:1:73: loggers.f.rollingInterval: “1 fortnight” is not a valid time; use 250ms, 30s, 5m, 1h, 7d, 2w or a number of seconds, or none"
            ),
            (
                #"{"loggers": {"f": {"kind": "file", "directory": "d", "rollingBoundary": "weak"}}}"#,
                "x.json:1:73: loggers.f.rollingBoundary: “weak” is not a valid choice; did you mean “week”?"
            ),
            (
                #"{"loggers": {"f": {"kind": "file", "directory": "d", "fileMode": 640}}}"#,
                "x.json:1:66: loggers.f.fileMode: the number 640 is not a valid file mode; use octal digits in quotes, such as \"0640\""
            ),
            (
                #"{"loggers": {"f": {"kind": "file", "directory": "${HEARTWOOD_NO_SUCH}/d"}}}"#,
                "x.json:1:49: loggers.f.directory: the environment variable “HEARTWOOD_NO_SUCH” is not set or empty; set it or use a path without it"
            ),
            (
                #"{"loggers": {"f": {"kind": "file", "directory": "d", "archiveKey": "hunter2"}}}"#,
                "x.json:1:68: loggers.f.archiveKey: a configuration must not contain a secret; use {\"environment\": \"NAME\"} or {\"file\": \"PATH\"}"
            ),
            (
                #"{"loggers": {"f": {"kind": "file", "directory": "d", "archiveFormat": "encrypted"}}}"#,
                "x.json:1:71: loggers.f.archiveFormat: “encrypted” requires the setting “archiveKey”"
            ),
            (
                #"{"loggers": {"c": {"kind": "console", "showsSource": "yes"}}}"#,
                "x.json:1:54: loggers.c.showsSource: “yes” is not a valid boolean; use true or false, without quotes"
            ),
            (
                #"{"loggers": {"c": {"kind": "console", "formatter": "jsno"}}}"#,
                "x.json:1:52: loggers.c.formatter.kind: unknown formatter “jsno”: did you mean “json”?"
            ),
            (
                #"{"loggers": {"c": {"kind": "console", "formatter": {"kind": "json", "includesPalce": false}}}}"#,
                "x.json:1:69: loggers.c.formatter: unknown setting “includesPalce”: did you mean “includesSource”?"
            ),
            (
                #"{"loggers": {"c": {"kind": "console", "formatter": "{tiem} {message}"}}}"#,
                "x.json:1:52: loggers.c.formatter.pattern: Unknown token “tiem” in the pattern; did you mean “time”?\n"
                    + "    {tiem} {message}\n     ^"
            ),
            (
                #"{"loggers": {"c": {"kind": "console", "overflow": {"block": "1s", "dropBelow": "info"}}}}"#,
                "x.json:1:51: loggers.c.overflow: use either {\"block\": \"250ms\"} or {\"dropBelow\": \"warning\"}"
            ),
            (
                #"{"loggers": {"c": {"kind": "console", "redaction": ["cards"]}}}"#,
                "x.json:1:53: loggers.c.redaction.0: “cards” is not a valid choice; use one of standard, keys, bearerTokens, webTokens, apiKeys, privateKeys, urlCredentials, cardNumbers, bankAccounts, emailAddresses, nationalNumbers"
            ),
            ("[]", "x.json:1:1: expected an object, found a list"),
        ])
    func mistakes(text: String, message: String) {
        #expect(problems(text) == message)
    }

    @Test("A kind of another module that nobody has registered is told with what to do")
    func unregistered() async {
        // In a process of its own: other tests register it.
        await #expect(processExitsWith: .success) {
            let configuration = try LogConfiguration(
                parsing: #"{"loggers": {"f": {"kind": "sqlite"}}}"#, name: "x.json")
            let error = #expect(throws: LogConfigurationError.self) { try configuration.check() }
            #expect(
                error.map { "\($0)" }
                    == "x.json:1:28: loggers.f.kind: the logger kind “sqlite” is not registered; import HeartwoodSQLite"
                    + " and call LogConfiguration.register(.sqlite) before")
        }
    }

    @Test(
        "A property list that is nested without end is refused, and costs nothing",
        arguments: [64, 65, 5000, 1_000_000])
    func deepPropertyList(_ depth: Int) throws {
        let text =
            "<?xml version=\"1.0\"?><plist version=\"1.0\">"
            + String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
            + "</plist>"
        let problems = try onSmallStack { self.problems(text) }
        #expect(problems.contains("nested more than 64 levels deep") == (depth > 64), "\(problems)")
    }

    @Test("A binary property list that contains itself is refused")
    func endlessPropertyList() async {
        // One list, whose one element is the list; in a process of its own, which must not die.
        await #expect(processExitsWith: .success) {
            var bytes = Array("bplist00".utf8) + [0xA1, 0x00, 0x08]
            bytes += [UInt8](repeating: 0, count: 6) + [1, 1]
            for number in [1, 0, 10] { bytes += [UInt8](repeating: 0, count: 7) + [UInt8(number)] }
            let text = bytes
            let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).plist")
            try Data(text).write(to: path)
            defer { try? FileManager.default.removeItem(at: path) }
            #expect(throws: LogConfigurationError.self) {
                try onSmallStack { try LogConfiguration.load(path.path) }
            }
        }
    }

    @Test("All mistakes are told at once, in their order")
    func all() {
        let text = """
            {
              "// why": "comments are keys that begin with two slashes",
              "levels": "info",
              "loggers": {
                "file": {
                  "kind": "file",
                  "directory": "/var/log/shop",
                  "maximumFileSize": "ten",
                  "retention": 5
                },
                "console": {"kind": "consol"}
              }
            }
            """
        #expect(
            problems(text) == """
                x.json:3:3: unknown setting “levels”: did you mean “level”?
                x.json:8:26: loggers.file.maximumFileSize: “ten” is not a valid size; use 64 KiB, 10 MB or a number of bytes, or none
                x.json:9:7: loggers.file: unknown setting “retention”: did you mean “redaction”?
                x.json:11:25: loggers.console.kind: unknown logger kind “consol”: did you mean “console”?
                """)
    }

    @Test("A property list says the same as JSON, and its mistakes have lines")
    func propertyList() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <!-- <key>no</key> -->
                <key>level</key> <string>info</string>
                <key>loggers</key>
                <dict>
                    <key>a &amp; b</key>
                    <dict>
                        <key>kind</key><string>console</string>
                        <key>showsSource</key><false/>
                        <key>level</key><array><string>error</string><string>debug</string></array>
                        <key>backlogLimit</key><integer>4096</integer>
                    </dict>
                </dict>
            </dict>
            </plist>
            """
        let list = try LogConfiguration(parsing: text, name: "x.plist")
        #expect(
            list == [
                "level": "info",
                "loggers": [
                    "a & b": [
                        "kind": "console", "showsSource": false, "level": ["error", "debug"],
                        "backlogLimit": 4096,
                    ]
                ],
            ])
        try list.check()
        let wrong = text.replacing("<false/>", with: "<string>no</string>").replacing(
            ">level</key><a", with: ">levl</key><a")
        let error = #expect(throws: LogConfigurationError.self) {
            try LogConfiguration(parsing: wrong, name: "x.plist").check()
        }
        #expect(
            error?.description == """
                x.plist:12:13: loggers.a & b.showsSource: “no” is not a valid boolean; use true or false, without quotes
                x.plist:13:13: loggers.a & b: unknown setting “levl”: did you mean “level”?
                """)
        #expect(throws: LogConfigurationError.self) {
            try LogConfiguration(parsing: "<plist><dict><key>a</ke")
        }
        #expect(throws: LogConfigurationError.self) {
            try LogConfiguration(
                parsing: "<plist><dict><key>a</key><date>2001-01-01T00:00:00Z</date></dict></plist>")
        }
    }

    @Test(
        "HEARTWOOD_LEVEL sets levels of everything, of categories and of files; mistakes point at the character",
        arguments: [
            ("debug", ["level": "debug"]),
            ("debug,net.*=verbose", ["level": "debug", "categories": ["net.*": "verbose"]]),
            (
                " net = error|debug , Shop/Cart.swift=off,",
                ["categories": ["net": "error|debug"], "sources": ["Shop/Cart.swift": "off"]]
            ),
            ("", [:]),
        ] as [(String, LogConfiguration)])
    func levelVariable(text: String, configuration: LogConfiguration) throws {
        #expect(try LogConfiguration.environment(["HEARTWOOD_LEVEL": text]) == configuration)
        try configuration.check()
    }

    @Test("Mistakes in environment variables are told")
    func wrongVariables() {
        let error = #expect(throws: LogConfigurationError.self) {
            try LogConfiguration.environment(["HEARTWOOD_LEVEL": "info,net=debgu,=info"])
        }
        #expect(
            error?.description == """
                HEARTWOOD_LEVEL:6: “debgu” is not a valid level: did you mean “debug”?
                HEARTWOOD_LEVEL:16: missing name in front of “=”
                """)
        let other = #expect(throws: LogConfigurationError.self) {
            try LogConfiguration.load("x.json", variables: ["HEARTWOOD_ENVIRONMENT": "../dev"])
        }
        #expect(
            other?.description
                == "HEARTWOOD_ENVIRONMENT: “../dev” is not a valid environment name; use letters, digits, “-” and “_”"
        )
    }

    @Test("Code, file, overlay and variables are merged in this order; missing files are empty")
    func precedence() throws {
        let scratch = Scratch()
        let path = scratch.path + "/logging.json"
        let defaults: LogConfiguration = ["level": "fatal", "synchronousTimeout": 1, "overflow": "block"]
        #expect(try LogConfiguration.load(path, environment: "dev", variables: [:]) == [:])
        try #"{"level": "error", "categories": {"a": "error", "b": "error"}, "overflow": "dropNewest"}"#
            .write(toFile: path, atomically: true, encoding: .utf8)
        try #"{"level": "warning", "categories": {"b": "warning", "c": "warning"}, "overflow": null}"#
            .write(toFile: scratch.path + "/logging.dev.json", atomically: true, encoding: .utf8)
        let variables = ["HEARTWOOD_LEVEL": "info,c=info"]
        #expect(
            try LogConfiguration.load(path, environment: "dev", defaults: defaults, variables: variables) == [
                "level": "info", "categories": ["a": "error", "b": "warning", "c": "info"],
                "synchronousTimeout": 1,
            ])
        // Without an environment the first file counts alone; a variable names one as well, and a file.
        #expect(
            try LogConfiguration.load(path, variables: [:]) == [
                "level": "error", "categories": ["a": "error", "b": "error"], "overflow": "dropNewest",
            ])
        #expect(
            try LogConfiguration.load(
                "/nowhere", variables: ["HEARTWOOD_ENVIRONMENT": "dev", "HEARTWOOD_CONFIGURATION": path])[
                    "level"] == "warning")
        let error = #expect(throws: LogConfigurationError.self) {
            try LogConfiguration.load(path, variables: ["HEARTWOOD_CONFIGURATION": path + "x"])
        }
        #expect(error?.description == "HEARTWOOD_CONFIGURATION: no such file: “\(path)x”")
        // Both files' mistakes are told.
        try "{".write(toFile: path, atomically: true, encoding: .utf8)
        try "[".write(toFile: scratch.path + "/logging.dev.json", atomically: true, encoding: .utf8)
        let both = #expect(throws: LogConfigurationError.self) {
            try LogConfiguration.load(path, environment: "dev", variables: [:])
        }
        #expect(both?.problems.count == 2)
    }

    @Test(
        "Forms take what they say",
        arguments: [
            ("time", "250ms", "0.25 seconds"), ("time", "1.5h", "5400.0 seconds"),
            ("time", "7 d", "604800.0 seconds"),
            ("time", 3, "3.0 seconds"), ("time", 0.5, "0.5 seconds"), ("size", "64 KiB", "64 KiB"),
            ("size", 4096, "4 KiB"), ("size", "10 MB", "9.5 MiB"),
            ("levels", "error|debug", "[error, debug]"),
            ("levels", "WARN", "warning"), ("zone", "+05:30", "19800"),
            ("zone", "-01:00", "-3600"), ("zone", "UTC", "0"), ("zone", "Europe/Paris", "3600"),
            ("zone", "Europe/Nowhere", nil), ("zone", "+2:00", nil), ("zone", "", nil),
            ("time", "-1s", nil), ("time", "1y", nil), ("time", "", nil), ("size", -1, nil),
            ("size", "1 PB", nil),
            ("zone", "+25:00", nil), ("levels", "", nil), ("levels", "error|", nil),
        ] as [(String, LogSetting, String?)])
    func forms(form: String, setting: LogSetting, value: String?) {
        let collector = ProblemCollector()
        let read: Any? =
            switch form {
            case "time": LogSettingDecoder<Duration>.time.read(setting, [], collector)
            case "size": LogSettingDecoder<ByteCount>.size.read(setting, [], collector)
            case "levels": LogSettingDecoder<LogLevelMask>.levels.read(setting, [], collector)
            default: LogSettingDecoder<LogTimeZone>.zone.read(setting, [], collector)?.offset(at: 0)
            }
        #expect(read.map { "\($0)" } == value)
        #expect(collector.problems.isEmpty == (value != nil))
    }
}
