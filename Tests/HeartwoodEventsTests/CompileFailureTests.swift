import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@Suite("What does not compile", .inTurn) struct CompileFailureTests {
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

    @Test("Keys of another type and values that JSON cannot say do not compile; all others do")
    func types() throws {
        let good = [
            "$0[.page] = \"/home\"", "$0[.page] = 3", "$0[.page] = 3.5", "$0[.page] = nil",
            "$0[.page] = true",
            "$0[.page] = [1, 2]", "$0[.page] = [\"a\": 1]", "$0[.page] = nested", "$0[.page] = [nested]",
            "$0[.page] = Date()", "$0[.page] = UUID()", "$0[.page] = Decimal(1)", "$0[.page] = Int?.none",
            "$0[.page] = UInt8(1)", "$0[.page] = Float(1)", "$0[.page] = [Date?.none]",
        ]
        guard let compiler = CompilerCheck(module: "HeartwoodEvents"),
            let output = try compiler.messages(for: Self.program(good))
        else { return }
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
        let errors = try #require(try compiler.messages(for: Self.program(bad.map(\.0)))).split(
            separator: "\n")
        for (index, (statement, message)) in bad.enumerated() {
            let line = errors.first { $0.contains(".swift:\(8 + index):") && $0.contains("error:") } ?? "none"
            #expect(line.contains(message), "\(statement): \(line)")
        }
    }
}
