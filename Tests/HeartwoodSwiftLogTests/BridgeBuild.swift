import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

/// Builds the bridge and its tests with a version of swift-log, beside the modules of the tests at hand, without the package manager:
/// a package that is not fetched cannot be a dependency of this one.
struct BridgeBuild {
    /// A version of swift-log.
    struct Version: CustomTestStringConvertible {
        let name: String
        /// The sources of the module `Logging`.
        let sources: String
        var conditions: [String] = []
        /// Whether a call can have an error.
        var hasErrors: Bool
        /// Whether values of metadata can have attributes.
        var hasAttributes = false

        var testDescription: String { name }
    }

    struct Failure: Error, CustomStringConvertible { let description: String }

    private let modules: BuiltModules
    private let directory: String

    /// Prepares a build in a new directory; nil, with the reason printed, where the compiler or the modules are missing.
    init?() throws {
        if Sanitizer.isActive {
            print("skipped: what a sanitizer watches cannot be linked with a program that none watches")
            return nil
        }
        guard let modules = BuiltModules("Heartwood") else { return nil }
        self.modules = modules
        directory = NSTemporaryDirectory() + "bridge-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    /// Removes what was built.
    func remove() { try? FileManager.default.removeItem(atPath: directory) }

    /// The versions to build with: the package at the path in `HEARTWOOD_SWIFT_LOG`, or else the stand-in in its three forms.
    static var versions: [Version] {
        guard let path = ProcessInfo.processInfo.environment["HEARTWOOD_SWIFT_LOG"], !path.isEmpty else {
            let sources = BuiltModules.root + "/Tests/StandIns/swift-log/Sources/Logging"
            return [
                Version(
                    name: "stand-in, newest form", sources: sources, hasErrors: true, hasAttributes: true),
                Version(
                    name: "stand-in, form of 1.12", sources: sources, conditions: ["WITHOUT_ATTRIBUTES"],
                    hasErrors: true),
                Version(
                    name: "stand-in, form of 1.11", sources: sources,
                    conditions: ["WITHOUT_ATTRIBUTES", "WITHOUT_ERRORS"],
                    hasErrors: false),
                Version(
                    name: "stand-in, form before 1.11", sources: sources,
                    conditions: ["WITHOUT_ATTRIBUTES", "WITHOUT_EVENTS"],
                    hasErrors: false),
            ]
        }
        let sources = path + "/Sources/Logging"
        let event = try? String(contentsOfFile: sources + "/LogEvent.swift", encoding: .utf8)
        return [
            Version(
                name: path, sources: sources, hasErrors: event?.contains("var error:") == true,
                hasAttributes: FileManager.default.fileExists(atPath: sources + "/Logger+Attributes.swift"))
        ]
    }

    /// Compiles swift-log, then the bridge with warnings as errors.
    func buildBridge(_ version: Version) async throws {
        try await compile(
            files(version.sources),
            [
                "-swift-version", "5", "-suppress-warnings", "-package-name", "swift_log",
            ] + version.conditions.flatMap { ["-D", $0] } + library("Logging"))
        try await compile(
            files(BuiltModules.root + "/Sources/HeartwoodSwiftLog"),
            strict + ["-D", "SwiftLog"] + library("HeartwoodSwiftLog"))
    }

    /// Compiles a program with what was built.
    ///
    /// - Returns: its path.
    func buildProgram(_ sources: [String], _ conditions: [String] = []) async throws -> String {
        let program = directory + "/program"
        let objects =
            ["Logging", "HeartwoodSwiftLog"].map { "\(directory)/\($0).o" }
            + ["Heartwood", "HeartwoodSystem", "CHeartwood", "SuiteSupport"].flatMap(objects)
        try await compile(
            sources + objects,
            imports + ["-parse-as-library", "-module-name", "BridgeProgram"]
                + (["SwiftLog"] + conditions).flatMap { ["-D", $0] } + ["-o", program])
        return program
    }

    /// Writes a source file beside what is built.
    func write(_ text: String, _ name: String) throws -> String {
        let path = directory + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Runs a program to its end; gives its exit code and what it has said.
    func run(_ program: String, _ arguments: [String] = []) async throws -> (code: Int32, output: String) {
        let output = directory + "/output-\(UUID().uuidString)"
        let ending = try await ChildProcess(
            program, arguments, environment: ["SWIFT_BACKTRACE": "enable=no"], output: .file(output),
            error: .output
        ).ended()
        let text = try String(contentsOfFile: output, encoding: .utf8)
        return (ending.isSignal ? 128 + ending.code : ending.code, text)
    }

    private func compile(_ sources: [String], _ arguments: [String]) async throws {
        let (code, output) = try await run(modules.compiler, arguments + sources)
        if code != 0 { throw Failure(description: "\(arguments.joined(separator: " "))\n\(output)") }
    }

    private var imports: [String] {
        // The package manager's name for this package, whose `package` symbols the bridge uses.
        let identity = URL(fileURLWithPath: BuiltModules.root).lastPathComponent.lowercased()
            .map { $0.isLetter || $0.isNumber ? $0 : "_" }
        return [
            "-swift-version", "6", "-package-name", String(identity),
            // First of all what is built here: the module of that name that the tests were built with may be empty.
            "-I", directory,
        ] + modules.imports
    }

    private var strict: [String] {
        imports + ["-warnings-as-errors"]
            + ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].flatMap {
                ["-enable-upcoming-feature", $0]
            }
    }

    private func library(_ name: String) -> [String] {
        [
            "-parse-as-library", "-enable-testing", "-module-name", name, "-emit-module", "-emit-module-path",
            "\(directory)/\(name).swiftmodule", "-emit-object", "-whole-module-optimization", "-o",
            "\(directory)/\(name).o",
        ]
    }

    /// What a target was compiled to, without what earlier builds have left of files that are elsewhere now.
    private func objects(of target: String) -> [String] {
        let sources = ["/Sources/", "/Tests/"].flatMap {
            FileManager.default.subpaths(atPath: BuiltModules.root + $0 + target) ?? []
        }
        let names = Set(sources.compactMap { $0.split(separator: "/").last })
        return files("\(modules.products)/\(target).build", ".o").filter { path in
            names.contains(path.split(separator: "/").last?.dropLast(2) ?? "")
        }
    }

    private func files(_ folder: String, _ suffix: String = ".swift") -> [String] {
        let names = FileManager.default.subpaths(atPath: folder) ?? []
        return names.filter { $0.hasSuffix(suffix) }.sorted().map { folder + "/" + $0 }
    }
}
