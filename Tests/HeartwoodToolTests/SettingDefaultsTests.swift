import Foundation
import HeartwoodConfiguration
import HeartwoodEvents
import HeartwoodHTTP
import HeartwoodSQLite
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodTool

/// A default is declared once, in a settings struct; whatever else says it, is compared with that.
@Suite("Defaults of settings", .inTurn)
struct SettingDefaultsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: root.appendingPathComponent(path)), as: UTF8.self)
    }

    /// A settings struct, where it is declared, and the table of its page.
    struct Declaration: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let source: String
        let page: String
        /// The heading of the table; nil for the whole page.
        let heading: String?
        let values: [String: String]

        init(_ settings: Any, _ source: String, page: String, heading: String? = nil) {
            testDescription = "\(type(of: settings))"
            (self.source, self.page, self.heading) = (source, page, heading)
            values = Dictionary(
                uniqueKeysWithValues: Mirror(reflecting: settings).children.compactMap { child in
                    guard let name = child.label, let text = SettingValue.text(of: child.value)
                    else { return nil }
                    // The storage of a computed setting.
                    return (["key": "archiveKey", "receiver": "destination"][name] ?? name, text)
                })
        }
    }

    static let declarations = [
        Declaration(
            FileSettings(), "Sources/Heartwood/Loggers/File/Engine/FileSettings.swift",
            page: "Docs/FileLogging.md"),
        Declaration(
            ConsoleSettings(), "Sources/Heartwood/Loggers/Console/ConsoleLogger.swift",
            page: "Docs/Loggers.md", heading: "Console"),
        Declaration(
            SystemSettings(), "Sources/Heartwood/Loggers/System/SystemSettings.swift",
            page: "Docs/Loggers.md",
            heading: "System"),
        Declaration(
            MemorySettings(), "Sources/Heartwood/Loggers/Memory/MemoryLogger.swift", page: "Docs/Loggers.md",
            heading: "Memory"),
        Declaration(
            DatabaseSettings(), "Sources/Heartwood/Loggers/Database/SaveSchedule.swift",
            page: "Docs/Databases.md"),
        Declaration(
            SQLiteSettings(), "Sources/HeartwoodSQLite/Store/SQLiteStore.swift", page: "Docs/Databases.md"),
        Declaration(
            HTTPSettings(), "Sources/HeartwoodHTTP/Upload/Settings/HTTPSettings.swift",
            page: "Docs/RemoteLogging.md"),
        Declaration(
            SpoolSettings(), "Sources/HeartwoodHTTP/Spool/SpoolSettings.swift", page: "Docs/RemoteLogging.md"),
        Declaration(
            EventSettings(), "Sources/HeartwoodEvents/Store/EventSettings.swift", page: "Docs/Events.md"),
    ]

    /// Whether a text, which may go on after a semicolon, colon or parenthesis, says a default.
    private static func says(_ text: String, _ standard: String) -> Bool {
        func plain(_ text: some StringProtocol) -> String {
            let text = String(text.filter { $0 != "`" }).replacingOccurrences(
                of: "(\\d),(\\d{3})", with: "$1$2", options: .regularExpression
            ).trimmingCharacters(in: .whitespaces).lowercased()
            return text.hasPrefix(".") ? String(text.dropFirst()) : text
        }
        let written = plain(text.prefix { !";:(".contains($0) })
        let aliases = ["nil": "none", "standarderror": "error", "forever": "none"]
        let (left, right) = (aliases[written] ?? written, aliases[plain(standard)] ?? plain(standard))
        if left == right { return true }
        let times = [left, right].map { Duration(parsing: $0.filter { $0 != " " }) }
        return times[0] != nil && times[0] == times[1]
    }

    /// Words in the place of a default that say what nil means.
    private static let explanations = [
        "the executable's name", "the system's host name", "what the terminal supports",
        "reveal on terminals, otherwise redact", "`indent` on terminals, otherwise `escape`",
        "depends on the destination", "the same as `sendInterval`", "4s without `spool`, otherwise 0s",
        "the bundle's",
    ]

    private static func expect(_ text: String, says value: String, of name: String) {
        if value == "none", explanations.contains(where: text.hasPrefix) { return }
        #expect(says(text, value), "\(name): \(text), not \(value)")
    }

    @Test("Documentation comments say the defaults that there are", arguments: declarations)
    func comments(_ declaration: Declaration) throws {
        let comment = /\/\/\/ Default: (?<text>[^\n]*)\n *public var (?<name>\w+)/
        let found = try Self.text(declaration.source).matches(of: comment)
        #expect(found.count >= declaration.values.count / 2)
        for match in found {
            let name = String(match.output.name)
            guard let value = declaration.values[name] else { continue }
            #expect(
                Self.says(String(match.output.text), value), "\(name): \(match.output.text), not \(value)")
        }
        // None is forgotten.
        for name in declaration.values.keys {
            let isDeclared = try Self.text(declaration.source).contains("public var \(name)")
            #expect(
                !isDeclared || found.contains { String($0.output.name) == name },
                "\(name) has a default, and its documentation does not say it")
        }
    }

    @Test("Tables of pages say the defaults that there are", arguments: declarations)
    func tables(_ declaration: Declaration) throws {
        var found: Set<String> = []
        let page = try Self.text(declaration.page).components(separatedBy: "\n## ")
        let part = declaration.heading.map { heading in page.filter { $0.hasPrefix(heading + "\n") } } ?? page
        for line in part.joined(separator: "\n").split(separator: "\n") where line.hasPrefix("| `") {
            let cells = line.dropFirst().split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            let names = cells[0].matches(of: /`(?:settings\.)?(\w+)`/).map { String($0.output.1) }
            guard names.contains(where: { declaration.values[$0] != nil }), cells.count > 2 else { continue }
            let texts = names.count > 1 ? cells[1].components(separatedBy: ", ") : [cells[1]]
            try #require(texts.count == 1 || texts.count == names.count, "\(line)")
            for (index, name) in names.enumerated() {
                guard let value = declaration.values[name] else { continue }
                Self.expect(texts.count == 1 ? texts[0] : texts[index], says: value, of: name)
                found.insert(name)
            }
        }
        let missing = Set(declaration.values.keys).subtracting(found)
        #expect(missing.isSubset(of: Self.inWords), "no row of \(declaration.page) has \(missing.sorted())")
    }

    /// Members that are not public.
    private static let inWords: Set<String> = ["repairsTornLines", "payloadLimit"]

    @Test("The page of `heartwood pipe` says the defaults that it has, and its help those of the logger")
    func pipe() throws {
        let standard = try PipeOptions(Arguments(parsing: [], options: PipeCommand.options)).files.settings
        let values: [String: Any?] = [
            "--max-size": standard.maximumFileSize, "--max-age": standard.rollingInterval,
            "--keep": standard.maximumFileCount, "--quota": standard.diskQuota,
            "--keep-for": standard.maximumFileAge, "--mode": standard.fileMode,
        ]
        let page = try Self.text("Docs/Pipe.md")
        for (name, value) in values {
            let row = try #require(
                page.split(separator: "\n").first { $0.hasPrefix("|") && $0.contains("`\(name)`") })
            let cells = row.dropFirst().components(separatedBy: " | ")
            let names = cells[0].matches(of: /--[a-z-]+/).map { String($0.output) }
            let texts = cells[2].prefix { !";|".contains($0) }.components(separatedBy: ", ")
            let index = try #require(names.firstIndex(of: name))
            let text = try #require(SettingValue.text(of: value))
            #expect(Self.says(texts[index], text), "\(name): \(texts[index]), not \(text)")
            let help = try #require(
                (PipeFileOptions.limits + PipeFileOptions.options).first { $0.names[0] == name })
            #expect(help.help.contains("\(text) by default"), "\(help.help)")
        }
    }

    @Test("The reference of configuration keys says the defaults that there are")
    func keys() throws {
        LogConfiguration.register(.http)
        for (page, kinds) in [
            ("Docs/Configuration.md", [LoggerKind.console, .file, .system, .memory]),
            ("Docs/Internals/ConfigurationKeys.md", [.http, .sqlite]),
        ] {
            let sections = try Self.text(page).components(separatedBy: "\n### ")
            for kind in kinds {
                let section = try #require(sections.first { $0.hasPrefix("`\(kind.name)`") })
                for key in LogConfiguration.keys(of: kind) {
                    guard let standard = key.standard else { continue }
                    let row = try #require(
                        section.split(separator: "\n").first { $0.hasPrefix("| `\(key.name)` |") })
                    let text = row.split(separator: "|")[2].trimmingCharacters(in: .whitespaces)
                    Self.expect(text, says: standard, of: "\(kind.name) \(key.name)")
                }
            }
        }
    }
}
