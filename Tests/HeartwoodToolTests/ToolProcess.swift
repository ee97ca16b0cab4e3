import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

/// The built executable, run as a child process in a directory of its own, which goes with it.
final class ToolProcess {
    /// How a run ended, and what it said.
    struct Outcome {
        let code: Int32
        /// Whether `code` is the number of the signal that ended it.
        let isSignal: Bool
        let output: String
        let error: String
    }

    /// The directory of this run.
    let scratch: URL

    init() throws {
        scratch = FileManager.default.temporaryDirectory.appendingPathComponent(
            "heartwood-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: scratch) }

    /// The executable, beside the test bundle.
    static let executable: URL = {
        #if os(macOS)
        let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") } ?? Bundle.main
        return bundle.bundleURL.deletingLastPathComponent().appendingPathComponent("heartwood")
        #else
        return Bundle.main.bundleURL.appendingPathComponent("heartwood")
        #endif
    }()

    /// The directory that log files go to in most tests.
    var logs: String { scratch.appendingPathComponent("logs").path }

    /// Writes a file into the scratch directory; returns its path.
    func file(_ name: String, _ bytes: some Sequence<UInt8> = [UInt8]()) throws -> String {
        let place = scratch.appendingPathComponent(name)
        try Data(bytes).write(to: place)
        return place.path
    }

    /// Starts the tool, or another program.
    func start(
        _ arguments: [String], of executable: String = ToolProcess.executable.path,
        input: ChildProcess.Stream = .nothing, output: ChildProcess.Stream = .nothing,
        error: ChildProcess.Stream = .nothing
    ) throws -> ChildProcess {
        try ChildProcess(
            executable, arguments, in: scratch.path,
            environment: [
                "SWIFT_BACKTRACE": "enable=no", "TMPDIR": scratch.path,
                "HEARTWOOD": ToolProcess.executable.path,
            ], input: input, output: output, error: error)
    }

    /// Runs the tool, with `input` on its standard input.
    func run(_ arguments: String..., input: some Sequence<UInt8> = [UInt8]()) async throws -> Outcome {
        try await finish(arguments, of: ToolProcess.executable.path, input: Data(input))
    }

    /// Runs a line of shell in which `$HEARTWOOD` is the tool.
    func shell(_ line: String) async throws -> Outcome {
        try await finish(["-c", line], of: "/bin/sh", input: Data())
    }

    private func finish(_ arguments: [String], of executable: String, input: Data) async throws -> Outcome {
        let input = try file("standard input \(UUID().uuidString)", input)
        let output = try file("standard output \(UUID().uuidString)")
        let error = try file("standard error \(UUID().uuidString)")
        let ending = try await start(
            arguments, of: executable, input: .file(input), output: .file(output), error: .file(error)
        ).ended()
        return Outcome(
            code: ending.code, isSignal: ending.isSignal, output: try text(output), error: try text(error))
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    }

    // MARK: What is left

    /// The log files in the order of their names, which is the order of their lines.
    func logFiles() throws -> [Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: logs).filter { $0.hasSuffix(".log") }
        return try names.sorted().map { try Data(contentsOf: URL(fileURLWithPath: logs + "/" + $0)) }
    }

    /// The lines of all log files, without their newlines.
    func logLines() throws -> [Data] {
        let all = try logFiles().reduce(Data(), +)
        if !all.isEmpty { #expect(all.last == 0x0A, "the last line is whole") }
        return all.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast().map { Data($0) }
    }

    /// The lines of all log files as text, without time and level.
    func messages() throws -> [String] {
        // 2026-11-20 10:20:30.123Z info    the message
        try logLines().map { String(decoding: $0.dropFirst(33), as: UTF8.self) }
    }

    /// Expects two lists to be the same, and says where they first differ.
    static func expectSame<Item: Equatable>(
        _ got: [Item], _ wanted: [Item], sourceLocation: SourceLocation = #_sourceLocation
    ) {
        if got == wanted { return }
        let place =
            zip(got, wanted).enumerated().first { $1.0 != $1.1 }?.offset ?? min(got.count, wanted.count)
        let pair = [got, wanted].map { place < $0.count ? "\($0[place])" : "nothing" }
        Issue.record(
            "\(got.count) instead of \(wanted.count); at \(place): \(pair[0]) instead of \(pair[1])",
            sourceLocation: sourceLocation)
    }

    // MARK: Real input

    /// A log of a real system, or nil (with a printed reason) if it is not on this machine.
    static func realLog(_ name: String) -> Data? {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        // Beside the clone, or beside the directory that it is in.
        for place in ["../shared/data", "../../shared/data"] {
            let file = root.appendingPathComponent(place).appendingPathComponent(name)
            if let data = try? Data(contentsOf: file) { return data }
        }
        print("skipped: there is no ../shared/data/\(name) beside this clone")
        return nil
    }
}
