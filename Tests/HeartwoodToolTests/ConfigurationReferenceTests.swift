import Foundation
import Heartwood
import HeartwoodHTTP
import Testing

/// The reference in the document has the keys that there are, and its sample does what it says.
@Suite("Docs/Configuration.md")
struct ConfigurationReferenceTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private let text: String

    init() throws {
        let place = Self.root.appendingPathComponent("Docs/Configuration.md")
        text = String(decoding: try Data(contentsOf: place), as: UTF8.self)
        LogConfiguration.register(.http)
    }

    /// The cells of the rows of the first table below a heading.
    private func rows(below heading: String) -> [[String]] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(of: "### \(heading)") else { return [] }
        let table = lines[(start + 1)...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }
        return table.dropFirst(2).map { line in
            line.replacing("\\|", with: "¦").split(separator: "|", omittingEmptySubsequences: false)
                .dropFirst()
                .dropLast().map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    @Test(
        "Every key is there, with its form, and no other",
        arguments: ["Everything", "Every logger", "`console`", "`file`", "`http`"])
    func keys(heading: String) {
        let known =
            switch heading {
            case "Everything": LogConfiguration.keys
            case "Every logger": LogConfiguration.sharedKeys
            case "`console`": LogConfiguration.keys(of: .console)
            case "`file`": LogConfiguration.keys(of: .file)
            default: LogConfiguration.keys(of: .http)
            }
        let wanted = known.map { "`\($0.name)` \($0.form)\($0.isRequired ? " required" : "")" }
        let written = rows(below: heading).map {
            "\($0[0]) \($0[1])\($0[2].contains("required") ? " required" : "")"
        }
        #expect(Set(written) == Set(wanted))
        #expect(written.count == wanted.count)
    }

    @Test("Every formatter is there, with its keys")
    func formatters() {
        let known = LogConfiguration.formatterKeys.map { ($0.name, $0.keys.map(\.name)) }
        for (name, keys) in known {
            let row = rows(below: "Formatters").first { $0[0] == "`\(name)`" }
            let written = row.map { $0[1].matches(of: /`(\w+)`/).map { String($0.1) } }
            #expect(Set(written ?? ["?"]) == Set(keys), "\(name)")
        }
        #expect(rows(below: "Formatters").count == known.count)
    }

    @Test("The sample is right, and makes what it says")
    func sample() throws {
        let start = try #require(text.firstRange(of: "```json\n"))
        let end = try #require(text[start.upperBound...].firstRange(of: "```"))
        let scratch = try ToolProcess()
        setenv("LOG_DIRECTORY", scratch.scratch.path, 1)
        var configuration = try LogConfiguration(
            parsing: String(text[start.upperBound..<end.lowerBound]), name: "Docs/Configuration.md")
        try configuration.check()
        // Levels are those of the whole process, where other tests run.
        for key in ["level", "categories", "sources"] { configuration[key] = nil }
        let dispatcher = LogDispatcher()
        try configuration.apply(to: dispatcher)
        #expect(dispatcher.loggers.map(\.name) == ["console", "file", "server"])
        let file = try #require(configuration.logger(named: "file", in: dispatcher) as? FileLogger)
        #expect(file.maximumFileSize == .mebibytes(10))
        #expect(file.directoryPath == scratch.scratch.path + "/shop")
        let server = try #require(dispatcher.configuredLogger(named: "server") as? HTTPLogger)
        #expect(server.endpoint.description == "https://logs.example.com/ingest")
        #expect(server.levels == [.error, .warning])
        logInfo("hello", to: dispatcher)
        dispatcher.removeAll()
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: file.directoryPath).first { !$0.hasPrefix(".") })
        let line = try String(contentsOfFile: file.directoryPath + "/" + name, encoding: .utf8)
        #expect(line.contains("\"message\":\"hello\""))
        #expect(line.contains("\"service.name\":\"shop\""))
    }
}
