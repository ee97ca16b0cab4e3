import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Fault F18: logrotate itself, while lines are written.
@Suite(.inTurn) struct LogRotateTests {
    private static let program = "/usr/sbin/logrotate"

    private static var isInstalled: Bool {
        if FileManager.default.isExecutableFile(atPath: program) { return true }
        print("skipped: \(program) is not installed (Debian: logrotate)")
        return false
    }

    @Test(
        "Logrotate takes files away while lines are written: none is torn, none is written twice, and with `create` none is lost",
        .enabled(if: LogRotateTests.isInstalled), arguments: ["create 0600", "copytruncate"])
    func rotates(_ mode: String) async throws {
        let scratch = Scratch()
        let logger = try FileLogger(
            directory: scratch.logs,
            settings: FileSettings(naming: LogFileNaming(application: "t", activeName: "t.log")),
            formatter: nil)
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        let configuration = scratch.path + "/conf"
        let text = "\(scratch.logs)/t.log {\n  rotate 50\n  \(mode)\n  missingok\n}\n"
        _ = FileManager.default.createFile(
            atPath: configuration, contents: Data(text.utf8), attributes: [.posixPermissions: 0o644])
        let isOver = Locked(false)
        async let written: Int = Task.detached {
            var number = 0
            while !isOver.withLock({ $0 }) {
                logInfo("line \(number)", to: dispatcher)
                number += 1
                if number % 100 == 0 { await dispatcher.flush(timeout: .testLimit) }
            }
            await dispatcher.flush(timeout: .testLimit)
            return number
        }.value
        for _ in 0..<5 {
            let process = try ChildProcess(
                Self.program, ["-f", "-s", scratch.path + "/state", configuration])
            #expect(await process.ended().isSuccess)
        }
        isOver.withLock { $0 = true }
        let count = await written
        let files = (1...5).reversed().map { "t.log.\($0)" } + ["t.log"]
        let lines = files.map(scratch.text).joined().split(separator: "\n").map(String.init)
        let numbers = lines.map { $0.hasPrefix("line ") ? Int($0.dropFirst(5)) ?? -1 : -1 }
        #expect(!numbers.contains(-1))
        #expect(numbers == Array(Set(numbers)).sorted())
        if mode.hasPrefix("create") { #expect(numbers == Array(0..<count)) }
        #expect(scratch.text("t.log").isEmpty || numbers.last == count - 1)
    }
}
