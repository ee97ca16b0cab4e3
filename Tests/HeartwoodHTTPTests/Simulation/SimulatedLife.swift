import Heartwood
import HeartwoodTestSupport

@testable import HeartwoodHTTP

/// One process of a simulated world: the real shell with the real engine on the real store.
final class SimulatedLife: DeliveryHost {
    enum Duty {
        case attempt(UploadJob, UploadJob.Attempt, Result<HTTPResponse, HTTPTransportError>?)
        case receipts([String]?)
        case refreshed
    }

    /// What the shell has asked for.
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
    private(set) var stored = 0
    private(set) var refused = 0

    init(_ store: any UnsentStore, _ settings: DeliverySettings, _ clock: ManualClock, seed: UInt64) {
        self.clock = clock
        random = SeededGenerator(seed: seed)
        shellIfMade = DeliveryShell(store, settings, self)
    }

    // MARK: Logging

    /// Logs a message; false when the store has refused it.
    func log(_ number: Int, level: UInt8, points: Int) -> Bool {
        let entry = entry(number)
        let isStored = shell.append(
            EntryCoder.encode(entry), time: entry.time, level: level, mark: 0, points: points)
        stored += 1
        if !isStored { refused += 1 }
        return isStored
    }

    /// Logs events of one scope; false when none of them was stored.
    func logGroup(_ numbers: Range<Int>) -> Bool {
        var isStored = false
        shell.append { store in
            var rest = numbers.map(entry)[...]
            let bytes = rest.reduce(0) { $0 + EntryCoder.encode($1).count }
            try? (store as? PartitionedSpool)?.appendWhole(numbers.count, bytes: bytes) {
                let entry = rest.removeFirst()
                isStored = rest.isEmpty
                return (EntryCoder.encode(entry), entry.time, 4)
            }
            isStored = isStored && store.counters.appended == stored + numbers.count
            return (isStored ? numbers.count : 0, {})
        }
        if isStored { stored += numbers.count }
        return isStored
    }

    private func entry(_ number: Int) -> RemoteEntry {
        var entry = RemoteEntry()
        entry.text = String(number)
        entry.time = clock.now()
        return entry
    }

    // MARK: What comes back

    /// Tells the shell what has come back.
    func perform(_ duty: Duty) {
        switch duty {
        case .attempt(let job, let attempt, .success(let response)):
            shell.finish(job.concluded(attempt, response))
        case .attempt(_, var attempt, .failure(let error)):
            attempt.outcome = .failed(.transport(error), .retry, retryAfter: nil)
            shell.finish(attempt)
        case .attempt(_, let attempt, nil): shell.finish(attempt)
        case .receipts(let receipts): shell.handle(.acknowledged(receipts))
        case .refreshed: shell.handle(.refreshed)
        }
    }

    // MARK: The shell's host

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
    func report(_ report: DeliveryReport, lastError: String?) {}
    func publish(_ figures: HTTPStatistics, oldest: LogTimestamp?, isIdle: Bool) { self.figures = figures }
}
