import CHeartwood
import CoreFixtures
import HeartwoodTestSupport

@testable import Heartwood

/// One run of one simulated process: an engine, and the account of what it was given.
final class SimulatedWriter {
    let mark: String
    let kernel: SimulatedKernel
    let engine: FileEngine
    let directory: Directory
    let archiver: ArchiveWorker
    /// The header of its files; empty for none.
    let header: String
    var accepted = 0
    /// What the logger's statistics say, and the engine's counters that they know.
    let figures = LoggerCounters()
    var seen = FileCounters()
    /// The plan's last step.
    var lastStep: FilePlan.Step?
    /// Records that were written when the process was closed or died; nil while it lives.
    var isEnded = false
    var hasDied = false

    init(
        _ mark: String, _ kernel: SimulatedKernel, _ directory: Directory, _ engine: FileEngine,
        header: String
    ) {
        self.header = header
        self.mark = mark
        self.kernel = kernel
        self.directory = directory
        self.engine = engine
        archiver = ArchiveWorker(
            directory: directory, inventory: engine.inventory,
            makeRoom: { _, _ in false },
            describe: { [inventory = engine.inventory, directory] name in
                inventory.entries.last { $0.name == name }.map {
                    LogFileInfo($0, directory, active: nil, isFinished: true)
                }
            }, tell: { _ in })
    }
}

/// A seeded world of file loggers.
///
/// It has a directory, processes that log into it, others who have their hands in it, faults, full disks,
/// clocks that are set, and deaths at any call. Its invariants are checked after each step.
final class FileWorld {
    let seed: UInt64
    private var numbers: SeededNumbers
    private let clock = ManualClock()
    private let disk: SimulatedDisk
    private var settings: FileSettings
    private var writers: [SimulatedWriter] = []
    private var living: [SimulatedWriter?]
    private var runs = 0
    private var isNested = false
    private var isHealed = false
    private var faultRate = 0
    /// What makes an exact limit or a single processing impossible to ask for.
    private var hasFaults = false
    private var hasDeaths = false
    private var hasOthers = false
    private var hasInterrupts = false
    /// The disk was full at some time, or took no new file.
    private var hasFullDisk = false
    /// Descriptors were closed by their program, and with them the locks of its files.
    private var hasClosed = false
    /// Processes have different limits, or others have put files there that cannot be removed.
    private var hasMixedLimits = false
    private(set) var problems: [String] = []
    private(set) var story: [String] = []
    private let tellsStory: Bool
    private let processor = CountingProcessor()

    private static let user: UInt32 = 1000

    init(_ seed: UInt64, tellsStory: Bool = false) throws {
        self.seed = seed
        self.tellsStory = tellsStory
        var numbers = SeededNumbers(seed)
        disk = SimulatedDisk(clock)
        disk.makeFolder(owner: Self.user, mode: 0o700)
        // In the others a file is looked at before each write.
        if seed % 4 == 3 { disk.lookInterval = .milliseconds(5) }
        let hasActiveName = numbers.chance(3)
        let template = numbers.pick([
            "{app} {date}.log", "{app}-{date:yyyy-MM-dd}.log", "{app}.{number:3}.log",
        ])
        settings = FileSettings.unlimited(
            naming: try LogFileNaming(
                application: "t", template: template, activeName: hasActiveName ? "t.log" : nil))
        settings.isShared = numbers.chance(4)
        disk.isShared = settings.isShared
        settings.rolling.maximumSize = numbers.pick([0, 60, 100, 300])
        settings.rolling.interval = numbers.pick([.zero, .seconds(600), .seconds(86_400)])
        settings.retention.maximumCount = numbers.pick([0, 1, 2, 3, 5])
        settings.retention.quota = numbers.pick([0, 0, 200, 600])
        settings.retention.maximumAge = numbers.pick([.zero, .zero, .seconds(7200)])
        settings.waitingLimit = .bytes(numbers.pick([80, 400, 1 << 20]))
        settings.reusesFiles = !numbers.chance(4)
        settings.syncPolicy = numbers.pick([.never, .never, .everyBatch])
        settings.currentLink = numbers.chance(4) ? "current" : nil
        settings.minimumFreeSpace = .bytes(numbers.chance(4) ? 1 : 0)
        living = Array(repeating: nil, count: numbers.pick([1, 1, 2, 3]))
        hasInterrupts = living.count > 1 && numbers.chance(4)
        settings.fileMode = numbers.pick([0o600, 0o640])
        if numbers.chance(12) { disk.modeRefusal = numbers.pick([EPERM, EOPNOTSUPP, ENOSYS]) }
        if numbers.chance(8) { disk.attributeRefusal = EOPNOTSUPP }
        // A finished file has its write permission for a moment there, in which another process may take it.
        disk.locksNeedWriting = numbers.chance(8) && !hasInterrupts
        // Without locks, a directory is one process's.
        if living.count == 1, !settings.isShared, numbers.chance(6) {
            disk.lockRefusal = numbers.pick([ENOLCK, ENOSYS, EOPNOTSUPP])
            disk.locksFolders = numbers.chance(2)
        }
        self.numbers = numbers
        disk.isOrderKnown = { [unowned self] in
            // Without attributes only its birth tells where the active file belongs.
            !hasFaults && !hasInterrupts && !hasFullDisk && !hasClosed
                && settings.retention.maximumAge == .zero && disk.isNoticed
                && (settings.naming.activeName == nil || disk.attributeRefusal == nil)
        }
    }

