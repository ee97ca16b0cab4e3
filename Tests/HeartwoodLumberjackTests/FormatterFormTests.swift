import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

/// Which formatters compile; one that is never asked, and so never redacts, must not.
@Suite("Forms of formatters that compile", .inTurn, .enabled(if: Tier.isFull))
struct FormatterFormTests {
    private static let prelude = """
        import HeartwoodLumberjack
        class Base: NSObject, DDLogFormatter {
            func format(message logMessage: DDLogMessage) -> String? { logMessage.message }
        }
        """

    private func errors(_ lines: [String]) throws -> [String?]? {
        guard let compiler = CompilerCheck(module: "HeartwoodLumberjack") else { return nil }
        return try compiler.errors(of: lines, after: Self.prelude, close: "")
    }

    @Test("A formatter with the one form compiles, and a subclass may override it in any form that is wider")
    func right() throws {
        let lines = [
            "class A: NSObject, DDLogFormatter { func format(message: DDLogMessage) -> String? { nil } }",
            "class B: Base { override func format(message: DDLogMessage!) -> String? { nil } }",
            "class C: Base { override func format(message: DDLogMessage?) -> String { \"\" } }",
            "class D: DDDispatchQueueLogFormatter { override func format(message: DDLogMessage!) -> String { \"\" } }",
            "func use(_ a: DDLogFormatter?, _ b: any DDLogFormatter) -> String? { a?.format(message: DDLogMessage()) }",
        ]
        guard let errors = try errors(lines) else { return }
        #expect(errors.allSatisfy { $0 == nil }, "\(errors)")
    }

    @Test(
        "A formatter with another parameter, another result or another name does not compile",
        arguments: [
            "func format(message: DDLogMessage!) -> String? { nil }",
            "func format(message: DDLogMessage?) -> String? { nil }",
            "func format(message: DDLogMessage!) -> String { \"\" }",
            "func format(message: DDLogMessage) -> String { \"\" }",
            "func formatMessage(message: DDLogMessage) -> String? { nil }",
            "func format(logMessage: DDLogMessage) -> String? { nil }",
            "func format(_ message: DDLogMessage) -> String? { nil }",
            "",
        ])
    func wrong(_ member: String) throws {
        guard let errors = try errors(["class F: NSObject, DDLogFormatter { \(member) }"]) else { return }
        let error = try #require(errors[0])
        #expect(error.contains("protocol 'DDLogFormatter'"))
    }

    @Test("With the flag of the page, files that import CocoaLumberjack compile unchanged")
    func alias() throws {
        guard let modules = BuiltModules("HeartwoodLumberjack") else { return }
        let page = try String(
            contentsOfFile: BuiltModules.root + "/Docs/MigratingFromCocoaLumberjack.md", encoding: .utf8)
        let flag = try #require(page.split(separator: "\n").first { $0.hasPrefix("-module-alias ") })
        let folder = Folder()
        let source = """
            import CocoaLumberjackSwift
            final class Quiet: NSObject, DDLogFormatter {
                func format(message logMessage: DDLogMessage) -> String? { nil }
            }
            func log(_ name: String) { CocoaLumberjackSwift.DDLogInfo("\\(name)") }
            """
        try Data(source.utf8).write(to: URL(fileURLWithPath: folder.path + "/a.swift"))
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: modules.compiler)
        compiler.arguments =
            ["-typecheck", "-swift-version", "6"] + flag.split(separator: " ").map(String.init)
            + modules.imports
            + [folder.path + "/a.swift"]
        try compiler.run()
        compiler.waitUntilExit()
        #expect(compiler.terminationStatus == 0)
    }
}
