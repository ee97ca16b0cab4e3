import CoreFixtures
import Heartwood
import HeartwoodTestSupport

@testable import HeartwoodHTTP

/// A world that a seed decides: a disk, a server, a network, and processes that live one after the other.
///
/// It lets its processes live and moves the time on. ``SimulatedCourse`` says what happens next, and what must hold is
/// seen by the types to which that belongs. Every step is checked; what is wrong is thrown, with the seed that shows it
/// again.
final class SimulatedWorld {
    /// What is wrong, and how to see it again.
    struct Wrong: Error, CustomStringConvertible {
        var seed: UInt64
        var step: Int
        var text: String
        var description: String { "HEARTWOOD_SEED=\(seed), step \(step): \(text)" }
    }

    let place: SimulatedPlace
    let disk: SimulatedDisk
    let clock = ManualClock()
    var network: SimulatedNetwork
    private(set) var settings: SimulatedSettings
    private(set) var messages = SimulatedMessages()
    private(set) var life: SimulatedLife?

    /// Whether the line is slow, and changes.
    let hasSlowLine: Bool
    private let seed: UInt64
    private let course: SimulatedCourse
    private var random: SeededGenerator
    private var agenda = SimulatedAgenda()
    private var progress = SimulatedProgress()
    private var lives = 0
    private var step = 0
    private var isDiscarding = false
    /// Whether the course is printed.
    var isTraced = false

    init(seed: UInt64, directory: String) throws {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        disk = SimulatedDisk(copiesOnWrite: Int.random(in: 0..<4, using: &random) == 0)
        let isPartitioned = Int.random(in: 0..<3, using: &random) == 0
        place = SimulatedPlace(
            in: directory, isPartitioned: isPartitioned, partitionSize: .bytes(seed % 2 == 0 ? 2000 : 20_000))
        course = SimulatedCourse(&random)
        let confirmsLater = Int.random(in: 0..<6, using: &random) == 0
        network = SimulatedNetwork(
            SimulatedServer(confirmsLater: confirmsLater, bad: SimulatedServer.drawBad(&random)))
        hasSlowLine = seed % 7 == 1
        settings = try SimulatedSettings(neverDrops: isPartitioned, hasSlowLine: hasSlowLine, &random)
        if hasSlowLine { network.changeLine(&random) }
        self.random = random
    }

    var now: Duration { clock.uptime() }

    /// Whether messages may be lost with a reason: by the user, by limits, or with a file that cannot be read.
    var mayLose: Bool { mayDrop || disk.figures.reads >= 10 }
    private var mayDrop: Bool { isDiscarding || !settings.keepsEverything }

