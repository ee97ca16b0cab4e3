import Heartwood
import HeartwoodTestSupport

@testable import HeartwoodHTTP

/// One process of a simulated world: the real shell with the real engine on the real store.
final class SimulatedLife: DeliveryHost {
    enum Duty {
        case report(UploadJob, UploadJob.Report, Result<HTTPResponse, HTTPTransportError>?)
        case receipts([String]?)
        case refreshed
    }

    /// What the world is told.
    struct Effects {
        var jobs: [UploadJob] = []
        var questions: [ReceiptJob] = []
        var refreshes = 0
        var wakeTime: Duration?
    }

    private let clock: ManualClock
    private var random: SeededGenerator
    var effects = Effects()
    private(set) var figures = HTTPStatistics()
    private var shellIfMade: DeliveryShell?
    var shell: DeliveryShell { shellIfMade.unsafelyUnwrapped }
    var isAdded = false
    /// How many messages this process has logged, and how many of them its store has refused.
    var stored = 0
    var refused = 0

    init(_ store: any UnsentStore, _ settings: DeliverySettings, _ clock: ManualClock, seed: UInt64) {
        self.clock = clock
        random = SeededGenerator(seed: seed)
        shellIfMade = DeliveryShell(store, settings, self)
    }

    /// What is to be sent and asked for.
    func takeRequests() -> Effects {
        defer { (effects.jobs, effects.questions, effects.refreshes) = ([], [], 0) }
        return effects
    }

    var uptime: Duration { clock.uptime() }
    var wallTime: LogTimestamp { clock.now() }
    func draw() -> Double { Double.random(in: 0..<1, using: &random) }
    func wake(at time: Duration?) { effects.wakeTime = time }
    func start(_ job: UploadJob) { effects.jobs.append(job) }
    func start(_ job: ReceiptJob) { effects.questions.append(job) }
    func refresh(_ hook: @escaping @Sendable () async -> Void) { effects.refreshes += 1 }
    func report(_ kind: LogDiagnostics.Kind, _ text: String, key: String, count: Int) {}
    func noteWritten(_ bytes: Int) {}
    func noteSettled() {}
    func publish(_ figures: HTTPStatistics, oldest: LogTimestamp?, isIdle: Bool) { self.figures = figures }

    /// What a store holds, for the course that is printed.
    static func describe(_ store: (any UnsentStore)?) -> String {
        switch store {
        case let spool as Spool:
            "pending \(spool.pending), done to \(spool.state.acknowledged), batch to \(spool.state.last), next "
                + "\(spool.nextID), unsaved \(spool.unsaved.count), noted \(spool.isStateSaved), "
                + "\((spool.disk?.segments ?? []).map { "\($0.firstID)...\($0.lastID ?? 0)" })"
        case let spool as PartitionedSpool: "pending \(spool.pending), \(spool.partitions)"
        default: "no store"
        }
    }
}