    private func tell(_ text: @autoclosure () -> String) {
        if tellsStory { story.append(text()) }
    }

    private func fail(_ text: String) {
        tell("wrong: \(text)")
        if problems.count < 5 { problems.append(text) }
    }

    // MARK: The run

    /// Runs the world, and returns what was wrong.
    func run() -> [String] {
        plantOthers()
        for _ in 0..<numbers.number(12...40) where problems.isEmpty {
            step()
            checkViolations()
        }
        heal()
        checkLines()
        return problems
    }

    private func step() {
        let index = numbers.number(0...(living.count - 1))
        guard let writer = living[index] else { return start(index) }
        guard !writer.kernel.isDead else { return discard(index) }
        switch numbers.number(0...45) {
        case 0...15: write(writer, numbers.number(1...4))
        case 16...19: advance()
        case 20...22: perform(writer, "tick") { $0.tick() }
        case 23...24: perform(writer, "roll") { $0.rollNow() }
        case 25: perform(writer, "reopen") { $0.reopen() }
        case 26...27: stop(index)
        case 28: perform(writer, "synchronize") { try? $0.synchronize() }
        case 29...30: archive(writer)
        case 31: changeLimits(writer)
        case 32: toggleFaults(writer)
        case 33: writer.kernel.callsToLive = numbers.number(1...60)
        case 34:
            disk.capacity = numbers.chance(2) ? Int.max / 4 : disk.used + numbers.number(0...120)
            hasFullDisk = true
            tell("the disk has room for \(disk.capacity)")
        case 35: jumpClock()
        case 36: clearLogs()
        case 37: killInRoll(index)
        case 38: if disk.lockRefusal == nil { overlap(index) }
        case 39: dropPrivileges(writer)
        case 40: useInodes(writer)
        case 41: closeDescriptors(writer)
        default: interfere()
        }
        if writer.kernel.isDead { discard(index) }
    }

    private func start(_ index: Int) {
        runs += 1
        let kernel = SimulatedKernel(disk, process: Int32(100 + runs), user: Self.user)
        // What is open is looked at once more when it goes, after the world's end.
        kernel.interrupt = { [weak self, weak kernel] in if let kernel { self?.interrupt(kernel) } }
        if tellsStory { kernel.story = { [weak self] in self?.tell("    \($0)") } }
        tell("start process \(kernel.process)")
        // The new one has not listed the files.
        disk.closeUntil = nil
        guard let directory = try? Directory("/logs", calls: SystemCalls(kernel: kernel)) else {
            if faultRate == 0, disk.capacity > 0, !disk.isUnsearchable {
                fail("the directory cannot be opened")
            }
            return
        }
        // In some worlds processes have headers, which differ.
        let header = seed % 5 == 2 ? ["", "#1\n", "#2\n"][runs % 3] : ""
        var settings = settings
        settings.fileHeader = header.isEmpty ? nil : header
        let engine = FileEngine(
            directory: directory, settings: settings, clock: clock, lookInterval: disk.lookInterval,
            header: { Array(header.utf8) }, beginning: { FileBeginning(header: Array(header.utf8)) },
            report: { [unowned self] in if case .advice = $0 {} else { tell("  reports \($0)") } })
        let writer = SimulatedWriter("p\(runs)", kernel, directory, engine, header: header)
        engine.didStep = { [unowned self, unowned writer] in checkPlan(writer, $0, $1) }
        writers.append(writer)
        living[index] = writer
        applyFaults(kernel)
    }

    private func discard(_ index: Int) {
        guard let writer = living[index] else { return }
        tell("process \(writer.kernel.process) is dead")
        writer.hasDied = true
        writer.isEnded = true
        hasDeaths = true
        // Of what it has created last nothing is known.
        disk.folder?.latest = nil
        living[index] = nil
    }

