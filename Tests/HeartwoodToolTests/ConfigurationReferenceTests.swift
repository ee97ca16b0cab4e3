import Foundation
import Heartwood
import HeartwoodArchive
import HeartwoodConfiguration
import HeartwoodHTTP
import HeartwoodSQLite
import SuiteSupport
import Testing

/// The reference in the documents has the keys that there are, and its sample does what it says.
@Suite("Docs/Configuration.md", .inTurn)
struct ConfigurationReferenceTests {
    private let archives: Void = LogArchives.register()

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private let text: String

    init() throws {
        let pages = ["Docs/Configuration.md", "Docs/Internals/ConfigurationKeys.md"]
        text = try pages.map { page in
            String(decoding: try Data(contentsOf: Self.root.appendingPathComponent(page)), as: UTF8.self)
        }.joined(separator: "\n")
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
        arguments: [
            "Everything", "Every logger", "`console`", "`file`", "`http`", "`system`", "`memory`", "`sqlite`",
        ])
    func keys(heading: String) {
        let known =
            switch heading {
            case "Everything": LogConfiguration.keys
            case "Every logger": LogConfiguration.sharedKeys
            case "`console`": LogConfiguration.keys(of: .console)
            case "`file`": LogConfiguration.keys(of: .file)
            case "`system`": LogConfiguration.keys(of: .system)
            case "`memory`": LogConfiguration.keys(of: .memory)
            case "`sqlite`": LogConfiguration.keys(of: .sqlite)
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

    @Test("Loggers of every kind are made and tuned as it says")
    func everyKind() throws {
        LogConfiguration.register(.sqlite)
        let scratch = try ToolProcess()
        let configuration = try LogConfiguration(
            parsing: """
                {"loggers": {
                  "near": {"kind": "system", "destination": {"syslog": "/run/log", "format": "rfc5424"},
                    "facility": "local3", "sendTimeout": "1s"},
                  "far": {"kind": "system", "destination": {"tcp": "::1", "port": 601, "framing": "newline"}},
                  "journal": {"kind": "system", "destination": "journal"},
                  "recent": {"kind": "memory", "maximumCount": 7, "maximumSize": "1 MiB"},
                  "kept": {"kind": "sqlite", "path": "\(scratch.scratch.path)/log.sqlite", "saveInterval": "5s",
                    "synchronous": "full", "maximumAge": "1d",
                    "flightRecorder": {"capacity": 9, "until": "fatal", "field": "request"}}
                }}
                """, name: "test.json")
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        try configuration.apply(to: dispatcher)
        defer { dispatcher.removeAll() }
        let near = try #require(dispatcher.configuredLogger(named: "near") as? SystemLogger)
        #expect(near.destination == .local(socket: "/run/log", format: .rfc5424, framing: .newline))
        #expect(near.facility == .local3 && near.sendTimeout == .seconds(1))
        let far = try #require(dispatcher.configuredLogger(named: "far") as? SystemLogger)
        #expect(far.destination == .tcp(host: "::1", port: 601, format: .rfc5424, framing: .newline))
        let journal = try #require(dispatcher.configuredLogger(named: "journal") as? SystemLogger)
        #expect(journal.destination == .journal())
        let recent = try #require(dispatcher.configuredLogger(named: "recent") as? MemoryLogger)
        #expect(recent.maximumCount == 7 && recent.maximumSize == .mebibytes(1))
        let kept = try #require(dispatcher.configuredLogger(named: "kept") as? SQLiteLogger)
        #expect(kept.saveInterval == .seconds(5) && kept.synchronous == .full)
        #expect(kept.maximumAge == .seconds(86_400))
        let flight = try #require(kept.flightRecorder)
        #expect(flight.capacity == 9 && flight.triggers == .fatal && flight.scope == .field("request"))
    }

    @Test(
        "What is wrong with a destination is said",
        arguments: [
            (#"{"udp": "a", "tcp": "b"}"#, "use one of journal"), (#""jurnal""#, "did you mean “journal”?"),
            (#"{"udp": "a", "framing": "newline"}"#, "framing"), (#"{"udp": "a", "port": 70000}"#, "port"),
        ])
    func wrongDestination(_ text: String, _ hint: String) throws {
        let configuration = try LogConfiguration(
            parsing: #"{"loggers": {"s": {"kind": "system", "destination": \#(text)}}}"#, name: "test.json")
        let error = #expect(throws: LogConfigurationError.self) { try configuration.check() }
        #expect(error?.problems.count == 1)
        #expect("\(error.map { "\($0)" } ?? "")".contains(hint), "\(error.map { "\($0)" } ?? "")")
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
        let file = try #require(dispatcher.configuredLogger(named: "file") as? FileLogger)
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
