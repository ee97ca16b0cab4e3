import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Promise 10 and goal G1: processes with four logging threads are killed at random moments, again and again.
///
/// `HEARTWOOD_KILLS` says how often; 100 times in all in the second tier unless it does.
@Suite(.serialized, .inTurn) struct JournalKillTests {
    static let kills =
        ProcessInfo.processInfo.environment["HEARTWOOD_KILLS"].flatMap { Int($0) }
        ?? (Load.isSanitized ? 10 : Tier.amount(15, full: 100))

    @Test(
        "Promise 10: what a returned call has logged is in the files once, whole and in order, after any kill -9"
    )
    func randomMoments() async throws {
        try await scene(JournalScene(), kills: Self.kills * 6 / 10)
    }

    @Test("Promise 10 holds with files that are rolled every few lines")
    func rolling() async throws {
        try await scene(JournalScene(fileSize: 2000, lifetime: 20_000), kills: Self.kills * 2 / 10)
    }

    @Test("Promise 10 holds with a journal and log files that are encrypted")
    func encrypted() async throws {
        try await scene(JournalScene(isEncrypted: true), kills: Self.kills * 2 / 10)
    }

    @Test("Promise 10 holds with a ring that is full all the time, and long lines")
    func full() async throws {
        try await scene(JournalScene(ring: 64 * 1024, padding: 1500), kills: Self.kills * 2 / 10)
    }

    @Test("Promise 10 holds for a journal that was left with both of its names, as while it was made")
    func twoNames() async throws {
        let scratch = Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            try JournalScene().logFew(path, run: 0, dyingAt: 20, part: nil)
        }
        let folder = path + "/journal"
        let journals = try FileManager.default.contentsOfDirectory(atPath: folder)
        try #require(journals.count == 1)
        #expect(link(folder + "/" + journals[0], folder + "/" + journals[0] + ".new") == 0)
        try JournalScene().judge(path, runs: 1)
    }

    /// How many kills one directory sees; more of them go to fresh ones, so that it does not fill with files.
    private static let share = 50

    private func scene(_ scene: JournalScene, kills: Int) async throws {
        var random = SplitMix64(state: UInt64(kills))
        // Under a sanitizer everything takes longer: without more time, two processes may have logged nothing at all.
        let longest = UInt64(scene.lifetime) * (Load.isSanitized ? 10 : 1)
        var total = (kills: 0, returned: 0, recovered: 0)
        var rest = max(1, kills)
        while rest > 0 {
            let rounds = min(rest, Self.share)
            rest -= rounds
            let scratch = Scratch()
            let path = scratch.path
            for run in 0..<rounds {
                let lifetime = UInt32(random.next() % longest) + 1
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [
                        path = path as String, run = run as Int, lifetime = lifetime as UInt32,
                        scene = scene as JournalScene
                    ] in
                    try scene.log(path, run: run) {
                        // Half of them die at any moment, the others after a call has returned, however busy the machine is.
                        if run % 2 == 1 { JournalWitness(path, run: run).wait(for: 1) }
                        usleep(lifetime)
                        kill(getpid(), SIGKILL)
                    }
                }
            }
            let (returned, recovered, _) = try scene.judge(path, runs: rounds)
            total.kills += rounds
            total.returned += returned
            total.recovered += recovered
        }
        #expect(total.returned >= total.kills / 2)
        print(
            "\(total.kills) kills, \(total.returned) calls had returned, \(total.recovered) messages were recovered"
        )
    }
}

/// A small generator whose numbers are the same in every run.
struct SplitMix64 {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
        return z ^ z >> 31
    }
}