    private func stop(_ index: Int) {
        guard let writer = living[index] else { return }
        perform(writer, "close") { $0.close() }
        if writer.kernel.isDead { return }
        writer.isEnded = true
        writer.kernel.kill()
        living[index] = nil
    }

    /// A process is killed in the middle of a roll, and several runs follow.
    private func killInRoll(_ index: Int) {
        guard let writer = living[index] else { return }
        write(writer, 1)
        if !writer.kernel.isDead {
            writer.kernel.callsToLive = numbers.number(1...40)
            perform(writer, "roll") { $0.rollNow() }
            if !writer.kernel.isDead { write(writer, 2) }
            writer.kernel.kill()
        }
        discard(index)
        runs(of: index, numbers.number(1...4))
    }

    /// A second run begins before the first one ends, as at a deployment, and others follow.
    private func overlap(_ index: Int) {
        living.append(nil)
        let last = living.count - 1
        runs(of: last, 1)
        if let writer = living[index] { write(writer, 1) }
        stop(index)
        if living[index] != nil { discard(index) }
        runs(of: last, numbers.number(1...3))
        living.removeLast()
        runs(of: index, numbers.number(1...3))
    }

    /// Runs of one process after the other, each of which writes, and may finish its file at its end.
    private func runs(of index: Int, _ count: Int) {
        for _ in 0..<count where problems.isEmpty {
            start(index)
            guard let writer = living[index] else { return }
            write(writer, numbers.number(1...3))
            if numbers.chance(2), !writer.kernel.isDead { perform(writer, "roll") { $0.rollNow() } }
            if numbers.chance(3) { writer.kernel.kill() }
            if writer.kernel.isDead { discard(index) } else { stop(index) }
            if living[index] != nil { discard(index) }
        }
    }

    private func write(_ writer: SimulatedWriter, _ count: Int) {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for _ in 0..<count {
            let padding = String(repeating: "x", count: numbers.pick([0, 3, 20]))
            bytes += Array("\(writer.mark) \(writer.accepted) \(padding).\n".utf8)
            writer.accepted += 1
            ends.append(bytes.count)
        }
        perform(writer, "write \(count)", count: count) { engine in
            bytes.withUnsafeBytes { engine.write($0, ends) }
        }
    }

    private func perform(
        _ writer: SimulatedWriter, _ what: String, count: Int = 0, _ body: (FileEngine) -> Void
    ) {
        tell("\(writer.kernel.process): \(what)")
        let created = writer.kernel.created
        let waits = writer.kernel.waits
        let before = writer.engine.writer?.identity
        body(writer.engine)
        // As the logger does it.
        writer.seen.settle(as: writer.engine.counters, in: writer.figures)
        writer.figures.count(received: count, delivered: count)
        guard !writer.kernel.isDead else { return }
        let counters = writer.engine.counters
        if counters.written + counters.dropped + counters.waiting != writer.accepted {
            fail("\(writer.mark): \(counters) is not \(writer.accepted)")
        }
        if writer.kernel.waits == waits, !isNested {
            if let opened = writer.engine.writer, opened.identity != before { checkNewest(opened) }
            checkLimits(writer, hasCreated: writer.kernel.created > created)
            if writer.kernel.created > created {
                checkNew(writer.engine.writer, isNew: writer.engine.writer?.identity != before)
            }
        }
    }

    // MARK: What happens

    private func advance() {
        let time = numbers.pick([
            Duration.milliseconds(1), .milliseconds(300), .seconds(5), .seconds(700), .seconds(90_000),
        ])
        tell("after \(time)")
        clock.advance(by: time)
    }

    private func jumpClock() {
        let time = numbers.pick([
            Duration.seconds(-7000), .seconds(7000), .seconds(86_400 * 400), .seconds(-86_400 * 30),
            // A clock that is wrong, and right again.
            .seconds(86_400 * 365 * (clock.now() > SimulatedDisk.wrongClock ? -73 : 73)),
        ])
        tell("the clock is set by \(time)")
        clock.setWall(clock.now() + time)
    }

    private func changeLimits(_ writer: SimulatedWriter) {
        var new = writer.engine.settings
        new.retention.maximumCount = numbers.pick([0, 1, 3])
        new.rolling.maximumSize = numbers.pick([60, 300])
        hasOthers = true
        hasMixedLimits = true  // the others keep to the old limits
        perform(writer, "limits \(new.retention.maximumCount) files of \(new.rolling.maximumSize)") {
            $0.apply(new)
        }
    }

