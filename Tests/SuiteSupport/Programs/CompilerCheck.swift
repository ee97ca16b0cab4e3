import Foundation

/// What the compiler says of a program that uses the modules as they were built for the tests at hand.
package struct CompilerCheck {
    private let compiler: String
    private let arguments: [String]

    /// Finds the compiler and the modules; nil, with the reason printed, if one of them is missing.
    ///
    /// - Parameter module: A module that the program imports.
    package init?(module: String) {
        guard let modules = BuiltModules(module) else { return nil }
        let sources = BuiltModules.root + "/Sources"
        compiler = modules.compiler
        arguments =
            ["-typecheck", "-swift-version", "6"] + modules.imports + [
                "-Xcc", "-I\(sources)/CCurl/include",
                "-Xcc", "-fmodule-map-file=\(modules.products)/CCurl.build/module.modulemap",
                "-Xcc", "-fmodule-map-file=\(sources)/CZlib/module.modulemap",
                "-Xcc", "-fmodule-map-file=\(sources)/CCrypto/module.modulemap",
            ]
    }

    /// What the compiler says of a program; nil, with the reason printed, where it cannot import the modules.
    package func messages(for source: String) throws -> String? {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).swift")
        let output = file.path + ".output"
        try Data(source.utf8).write(to: file)
        defer { for path in [file.path, output] { try? FileManager.default.removeItem(atPath: path) } }
        let process = try ChildProcess(
            compiler, arguments + [file.path], output: .file(output), error: .output)
        process.wait()
        let text = try String(contentsOfFile: output, encoding: .utf8)
        guard !text.contains("error: no such module"), !text.contains("missing required module") else {
            print("skipped: the built module cannot be imported here: \(text.prefix(300))")
            return nil
        }
        return text
    }

    /// The first error of each of some statements, which are put into a program line by line.
    ///
    /// - Parameters:
    ///   - statements: The statements, of one line each.
    ///   - prelude: What is before them.
    ///   - close: What ends it.
    /// - Returns: the errors, nil for a statement without one; nil in all where the modules cannot be
    ///   imported.
    /// - Throws: what keeps the compiler from being started.
    package func errors(of statements: [String], after prelude: String, close: String = "}") throws
        -> [String?]?
    {
        let first = prelude.split(separator: "\n", omittingEmptySubsequences: false).count + 1
        let source = prelude + "\n" + statements.joined(separator: "\n") + "\n" + close + "\n"
        guard let text = try messages(for: source) else { return nil }
        let lines = text.split(separator: "\n")
        return statements.indices.map { index in
            lines.first { $0.contains(".swift:\(first + index):") && $0.contains("error:") }.map(String.init)
        }
    }
}
