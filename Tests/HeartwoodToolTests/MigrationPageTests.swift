import Foundation
import Testing

/// The pages for those who come from elsewhere name what is there.
@Suite("Migration pages")
struct MigrationPageTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Names of parts that are not in this tree yet.
    private static let arriving: Set<String> = [
        "SystemLogger", "MemoryLogger", "AbstractDatabaseLogger", "SQLiteLogger", "HeartwoodSwiftLog",
        "SwiftLog",
    ]

    /// Everything that Sources declare: `Type`, `member`, and the names of arguments.
    private func declaredWords() throws -> Set<String> {
        let folder = Self.root.appendingPathComponent("Sources")
        let paths = try #require(FileManager.default.subpaths(atPath: folder.path))
        var words: Set<String> = []
        for path in paths where path.hasSuffix(".swift") {
            let text = String(
                decoding: try Data(contentsOf: folder.appendingPathComponent(path)), as: UTF8.self)
            let declaration =
                #/(?:class|struct|enum|protocol|extension|func|var|let|case|typealias|actor) +`?(\w+)/#
            for match in text.matches(of: declaration) { words.insert(String(match.1)) }
            // Labels of arguments.
            for match in text.matches(of: #/(?:[(,]|\n) *(\w+)(?: \w+)?: /#) { words.insert(String(match.1)) }
        }
        return words
    }

    /// The names in the second column of all tables.
    private func names(_ page: String) throws -> [String] {
        let text = String(
            decoding: try Data(contentsOf: Self.root.appendingPathComponent(page)), as: UTF8.self)
        return text.split(separator: "\n").filter { $0.hasPrefix("| `") || $0.hasPrefix("| ") }.flatMap {
            line in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
            guard cells.count > 3, !cells[1].contains("Cocoa"), !cells[1].contains("SwiftyBeaver |") else {
                return [String]()
            }
            return cells[2].matches(of: /`([^`]+)`/).map { String($0.1) }
        }
    }

    @Test(
        "Every name in the column of Heartwood is declared",
        arguments: ["Docs/MigratingFromCocoaLumberjack.md", "Docs/MigratingFromSwiftyBeaver.md"])
    func names(page: String) throws {
        let declared = try declaredWords()
        // Products and traits are declared by the manifest.
        let manifest = String(
            decoding: try Data(contentsOf: Self.root.appendingPathComponent("Package.swift")), as: UTF8.self)
        let names = try names(page)
        #expect(names.count > 40)
        for name in names {
            for match in name.matches(of: /\w+/) where match.0 != "_" {
                let word = String(match.0)
                if Self.arriving.contains(word) { continue }
                #expect(declared.contains(word) || manifest.contains("\"\(word)\""), "\(name): \(word)")
            }
        }
    }
}