    private func toggleFaults(_ writer: SimulatedWriter) {
        faultRate = faultRate == 0 ? numbers.pick([3, 8, 20]) : 0
        tell("faults: \(faultRate)")
        for case let writer? in living { applyFaults(writer.kernel) }
    }

    private func applyFaults(_ kernel: SimulatedKernel) {
        guard faultRate > 0 else {
            kernel.fault = { _ in nil }
            kernel.descriptorLimit = 64
            return
        }
        hasFaults = true
        if numbers.chance(4) {
            kernel.descriptorLimit = 3
            return
        }
        let number = numbers.pick([EACCES, EPERM, EIO, EROFS, ENOSPC, EMFILE, ENOLCK, ENOSYS, EINTR])
        let call = numbers.chance(2) ? numbers.pick(SystemCall.allCases) : nil
        kernel.fault = { [weak self, weak kernel] made in
            guard let self, call == nil || call == made, numbers.chance(faultRate) else { return nil }
            // Only of a lock that is waited for would a real system say this; and a mode that was refused tells of
            // a file system without modes.
            if number == EINTR && made != .lock || made == .changeMode { return EIO }
            // One that is refused before any was taken tells of a file system without locks.
            return [ENOLCK, ENOSYS].contains(number) && made == .lock && kernel?.hasLocked != true
                ? EIO : number
        }
    }

    /// Lets another process run while one is in the middle of a call.
    private func interrupt(_ kernel: SimulatedKernel) {
        guard hasInterrupts, !isNested, !isHealed, numbers.chance(60) else { return }
        isNested = true
        defer { isNested = false }
        let others = living.compactMap { $0 }.filter { $0.kernel !== kernel && !$0.kernel.isDead }
        guard let other = others.first else { return }
        tell("  meanwhile")
        switch numbers.number(0...3) {
        case 0: perform(other, "roll") { $0.rollNow() }
        case 1: perform(other, "tick") { $0.tick() }
        default: write(other, 1)
        }
    }

    /// Where no new file can be created, the one that is open takes what comes, whatever the time, the
    /// limits and calls ask for.
    private func continueOpenFile(_ writer: SimulatedWriter) {
        let couldCreate = !hasFullDisk
        hasFullDisk = true
        guard couldCreate, disk.isUnsearchable || disk.hasNoInodes, !writer.kernel.isDead,
            let open = writer.engine.writer,
            !hasFaults, !hasInterrupts, !hasOthers, !hasClosed, settings.retention.quota == 0,
            writer.engine.isIdle, !settings.isShared,
            disk.files.contains(where: { $0.number == open.identity.inode && $0.links > 0 })
        else { return }
        for _ in 0..<numbers.number(1...3) where problems.isEmpty && !writer.kernel.isDead {
            switch numbers.number(0...5) {
            case 0: perform(writer, "roll") { $0.rollNow() }
            case 1: perform(writer, "reopen") { $0.reopen() }
            case 2: perform(writer, "tick") { $0.tick() }
            case 3: advance()
            case 4:
                guard disk.folder?.entries[open.name]?.number == open.identity.inode else { break }
                tell("others rename \(open.name)")
                hasOthers = true
                disk.renameByOthers(open.name, to: "kept-\(numbers.number(0...99_999)).txt")
            default: break
            }
            if writer.kernel.isDead { return }
            write(writer, 1)
            if !writer.kernel.isDead, !writer.engine.isIdle {
                fail("process \(writer.kernel.process) has left its file, and cannot create another one")
            }
        }
    }

    /// The program gives up its privileges, and later has them again.
    private func dropPrivileges(_ writer: SimulatedWriter) {
        disk.isUnsearchable.toggle()
        tell("names of the directory can be looked up: \(!disk.isUnsearchable)")
        continueOpenFile(writer)
    }

    private func useInodes(_ writer: SimulatedWriter) {
        disk.hasNoInodes.toggle()
        tell("inodes are free: \(!disk.hasNoInodes)")
        continueOpenFile(writer)
    }

    private func closeDescriptors(_ writer: SimulatedWriter) {
        tell("\(writer.kernel.process): closes all descriptors")
        hasClosed = true
        writer.kernel.closeAll(taking: numbers.pick([0, 2, 5]))
    }

