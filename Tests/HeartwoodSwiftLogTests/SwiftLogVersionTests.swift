import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

/// Builds and runs the bridge's own tests with real versions of swift-log, or with a stand-in that has their forms.
///
/// `HEARTWOOD_SWIFT_LOG=/path/to/swift-log swift test --filter SwiftLogVersionTests` takes the package at that path.
@Suite("The bridge from swift-log, with each version of it", .serialized, .heavy, .secondTier)
struct SwiftLogVersionTests {
    #if os(Linux)
    @Test(
        "The bridge compiles without warnings, and its tests pass",
        arguments: BridgeBuild.versions)
    func suite(version: BridgeBuild.Version) async throws {
        guard let build = try BridgeBuild() else { return }
        defer { build.remove() }
        try await build.buildBridge(version)
        let runner = try build.write(
            """
            import Testing
            @main struct Runner {
                static func main() async { await Testing.__swiftPMEntryPoint() as Never }
            }
            """, "Runner.swift")
        let suite = BuiltModules.root + "/Tests/HeartwoodSwiftLogTests/HeartwoodLogHandlerTests.swift"
        let program = try await build.buildProgram(
            [runner, suite],
            (version.hasErrors ? [] : ["EARLIER_SWIFT_LOG"])
                + (version.hasAttributes ? ["SWIFT_LOG_ATTRIBUTES"] : []))
        let (code, output) = try await build.run(program, ["--testing-library", "swift-testing"])
        #expect(code == 0, "\(output)")
        // Without the two tests of errors, and the one of attributes.
        let count = 11 + (version.hasErrors ? 2 : 0) + (version.hasAttributes ? 1 : 0)
        #expect(output.contains("Test run with \(count) tests"), "\(output)")
    }

    @Test(
        "The code in the page about swift-log compiles, and its messages have the ids of the trace")
    func page() async throws {
        guard let build = try BridgeBuild(), let version = BridgeBuild.versions.first, version.hasErrors
        else {
            return
        }
        defer { build.remove() }
        try await build.buildBridge(version)
        let page = try String(contentsOfFile: BuiltModules.root + "/Docs/SwiftLog.md", encoding: .utf8)
        let blocks = page.split(separator: "\n```swift\n").dropFirst().compactMap {
            $0.split(separator: "\n```").first.map(String.init)
        }
        // Declarations, the statement that uses them, and statements that only compile.
        let declarations = try #require(blocks.first { $0.contains("MetadataProvider {") })
        let bootstrap = try #require(blocks.first { $0.contains("metadataProvider: traces)") })
        let others = blocks.filter { ![declarations, bootstrap].contains($0) }
        try #require(others.count >= 2)
        func code(_ blocks: [String]) -> String {
            blocks.joined(separator: "\n").split(separator: "\n").filter { !$0.hasPrefix("import ") }
                .joined(separator: "\n")
        }
        let program =
            """
            import Heartwood
            import HeartwoodSwiftLog
            import Logging

            \(code([declarations]))

            func others(provider: Logger.MetadataProvider, logger: Logger, error: any Error, order: Int) {
            \(code(others))
            }

            @main struct Program {
                static func main() throws {
                    let console = ConsoleLogger(.standardOutput, formatter: JSONLinesFormatter())
                    LogDispatcher.shared.add(console)
                    \(code([bootstrap]))
                    let logger = Logger(label: "shop.requests")
                    handle(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01") {
                        logger.info("order accepted")
                    }
                    logger.info("idle")
                    LogDispatcher.shared.flush()
                }
            }
            """
        let source = try build.write(program, "Program.swift")
        let (code, output) = try await build.run(try await build.buildProgram([source]))
        #expect(code == 0)
        let lines = output.split(separator: "\n")
        try #require(lines.count == 2, "\(output)")
        #expect(lines[0].contains(#""trace_id":"4bf92f3577b34da6a3ce929d0e0e4736""#), "\(output)")
        #expect(lines[0].contains(#""span_id":""#) && !lines[1].contains("trace_id"), "\(output)")
    }
    #endif
}
