import Foundation
import Heartwood
import HeartwoodTestSupport

@testable import HeartwoodHTTP

/// A world that a seed decides: a disk, a server, a network, and processes that live one after the other.
///
/// Every step is checked; what is wrong is thrown, with the seed that shows it again.
final class SimulatedWorld {
    /// What is wrong, and how to see it again.
    struct Wrong: Error, CustomStringConvertible {
        var seed: UInt64
        var step: Int
        var text: String
        var description: String { "HEARTWOOD_SEED=\(seed), step \(step): \(text)" }
    }

    private let seed: UInt64
    private let path: String
    private let clock = ManualClock()
    private let disk: SimulatedDisk
    private var random: SeededGenerator
    private var server: SimulatedServer
    private var settings: DeliverySettings
    private let isPartitioned: Bool
    private let dropsNothing: Bool
    private var life: SimulatedLife?
    private var agenda: [(due: Duration, number: Int, life: Int, duty: SimulatedLife.Duty)] = []
    private var dutyNumber = 0
    private var lives = 0
    private var partitions = 0
    private var isConnected = true
    private var step = 0

    // What must hold is seen from these.
    private var logged = 0
    private var unsaved: Set<Int> = []
    private var saved: Set<Int> = []
    private var isDiscarding = false
    private var pressures: [Duration] = []
    private var attempts: [Duration] = []
    private var atThisTime = 0
    private var lastTime = Duration.zero
    private var conditionAsked: Duration?
    private var earliest: Duration?
    private(set) var requests = 0