    private func archive(_ writer: SimulatedWriter) {
        var archive = FileArchiver.Settings()
        processor.isRemoving = seed % 2 == 0
        archive.processor = processor
        let disk = disk
        processor.found = { [unowned self] name in
            guard let file = disk.folder?.entries[name] else {
                return fail("\(name) is processed and is not there")
            }
            file.processed += 1
            // The note may be lost with the process that could not make it.
            let isNewProcess = file.processors.insert(writer.kernel.process).inserted
            let mayLoseNote = hasDeaths || hasFaults || hasFullDisk || disk.attributeRefusal != nil
            // One whose fixed name could not be removed may get another name by others who write to it.
            let mayHaveTwoNames = hasFaults && settings.isShared && settings.naming.activeName != nil
            if file.processed > 1, !isNewProcess || !mayLoseNote, !mayHaveTwoNames {
                fail("\(name) was processed \(file.processed) times")
            }
            for case let other? in living
            where !other.kernel.isDead && !other.kernel.hasClosed
                && other.engine.writer?.identity.inode == file.number
            {
                fail("\(name) was processed while process \(other.kernel.process) writes to it")
            }
        }
        perform(writer, "archive") { engine in
            for name in engine.isStarted ? engine.finished : [] {
                var name = name
                _ = try? writer.archiver.work(on: &name, archive)
            }
        }
    }

    // MARK: Others

    /// What is in the directory before the first process starts.
    private func plantOthers() {
        for _ in 0..<numbers.pick([0, 0, 1, 3]) { plantOne() }
    }

    private func plantOne() {
        let naming = settings.naming
        let moment = clock.now() + .seconds(Double(-numbers.number(0...9000)))
        let name = naming.name(
            for: LogFileLabel(
                createdAt: naming.recognize(naming.name(for: LogFileLabel(createdAt: moment)))?.createdAt,
                number: numbers.number(1...5)))
        let names = [
            name, name, naming.activeName ?? name, "t.log.txt", ".t.lock", ".t.catalogue", "current",
        ]
        let chosen = numbers.pick(names)
        guard disk.folder?.entries[chosen] == nil else { return }
        hasOthers = true
        let kind = numbers.number(0...6)
        tell("others put \(chosen) there, of kind \(kind)")
        switch kind {
        case 0: disk.plant(chosen, "theirs\n", owner: 0, isForeign: true)
        case 1: disk.plant(chosen, "theirs\n", owner: 0, mode: 0o644, isForeign: true)
        case 2: disk.plant(chosen, "theirs\n", owner: Self.user, isForeign: true).isImmutable = true
        case 3: disk.plant(chosen, kind: .directory, owner: Self.user, mode: 0o700, isForeign: true)
        case 4:
            guard chosen != "current" else { return }
            disk.plant(chosen, kind: .symbolicLink, owner: Self.user, isForeign: true)
        case 5: disk.plant(chosen, "theirs\n", owner: 0, mode: 0o666, isForeign: true)
        default:
            // An old file of the logger's own, whole or torn.
            guard chosen == name else { return }
            disk.plant(chosen, numbers.pick(["old\n", "old\nto", ""]), owner: Self.user)
        }
    }

    /// The program asks for its files, and removes them all.
    private func clearLogs() {
        hasOthers = true
        guard let folder = disk.folder else { return }
        tell("the program lists its files and removes them")
        for writer in living.compactMap({ $0 }) { writer.engine.lookClosely(forWhile: true) }
        disk.closeUntil = clock.uptime() + .seconds(1)
        for (name, file) in folder.entries where !file.isForeign && !name.hasPrefix(".") {
            disk.removeName(name)
        }
    }

    private func interfere() {
        hasOthers = true
        guard let folder = disk.folder else { return }
        let logs = folder.entries.keys.filter { folder.entries[$0]?.isForeign == false && !$0.hasPrefix(".") }
            .sorted()
        switch numbers.number(0...9) {
        case 0...1:
            guard !logs.isEmpty else { return }
            let name = numbers.pick(logs)
            tell("others remove \(name)")
            disk.removeName(name)
        case 2:
            guard !logs.isEmpty else { return }
            let name = numbers.pick(logs)
            tell("others rename \(name)")
            disk.renameByOthers(name, to: "kept-\(numbers.number(0...99_999)).txt")
        case 3:
            guard !logs.isEmpty, let file = folder.entries[numbers.pick(logs)] else { return }
            tell("others empty file \(file.number)")
            disk.taken.append((file.data, file))
            file.sizeBefore = file.data.count
            file.data = []
            file.hasPart = false
            file.isTampered = true
        case 4:
            guard !logs.isEmpty, let file = folder.entries[numbers.pick(logs)] else { return }
            tell("others write to file \(file.number)")
            let text = numbers.pick(["their line\n", "their tail"])
            // A tail that is not noticed before the next record would become a part of its line. No writer
            // notices that a file was replaced by one of the size that it knows.
            let isNoticed = disk.lookInterval == .zero && file.sizeBefore == nil
            file.data += Array((isNoticed ? text : "their line\n").utf8)
            if file.data.count == file.sizeBefore { file.data += [10] }
            file.isTampered = true
        case 5:
            guard !logs.isEmpty, disk.modeRefusal == nil, disk.lockRefusal == nil,
                let file = folder.entries[numbers.pick(logs)]
            else {
                return
            }
            tell("others change the mode of file \(file.number)")
            file.mode ^= 0o200
            (file.isTampered, file.processed) = (true, 0)
        case 6:
            tell("others remove all logs")
            for name in logs { disk.removeName(name) }
        case 7:
            guard numbers.chance(3) else { return }
            tell("others remove the directory")
            disk.removeFolder()
        default: plantOne()
        }
    }

