import Heartwood
import HeartwoodTestSupport

@testable import HeartwoodHTTP

/// What happens in a world: one thing per step, drawn by lot.
struct SimulatedCourse {
    /// How many reads in a row may fail: ten are too many for a file, and it counts as damaged.
    private let longestReadFailure: Int

    init(_ random: inout SeededGenerator) {
        longestReadFailure = [0, 0, 0, 3, 3, 30][Int.random(in: 0..<6, using: &random)]
    }

    /// Lets the disk fail soon, or the process die, perhaps.
    func planFaults(in world: SimulatedWorld) {
        if world.dice(12) == 0 { world.disk.die(after: world.dice(12), torn: world.dice(101)) }
        if longestReadFailure > 0, world.dice(6) == 0 {
            world.disk.failReads(1 + world.dice(longestReadFailure))
        }
        if world.dice(20) == 0 { world.disk.failChanges(1 + world.dice(2)) }
    }

    /// Lets something happen to the process that lives.
    func act(in world: SimulatedWorld) throws {
        func dice(_ sides: Int) -> Int { world.dice(sides) }
        let what = dice(30)
        world.trace(
            "act \(what), server \(world.network.server.mode), \(SimulatedPlace.describe(world.life?.shell.store))"
        )
        switch what {
        case 0..<6: try world.log(1 + dice(6))
        case 6..<13: try world.advance(by: .milliseconds([1, 50, 1000, 10_000, 61_000, 310_000][dice(6)]))
        case 13: world.network.set(SimulatedServer.Mode.usual[dice(SimulatedServer.Mode.usual.count)])
        case 14: world.network.set(.accepts)
        case 15: try world.connect(dice(3) > 0)
        case 16: try world.request(dice(2) == 0 ? .sendNow : .flush)
        case 17: try world.change()
        case 18: if dice(3) == 0 { world.disk.die(after: dice(8), torn: dice(101)) }
        case 19: world.disk.setFull(dice(4) == 0)
        case 20: if dice(2) == 0 { world.end() } else { try world.exit(isWaiting: dice(3) > 0) }
        case 21: try world.exit(isWaiting: dice(3) > 0)
        case 22: if dice(2) == 0 { try world.remove() }
        case 23: if dice(6) == 0, !world.place.isPartitioned { try world.discard() }
        case 24: if longestReadFailure > 0 { world.disk.failReads(1 + dice(longestReadFailure)) }
        case 25: if dice(3) == 0 { world.disk.failChanges(1 + dice(4)) }
        case 26:
            if dice(4) == 0 { world.clock.setWall(world.clock.now() + .seconds(dice(200_000) - 100_000)) }
        case 27: if dice(2) == 0 { world.network.restartServer() }
        case 28: if dice(4) == 0 { try liveShortly(2 + dice(5), in: world) }
        default:
            switch dice(150) {
            case 0: if world.messages.logged < 1000 { try world.log(1000) }
            case 1..<30: world.network.set(.tooLargeForNow)
            case 30..<60: world.network.set(.losesThenSplits)
            case 60..<90: try world.release()
            case 90..<120: try world.logBusy(4 + dice(12))
            case 120... where world.hasSlowLine: world.changeLine()
            default: break
            }
        }
    }

    /// Programs that log a little, and end.
    private func liveShortly(_ count: Int, in world: SimulatedWorld) throws {
        for _ in 0..<count {
            if world.life != nil { try world.exit(isWaiting: true) }
            try world.begin()
            try world.log(1 + world.dice(3))
            try world.advance(by: .milliseconds(200))
            try world.check()
        }
    }
}