    init(seed: UInt64, directory: String) throws {
        self.seed = seed
        path = directory
        disk = SimulatedDisk(copiesOnWrite: seed % 4 == 0)
        var random = SeededGenerator(seed: seed)
        isPartitioned = Int.random(in: 0..<4, using: &random) == 0
        let policy = Int.random(in: 0..<8, using: &random)
        dropsNothing = policy > 0 || isPartitioned
        var bad: Set<Int> = []
        if Int.random(in: 0..<3, using: &random) == 0 {
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                bad.insert(Int.random(in: 0..<60, using: &random))
            }
        }
        server = SimulatedServer(confirmsLater: Int.random(in: 0..<6, using: &random) == 0, bad: bad)
        var rules = DeliveryRules()
        rules.maximumCount = [1, 2, 3, 5, 8, nil][Int.random(in: 0..<6, using: &random)]
        rules.countThreshold = [nil, 2, 5, 300][Int.random(in: 0..<4, using: &random)]
        rules.interval = .seconds([1, 10, 60][Int.random(in: 0..<3, using: &random)])
        rules.neverDrops = isPartitioned
        rules.canRefresh = Bool.random(using: &random)
        rules.acknowledgementTimeout = .seconds(120)
        if policy == 0 { rules.retryPolicy = ScroogeRetryPolicy(dropCount: 4) }
        if policy == 1 { rules.retryPolicy = NextIntervalPolicy() }
        settings = DeliverySettings(
            name: "world", rules: rules, encoding: SimulatedEncoding(),
            endpoint: try HTTPEndpoint("https://logs.example.com/in"), allowsInsecureHTTP: false,
            decorators: [RequestDecorator { $0.with(header: "Authorization", "Bearer token") }],
            transport: NoTransport(), timeout: .seconds(30), compressionLevel: 0, device: [:],
            refreshAuthorization: {}, spool: SpoolSettings(), deadLetterLimit: .mebibytes(64),
            saveDelay: .zero, flushWait: .zero, exitWait: .seconds(1))
        self.random = random
    }

    /// A policy that leaves every failure to the next interval.
    private struct NextIntervalPolicy: RetryPolicy {
        func decide(after failure: DeliveryFailure, random: Double) -> RetryDecision { .retryAtNextInterval }
    }

    private struct NoTransport: HTTPTransport {
        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            throw HTTPTransportError(.other, "")
        }
    }

    private func wrong(_ text: String) -> Wrong { Wrong(seed: seed, step: step, text: text) }

    private func dice(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

    // MARK: - The course

    /// Lets the world go on for so many steps, then heals everything, and looks whether everything is delivered.
    func run(steps: Int) throws {
        try SpoolFile.$faults.withValue(disk) {
            for _ in 0..<steps {
                step += 1
                if life == nil { try begin() } else { try act() }
                try check()
            }
            try heal()
            life = nil
        }
    }

    private func act() throws {
        switch dice(24) {
        case 0..<6: try log(1 + dice(6))
        case 6..<13: try advance(by: .milliseconds([1, 50, 1000, 10_000, 61_000, 310_000][dice(6)]))
        case 13: server.mode = SimulatedServer.Mode.allCases[dice(SimulatedServer.Mode.allCases.count)]
        case 14: server.mode = .accepts
        case 15: try network(dice(3) > 0)
        case 16: try wish(dice(2) == 0 ? .sendNow : .flush)
        case 17: try change()
        case 18: if dice(3) == 0 { disk.die(after: dice(8), torn: dice(101)) }
        case 19: disk.setFull(dice(4) == 0)
        case 20: if dice(2) == 0 { end(life) } else { try exit() }
        case 21: try exit()
        case 22: try remove()
        default: if dice(6) == 0, !isPartitioned { try discard() }
        }
    }

    // MARK: - Processes

    private func begin() throws {
        disk.restart()
        lives += 1
        let life = SimulatedLife(try openStore(), settings, clock, seed: random.next())
        self.life = life
        unsaved = []
        pressures.append(clock.uptime())
        conditionAsked = nil
        // Settings and wishes before it is added: nothing may be sent.
        if dice(2) == 0 { life.shell.wish(.sendNow) }
        if dice(2) == 0 { try log(1 + dice(3)) }
        life.shell.apply(settings)
        try settle()
        life.isAdded = true
        life.shell.added(atFirstUse: isPartitioned)
        try settle()
    }

    private func openStore() throws -> any UnsentStore {
        guard isPartitioned else {
            return try Spool(directory: path + "/spool", settings: settings.spool, clock: clock)
        }
        return try PartitionedSpool(
            path: path + "/events", partitionSize: .bytes(2000), settings: settings.spool, clock: clock
        ) { newest in
            let number = (newest.flatMap { Int($0, radix: 16) } ?? 0) + 1
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 24 - digits.count) + digits
        }
    }

    /// The process dies.
    private func end(_ life: SimulatedLife?) {
        self.life = nil
        agenda = []
        unsaved = []
    }

    private func exit() throws {
        guard let life else { return }
        life.shell.save()
        try settle()
        life.isEnding = true
        let deadline = clock.uptime() + .seconds(1)
        life.shell.end(until: dice(3) == 0 ? nil : deadline)
        try settle()
        while self.life === life, life.shell.isBusy, let next = agenda.map(\.due).min(), next <= deadline {
            try advance(by: max(.zero, next - clock.uptime()))
        }
        end(life)
    }

    private func remove() throws {
        guard let life, dice(2) == 0 else { return }
        life.shell.save()
        life.shell.end(until: nil)
        try settle()
        guard self.life === life else { return }
        life.isAdded = false
        agenda = []
        life.shell.close()
        try check()
        guard !disk.isDead else { return end(life) }
        // What could not be saved is gone with the closing.
        saved.formUnion(life.shell.store.unsavedCount == 0 ? unsaved : [])
        unsaved = []
        pressures.append(clock.uptime())
        life.shell.reopen()
        life.isAdded = true
        life.shell.apply(settings)
        life.shell.added(atFirstUse: isPartitioned)
        try settle()
    }

    // MARK: - What happens

    private func log(_ count: Int) throws {
        guard let life else { return }
        for _ in 0..<count {
            var entry = RemoteEntry()
            entry.text = String(logged)
            entry.time = clock.now()
            let points = dice(12) == 0 ? 10 : 0
            if life.shell.append(
                EntryCoder.encode(entry), time: entry.time, level: 4, mark: 0, points: points)
            {
                unsaved.insert(logged)
            }
            life.stored += 1
            logged += 1
        }
        if dice(4) > 0 { life.shell.save() }
        life.shell.stored()
        try settle()
    }

    private func network(_ isThere: Bool) throws {
        guard let life else { return }
        if isThere, !isConnected { pressures.append(clock.uptime()) }
        isConnected = isThere
        life.shell.networkChanged(isThere)
        try settle()
    }

    private func wish(_ wish: DeliveryEvent.Wish) throws {
        pressures.append(clock.uptime())
        conditionAsked = nil
        life?.shell.wish(wish)
        try settle()
    }

    private func change() throws {
        pressures.append(clock.uptime())
        conditionAsked = nil
        switch dice(6) {
        case 0: settings.rules.isPaused.toggle()
        case 1: settings.rules.interval = .seconds([1, 10, 60][dice(3)])
        case 2: settings.rules.countThreshold = [nil, 1, 4][dice(3)]
        case 3: settings.rules.isInBackground.toggle()
        case 4:
            settings.rules.hasCondition.toggle()
            settings.condition = nil
            if settings.rules.hasCondition {
                let never: @Sendable () -> Bool = { false }
                settings.condition = never
            }
        default: settings.rules.maximumCount = [1, 4, nil][dice(3)]
        }
        life?.shell.apply(settings)
        try settle()
    }

    private func discard() throws {
        guard let life else { return }
        isDiscarding = true
        life.shell.discard()
        try settle()
    }

    // MARK: - Time

    /// Moves the time on, from one thing that is due to the next.
    private func advance(by duration: Duration) throws {
        let end = clock.uptime() + duration
        while let life = self.life {
            let wake = life.effects.wakeTime
            let next = nextDuty
            guard let due = [wake, next?.due].compactMap(\.self).min(), due <= end else { break }
            if due > clock.uptime() { clock.advance(by: due - clock.uptime()) }
            if let next, next.due <= due {
                agenda.removeAll { $0.number == next.number }
                perform(next.duty, life)
            } else {
                life.effects.wakeTime = nil
                life.shell.wake()
            }
            try settle()
            try check()
        }
        if end > clock.uptime() { clock.advance(by: end - clock.uptime()) }
    }

    private var nextDuty: (due: Duration, number: Int, life: Int, duty: SimulatedLife.Duty)? {
        agenda.min { first, second in
            first.due == second.due ? first.number < second.number : first.due < second.due
        }
    }

    private func perform(_ duty: SimulatedLife.Duty, _ life: SimulatedLife) {
        switch duty {
        case .wake: break
        case .report(let job, let report, let result):
            switch result {
            case .success(let response): life.shell.finish(job.concluded(report, response))
            case .failure(let error):
                var report = report
                report.outcome = .failed(error)
                life.shell.finish(report)
            case nil: life.shell.finish(report)
            }
        case .receipts(let receipts): life.shell.acknowledge(receipts)
        case .refreshed: life.shell.refreshed()
        }
    }

    private func plan(_ delay: Duration, _ duty: SimulatedLife.Duty) {
        dutyNumber += 1
        agenda.append((clock.uptime() + delay, dutyNumber, lives, duty))
    }

    /// Takes what the shell has asked of its host, and sees whether the process has died.
    private func settle() throws {
        guard let life else { return }
        var effects = life.effects
        (life.effects.jobs, life.effects.questions, life.effects.refreshes) = ([], [], 0)
        try countStep()
        if disk.isDead { return end(life) }
        if life.shell.store.unsavedCount == 0 {
            saved.formUnion(unsaved)
            unsaved = []
        }
        for job in effects.jobs { try send(job, life) }
        for question in effects.questions { try ask(question, life) }
        for _ in 0..<effects.refreshes { plan(.milliseconds(20), .refreshed) }
        effects.jobs = []
    }

    private func countStep() throws {
        if clock.uptime() == lastTime {
            atThisTime += 1
            if atThisTime > 300 { throw wrong("it goes round without time passing") }
        } else {
            (lastTime, atThisTime) = (clock.uptime(), 0)
        }
    }

    private func send(_ job: UploadJob, _ life: SimulatedLife) throws {
        guard life.isAdded else { throw wrong("a request before the logger was added") }
        let (report, request) = job.prepared()
        guard let request else { return plan(.zero, .report(job, report, nil)) }
        requests += 1
        if let problem = server.inspect(request) { throw wrong(problem) }
        if settings.rules.isPaused { throw wrong("a request while paused") }
        if settings.rules.hasCondition { throw wrong("a request in spite of the condition") }
        try countAttempt()
        let before = server.taken.count
        if dice(40) == 0 || !isConnected {
            let error = HTTPTransportError(.cannotConnect, "")
            return plan(.milliseconds(1), .report(job, report, .failure(error)))
        }
        let reply = server.answer(request, &random)
        if server.taken.count > before || server.mode == .accepts || server.mode == .isLate {
            attempts.removeLast()  // progress is bounded by the data
        }
        plan(reply.delay, .report(job, report, reply.result))
    }

    /// Attempts without progress are few in any minute, but for those that somebody has asked for.
    private func countAttempt() throws {
        let now = clock.uptime()
        attempts.append(now)
        attempts.removeAll { now - $0 > .seconds(60) }
        pressures.removeAll { now - $0 > .seconds(60) }
        let limit = 70 + 14 * pressures.count
        if attempts.count > limit { throw wrong("\(attempts.count) attempts in a minute") }
    }

    private func ask(_ question: ReceiptJob, _ life: SimulatedLife) throws {
        guard life.isAdded else { throw wrong("a question before the logger was added") }
        let request = try question.request()
        guard request.headers["Authorization"] == "Bearer token" else {
            throw wrong("a question without credentials")
        }
        plan(.milliseconds(30), .receipts(server.confirm(request, &random)))
    }

    // MARK: - What must hold

    private func check() throws {
        guard let life, !disk.isDead else { return }
        let figures = life.figures
        let gone = figures.acknowledged + figures.rejected + figures.dropped
        if figures.stored + figures.recovered != gone + figures.pending {
            throw wrong("the balance: \(figures)")
        }
        if figures.stored != life.stored { throw wrong("\(life.stored) were logged: \(figures)") }
        let counters = life.shell.store.counters
        if figures.dropped != counters.lost { throw wrong("dropped without a reason") }
        if dropsNothing, !isDiscarding, figures.dropped > 0, life.shell.store.isOnDisk {
            throw wrong("dropped: \(counters)")
        }
        if figures.rejected > 0, !server.hasAccepted {
            throw wrong("set aside though nothing was ever taken")
        }
        if isPartitioned, counters.lost > 0 { throw wrong("an event store has dropped") }
    }

    /// Everything is well from now on: everything that was saved must arrive in bounded time.
    private func heal() throws {
        step += 1
        disk.restart()
        server.mode = .accepts
        settings.rules.isPaused = false
        settings.rules.hasCondition = false
        settings.condition = nil
        settings.rules.retryPolicy = StandardRetryPolicy()
        if life == nil { try begin() }
        try log(2)
        life?.shell.save()
        try network(true)
        life?.shell.apply(settings)
        life?.shell.stored()
        try settle()
        let end = clock.uptime() + .seconds(4 * 3600)
        while clock.uptime() < end, let life, life.shell.store.pending > 0 {
            try advance(by: .seconds(300))
            // New messages show whether the messages are bad or the server.
            if dice(4) == 0 { try log(1) }
        }
        guard let life else { throw wrong("the last process has died") }
        try check()
        let letters = deadLetters()
        let left = life.shell.store.pending
        let missing = saved.subtracting(server.taken).subtracting(letters)
        let isAllowed = missing.isSubset(of: server.bad) && missing.count <= left
        if !isAllowed && dropsNothing && !isDiscarding {
            throw wrong("lost: \(missing.sorted()), \(left) pending of \(logged), \(life.figures)")
        }
        if left > 0, missing.isEmpty || !missing.isSubset(of: server.bad) {
            throw wrong("\(left) are still pending with a healthy server: \(life.figures)")
        }
        if !letters.subtracting(server.bad).isEmpty, !server.hasAccepted {
            throw wrong("good messages set aside")
        }
    }

    private func deadLetters() -> Set<Int> {
        var numbers: Set<Int> = []
        for name in ["rejected.1.ndjson", "rejected.ndjson"] {
            let file = path + (isPartitioned ? "/events/" : "/spool/") + name
            guard let data = FileManager.default.contents(atPath: file) else { continue }
            for line in String(decoding: data, as: UTF8.self).split(separator: "\n") {
                guard let match = line.firstMatch(of: /"message":"(\d+)"/), let number = Int(match.output.1)
                else {
                    continue
                }
                numbers.insert(number)
            }
        }
        return numbers
    }
}