    // MARK: Invariants

    /// After each step the plan's account holds, what it knows of the open file is so, the quota is kept, and no
    /// write follows another one without a look where each needs one.
    private func checkPlan(_ writer: SimulatedWriter, _ step: FilePlan.Step, _ plan: FilePlan) {
        defer { writer.lastStep = step }
        guard !writer.kernel.isDead else { return }
        let counters = plan.counters
        if counters.waiting != plan.pending.count
            || counters.written + counters.dropped + counters.waiting > writer.accepted + plan.pending.total
        {
            fail("\(writer.mark): after \(step) \(counters), \(plan.pending.count) wait")
        }
        guard case .write = step else { return }
        if case .write = writer.lastStep, disk.lookInterval == .zero { fail("a write follows another one") }
        guard let known = plan.file, let active = writer.engine.writer, !hasFaults, !hasClosed, !isNested,
            !hasInterrupts,
            let file = disk.files.first(where: { $0.number == active.identity.inode })
        else { return }
        if known.size != file.data.count, !file.isTampered {
            fail("\(active.name) has \(file.data.count) bytes, not \(known.size)")
        }
        let quota = settings.diskQuota.limit ?? 0
        if quota > 0, living.count == 1, !hasOthers, !hasFullDisk {
            let total = self.total(entries)
            if total > quota { fail("\(total) bytes after a write at a quota of \(quota)") }
        }
    }

    private func checkViolations() {
        for text in disk.violations { fail(text) }
        disk.violations = []
    }

    /// Which names are those of logs: each name is parsed once.
    private var ours: [String: Bool] = [:]

    private var entries: [(name: String, file: SimulatedFile)] {
        let naming = settings.naming
        return (disk.folder?.entries ?? [:]).filter { name, file in
            guard file.kind == .regular, file.owner == Self.user else { return false }
            if let isOurs = ours[name] { return isOurs }
            let isOurs = name == naming.activeName || naming.recognize(ArchiveStage.split(name).log) != nil
            ours[name] = isOurs
            return isOurs
        }.map { ($0.key, $0.value) }
    }

    /// The bytes of files; a process that died may have left one with two names.
    private func total(_ entries: [(name: String, file: SimulatedFile)]) -> Int {
        Dictionary(entries.map { ($0.file.number, $0.file.data.count) }, uniquingKeysWith: max).values.reduce(
            0, +)
    }

    /// A new file is after all that were created, also after those that are gone: its name would be used again.
    private func checkNew(_ writer: FileWriter?, isNew: Bool) {
        // Of one that is closed again nothing is known.
        defer { disk.folder?.latest = isNew ? writer?.label : nil }
        guard isNew, let opened = writer, let latest = disk.folder?.latest, opened.label <= latest,
            !hasFaults, !hasInterrupts,
            disk.attributeRefusal == nil,
            // Who died before the active file was told its name has left one with the date of its birth.
            settings.naming.activeName == nil || !hasDeaths
        else { return }
        // A date that was a wrong clock's is forgotten.
        if let createdAt = latest.createdAt, createdAt > clock.now() { return }
        fail("\(opened.name) is new and not after \(latest)")
    }

    /// A file that is opened is the newest, whatever earlier runs have left: what it takes would be lost first otherwise.
    private func checkNewest(_ opened: FileWriter) {
        guard !hasFaults, !hasInterrupts, !hasFullDisk else { return }
        let naming = settings.naming
        // One without lines was created by a process that has died since.
        for (name, file) in entries where name != opened.name && !file.isTampered && !file.data.isEmpty {
            let (log, _, isUnfinished) = ArchiveStage.split(name)
            guard !isUnfinished, let label = naming.recognize(log), opened.label < label else { continue }
            fail("\(opened.name) is opened, and \(name) is newer")
        }
    }

