import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@Suite("The compile-time floor", .inTurn)
struct CompileTimeFloorTests {
    private static let isAsked = ProcessInfo.processInfo.environment["HEARTWOOD_SLOW_TESTS"] != nil

    @Test(
        "Calls below the floor are not in the binary, neither their texts nor their values",
        .enabled(
            if: isAsked, "builds a package of its own for some minutes: set HEARTWOOD_SLOW_TESTS to run it"))
    func floor() async throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../compile-time-floor").standardizedFileURL
        let process = try ChildProcess(
            "/bin/sh", [script.path], output: .descriptor(1), error: .descriptor(2))
        #expect(await process.ended().isSuccess)
    }
}
