import Heartwood

@testable import HeartwoodHTTP

/// What must hold of a process's figures at every step.
struct SimulatedBalance {
    var settings: SimulatedSettings
    /// Whether the user has thrown messages away.
    var isDiscarding: Bool
    /// How many reads the disk has failed.
    var failedReads: Int
    /// Whether the server has ever taken something.
    var hasAccepted: Bool

    /// - Throws: `SimulatedProblem` with the first thing that is wrong.
    func check(_ life: SimulatedLife) throws {
        let figures = life.figures
        let gone = figures.acknowledged + figures.rejected + figures.dropped
        if figures.stored + figures.recovered != gone + figures.pending || figures.pending < 0 {
            throw SimulatedProblem("the balance: \(figures)")
        }
        if figures.stored != life.stored { throw SimulatedProblem("\(life.stored) were logged: \(figures)") }
        let counters = life.shell.store.counters
        for spool in SimulatedPlace.spools(of: life.shell.store) {
            if let violation = spool.plan.violation { throw SimulatedProblem("the spool: \(violation)") }
        }
        if let violation = (life.shell.store as? PartitionedSpool)?.plan.violation {
            throw SimulatedProblem("the partitions: \(violation)")
        }
        if figures.dropped != counters.lost + life.shell.lostInFlight {
            throw SimulatedProblem("dropped without a reason")
        }
        if settings.keepsEverything, !isDiscarding,
            counters.droppedFull + counters.droppedOld > life.refused || counters.droppedAsked > 0
        {
            throw SimulatedProblem("dropped: \(counters)")
        }
        // Ten reads that fail in a row are too many for a file.
        if counters.damagedRecords > 0, failedReads < 10 { throw SimulatedProblem("damaged: \(counters)") }
        if figures.rejected > 0, !hasAccepted {
            throw SimulatedProblem("set aside though nothing was ever taken")
        }
    }
}
