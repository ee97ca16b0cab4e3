import Heartwood
import HeartwoodTestSupport

@testable import HeartwoodHTTP

/// The end of a world, when everything is well: what was saved must arrive in bounded time.
struct SimulatedRecovery {
    let world: SimulatedWorld

    /// - Throws: `SimulatedProblem` when something does not arrive, or arrives twice.
    func run() throws {
        if world.dice(3) == 0 { try runInShortLives() } else { try runInOneLife() }
        try checkArrivals()
    }

    private var pending: Int { world.life?.shell.store.pending ?? 0 }
    private var server: SimulatedServer { world.network.server }
    /// Whether messages have to be told from those that no server takes.
    private var isSearching: Bool { server.hasRefused || !server.bad.isEmpty }

    private func runInOneLife() throws {
        try world.beginWell()
        // More than a slow line carries at once.
        try world.log(world.hasSlowLine ? 100 : 2)
        try world.save()
        // A pause that the server has asked for, and the time of receipts that it has lost.
        var patience = Duration.seconds(server.confirmsLater ? 3600 : 1200)
        // To find out which messages are bad, a few are tried every five minutes.
        // Of an event store with receipts one partition goes at a time, and these are tiny.
        if server.confirmsLater { patience += .seconds(5) * pending }
        if isSearching { patience += .seconds(300) * (pending + 10) }
        if let rate = world.network.rate {
            // A message takes five bytes at most; where long requests are ended, a half of what is tried fails.
            patience += .seconds(20) * pending / rate + .seconds(2000)
        }
        let end = world.now + patience
        while world.now < end, world.life != nil, pending > 0 {
            try world.advance(by: .seconds(100))
            // New messages show whether the messages are bad or the server.
            if world.dice(6) == 0 { try world.log(1) }
        }
        guard let life = world.life else { throw SimulatedProblem("the last process has died") }
        try world.check()
        if pending > 0 {
            throw SimulatedProblem("\(pending) are still pending with a healthy server: \(life.figures)")
        }
    }

    /// Programs of 0.2 s deliver everything, too, and nothing twice; they wait for acknowledgements as well.
    private func runInShortLives() throws {
        world.end()
        world.network.endSlowness()
        let known = server.taken
        var left = Int.max
        var count = 0
        let areReleased = world.dice(2) == 0
        var limit = 20
        while left > 0 {
            count += 1
            try world.beginWell()
            try world.log(2)
            if count == 1 { limit += 2 * pending * (isSearching ? 10 : 1) }
            if count > limit, let store = world.life?.shell.store, isStuck(store) { return }
            if count > limit {
                throw SimulatedProblem("\(left) are still pending after \(count) short lives")
            }
            try world.save()
            try world.advance(by: .milliseconds(200))
            let life = world.life
            if areReleased { try world.release() } else { try world.exit(isWaiting: true) }
            left = life?.shell.store.pending ?? left
        }
        // What a server has not confirmed before the end comes again.
        if server.confirmsLater { return }
        // A request that the end of the time has cut off may have arrived.
        let twice = server.repeated.subtracting(known).subtracting(world.network.cutOff)
        if !twice.isEmpty { throw SimulatedProblem("short lives sent again: \(twice.sorted())") }
    }

    /// Whether a small store has only messages that no server takes, and drops new ones: a program that ends before it
    /// has found three of them refused has none to tell them by.
    private func isStuck(_ store: any UnsentStore) -> Bool {
        let settings = world.settings
        guard settings.all.spoolSettings.overflow == .dropNewest, !settings.keepsEverything,
            let spool = store as? Spool
        else { return false }
        var isStuck = true
        spool.forEachPending { record in
            let number = EntryCoder.decode(record.payload, id: "").flatMap { Int($0.text) }
            isStuck = number.map(server.bad.contains) ?? false
            return isStuck
        }
        return isStuck
    }

    private func checkArrivals() throws {
        let letters = world.place.deadLetters()
        let arrived = server.taken.union(letters)
        if !world.mayLose {
            let missing = world.messages.saved.subtracting(arrived)
            if !missing.isEmpty {
                throw SimulatedProblem(
                    "lost: \(missing.sorted()) of \(world.messages.logged), "
                        + "\(String(describing: world.life?.figures))")
            }
            if let problem = world.messages.wrong(arrived) { throw SimulatedProblem(problem) }
        }
        if !server.hasRefusedGood, !letters.isSubset(of: server.bad) {
            throw SimulatedProblem(
                "good messages were set aside: \(letters.subtracting(server.bad).sorted())")
        }
    }
}
