import Foundation
import HeartwoodTestSupport
import Testing

@Suite("What does not compile") struct CompileFailureTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// What the compiler says of a program that uses the module as it was built for these tests; nil where that
    /// cannot be had, with the reason printed.
    private static func typecheck(_ source: String) throws -> String? {
        let products = Bundle.main.bundleURL.deletingLastPathComponent()
        let candidates = [Bundle.main.bundleURL, products].map { $0.appendingPathComponent("Modules") }
        guard
            let modules = candidates.first(where: {
                FileManager.default.fileExists(atPath: $0.path + "/HeartwoodEvents.swiftmodule")
            })
        else {
            print("skipped: no built module HeartwoodEvents near \(products.path)")
            return nil
        }
        let path = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard let compiler = path.map({ $0 + "/swiftc" }).first(where: FileManager.default.isExecutableFile)
        else {
            print("skipped: there is no swiftc in PATH")
            return nil
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).swift")
        try Data(source.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let sources = root.appendingPathComponent("Sources").path
        let arguments = [
            "-typecheck", "-swift-version", "6", "-I", modules.path,
            "-Xcc", "-I\(sources)/CHeartwood/include",
            "-Xcc", "-I\(sources)/CCurl/include",
            "-Xcc",
            "-fmodule-map-file=\(modules.deletingLastPathComponent().path)/CCurl.build/module.modulemap",
            "-Xcc", "-fmodule-map-file=\(sources)/CZlib/module.modulemap",
            "-Xcc", "-fmodule-map-file=\(sources)/CCrypto/module.modulemap",
            "-Xcc",
            "-fmodule-map-file=\(modules.deletingLastPathComponent().path)/CHeartwood.build/module.modulemap",
            file.path,
        ]
        let output = file.path + ".output"
        defer { try? FileManager.default.removeItem(atPath: output) }
        let process = try ChildProcess(compiler, arguments, output: .file(output), error: .output)
        process.wait()
        return try String(contentsOfFile: output, encoding: .utf8)
    }

    /// A program with each statement in a line of its own, from line 8 on.
    private static func program(_ statements: [String]) -> String {
        """
        import Foundation
        import HeartwoodEvents
        enum Key: String { case page }
        enum Other: String { case page, index }
        struct Thing { var x = 1 }
        final class Box {}
        func use(_ events: EventLog<Key>, _ thing: Thing, _ box: Box, _ nested: EventRecord<Other>, _ any: Any) {

        """ + statements.map { "events.append { \($0) }\n" }.joined() + "}\n"
    }

    @Test("SC1, SC15: keys of another type and values that JSON cannot say do not compile; all others do")
    func types() throws {
        let good = [
            "$0[.page] = \"/home\"", "$0[.page] = 3", "$0[.page] = 3.5", "$0[.page] = nil",
            "$0[.page] = true",
            "$0[.page] = [1, 2]", "$0[.page] = [\"a\": 1]", "$0[.page] = nested", "$0[.page] = [nested]",
            "$0[.page] = Date()", "$0[.page] = UUID()", "$0[.page] = Decimal(1)", "$0[.page] = Int?.none",
            "$0[.page] = UInt8(1)", "$0[.page] = Float(1)", "$0[.page] = [Date?.none]",
        ]
        guard let output = try Self.typecheck(Self.program(good)) else { return }
        guard !output.contains("error: no such module"), !output.contains("missing required module") else {
            print("skipped: the built module cannot be imported here: \(output.prefix(300))")
            return
        }
        #expect(output == "")
        let bad: [(String, String)] = [
            ("$0[.page] = thing", "cannot assign value of type 'Thing'"),
            ("$0[.page] = box", "cannot assign value of type 'Box'"),
            ("$0[.page] = any", "cannot assign value of type 'Any'"),
            ("$0[.page] = Data()", "cannot assign value of type 'Data'"),
            ("$0[.page] = [thing]", "cannot assign value of type '[Thing]'"),
            ("$0[.page] = [1: \"a\"]", "cannot convert value of type 'Int' to expected dictionary key type"),
            ("$0[.page] = Optional(thing)", "cannot assign value of type 'Thing?'"),
            ("$0[.index] = 1", "has no member 'index'"),
            ("$0[Other.index] = 1", "cannot convert value of type 'Other'"),
            ("$0[\"page\"] = 1", "cannot convert value of type 'String'"),
        ]
        let errors = try #require(try Self.typecheck(Self.program(bad.map(\.0)))).split(separator: "\n")
        for (index, (statement, message)) in bad.enumerated() {
            let line = errors.first { $0.contains(".swift:\(8 + index):") && $0.contains("error:") } ?? "none"
            #expect(line.contains(message), "\(statement): \(line)")
        }
    }
}
