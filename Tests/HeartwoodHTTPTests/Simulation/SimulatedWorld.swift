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
    /// Whether it is an event store and no HTTP logger.
    private let isPartitioned: Bool
    private let clock = ManualClock()
    private let disk: SimulatedDisk
    /// How many reads in a row may fail: ten are too many for a file, and it counts as damaged.
    private let longestReadFailure: Int
    private var random: SeededGenerator
    private var server: SimulatedServer
    private var settings: SimulatedSettings
    private var requests = SimulatedRequests()
    private var messages = SimulatedMessages()
    private var life: SimulatedLife?
    private var agenda: [(due: Duration, number: Int, duty: SimulatedLife.Duty)] = []
    private var dutyNumber = 0
    private var lives = 0
    private var isConnected = true
    private var step = 0
    private var isDiscarding = false
    private var isHealed = false
    /// The messages of the last request, and those whose request was cut off at the end of a process.
    private var inFlight: [Int] = []
    private var cutOff: Set<Int> = []
    private var hasLoggedMany = false
    private var atThisTime = 0
    private var lastTime = Duration.zero
    private var asked: (times: [Duration], count: Int) = ([], 0)
    /// Whether the course is printed.
    var isTraced = false

    /// How many requests were sent.
    var requestCount: Int { requests.count }

    init(seed: UInt64, directory: String) throws {
        self.seed = seed
        path = directory
        var random = SeededGenerator(seed: seed)
        disk = SimulatedDisk(copiesOnWrite: Int.random(in: 0..<4, using: &random) == 0)
        isPartitioned = Int.random(in: 0..<3, using: &random) == 0
        longestReadFailure = [0, 0, 0, 3, 3, 30][Int.random(in: 0..<6, using: &random)]
        let confirmsLater = Int.random(in: 0..<6, using: &random) == 0
        server = SimulatedServer(confirmsLater: confirmsLater, bad: Self.bad(&random))
        settings = try SimulatedSettings(neverDrops: isPartitioned, &random)
        self.random = random
    }

    /// Messages that no server would take: none, some here and there, or many in a row.
    private static func bad(_ random: inout SeededGenerator) -> Set<Int> {
        func dice(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }
        switch dice(6) {
        case 0: return Set((0...dice(6)).map { _ in dice(60) })
        case 1:
            let first = dice(50)
            return Set(first...first + dice(dice(4) == 0 ? 60 : 8))
        default: return []
        }
    }

    private func wrong(_ text: String) -> Wrong { Wrong(seed: seed, step: step, text: text) }

    private func dice(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }

    private func trace(_ text: @autoclosure () -> String) {
        if isTraced { print("\(step) [\(clock.uptime())] life \(lives): \(text())") }
    }

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
        let what = dice(30)
        trace("act \(what), server \(server.mode), \(SimulatedLife.describe(life?.shell.store))")
        switch what {
        case 0..<6: try log(1 + dice(6))
        case 6..<13: try advance(by: .milliseconds([1, 50, 1000, 10_000, 61_000, 310_000][dice(6)]))
        case 13: server.mode = SimulatedServer.Mode.allCases[dice(SimulatedServer.Mode.allCases.count)]
        case 14: server.mode = .accepts
        case 15: try network(dice(3) > 0)
        case 16: try wish(dice(2) == 0 ? .sendNow : .flush)
        case 17: try change()
        case 18: if dice(3) == 0 { disk.die(after: dice(8), torn: dice(101)) }
        case 19: disk.setFull(dice(4) == 0)
        case 20: if dice(2) == 0 { end() } else { try exit(isWaiting: dice(3) > 0) }
        case 21: try exit(isWaiting: dice(3) > 0)
        case 22: try remove()
        case 23: if dice(6) == 0, !isPartitioned { try discard() }
        case 24: if longestReadFailure > 0 { disk.failReads(1 + dice(longestReadFailure)) }
        case 25: if dice(3) == 0 { disk.failChanges(1 + dice(4)) }
        case 26: if dice(4) == 0 { clock.setWall(clock.now() + .seconds(dice(200_000) - 100_000)) }
        case 27: if dice(2) == 0 { server.restart() }
        case 28: if dice(4) == 0 { try liveShortly(2 + dice(5)) }
        default:
            if dice(150) == 0, !hasLoggedMany {
                hasLoggedMany = true
                try log(1000)
            }
        }
    }

    // MARK: - Processes

    private func begin(hasFaults mayFail: Bool = true) throws {
        disk.restart()
        if mayFail { planFaults() }
        lives += 1
        try start()
    }

    private func planFaults() {
        if dice(12) == 0 { disk.die(after: dice(12), torn: dice(101)) }
        if longestReadFailure > 0, dice(6) == 0 { disk.failReads(1 + dice(longestReadFailure)) }
        if dice(20) == 0 { disk.failChanges(1 + dice(2)) }
    }

    private func start() throws {
        let bare = try SimulatedSettings.bare(spool: settings.all.spool, neverDrops: isPartitioned)
        let hasFaults = disk.isFailing
        let store: any UnsentStore
        do {
            store = try openStore()
        } catch {
            // The program is told, and goes on without this logger.
            guard hasFaults else { throw error }
            return end()
        }
        let life = SimulatedLife(store, bare, clock, seed: random.next())
        self.life = life
        if disk.isDead { return end() }
        messages.forgetUnsaved()
        requests.press(at: clock.uptime())
        trace("begins, \(SimulatedLife.describe(store))")
        var steps = settings.steps(from: bare, &random)
        if isPartitioned {
            // Its settings follow its creation, which adds it.
            life.isAdded = true
            life.shell.added(atFirstUse: true)
            try settle()
        }
        while self.life === life, !steps.isEmpty {
            life.shell.apply(steps.removeFirst())
            try settle()
            if dice(3) == 0 { try advance(by: .milliseconds(dice(100))) }
            guard self.life === life, !isPartitioned, dice(4) == 0 else { continue }
            switch dice(3) {
            case 0: life.shell.wish(.sendNow)
            case 1: life.shell.networkChanged(isConnected)
            default: try log(1 + dice(3))
            }
            try settle()
        }
        guard self.life === life, !isPartitioned else { return }
        life.isAdded = true
        life.shell.added(atFirstUse: false)
        try settle()
    }

    private func openStore() throws -> any UnsentStore {
        guard isPartitioned else {
            return try Spool(directory: path + "/spool", settings: settings.all.spool, clock: clock)
        }
        return try PartitionedSpool(
            path: path + "/events", partitionSize: .bytes(seed % 2 == 0 ? 2000 : 20_000),
            settings: settings.all.spool, clock: clock
        ) { newest in
            let number = (newest.flatMap { Int($0, radix: 16) } ?? 0) + 1
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 24 - digits.count) + digits
        }
    }

    /// The process dies.
    private func end() {
        trace("ends")
        life = nil
        agenda = []
        messages.forgetUnsaved()
    }

    private func exit(isWaiting: Bool) throws {
        guard let life else { return }
        trace("exits, waiting: \(isWaiting)")
        life.shell.save()
        try settle()
        let deadline = clock.uptime() + .seconds(1)
        life.shell.end(until: isWaiting ? deadline : nil)
        try settle()
        while isWaiting, self.life === life, life.shell.isAwaited, let next = nextTime, next <= deadline {
            try advance(by: max(.zero, next - clock.uptime()))
        }
        if isWaiting, life.shell.isBusy { cutOff.formUnion(inFlight) }
        end()
    }

    /// Programs that log a little, and end.
    private func liveShortly(_ count: Int) throws {
        for _ in 0..<count {
            if life != nil { try exit(isWaiting: true) }
            try begin()
            try log(1 + dice(3))
            try advance(by: .milliseconds(200))
            try check()
        }
    }

    private func remove() throws {
        guard let life, dice(2) == 0 else { return }
        trace("removes it")
        life.shell.save()
        life.shell.end(until: nil)
        try settle()
        guard self.life === life else { return }
        life.isAdded = false
        agenda = []
        life.shell.close()
        try check()
        guard !disk.isDead else { return end() }
        messages.forgetUnsaved()
        requests.press(at: clock.uptime())
        life.shell.reopen()
        if disk.isDead || life.shell.store.isClosed || !life.shell.store.isOnDisk { return end() }
        life.isAdded = true
        life.shell.apply(settings.all)
        life.shell.added(atFirstUse: isPartitioned)
        try settle()
    }

    // MARK: - What happens

    private func log(_ count: Int) throws {
        guard let life else { return }
        if isPartitioned, count > 1, dice(3) == 0 { return try logGroup(count) }
        for _ in 0..<count {
            let number = messages.next()
            let entry = entry(number)
            let points = dice(12) == 0 ? 10 : 0
            let isStored = life.shell.append(
                EntryCoder.encode(entry), time: entry.time, level: UInt8(dice(7)), mark: 0, points: points)
            if isStored { messages.store(number) } else { life.refused += 1 }
            life.stored += 1
        }
        trace("logs \(messages.logged - count)..<\(messages.logged)")
        if dice(4) > 0 { life.shell.save() }
        life.shell.stored()
        try settle()
    }

    private func entry(_ number: Int) -> RemoteEntry {
        var entry = RemoteEntry()
        entry.text = String(number)
        entry.time = clock.now()
        return entry
    }

    /// Events of one scope: all of them are stored, or none.
    private func logGroup(_ count: Int) throws {
        guard let life else { return }
        let first = messages.logged
        var entries: [RemoteEntry] = []
        for _ in 0..<count { entries.append(entry(messages.next())) }
        var isStored = false
        life.shell.append { store in
            var rest = entries[...]
            let bytes = entries.reduce(0) { $0 + EntryCoder.encode($1).count }
            try? (store as? PartitionedSpool)?.appendWhole(count, bytes: bytes) {
                let entry = rest.removeFirst()
                isStored = rest.isEmpty
                return (EntryCoder.encode(entry), entry.time, 4)
            }
            isStored = isStored && store.counters.appended == life.stored + count
            return (isStored ? count : 0, {})
        }
        trace("logs the group \(first)..<\(first + count): \(isStored)")
        messages.group(
            first..<first + count, isStored: isStored && !disk.isDead,
            isKnown: !disk.isDead && !disk.figures.hasFailedBothWays)
        if isStored { life.stored += count }
        life.shell.stored()
        try settle()
    }

    private func network(_ isThere: Bool) throws {
        if isThere, !isConnected { requests.press(at: clock.uptime()) }
        isConnected = isThere
        life?.shell.networkChanged(isThere)
        try settle()
    }

    private func wish(_ wish: DeliveryEvent.Wish) throws {
        requests.press(at: clock.uptime())
        life?.shell.wish(wish)
        try settle()
    }

    private func change() throws {
        requests.press(at: clock.uptime())
        settings.change(&random)
        life?.shell.apply(settings.all)
        try settle()
    }

    private func discard() throws {
        guard let life else { return }
        trace("discards")
        isDiscarding = true
        life.shell.discard()
        try settle()
    }

    // MARK: - Time

    /// Moves the time on, from one thing that is due to the next.
    private func advance(by duration: Duration) throws {
        let end = clock.uptime() + duration
        while let life, let due = nextTime, due <= end {
            if due > clock.uptime() { clock.advance(by: due - clock.uptime()) }
            if let next = nextDuty, next.due <= due {
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

    private var nextTime: Duration? {
        [life?.effects.wakeTime, nextDuty?.due].compactMap(\.self).min()
    }

    private var nextDuty: (due: Duration, number: Int, duty: SimulatedLife.Duty)? {
        agenda.min { ($0.due, $0.number) < ($1.due, $1.number) }
    }

    private func perform(_ duty: SimulatedLife.Duty, _ life: SimulatedLife) {
        switch duty {
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
        agenda.append((clock.uptime() + delay, dutyNumber, duty))
    }

    /// Takes what the shell has asked of its host, and sees whether the process has died.
    private func settle() throws {
        guard let life else { return }
        let effects = life.takeRequests()
        try countStep()
        if disk.isDead { return end() }
        if life.shell.store.unsavedCount == 0 { messages.allSaved() }
        for job in effects.jobs { try send(job, life) }
        for question in effects.questions { try ask(question, life) }
        for _ in 0..<effects.refreshes { plan(.milliseconds(20), .refreshed) }
    }

    private func countStep() throws {
        if clock.uptime() == lastTime {
            atThisTime += 1
            if atThisTime > 300 { throw wrong("it goes round without time passing") }
        } else {
            (lastTime, atThisTime) = (clock.uptime(), 0)
        }
        try checkCondition()
    }

    private func send(_ job: UploadJob, _ life: SimulatedLife) throws {
        guard life.isAdded else { throw wrong("a request before the logger was added") }
        let (report, request) = job.prepared()
        guard let request else { return plan(.zero, .report(job, report, nil)) }
        let numbers = SimulatedServer.numbers(request.body)
        trace("sends \(numbers) as \(request.headers["Idempotency-Key"] ?? ""), server \(server.mode)")
        inFlight = numbers
        // The others do not wait for a file that could not be read in ten attempts, and it may come back with the next
        // process; so may what was dropped, where the cursor could not be told, or cannot be read.
        let isOrderStrict =
            !server.hasRefused && disk.figures.reads < 10
            && (settings.keepsEverything && !isDiscarding || disk.figures.cursorWrites == 0)
        if let problem = requests.inspect(
            request, numbers, version: settings.version, isOrderStrict: isOrderStrict,
            isRepeatedAlike: isOrderStrict && !server.confirmsLater && hasCursor)
        {
            throw wrong(problem)
        }
        if settings.all.rules.isPaused { throw wrong("a request while paused") }
        if settings.all.rules.hasCondition { throw wrong("a request in spite of the condition") }
        if !isHealed && dice(40) == 0 || !isConnected {
            let error = HTTPTransportError(.cannotConnect, "")
            plan(.milliseconds(1), .report(job, report, .failure(error)))
            return try countFailure(request, isSearch: false)
        }
        let before = server.taken.count
        let reply = server.answer(numbers, &random)
        plan(reply.delay, .report(job, report, reply.result))
        // What the server takes is bounded by what there is.
        let isTaken = server.taken.count > before || server.confirmsLater && server.mode == .accepts
        let isSearch: Bool
        switch server.mode {
        case .tooLarge, .mixesItems: isSearch = true
        case .accepts, .isLate: isSearch = numbers.contains { server.bad.contains($0) }
        default: isSearch = false
        }
        if !isTaken { try countFailure(request, isSearch: isSearch) }
    }

    /// Whether the cursor was always written; that of a new partition needs room for a new file.
    private var hasCursor: Bool {
        let figures = disk.figures
        return figures.cursorWrites == 0 && figures.reads < 10 && !(isPartitioned && figures.longerWrites > 0)
    }

    private func countFailure(_ request: HTTPRequest, isSearch: Bool) throws {
        if let problem = requests.countFailure(
            request, at: clock.uptime(), interval: settings.shortestInterval, isSearch: isSearch)
        {
            throw wrong(problem)
        }
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

    /// A condition that says no is asked once per interval, but for what else asks for attempts.
    private func checkCondition() throws {
        let now = clock.uptime()
        let count = settings.asked.withLock { asked in
            asked.inARow = 0
            return asked.all
        }
        for _ in asked.count..<count { asked.times.append(now) }
        asked.count = count
        asked.times.removeAll { now - $0 > .seconds(60) }
        let limit = 70 + 2 * requests.pressures(since: now - .seconds(60))
        if asked.times.count > limit {
            throw wrong("the condition was asked \(asked.times.count) times in a minute")
        }
    }

    private func check() throws {
        guard let life, !disk.isDead else { return }
        let figures = life.figures
        let gone = figures.acknowledged + figures.rejected + figures.dropped
        if figures.stored + figures.recovered != gone + figures.pending || figures.pending < 0 {
            throw wrong("the balance: \(figures)")
        }
        if figures.stored != life.stored { throw wrong("\(life.stored) were logged: \(figures)") }
        let counters = life.shell.store.counters
        if figures.dropped != counters.lost { throw wrong("dropped without a reason") }
        if settings.keepsEverything, !isDiscarding, counters.droppedFull + counters.droppedOld > life.refused
        {
            throw wrong("dropped: \(counters)")
        }
        if settings.keepsEverything, !isDiscarding, counters.droppedAsked > 0 {
            throw wrong("dropped: \(counters)")
        }
        if counters.damagedRecords > 0, disk.figures.reads < 10 { throw wrong("damaged: \(counters)") }
        if figures.rejected > 0, !server.hasAccepted {
            throw wrong("set aside though nothing was ever taken")
        }
    }

    /// Everything is well from now on: everything that was saved must arrive in bounded time.
    private func heal() throws {
        step += 1
        disk.restart()
        isHealed = true
        server.mode = .accepts
        server.takeAll(from: messages.logged)
        settings.heal()
        isConnected = true
        trace("heals")
        life?.shell.apply(settings.all)
        life?.shell.networkChanged(true)
        if dice(3) == 0 { try healInShortLives() } else { try healInOneLife() }
        try checkArrivals()
    }

    private func healInOneLife() throws {
        if life == nil { try beginWell() }
        try log(2)
        life?.shell.save()
        life?.shell.stored()
        try settle()
        // A pause that the server has asked for, and the time of receipts that it has lost.
        var patience = Duration.seconds(server.confirmsLater ? 3600 : 1200)
        // To find out which messages are bad, a few are tried every five minutes.
        // Of an event store with receipts one partition goes at a time, and these are tiny.
        if server.confirmsLater { patience += .seconds(5) * (life?.shell.store.pending ?? 0) }
        if server.hasRefused || !server.bad.isEmpty {
            patience += .seconds(300) * ((life?.shell.store.pending ?? 0) + 10)
        }
        let end = clock.uptime() + patience
        while clock.uptime() < end, let life, life.shell.store.pending > 0 {
            try advance(by: .seconds(100))
            // New messages show whether the messages are bad or the server.
            if dice(6) == 0 { try log(1) }
        }
        guard let life else { throw wrong("the last process has died") }
        try check()
        if life.shell.store.pending > 0 {
            throw wrong(
                "\(life.shell.store.pending) are still pending with a healthy server: \(life.figures)")
        }
    }

    /// Whether a small store has only messages that no server takes, and drops new ones: a program that ends before it
    /// has found three of them refused has none to tell them by.
    private func isStuck(_ store: any UnsentStore) -> Bool {
        guard settings.all.spool.overflow == .dropNewest, !settings.keepsEverything,
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

    /// Programs of 0.2 s deliver everything, too, and nothing twice; they wait for acknowledgements as well.
    private func healInShortLives() throws {
        end()
        let known = server.taken
        var left = Int.max
        var count = 0
        var limit = 20
        while left > 0 {
            count += 1
            try beginWell()
            try log(2)
            if count == 1 {
                limit +=
                    2 * (life?.shell.store.pending ?? 0) * (server.hasRefused || !server.bad.isEmpty ? 10 : 1)
            }
            if count > limit, let store = life?.shell.store, isStuck(store) { return }
            if count > limit { throw wrong("\(left) are still pending after \(count) short lives") }
            life?.shell.save()
            life?.shell.stored()
            try settle()
            try advance(by: .milliseconds(200))
            let life = life
            try exit(isWaiting: true)
            left = life?.shell.store.pending ?? left
        }
        // What a server has not confirmed before the end comes again.
        if server.confirmsLater { return }
        // A request that the end of the time has cut off may have arrived.
        let twice = server.repeated.subtracting(known).subtracting(cutOff)
        if !twice.isEmpty { throw wrong("short lives sent again: \(twice.sorted())") }
    }

    private func beginWell() throws {
        if life == nil { try begin(hasFaults: false) }
    }

    private func checkArrivals() throws {
        let letters = deadLetters()
        let arrived = server.taken.union(letters)
        let mayBeLost = isDiscarding || !settings.keepsEverything || disk.figures.reads >= 10
        if !mayBeLost {
            let missing = messages.saved.subtracting(arrived)
            if !missing.isEmpty {
                throw wrong(
                    "lost: \(missing.sorted()) of \(messages.logged), \(String(describing: life?.figures))")
            }
            if let problem = messages.wrong(arrived) { throw wrong(problem) }
        }
        if !server.hasRefusedGood, !letters.isSubset(of: server.bad) {
            throw wrong("good messages were set aside: \(letters.subtracting(server.bad).sorted())")
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
