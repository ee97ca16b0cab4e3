import Foundation
import SuiteSupport
import Testing

@Suite("The layers of the core", .inTurn) struct LayerTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folders of the core in the order of the table in the document, the lowest first.
    private func documented() throws -> [String] {
        let page = try String(
            contentsOf: Self.root.appendingPathComponent("Docs/Architecture.md"), encoding: .utf8)
        return page.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^\| `Sources\/Heartwood(?:\/(\w+))?` \|/).map {
                $0.1.map(String.init) ?? "."
            }
        }
    }

    private func sources(_ module: String = "Heartwood") throws -> [String: [UInt8]] {
        let folder = Self.root.appendingPathComponent("Sources/" + module)
        let paths = try #require(FileManager.default.subpaths(atPath: folder.path))
        var sources: [String: [UInt8]] = [:]
        for path in paths where path.hasSuffix(".swift") {
            sources[path] = Array(try Data(contentsOf: folder.appendingPathComponent(path)))
        }
        return sources
    }

    @Test("No folder of the core names a type of a folder that the document lists after it")
    func core() throws {
        let order = try documented()
        #expect(order.count == 11)
        let graph = LayerGraph(sources: try sources(), order: order)
        #expect(graph.unknownLayers.isEmpty)
        #expect(graph.violations.isEmpty, "\(graph.violations.map(\.description).joined(separator: "\n"))")
    }

    @Test("The target of the system declares nothing that a program can see")
    func system() throws {
        let sources = try sources("HeartwoodSystem")
        #expect(sources.count > 15)
        for (path, code) in sources {
            let words = String(decoding: code, as: UTF8.self).split { !$0.isLetter }
            #expect(!words.contains("public"), "\(path)")
        }
    }

    @Test("No code but that of work queues, timers and Apple's systems asks libdispatch for a thread")
    func threads() throws {
        let asking = /\.async( \{|\()|asyncAfter|DispatchSource|concurrentPerform|Task( \{|\.detached)/
        let allowed = ["WorkQueue.swift", "SystemClock.swift"]
        let modules = try #require(
            FileManager.default.subpaths(atPath: Self.root.appendingPathComponent("Sources").path)
        ).filter { $0.hasPrefix("Heartwood") && !$0.contains("/") && $0 != "HeartwoodTestSupport" }
        #expect(modules.count > 10)
        for module in modules {
            for (path, code) in try sources(module) where !path.contains("Apple/") {
                let lines = String(decoding: code, as: UTF8.self).split(separator: "\n")
                let found = lines.filter { line in
                    line.contains(asking) && !line.contains("//") && !line.contains("executorPreference")
                }
                // Combine is a framework of Apple's.
                let isAllowed = path.hasSuffix("Combine.swift") || allowed.contains { path.hasSuffix($0) }
                #expect(isAllowed || found.isEmpty, "\(module)/\(path): \(found)")
            }
        }
    }

    @Test("A name of a higher layer is found, in code only")
    func finds() {
        let sources = [
            "Low/A.swift": "// Top\nlet a = \"Top \\\" Top\"\nstruct Low { var top: Top? } /* Other */",
            "Low/B.swift": "extension Other { enum Top {} }\n\"\"\"\nTop\n\"\"\"",
            "High/Top.swift": "public final class Top { let low = Low() }\npackage enum Other {}",
            "Calls.swift": "func call(_ top: Top) {}",
        ]
        let graph = LayerGraph(sources: sources.mapValues { Array($0.utf8) }, order: ["Low", "High", "."])
        #expect(
            graph.violations.map(\.description) == [
                "Low/A.swift names Top, which belongs to High",
                "Low/B.swift names Other, which belongs to High",
                "Low/B.swift names Top, which belongs to High",
            ])
        #expect(LayerGraph(sources: ["New/A.swift": []], order: ["Low"]).unknownLayers == ["New"])
    }
}