    func dice(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

    func trace(_ text: @autoclosure () -> String) {
        if isTraced { print("\(step) [\(now)] life \(lives): \(text())") }
    }

    // MARK: - The course

    /// Lets the world go on for so many steps, then heals everything, and looks whether everything is delivered.
    func run(steps: Int) throws {
        do {
            try FaultyKernel.$faults.withValue(disk) {
                for _ in 0..<steps {
                    step += 1
                    if life == nil { try begin() } else { try course.act(in: self) }
                    try check()
                }
                try heal()
                life = nil
            }
        } catch let problem as SimulatedProblem {
            throw Wrong(seed: seed, step: step, text: problem.text)
        }
    }

    /// Everything is well from now on.
    private func heal() throws {
        step += 1
        disk.restart()
        network.heal(from: messages.logged)
        settings.heal()
        trace("heals")
        life?.shell.apply(settings.all)
        life?.shell.networkChanged(true)
        try SimulatedRecovery(world: self).run()
    }

    // MARK: - Processes

    /// Begins a process, on a disk that may fail.
    func begin() throws {
        disk.restart()
        course.planFaults(in: self)
        lives += 1
        try start()
    }

    /// Begins a process on a disk without faults, unless one lives.
    func beginWell() throws {
        if life != nil { return }
        disk.restart()
        lives += 1
        try start()
    }

    private func start() throws {
        let hasFaults = disk.isFailing
        let store: any UnsentStore
        do {
            store = try place.open(settings.all.spoolSettings, clock)
        } catch {
            // The program is told, and goes on without this logger.
            guard hasFaults else { throw error }
            return end()
        }
        let life = SimulatedLife(store, settings.bare, clock, seed: random.next())
        self.life = life
        if disk.isDead { return end() }
        messages.forgetUnsaved()
        network.start(at: now)
        trace("begins, \(SimulatedPlace.describe(store))")
        var steps = settings.steps(&random)
        if place.isPartitioned {
            // Its settings follow its creation, which adds it.
            life.isAdded = true
            life.shell.handle(.added(atFirstUse: true))
            try settle()
        }
        while self.life === life, !steps.isEmpty {
            life.shell.apply(steps.removeFirst())
            try settle()
            if dice(3) == 0 { try advance(by: .milliseconds(dice(100))) }
            guard self.life === life, !place.isPartitioned, dice(4) == 0 else { continue }
            switch dice(3) {
            case 0: life.shell.handle(.sendNow)
            case 1: life.shell.networkChanged(network.isConnected)
            default: try log(1 + dice(3))
            }
            try settle()
        }
        guard self.life === life, !place.isPartitioned else { return }
        life.isAdded = true
        life.shell.handle(.added(atFirstUse: false))
        try settle()
    }

    /// The process dies.
    func end() {
        trace("ends")
        life = nil
        agenda.removeAll()
        messages.forgetUnsaved()
    }

    func exit(isWaiting: Bool) throws {
        guard let life else { return }
        trace("exits, waiting: \(isWaiting)")
        life.shell.save()
        try settle()
        let deadline = now + .seconds(1)
        life.shell.handle(isWaiting ? .ending(until: deadline) : .closing)
        try settle()
        while isWaiting, self.life === life, life.shell.isAwaited, let next = nextTime, next <= deadline {
            try advance(by: max(.zero, next - now))
        }
        if isWaiting, life.shell.isBusy { network.cutOffLast() }
        end()
    }

    /// What the logger belongs to is released: it sends what it can, as at an exit, and frees the directory.
    func release() throws {
        guard let life else { return }
        trace("releases it")
        life.shell.save()
        try settle()
        let deadline = now + .seconds(1)
        life.shell.handle(.ending(until: deadline))
        try settle()
        while self.life === life, life.shell.isAwaited, let next = nextTime, next <= deadline {
            try advance(by: max(.zero, next - now))
        }
        guard self.life === life else { return }
        if life.shell.isBusy { network.cutOffLast() }
        life.isAdded = false
        agenda.removeAll()
        life.shell.close()
        try check()
        end()
    }

    /// The logger is removed, and added again.
    func remove() throws {
        guard let life else { return }
        trace("removes it")
        life.shell.save()
        life.shell.handle(.closing)
        try settle()
        guard self.life === life else { return }
        life.isAdded = false
        agenda.removeAll()
        life.shell.close()
        try check()
        guard !disk.isDead else { return end() }
        messages.forgetUnsaved()
        network.start(at: now)
        life.shell.reopen()
        if disk.isDead || life.shell.store.isClosed || !life.shell.store.isOnDisk { return end() }
        life.isAdded = true
        life.shell.apply(settings.all)
        life.shell.handle(.added(atFirstUse: place.isPartitioned))
        try settle()
    }

    // MARK: - What happens

    func log(_ count: Int) throws {
        guard let life else { return }
        if place.isPartitioned, count > 1, dice(3) == 0 { return try logGroup(count, life) }
        for _ in 0..<count {
            let number = messages.next()
            let points = dice(12) == 0 ? 10 : 0
            if life.log(number, level: UInt8(dice(7)), points: points) { messages.store(number) }
        }
        trace("logs \(messages.logged - count)..<\(messages.logged)")
        if dice(4) > 0 { life.shell.save() }
        life.shell.stored()
        try settle()
    }

    /// Logs on a machine so busy that the store's queue does not run for a while: callers wait for room, and lose nothing.
    func logBusy(_ count: Int) throws {
        guard place.isPartitioned, life != nil else { return }
        let free = now + .milliseconds(dice(9000))
        var inbox = RecordInbox<Int>()
        for _ in 0..<count {
            let number = messages.next()
            var isTaken = false
            while !isTaken {
                switch inbox.offer(number, weighing: 1, limit: 3, patience: .seconds(10), at: now) {
                case .taken: isTaken = true
                case .wait(let pause):
                    clock.advance(by: min(pause, max(.milliseconds(1), free - now)))
                    if now >= free { try work(inbox.takeAll()) }
                case .refused: throw SimulatedProblem("an event was refused on a machine that is only busy")
                }
            }
        }
        if now < free { clock.advance(by: free - now) }
        try work(inbox.takeAll())
        // What was due meanwhile comes late.
        try advance(by: .zero)
    }

    /// The store's queue has come to what waits.
    private func work(_ numbers: [Int]) throws {
        guard let life else { return }
        for number in numbers where life.log(number, level: 4, points: 0) { messages.store(number) }
        trace("logs \(numbers) late")
        life.shell.save()
        life.shell.stored()
        try settle()
    }

    /// Events of one scope: all of them are stored, or none.
    private func logGroup(_ count: Int, _ life: SimulatedLife) throws {
        let numbers = messages.logged..<messages.logged + count
        for _ in numbers { _ = messages.next() }
        let isStored = life.logGroup(numbers)
        trace("logs the group \(numbers): \(isStored)")
        messages.group(
            numbers, isStored: isStored && !disk.isDead,
            isKnown: !disk.isDead && !disk.figures.hasFailedBothWays)
        life.shell.stored()
        try settle()
    }

    /// Has everything saved and sent if it is time.
    func save() throws {
        life?.shell.save()
        life?.shell.stored()
        try settle()
    }

    func connect(_ isThere: Bool) throws {
        network.connect(isThere, at: now)
        life?.shell.networkChanged(isThere)
        try settle()
    }

    func changeLine() { network.changeLine(&random) }

    /// A call of the user: to send now, or to flush.
    func request(_ event: DeliveryEvent) throws {
        network.press(at: now)
        life?.shell.handle(event)
        try settle()
    }

    func change() throws {
        network.press(at: now)
        settings.change(&random)
        life?.shell.apply(settings.all)
        try settle()
    }

    func discard() throws {
        guard let life else { return }
        trace("discards")
        isDiscarding = true
        life.shell.discard()
        try settle()
    }

    // MARK: - Time

    /// Moves the time on, from one thing that is due to the next.
    func advance(by duration: Duration) throws {
        let end = now + duration
        while let life, let due = nextTime, due <= end {
            if due > now { clock.advance(by: due - now) }
            if let duty = agenda.take(at: due) {
                life.perform(duty)
                if case .attempt(_, _, .success(let response)) = duty {
                    network.note(response, at: now, settings)
                }
            } else {
                life.effects.wakeTime = nil
                life.shell.wake()
            }
            try settle()
            try check()
        }
        if end > now { clock.advance(by: end - now) }
    }

    private var nextTime: Duration? {
        guard let wake = life?.effects.wakeTime else { return agenda.nextTime }
        return agenda.nextTime.map { min($0, wake) } ?? wake
    }

    private func plan(_ delay: Duration, _ duty: SimulatedLife.Duty) { agenda.plan(duty, at: now + delay) }

    /// Takes what the shell has asked of its host, and sees whether the process has died.
    func settle() throws {
        guard let life else { return }
        let effects = life.takeRequests()
        try progress.note(at: now, settings, network.requests)
        if disk.isDead { return end() }
        if life.shell.store.unsavedCount == 0 { messages.allSaved() }
        for job in effects.jobs { try send(job, life) }
        for question in effects.questions { try ask(question, life) }
        for _ in 0..<effects.refreshes { plan(.milliseconds(20), .refreshed) }
    }

    private func send(_ job: UploadJob, _ life: SimulatedLife) throws {
        guard life.isAdded else { throw SimulatedProblem("a request before the logger was added") }
        let (attempt, request) = job.prepared()
        guard let request else { return plan(.zero, .attempt(job, attempt, nil)) }
        try network.look(at: attempt.entries)
        let numbers = SimulatedServer.numbers(request.body)
        trace("sends \(numbers) as \(request.headers["Idempotency-Key"] ?? ""), \(network.server.mode)")
        let history = SimulatedNetwork.DiskHistory(
            figures: disk.figures, isPartitioned: place.isPartitioned, mayDrop: mayDrop)
        let reply = try network.carry(request, numbers, at: now, settings, history, &random)
        plan(reply.delay, .attempt(job, attempt, reply.result))
    }

    private func ask(_ question: ReceiptJob, _ life: SimulatedLife) throws {
        guard life.isAdded else { throw SimulatedProblem("a question before the logger was added") }
        let confirmed = try network.carry(question: try question.request(), &random)
        plan(.milliseconds(30), .receipts(confirmed))
    }

    // MARK: - What must hold

    func check() throws {
        guard let life, !disk.isDead else { return }
        try SimulatedBalance(
            settings: settings, isDiscarding: isDiscarding, failedReads: disk.figures.reads,
            hasAccepted: network.server.hasAccepted
        ).check(life)
    }
}
