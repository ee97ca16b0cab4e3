import Foundation
import CoreFixtures
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodConfiguration

/// Levels from the property lists of programs that were written with Girders.
@Suite(.inTurn) struct GirdersConfigurationTests {
    private func level(_ main: String?, _ overlay: String? = nil, environment: String? = "dev") throws
        -> LogSetting?
    {
        let folder = FileManager.default.temporaryDirectory.path + "/heartwood-girders-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for (name, content) in [("Configuration.plist", main), ("Configuration-dev.plist", overlay)] {
            guard let content else { continue }
            let text = """
                <?xml version="1.0" encoding="UTF-8"?>
                <plist version="1.0"><dict>
                <key>baseURL</key><string>https://example.com</string>
                <key>auth</key><dict><key>username</key><string>anna</string></dict>
                \(content)
                </dict></plist>
                """
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        }
        let configuration = try LogConfiguration.girders(
            folder + "/Configuration.plist", environment: environment)
        try configuration.check()
        return configuration["level"]
    }

    private func key(_ value: String) -> String { "<key>logLevel</key>" + value }

    @Test(
        "The numbers 0 to 4 are levels, anything else is debug, and nothing is warning",
        arguments: [
            ("<integer>0</integer>", "verbose"), ("<integer>1</integer>", "debug"),
            ("<integer>2</integer>", "info"),
            ("<integer>3</integer>", "warning"), ("<integer>4</integer>", "error"),
            ("<integer>5</integer>", "debug"),
            ("<integer>-1</integer>", "debug"), ("<string>loud</string>", "debug"), ("<true/>", "debug"),
        ])
    func numbers(value: String, expected: String) throws {
        #expect(try level(key(value)) == LogSetting(stringLiteral: expected))
    }

    @Test("The file of the environment wins, counts only where one is named, and both may be missing")
    func overlay() throws {
        #expect(try level(key("<integer>4</integer>"), key("<integer>0</integer>")) == "verbose")
        #expect(
            try level(key("<integer>4</integer>"), key("<integer>0</integer>"), environment: nil) == "error")
        #expect(try level(key("<integer>2</integer>"), "") == "info")
        #expect(try level(nil, key("<integer>1</integer>")) == "debug")
        #expect(try level(nil) == "warning")
        #expect(try level("") == "warning")
    }
}
