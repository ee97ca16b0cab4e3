import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

/// What people write at first: it works, or the compiler says what to write instead.
@Suite("What the compiler says of calls", .inTurn) struct CompilerMessageTests {
    private static let prelude = """
        import Foundation
        import Heartwood
        struct Failure: Error {}
        func use(_ name: String, _ optional: String?, _ count: Int, _ ratio: Double, _ error: any Error,
            _ any: any Sendable, _ file: String, _ message: LogMessage, _ levels: [LogLevel], _ logger: FileLogger) {
        """

    @Test("What works compiles without a word")
    func valid() throws {
        let good = [
            #"logInfo("plain")"#, #"logInfo("\(name) \(count) \(ratio, as: "r", format: .fixed(2))")"#,
            #"logInfo(name)"#, #"logInfo(name + "!")"#, #"logInfo(optional ?? "none")"#,
            #"logInfo("\(error)")"#,
            #"logInfo("x", tag: nil)"#, #"logInfo("x", tag: any)"#, #"logInfo("x", tag: 17)"#,
            #"logInfo("x", tag: optional)"#,
            #"logInfo("x", tag: [name: count], metadata: ["a": "\(name)", "b": 1])"#,
            #"logInfo("x", metadata: ["name": .string(name), "count": LogValue(count)])"#,
            #"logInfo("x", metadata: ["name": name])"#,
            #"logInfo(name, metadata: ["name": name, "n": count])"#,
            #"logInfo("x", metadata: ["name": name, "count": .integer(3), "optional": optional, "list": [name]])"#,
            #"logInfo("x", metadata: [:])"#, #"logInfo("x", metadata: nil)"#,
            #"logInfo("x", metadata: ["a": .array(["x", 2]), "b": nil, "c": ["k": 1]])"#,
            #"logError("x", error: error)"#,
            #"logError("x \(count)", error: error, metadata: ["name": name])"#,
            #"logError(name, error: error, category: .default)"#,
            #"logError("x", error: Failure(), tag: any, metadata: ["a": .error(error)])"#,
            #"withLogContext(["name": name]) { logInfo("x") }"#, #"withLogContext([:]) { logInfo("x") }"#,
            #"log("x", level: .info, error: error)"#, #"log("x", level: .info, metadata: ["name": name])"#,
            #"logInfo("\(count, as: "n", privacy: .private, format: .padded(5))")"#,
            #"log("x", level: .info, file: file, function: "f", line: count)"#,
            #"log(name, level: .info, file: file, function: "f", line: UInt(7))"#,
            #"log("x \(count)", level: .info)"#, #"log(name, level: levels[0], category: .default)"#,
            #"LogDispatcher.shared.log(message, asynchronous: false)"#,
            #"_ = isLogEnabled(.info) && isLogEnabled(.info, file: file)"#,
            #"logger.maximumFileSize = 5 * 1024 * 1024"#, #"logger.maximumFileSize = 65_536"#,
            #"logger.maximumFileSize = .mebibytes(5) * 2"#,
            #"_ = message.level >= .warning && levels.max() == .error"#,
            #"_ = message == message"#, #"logInfo("100% of %d \(count)")"#, #"logInfo("\(optional) \(any)")"#,
            #"logError("failed: \(error)", category: .default, context: 3, asynchronous: false)"#,
            #"logInfo("x", metadata: { let n = count; _ = n; return ["a": 1] }())"#,
            #"logInfo(name, metadata: { let n = count; _ = n; return ["a": 1] }())"#,
            #"logInfo(name, metadata: { let n = name; return ["a": n] }())"#,
            #"logInfo("\(count)", metadata: { if count > 1 { return nil }; return ["b": 2] }())"#,
            #"logInfo(name, metadata: { if count > 1 { return ["a": 1] }; return ["b": .string(name)] }())"#,
            #"log(name, level: .info, metadata: { let n = 1; _ = n; return ["a": 1, "b": .array([1, "c"])] }())"#,
            #"let kept: LogMetadata = ["a": 1]; logInfo("x", metadata: kept); logInfo(name, metadata: kept)"#,
            #"let none: LogMetadata? = nil; logInfo("x", metadata: none); logInfo(name, metadata: none)"#,
            #"let dictionary: [String: LogValue] = ["a": 1]; logInfo(name, metadata: LogMetadata(dictionary))"#,
            #"let names = ["a": name]; logInfo("x", metadata: LogMetadata(names))"#,
            #"logInfo("\(count > 3 ? "many" : "few") \(optional, default: "none")")"#,
        ]
        guard let compiler = CompilerCheck(module: "Heartwood") else { return }
        let source = Self.prelude + "\n" + good.joined(separator: "\n") + "\n}\n"
        guard let output = try compiler.messages(for: source) else { return }
        #expect(output == "")
    }

    @Test("The common slips have messages that say what to write")
    func slips() throws {
        let bad: [(String, String)] = [
            (#"logInfo("%d items", count)"#, "interpolate the values"),
            (#"logError("%@ and %@", name, optional)"#, "interpolate the values"),
            (#"logInfo(42)"#, #"write logInfo("\(value)")"#),
            (#"logInfo(count)"#, #"write logInfo("\(value)")"#),
            (#"logError(error)"#, #"write logError("\(value)")"#),
            (#"logInfo(optional)"#, #"write logInfo("\(value)")"#),
            (#"logDebug([1, 2])"#, #"write logDebug("\(value)")"#),
            (#"logInfo("\(count, format: .fixed(2))")"#, "write \\(Double(value), format: .fixed(2))"),
            (#"logInfo("x", category: "net")"#, "cannot convert value of type 'String'"),
            (#"logInfo("x", tag: any as Any)"#, "Sendable"),
            (#"logInfo("x", metadata: ["any": any as Any])"#, "LogValueConvertible"),
            (#"logInfo("x", metadata: ["list": ["x", 2]])"#, "LogValueConvertible"),
            (#"logError("x", error: name)"#, "(any Error)?"),
            (#"logger.rollingInterval = 86_400"#, "'Duration'"), (#"logInfo()"#, "missing argument"),
            (#"logInfo("\(undefined)")"#, "cannot find 'undefined' in scope"),
            (#"logInfo("x", contxt: 3)"#, "contxt"),
        ]
        guard let compiler = CompilerCheck(module: "Heartwood"),
            let errors = try compiler.errors(of: bad.map(\.0), after: Self.prelude)
        else { return }
        for ((statement, message), error) in zip(bad, errors) {
            #expect(error?.contains(message) == true, "\(statement): \(error ?? "compiles")")
        }
    }
}
