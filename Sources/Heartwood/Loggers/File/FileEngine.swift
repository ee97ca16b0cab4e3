import CHeartwood

/// Writes records into log files: begins, rolls and removes files as the settings say, and copes with what goes wrong.
///
/// 1. **Whole.** Every record is in one file, once, in order, and never in part (promise 8).
/// 2. **Accounted.** What was accepted is written, waits, or was dropped and counted; a file in which records are
///    missing says so in their place (promise 4).
/// 3. **Within the quota.** At no moment do the files of this naming take more room than the quota, as far as this
///    process alone writes to them.
/// 4. **Nothing escapes.** No failure of a system call ends the process, or is thrown to whoever logs (promise 7).
///
/// Where a new file is due and cannot be begun, records go on into the file that is open: a file above its limit is
/// better than a lost line. This is the one exception from the limit of the size.
///
/// Not thread-safe: it is owned by the logger, which calls it on its queue.
package final class FileEngine {
    // MARK: Constants

    package let directory: LogDirectory
    package let inventory = FileInventory()
    let clock: any LogClock
    let report: (FileEvent) -> Void
    /// The header of a new file; empty for none.
    let header: () -> [UInt8]
    /// The record that tells how many were dropped, and why.
    let announcement: (Int, SystemFailure?) -> [UInt8]
    /// How long to wait after a failure before trying again.
    static let retryInterval = Duration.milliseconds(250)

    // MARK: Owned by the logger

    package internal(set) var settings: FileSettings
    package internal(set) var counters = FileCounters()
    var writer: FileWriter?
    var catalogue = FileCatalogue()
    var isStarted = false
    /// The next file must not be one that is there already.
    var mustBegin = false
    /// Another process or logger writes to this directory, so names say whose they are.
    var sharesDirectory = false
    var process = getpid()
    /// In shared mode: the lock's number when this engine last looked for a newer file.
    var sharedGeneration = 0
    let lock: DirectoryLock

    /// Records that no file took yet.
    private var waiting = RecordBuffer()
    /// Which of the waiting records are announcements of the engine's own, and of how many records.
    private var announcements: [(index: Int, lost: Int)] = []
    /// Records dropped since the last announcement.
    private var lost = 0
    /// Why they were dropped.
    private var lossReason: SystemFailure?
    /// Why the last attempt failed.
    var failure: SystemFailure?
    var hasFailed = false
    var nextAttempt = Duration.zero
    /// When it is worth trying to roll again, after that failed.
    var nextRoll = Duration.zero
    /// The bytes of the last header.
    var headerSize = 0
    /// Bytes that may be written before the free space is looked at again.
    var spaceCredit = 0
    /// When bytes were first written that are not synchronised.
    var unsyncedSince: Duration?
    /// A name that a renamed file has still to lose.
    var surplusName: String?
    /// Finished files that were not synchronised when they were.
    var unsyncedFiles: [String] = []
    /// When it is worth looking for files that are too old.
    var nextAgeCheck = Duration.zero
    /// Files were begun or renamed since the directory was last synchronised.
    var hasUnsyncedNames = false
    /// To notice that the wall clock was set: the two clocks when they were last compared.
    var lastSeen: (wall: LogTimestamp, steady: Duration)?
    /// Until when the wall clock is not believed in what concerns the age of files.
    var distrustedUntil = Duration.zero
    /// Where the journal is told of each write before it is made.
    package var slot: JournalSlot?

    package init(
        directory: LogDirectory, settings: FileSettings, clock: any LogClock = SystemClock(),
        header: @escaping () -> [UInt8] = { [] },
        announcement: @escaping (Int, SystemFailure?) -> [UInt8] = FileEngine.plainAnnouncement,
        report: @escaping (FileEvent) -> Void = { _ in }
    ) {
        self.directory = directory
        self.settings = settings
        self.clock = clock
        self.header = header
        self.announcement = announcement
        self.report = report
        self.lock = DirectoryLock(directory, name: ".\(settings.naming.application).lock")
    }

    var calls: SystemCalls { directory.calls }

    /// An announcement for files of lines.
    package static func plainAnnouncement(_ count: Int, _ failure: SystemFailure?) -> [UInt8] {
        let why = failure.map { " (\(LogError.reason(of: $0.number)))" } ?? ""
        return Array("\(count) \(count == 1 ? "message" : "messages") dropped here\(why)\n".utf8)
    }

    // MARK: Writing

    /// Writes records; those that no file takes wait for a later call, as many as the limit allows.
    ///
    /// - Parameters:
    ///   - bytes: the records, without gaps.
    ///   - ends: where each ends.
    ///   - marks: the mark of each in the journal; none without a journal.
    ///   - isUrgent: synchronise afterwards.
    package func write(
        _ bytes: UnsafeRawBufferPointer, _ ends: [Int], marks: [UInt64] = [], isUrgent: Bool = false
    ) {
        guard !ends.isEmpty else { return }
        checkProcess()
        var done = 0
        if waiting.isEmpty, lost == 0 {
            let progress = drive(bytes, ends, marks)
            done = progress.dealt
            if let number = progress.unwritable { drop(number) }
            if done == ends.count {
                synchronizeIfDue(isUrgent)
                return
            }
        }
        park(bytes, ends, marks, from: done)
        if failure == nil || clock.uptime() >= nextAttempt { retry() }
        synchronizeIfDue(isUrgent)
    }

    /// Tries again to write what waits.
    package func retry() {
        guard !waiting.isEmpty || lost > 0 else { return }
        failure = nil
        while failure == nil {
            if waiting.isEmpty, lost > 0 { announceLoss() }
            if waiting.isEmpty { break }
            let progress = waiting.bytes.withUnsafeBytes { drive($0, waiting.ends, waiting.marks) }
            if !settle(progress) { break }
        }
        if failure == nil, hasFailed {
            hasFailed = false
            report(.resumed(dropped: counters.dropped))
        }
    }

    /// Takes what was dealt with out of the waiting records.
    ///
    /// - Returns: false where not even an announcement can be written at the moment.
    private func settle(_ progress: (dealt: Int, unwritable: Int32?)) -> Bool {
        var own = announcements.prefix { $0.index < progress.dealt }
        announcements = announcements.dropFirst(own.count).map { ($0.index - progress.dealt, $0.lost) }
        waiting.removeFirst(progress.dealt)
        var isAnnounced = true
        if let number = progress.unwritable {
            if let last = own.last, last.index == progress.dealt - 1 {
                own.removeLast()
                lost += last.lost
                isAnnounced = false
                nextAttempt = clock.uptime() + FileEngine.retryInterval
            } else {
                drop(number)
            }
        }
        counters.written -= own.count
        counters.announcements += own.count
        counters.waiting = waiting.count - announcements.count
        return isAnnounced || !waiting.isEmpty
    }

    /// Whether everything that was accepted is in a file, or was dropped.
    package var isIdle: Bool { waiting.isEmpty && lost == 0 }

    /// Drops what waits, counted: the logger goes, and there is no later.
    func giveUpWaiting() {
        let count = waiting.count - announcements.count
        guard count > 0 else { return }
        counters.dropped += count
        forgetWaiting()
        report(.dropped(records: counters.dropped, failure))
    }

    /// Forgets what waits: after a fork it is the parent's.
    func forgetWaiting() {
        waiting.removeAll()
        announcements.removeAll()
        lost = 0
        counters.waiting = 0
    }

    private func announceLoss() {
        announcements.append((waiting.count, lost))
        waiting.append(announcement(lost, lossReason))
        lost = 0
    }

    private func park(_ bytes: UnsafeRawBufferPointer, _ ends: [Int], _ marks: [UInt64], from first: Int) {
        var start = first == 0 ? 0 : ends[first - 1]
        let before = counters.dropped
        for (index, end) in ends.enumerated().dropFirst(first) {
            let record = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            start = end
            var room = settings.waitingLimit - waiting.byteCount
            if lost > 0, record.count < room {
                let text = announcement(lost, lossReason)
                if text.count + record.count <= room {
                    announceLoss()
                    room -= text.count
                } else {
                    room = 0
                }
            }
            if record.count <= room {
                waiting.append(record: record, mark: marks.isEmpty ? 0 : marks[index])
            } else {
                lost += 1
                lossReason = failure
                counters.dropped += 1
            }
        }
        counters.waiting = waiting.count - announcements.count
        if counters.dropped > before { report(.dropped(records: counters.dropped, failure)) }
    }

    /// Writes records into as many files as it takes.
    ///
    /// - Returns: how many records are dealt with; the last of them was not written where `unwritable` says why no
    ///   file can ever hold it.
    private func drive(
        _ bytes: UnsafeRawBufferPointer, _ ends: [Int], _ marks: [UInt64]
    ) -> (dealt: Int, unwritable: Int32?) {
        var index = 0
        // How many records a frame may hold; fewer, once a limit on the size of files was met.
        var most = Int.max
        do {
            while index < ends.count {
                let start = index == 0 ? 0 : ends[index - 1]
                let mayTruncate = beginWrite()
                defer { endWrite() }
                let writer = try readyWriter()
                guard try !settings.isShared || writer.followFrames(mayTruncate: mayTruncate) || roll() else {
                    throw SystemFailure(.open, EPERM)
                }
                guard writer === self.writer else { continue }
                var rest =
                    writer.isFramed ? frame(of: ends[index...], from: start, most: most) : ends[index...]
                if slot != nil { rest = rest.prefix(JournalSlot.writeLimit) }
                let overhead =
                    writer.isFramed ? EncryptedFrame.overhead(of: (rest.last ?? start) - start) : 0
                var count = rolling.fitting(
                    rest, from: start - overhead, size: writer.size, isFresh: !writer.hasRecords)
                if count == 0 {
                    if roll() { continue }
                    count = rest.count
                }
                guard let fitting = try fitQuota(rest.prefix(count), from: start - overhead, writer) else {
                    continue
                }
                guard fitting > 0 else { return (index + 1, EDQUOT) }
                let last = index + fitting
                try spendSpace(ends[last - 1] - start + overhead)
                let part = UnsafeRawBufferPointer(rebasing: bytes[start..<ends[last - 1]])
                let outcome = writer.append(
                    part, ends: ends[index..<last], from: start, mayTruncate: mayTruncate
                ) { written in
                    if marks.isEmpty { return }
                    slot?.intend(
                        writer.identity, writer.name, size: writer.size, written, from: start,
                        ends: ends[index..<last], marks: marks[index..<last], isFrame: writer.isFramed)
                }
                if !marks.isEmpty {
                    slot?.settle(upTo: marks[index..<index + outcome.records].max() ?? 0)
                }
                index += outcome.records
                noteWritten(outcome, writer)
                guard let failure = outcome.failure else { continue }
                guard failure.number == EFBIG else { throw failure }
                // The process may not make files larger than this: go on in another one.
                if writer.hasRecords {
                    guard roll() else { throw failure }
                } else if writer.isFramed, fitting > 1 {
                    most = fitting / 2
                } else {
                    return (index + 1, EFBIG)
                }
            }
            failure = nil
        } catch {
            note(error)
        }
        return (index, nil)
    }

    /// The records that go into one frame: as many as fit, one at least.
    private func frame(of ends: ArraySlice<Int>, from start: Int, most: Int) -> ArraySlice<Int> {
        let count = ends.prefix(most).prefix { $0 - start <= EncryptedFrame.pieceSize }.count
        return ends.prefix(max(1, count))
    }

    private func noteWritten(_ outcome: FileWriter.Outcome, _ writer: FileWriter) {
        inventory.resize(writer.name, to: writer.size)
        counters.written += outcome.records
        counters.bytes += outcome.bytes
        if unsyncedSince == nil, outcome.bytes > 0 { unsyncedSince = clock.uptime() }
    }

    /// Gives up a record that no file could ever hold.
    private func drop(_ number: Int32) {
        lost += 1
        lossReason = SystemFailure(.write, number)
        counters.dropped += 1
        report(.dropped(records: counters.dropped, lossReason))
    }

    /// Remembers a failure, and when to try again.
    func note(_ error: any Error) {
        if let error = error as? LogError, error.code == .secret { report(.locked(reason: "\(error)")) }
        let failure = error as? SystemFailure ?? SystemFailure(.open, (error as? LogError)?.cause ?? EPERM)
        self.failure = failure
        hasFailed = true
        nextAttempt = clock.uptime() + FileEngine.retryInterval
        counters.failures += 1
        report(.failed(failure, name: writer?.name, waiting: waiting.count))
    }
}