    private func checkLimits(_ writer: SimulatedWriter, hasCreated: Bool) {
        let entries = entries
        let settings = writer.engine.settings
        let retention = settings.retention
        checkSizes(entries, retention.effectiveFileSize(settings.rolling.maximumSize))
        // What cannot be listed, locked or removed cannot be kept within the limits of all.
        guard !hasFaults, !hasOthers, !hasInterrupts, !hasFullDisk else { return }
        if hasCreated, retention.maximumCount > 0 {
            // It has created one at its end, and released it.
            let held = entries.count { !$0.file.locks.isEmpty } + (writer.engine.writer == nil ? 1 : 0)
            if entries.count > max(retention.maximumCount, held) {
                fail(
                    "\(entries.count) files at a limit of \(retention.maximumCount): \(entries.map(\.name).sorted())"
                )
            }
        }
        if retention.quota > 0, living.count == 1 {
            let total = self.total(entries)
            if total > retention.quota { fail("\(total) bytes at a quota of \(retention.quota)") }
        }
    }

    /// No file has more than one record beyond its limit, but one where no other file could be created.
    private func checkSizes(_ entries: [(name: String, file: SimulatedFile)], _ limit: Int) {
        guard limit > 0, !hasMixedLimits, !hasFaults, !hasFullDisk else { return }
        for (name, file) in entries where file.data.count > limit && !file.isTampered {
            if file.data.count(where: { $0 == 10 }) > (file.data.first == UInt8(ascii: "#") ? 2 : 1) {
                fail("\(name) has \(file.data.count) bytes, limit \(limit)")
            }
        }
    }

    /// All is well again: every process that lives must log again at once.
    private func heal() {
        guard problems.isEmpty else { return }
        tell("all is well again")
        faultRate = 0
        isHealed = true
        disk.capacity = Int.max / 4
        (disk.isUnsearchable, disk.hasNoInodes) = (false, false)
        for index in living.indices {
            if living[index] == nil || living[index]?.kernel.isDead == true {
                discard(index)
                start(index)
            }
            guard let writer = living[index] else {
                fail("a process cannot start")
                continue
            }
            writer.kernel.callsToLive = nil
            applyFaults(writer.kernel)
        }
        for _ in 0..<4 {
            clock.advance(by: .seconds(2))
            for case let writer? in living { perform(writer, "tick") { $0.tick() } }
        }
        for case let writer? in living {
            let written = writer.engine.counters.written
            write(writer, 1)
            // The active files of the others may take all the room of the quota.
            let mayWait = settings.retention.quota > 0 && living.count > 1
            if !mayWait, !writer.engine.isIdle || writer.engine.counters.written != written + 1 {
                fail("process \(writer.kernel.process) does not log again: \(writer.engine.counters)")
            }
            if settings.retention.maximumAge > .zero { checkAge(writer) }
            perform(writer, "close") { $0.close() }
            writer.isEnded = true
        }
        checkViolations()
    }

    private func checkAge(_ writer: SimulatedWriter) {
        clock.advance(by: .seconds(90_000))
        for _ in 0..<2 {
            clock.advance(by: .seconds(3700))
            perform(writer, "tick") { $0.tick() }
        }
        for (name, file) in entries
        where file.locks.isEmpty && file.links == 1 && !file.isImmutable
            && file.number != writer.engine.writer?.identity.inode
        {
            let age = clock.now() - file.modified
            guard age > writer.engine.settings.retention.maximumAge, age > .zero,
                file.modified.nanoseconds > 978_307_200_000_000_000
            else { continue }
            fail("\(name) is \(age) old, limit \(writer.engine.settings.retention.maximumAge)")
        }
    }

    /// Every record that was accepted is in one file, once, whole and in order, or was counted as dropped.
    private func checkLines() {
        guard problems.isEmpty else { return }
        var found: [String: [Int]] = [:]
        let excused = disk.files.reduce(0) { $0 + $1.excusedParts }
        let marks = Dictionary(uniqueKeysWithValues: writers.map { ($0.mark, $0) })
        // What was written within a lease, before it could be noticed that the number is another file's, is there.
        for file in disk.files
        where file.kind == .regular && (!file.isForeign || file.isProgramData) && file.isLog {
            checkHeader(file, marks)
            var parts = collect(file.data, file, marks, &found)
            for (data, taken) in disk.taken where taken === file {
                parts += collect(data, file, marks, &found)
            }
            if parts > file.excusedParts {
                fail("file \(file.number) has \(parts) parts of records, \(file.excusedParts) are excused")
            }
        }
        for writer in writers {
            let lines = found[writer.mark] ?? []
            let counters = writer.engine.counters
            if Set(lines).count != lines.count {
                fail("\(writer.mark): a line is in the files twice: \(lines.sorted())")
            } else if !writer.hasDied,
                // A record that lacks its newline, and could not be cut off, counts as dropped; the next process
                // ends the line.
                !(counters.written...counters.written + min(counters.dropped, excused)).contains(lines.count)
            {
                fail("\(writer.mark): \(lines.count) lines in the files, \(counters) of \(writer.accepted)")
            } else if lines.count < counters.written || lines.count > writer.accepted {
                fail("\(writer.mark): died with \(lines.count) lines in the files, \(counters)")
            }
            checkFigures(writer, lines.count)
        }
    }

