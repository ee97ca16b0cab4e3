import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

/// What `kill -9` costs without a journal: measured, for Docs/Invariants.md, and the part of it that is promised.
///
/// `HEARTWOOD_KILLS` says how often each scene is killed; 4 times unless it does.
@Suite(.serialized, .inTurn) struct LossWithoutJournalTests {
    private static let kills =
        ProcessInfo.processInfo.environment["HEARTWOOD_KILLS"].flatMap { Int($0) } ?? 4

    @Test("Without a journal, kill -9 at full speed costs the newest messages of each thread and no other")
    func fullSpeed() async throws {
        try await measure("four threads at full speed", threads: 4, pause: 0, lifetime: 20_000...200_000)
    }

    @Test("Without a journal, kill -9 at 1,000 messages a second costs the newest messages and no other")
    func thousandASecond() async throws {
        try await measure("1,000 messages a second", threads: 1, pause: 1000, lifetime: 100_000...300_000)
    }

    @Test(
        "Without a journal, kill -9 costs no message that was logged before an error whose call had returned")
    func errors() async throws {
        let (lost, _) = try await measure(
            "an error after each message", threads: 1, pause: 0, lifetime: 20_000...100_000,
            endsInErrors: true)
        #expect(lost == 0)
    }

    /// Kills a process that logs, many times, and counts the messages whose calls had returned and that are in no file.
    @discardableResult
    private func measure(
        _ scene: String, threads: Int, pause: UInt32, lifetime: ClosedRange<Int>, endsInErrors: Bool = false
    ) async throws -> (lost: Int, returned: Int) {
        var random = SeededGenerator(seed: 17)
        var total = (lost: 0, returned: 0, most: 0)
        for _ in 0..<Self.kills {
            let scratch = Scratch()
            let path = scratch.path
            let time = UInt32.random(
                in: UInt32(lifetime.lowerBound)...UInt32(lifetime.upperBound), using: &random)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, threads = threads as Int, pause = pause as UInt32,
                    time = time as UInt32, endsInErrors = endsInErrors as Bool
                ] in
                try Self.log(path, threads: threads, pause: pause, endsInErrors: endsInErrors)
                usleep(time)
                kill(getpid(), SIGKILL)
            }
            let (lost, returned) = try judge(path, threads: threads)
            total = (total.lost + lost, total.returned + returned, max(total.most, lost))
        }
        let share = Double(total.lost * 1000 / max(1, total.returned)) / 10
        print(
            "\(scene): \(Self.kills) kills, \(total.lost) of \(total.returned) messages lost (\(share) %),"
                + " \(total.most) at most in one")
        return (total.lost, total.returned)
    }

    private static func log(_ path: String, threads: Int, pause: UInt32, endsInErrors: Bool) throws {
        let dispatcher = LogDispatcher()
        dispatcher.add(
            try FileLogger(
                directory: path + "/logs", settings: FileSettings(naming: JournalScene.naming), formatter: nil
            ))
        let witness = JournalWitness(path, run: 0)
        for thread in 0..<threads {
            Thread.detachNewThread {
                var number = 0
                while true {
                    logInfo(
                        "\(thread) \(number) of the messages of a program that will be killed", to: dispatcher
                    )
                    if endsInErrors { logError("an error", to: dispatcher) }
                    number += 1
                    witness.note(thread, number)
                    if pause > 0 { usleep(pause) }
                }
            }
        }
    }

    /// How many messages are lost of those whose calls had returned; each thread's must be there without a gap.
    private func judge(_ path: String, threads: Int) throws -> (lost: Int, returned: Int) {
        var found = [Int](repeating: 0, count: threads)
        for name in try LogFileReader(directory: path + "/logs", naming: JournalScene.naming).paths() {
            let text = try String(contentsOfFile: name, encoding: .utf8)
            // The last line may be torn: the process was killed while it was written.
            let whole = text[..<(text.lastIndex(of: "\n") ?? text.startIndex)]
            for line in whole.split(separator: "\n") where !line.hasPrefix("an error") {
                let words = line.split(separator: " ")
                let thread = try #require(words.first.flatMap { Int($0) }, "\(line)")
                #expect(words[1] == "\(found[thread])", "there is a gap in thread \(thread)")
                found[thread] += 1
            }
        }
        let witness = JournalWitness(path, run: 0)
        let returned = (0..<threads).map(witness.returned)
        let lost = zip(returned, found).map { max(0, $0 - $1) }.reduce(0, +)
        return (lost, returned.reduce(0, +))
    }
}
