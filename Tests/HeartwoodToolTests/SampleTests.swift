import Foundation
import Heartwood
import SuiteSupport
import Testing

@Suite("The code in the documents", .inTurn)
struct SampleTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: Self.root.appendingPathComponent(path)), as: UTF8.self)
    }

    /// The Swift code of a document, block by block, without imports.
    private func codeBlocks(_ path: String) throws -> [String] {
        try blocks(in: text(path), from: { $0 == "```swift" }, to: "```")
    }

    /// The code that is compiled here for a document, without the indentation of the function around it.
    private func samples(of path: String) throws -> [String] {
        try Self.sources.get().filter { $0.contains(path) }.flatMap { source in
            blocks(in: source, from: { $0 == "// sample: \(path)" }, to: "// end")
        }
    }

    /// The files with samples, read once.
    private static let sources = Result {
        let folder = root.appendingPathComponent("Tests/HeartwoodToolTests/Samples")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try files.map { file in
            String(decoding: try Data(contentsOf: folder.appendingPathComponent(file)), as: UTF8.self)
        }
    }

    private func blocks(in text: String, from isStart: (String) -> Bool, to end: String) -> [String] {
        var blocks: [String] = []
        var current: [String]?
        var indent = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let content = String(line.drop { $0 == " " })
            if current == nil, isStart(content) {
                current = []
                indent = line.count - content.count
            } else if let lines = current, content == end {
                let code = lines.filter { !$0.hasPrefix("import ") }.joined(separator: "\n")
                blocks.append(code.trimmingCharacters(in: .newlines))
                current = nil
            } else {
                current?.append(String(line.dropFirst(min(indent, line.count - content.count))))
            }
        }
        return blocks
    }

    @Test(
        "Every block of Swift in a document is compiled here, word for word",
        arguments: [
            "README.md", "Docs/GettingStarted.md", "Docs/Extending.md",
            "Docs/FileLogging.md",
            "Docs/Events.md", "Docs/CrashJournal.md", "Docs/Formatting.md",
            "Docs/Filtering.md", "Docs/Cookbook.md", "Docs/Pipe.md",
            "Docs/Databases.md",
            "Docs/Loggers.md",
            "Docs/Configuration.md", "Docs/MigratingFromCocoaLumberjack.md",
            "Docs/MigratingFromOthers.md",
            "Sources/Heartwood/Heartwood.docc/Heartwood.md",
            "Sources/Heartwood/Heartwood.docc/LogMessages.md",
            "Sources/HeartwoodArchive/HeartwoodArchive.docc/HeartwoodArchive.md",
            "Sources/HeartwoodReading/HeartwoodReading.docc/HeartwoodReading.md",
            "Sources/HeartwoodConfiguration/HeartwoodConfiguration.docc/HeartwoodConfiguration.md",
            "Sources/HeartwoodHTTP/HeartwoodHTTP.docc/HeartwoodHTTP.md",
            "Sources/HeartwoodSQLite/HeartwoodSQLite.docc/HeartwoodSQLite.md",
            "Sources/HeartwoodEvents/HeartwoodEvents.docc/HeartwoodEvents.md",
            "Sources/HeartwoodTestSupport/HeartwoodTestSupport.docc/HeartwoodTestSupport.md",
            "Sources/HeartwoodLumberjack/HeartwoodLumberjack.docc/HeartwoodLumberjack.md",
        ])
    func compiled(path: String) throws {
        let written = try codeBlocks(path)
        #expect(!written.isEmpty)
        ToolProcess.expectSame(try samples(of: path), written)
    }

    @Test("Every block of Swift in a comment is compiled here, word for word, in one piece or several")
    func comments() throws {
        let folder = Self.root.appendingPathComponent("Sources")
        let paths = try #require(FileManager.default.subpaths(atPath: folder.path)).sorted()
        var count = 0
        for path in paths where path.hasSuffix(".swift") {
            let comments = try text("Sources/\(path)").utf8.split(separator: 0x0A).compactMap { line in
                let text = line.drop { $0 == 0x20 }
                guard text.starts(with: "///".utf8) else { return nil as String? }
                let comment = text.dropFirst(3)
                return String(Substring(comment.first == 0x20 ? comment.dropFirst() : comment))
            }
            let written = blocks(in: comments.joined(separator: "\n"), from: { $0 == "```swift" }, to: "```")
            count += written.count
            let compiled = try samples(of: "Sources/\(path)")
            #expect(compiled.joined(separator: "\n") == written.joined(separator: "\n"), "\(path)")
        }
        #expect(count > 20)
    }

    @Test(
        "The README is no longer than a reader's patience, names the test command of the CI, and links to what exists"
    )
    func readme() throws {
        let readme = try text("README.md")
        #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 150)
        #expect(readme.contains("\nswift test\n"))
        #expect(
            try text(".ci/parts").contains(" env -i HOME=\"$HOME\" PATH=\"$PATH\" swift test\n"))
        for document in ["README.md", "Docs/Architecture.md"] {
            let folder = Self.root.appendingPathComponent(document).deletingLastPathComponent()
            for link in try text(document).matches(of: /\]\(([^)#:]+)\)/) {
                let target = folder.appendingPathComponent(String(link.1)).path
                #expect(FileManager.default.fileExists(atPath: target), "\(document) links to \(link.1)")
            }
        }
    }

    @Test("Every promise names test files that are there, and one of them names it")
    func promises() throws {
        let entries = try text("Docs/Invariants.md").split(separator: /\n(?=\d+\. )/).dropFirst()
        #expect(entries.count == 12)
        for (number, entry) in zip(1..., entries) {
            let files = entry.matches(of: /`((?:\w+\/)+\w+Tests)`/).map { match in
                match.1.hasPrefix("Tests/") ? "\(match.1).swift" : "Tests/HeartwoodTests/\(match.1).swift"
            }
            #expect(!files.isEmpty, "promise \(number)")
            let naming = try files.filter { try text($0).lowercased().contains("promise \(number)") }
            #expect(!naming.isEmpty, "promise \(number)")
        }
    }

    // MARK: What the samples say they do

    @Test("The logger of the guide keeps the newest hundred lines, and the formatter of the guide drops some")
    func recentMessages() {
        let dispatcher = LogDispatcher()
        recent.formatter = shout
        dispatcher.add(recent)
        for number in 0..<150 {
            logInfo("message \(number)", to: dispatcher)
            logInfo("tick", category: .heartbeat, to: dispatcher)
        }
        dispatcher.removeAll()
        #expect(recent.withState { $0 } == (50..<150).map { "info: MESSAGE \($0)" })
        #expect(recent.statistics.filtered == 150)
    }

    @Test("The logger and the formatter of the README do as it says")
    func readmeTypes() {
        let dispatcher = LogDispatcher()
        let lines = CallbackLogger(state: [String](), formatter: shouting) { lines, _, line in
            lines.append(line)
        }
        dispatcher.add(counter)
        dispatcher.add(lines, levels: .warning.union([.audit]))
        logInfo("one", to: dispatcher)
        log("two", level: .audit, to: dispatcher)
        logError("three", to: dispatcher)
        #expect(counter.withState { $0 } == 1)
        #expect(lines.withState { $0 } == ["TWO", "THREE"])
        dispatcher.removeAll()
    }

    @Test("The expectations of the page about loggers hold")
    func expectations() async throws { try await loggersPageRecording() }

    @Test("The batching logger of the guide writes once per batch, in the order of its settings")
    func batches() {
        let dispatcher = LogDispatcher()
        let written = Locked<[String]>([])
        let logger = BatchLogger { text in
            written.withLock { $0.append(text) }
            return !text.contains("refuse")
        }
        logger.formatter = shout
        dispatcher.add(logger)
        logInfo("one", to: dispatcher)
        logger.prefix = "> "
        logInfo("two", to: dispatcher)
        dispatcher.flush()
        #expect(written.withLock { $0.joined() } == "info: ONE\n> info: TWO\n")
        #expect(logger.statistics.bytes == 22)
        dispatcher.diagnostics.handler = { _ in }
        logger.formatter = tabSeparated
        logError("refuse \(17, as: "number")\u{1b}", to: dispatcher)
        dispatcher.removeAll()
        #expect(written.withLock { $0.last }?.hasSuffix("\trefuse 17\\u{1b}\tnumber=17\n") == true)
        #expect(logger.statistics.failed == 1)
    }
}