    /// The statistics call delivered what is in the files, and everything is in one of them.
    private func checkFigures(_ writer: SimulatedWriter, _ lines: Int) {
        let figures = writer.figures.snapshot
        if figures.delivered > lines {
            fail("\(writer.mark): \(lines) lines in the files, and \(figures)")
        }
        if !writer.hasDied, figures.delivered + figures.failed != writer.accepted {
            fail("\(writer.mark): \(figures) of \(writer.accepted)")
        }
    }

    /// A file has the lines of processes with its header, and of those that have none; one that all write to
    /// begins as the first of them has it.
    private func checkHeader(_ file: SimulatedFile, _ marks: [String: SimulatedWriter]) {
        guard !settings.isShared, !file.isTampered else { return }
        let lines = String(decoding: file.data, as: UTF8.self).split(separator: "\n")
        let header = lines.first.map { $0.hasPrefix("#") ? $0 + "\n" : "" } ?? ""
        for line in lines.dropFirst(header.isEmpty ? 0 : 1) {
            if line.hasPrefix("#") { fail("file \(file.number) has a header in the middle") }
            guard line.hasSuffix("."), let writer = marks[String(line.prefix { $0 != " " })],
                !writer.header.isEmpty
            else {
                continue
            }
            if writer.header != header {
                fail("file \(file.number) begins with “\(header)” and has “\(line)”")
            }
        }
    }

    /// Finds the records, each with its newline, and counts the parts of others.
    private func collect(
        _ data: [UInt8], _ file: SimulatedFile, _ marks: [String: SimulatedWriter],
        _ found: inout [String: [Int]]
    ) -> Int {
        var parts = 0
        var rest = data[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 10)
            let line = String(decoding: rest[..<(end ?? rest.endIndex)], as: UTF8.self)
            rest = rest[((end ?? rest.endIndex - 1) + 1)...]
            let words = line.split(separator: " ", omittingEmptySubsequences: false)
            if end != nil, words.count == 3, line.hasSuffix("."), let record = Int(words[1]),
                marks[String(words[0])] != nil, words[2].dropLast().allSatisfy({ $0 == "x" })
            {
                found[String(words[0]), default: []].append(record)
            } else if let isPart = part(line) {
                parts += isPart ? 1 : 0
            } else {
                fail("file \(file.number) has the line “\(line)”")
            }
        }
        return parts
    }

    /// Whether a line is a part of a record or of an announcement; false for lines of others and announcements, nil for
    /// a record that others, or a part, have made unreadable.
    ///
    /// Others write without a look at what is at the end of a file.
    private func part(_ line: String) -> Bool? {
        var line = line
        for theirs in ["their tail", "their line", "theirs"] { line = line.replacing(theirs, with: "") }
        if line.hasPrefix("to") { line.removeFirst(2) }
        if line == "#1" || line == "#2" { return false }
        if line == "#" { return true }
        if line.isEmpty || line == "old" || line.hasSuffix(" dropped here")
            || line.contains(" dropped here (") && line.hasSuffix(")")
        {
            return false
        }
        let isRecord =
            line.hasPrefix("p")
            && line.dropFirst().allSatisfy { $0.isNumber || $0 == " " || $0 == "x" || $0 == "." }
        let isAnnouncement = line.first?.isNumber == true && !line.contains("p2 ") && !line.contains("p1 ")
        return isRecord || isAnnouncement ? true : nil
    }
}

/// A processor that counts what it is given.
private final class CountingProcessor: LogArchiveProcessor, @unchecked Sendable {  // one thread
    var isRemoving = false
    var found: (String) -> Void = { _ in }

    override func process(_ file: LogFileInfo) throws -> Outcome {
        found(file.name)
        return isRemoving ? .remove : .keep
    }
}
