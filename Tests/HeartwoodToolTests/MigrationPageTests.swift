import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

/// The pages for those who come from elsewhere name what is there.
@Suite("Migration pages", .inTurn)
struct MigrationPageTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// All words of the code in Sources, comments left out.
    private static let words: Set<Substring> = {
        let folder = root.appendingPathComponent("Sources")
        var words: Set<Substring> = []
        for path in FileManager.default.subpaths(atPath: folder.path) ?? [] where path.hasSuffix(".swift") {
            let text = (try? String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)) ?? ""
            for line in text.split(separator: "\n") {
                let code = line.drop { $0 == " " }
                if code.hasPrefix("//") { continue }
                words.formUnion(code.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
            }
        }
        return words
    }()

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
        "Every name in the column of Heartwood is in the code",
        .enabled(if: !Sanitizer.isActive, "it looks at texts only"),
        arguments: [
            ("Docs/MigratingFromCocoaLumberjack.md", 40), ("Docs/Internals/CocoaLumberjackNames.md", 100),
            ("Docs/MigratingFromOthers.md", 70),
        ])
    func names(page: String, least: Int) throws {
        // Products and traits are declared by the manifest.
        let manifest = String(
            decoding: try Data(contentsOf: Self.root.appendingPathComponent("Package.swift")), as: UTF8.self)
        let names = try names(page)
        #expect(names.count > least)
        for name in names {
            for match in name.matches(of: /\w+/) where match.0 != "_" {
                let word = String(match.0)
                #expect(Self.words.contains(match.0) || manifest.contains("\"\(word)\""), "\(name): \(word)")
            }
        }
    }
}
