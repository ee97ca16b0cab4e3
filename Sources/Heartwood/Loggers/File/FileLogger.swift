import Dispatch
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Writes messages into files of a directory, begins new files in time, and removes old ones.
///
/// ```swift
/// let file = try FileLogger(directory: "/var/log/shop")
/// file.maximumFileSize = .mebibytes(50)
/// file.rollingBoundary = .day
/// LogDispatcher.shared.add(file, levels: .info)
/// ```
///
/// - **Files** are named `<app> yyyy-MM-dd--HH-mm-ss-SSS.log` in UTC, have the permissions 0600 in a
///   directory of 0700, and belong to one logger of one process each. Only files that this naming made are
///   ever touched.
/// - **Rolling**: a file is finished when the next line would make it larger than
///   ``FileSettings/maximumFileSize``, when it is ``FileSettings/rollingInterval`` old, or at a
///   ``FileSettings/rollingBoundary``. Idle files are rolled in time as well; the next line creates the next
///   file. Where no other file can be created, the file is continued.
/// - **Retention**: the oldest files are removed so that ``FileSettings/maximumFileCount``,
///   ``FileSettings/diskQuota`` and ``FileSettings/maximumFileAge`` all hold. The file that is written
///   counts, and is never removed.
/// - **Faults**: nothing that goes wrong with a disk reaches the program. Up to
///   ``FileSettings/waitingLimit`` bytes of lines wait and are tried again at least every quarter of a
///   second. What is dropped is counted, reported to the dispatcher's diagnostics, and told in the file,
///   where it is missing.
/// - **Long messages**: a line is at most ``FileSettings/maximumMessageSize`` long, and says what was left
///   out of it.
/// - **Others**: a file that another program deletes, moves or cuts is noticed within 5 ms: lines that are
///   logged before that go to the file as it is then. Files with a header, encrypted and shared files, and
///   all files while the crash journal is on, are looked at before each write instead.
/// - **Crashes**: each batch is handed to the kernel as a whole, so it survives the death of the process.
///   ``FileSettings/syncPolicy`` says what a power cut may take.
///
/// The settings are the members of ``FileSettings``. They may be changed at any time, on any thread, and
/// take effect in order with the messages (promise 2). The limits are first applied at the first message, or
/// a second after the logger was added, so until then they may be set in any order; later each is applied as
/// it is set. A subclass that overrides a hook of the base class calls `super`; for other bytes than lines
/// it overrides ``finishRecord(in:from:)``, and for headers that differ from file to file
/// ``headerOfNewFile``.
open class FileLogger: AbstractLogger, ConfigurableLogger, @unchecked Sendable {  // owned by hooks
    /// The settings; their members are properties of the logger.
    public final let orderedSettings: Ordered<FileSettings>

    // MARK: Hooks (any thread, ordered)

    /// Called when a file was finished, off the logging queues.
    @Ordered public final var onRoll: (@Sendable (LogFileInfo) -> Void)?
    /// Called instead of ``onRoll`` for a file of an earlier run that this one has written nothing to.
    @Ordered public final var onFinishLeftover: (@Sendable (LogFileInfo) -> Void)?
    /// Called when a finished file was compressed or encrypted, off the logging queues.
    @Ordered public final var onArchive: (@Sendable (LogFileInfo) -> Void)?
    /// Called with the name of a file that the retention limits removed, off the logging queues.
    @Ordered public final var onDelete: (@Sendable (String) -> Void)?

    // MARK: Constants and values with a lock (any thread)

    /// The path of the directory.
    public final var directoryPath: String { directory.path }
    let directory: Directory
    let clock: any LogClock
    /// Where hooks of the user are called.
    let hookQueue = WorkQueue("heartwood.FileLogger.hooks")
    final let activeName = Locked<String?>(nil)

    // MARK: Owned by the hooks
    private var existingEngine: FileEngine?
    private var archiverIfMade: FileArchiver?
    /// Through a pointer, so that the checks of exclusive access are not made for every message.
    private let batch: UnsafeMutablePointer<FileBatch>
    /// Fires when the limits are applied for the first time.
    private var startTimer = DueTimer()
    private var timer = DueTimer()
    /// The engine's counters when the statistics last got them.
    private var seen = FileCounters()

    /// How long after it was added the logger waits for settings, before it applies the limits.
    private static let settingsTime = Duration.seconds(1)
    /// How long a look at the open file is enough for: the first write after that looks again.
    private static let lookInterval = Duration.milliseconds(5)

    /// Makes a logger for a directory, which is made if it is missing; no file is made before the first line.
    ///
    /// - Parameters:
    ///   - directory: The path.
    ///   - settings: How files are named, rolled, kept and written.
    ///   - formatter: Turns messages into lines; nil writes the text alone, with line breaks and control
    ///     characters escaped.
    ///   - name: The logger's name in statistics.
    ///   - policy: How the directory is made where it is missing, and which one is accepted.
    ///   - clock: The time, for tests.
    /// - Throws: ``LogError`` where the directory cannot be made or opened, or others may write to it, or
    ///   where the naming cannot read the names that it writes.
    public init(
        directory: String, settings: FileSettings = FileSettings(),
        formatter: LogFormatter? = LineFormatter(), name: String? = nil,
        policy: LogDirectoryPolicy = LogDirectoryPolicy(), clock: any LogClock = SystemClock()
    ) throws {
        self.directory = try Directory(directory, policy: policy)
        self.clock = clock
        orderedSettings = Ordered(wrappedValue: try FileLogger.checked(settings))
        batch = .allocate(capacity: 1)  // last, since what throws before would leave it
        super.init(name: name, formatter: formatter, runsOnCaller: true)
        makeEngine()
    }

    /// Makes a logger for the directory of a file URL; see the initializer with a path.
    ///
    /// - Parameters:
    ///   - directory: A file URL.
    ///   - settings: How files are named, rolled, kept and written.
    ///   - formatter: Turns messages into lines.
    /// - Throws: ``LogError`` for another URL, and as that initializer does.
    public convenience init(
        directory: URL, settings: FileSettings = FileSettings(), formatter: LogFormatter? = LineFormatter()
    ) throws {
        guard directory.isFileURL else {
            throw LogError(.setting, "The log directory must be a file URL", place: directory.absoluteString)
        }
        try self.init(directory: directory.path, settings: settings, formatter: formatter)
    }

    /// Makes a logger for the usual directory of the program's logs; see the initializer with a path.
    ///
    /// That is the first of these that there is: `$LOGS_DIRECTORY`, which systemd sets for `LogsDirectory=`;
    /// `$XDG_STATE_HOME/<app>/log`; on macOS `~/Library/Logs/<app>`, on Apple's other
    /// systems `~/Library/Caches/Logs/<app>`; for root `/var/log/<app>`; and
    /// `~/.local/state/<app>/log`. ``directoryPath`` says which.
    ///
    /// - Parameters:
    ///   - settings: How files are named, rolled, kept and written. The application of its naming is `<app>`.
    ///   - formatter: Turns messages into lines.
    /// - Throws: ``LogError`` as that initializer does.
    public convenience init(
        settings: FileSettings = FileSettings(), formatter: LogFormatter? = LineFormatter()
    ) throws {
        let path = try StandardLogDirectory.path(application: settings.naming.application)
        try self.init(directory: path, settings: settings, formatter: formatter)
    }

    package init(
        _ directory: Directory, settings: FileSettings, formatter: LogFormatter?, name: String? = nil,
        clock: any LogClock = SystemClock()
    ) throws {
        self.directory = directory
        self.clock = clock
        orderedSettings = Ordered(wrappedValue: try FileLogger.checked(settings))
        batch = .allocate(capacity: 1)  // last, since what throws before would leave it
        super.init(name: name, formatter: formatter, runsOnCaller: true)
        makeEngine()
    }

    deinit {
        batch.deinitialize(count: 1)
        batch.deallocate()
    }

    private static func checked(_ settings: FileSettings) throws -> FileSettings {
        guard settings.naming.isReadable else {
            throw LogError(.setting, LogFileNaming.unreadable, place: settings.naming.example)
        }
        return settings
    }

    private func makeEngine() {
        batch.initialize(to: FileBatch())
        existingEngine = FileEngine(
            directory: directory, settings: usableSettings, clock: clock,
            lookInterval: FileLogger.lookInterval,
            header: { [unowned self] in header() },
            beginning: { [unowned self] in beginning },
            announcement: { [unowned self] in announcement($0, $1) },
            report: { [unowned self] in handle($0) })
        let worker = ArchiveWorker(
            directory: directory, inventory: inventory,
            makeRoom: { [weak self] in self?.makeRoom($0, of: $1) ?? false },
            describe: { [weak self] in self?.describe($0) },
            tell: { [weak self] in self?.handle($0) })
        archiverIfMade = FileArchiver(worker, clock)
        _ = configure(self.settings)
    }

    /// Applies what the engine does not; says whether finished files are to be worked on in another way.
    private func configure(_ settings: FileSettings) -> Bool {
        // A stopped process may hold the lock of shared files: no caller waits beyond its own time limit.
        setRunsOnCaller(!settings.isShared)
        batch.pointee.configure(longest: settings.maximumMessageSize.limit ?? 0, sync: settings.syncPolicy)
        return archiver.apply(
            FileArchiver.Settings(
                format: settings.archiveFormat.stage, key: settings.archiveKey,
                mode: settings.fileMode.ofFile, processor: settings.archiveProcessor))
    }

    final var engine: FileEngine {
        assert(isOwnedHere, "The file engine was used outside of the logger's hooks; use it in a hook")
        return existingEngine.unsafelyUnwrapped
    }
    /// The files that the engine knows; any thread.
    final var inventory: FileInventory { existingEngine.unsafelyUnwrapped.inventory }
    final var archiver: FileArchiver { archiverIfMade.unsafelyUnwrapped }
    final var usesArchiver: Bool { self.archiveFormat != .plain || self.archiveProcessor != nil }

    // MARK: - Hooks of the base class

    /// Adds the message to the batch.
    ///
    /// An override may leave messages out, change or repeat them; what it hands to `super` is written.
    open override func log(_ message: LogMessage) {
        let batch = batch
        let start = batch.pointee.buffer.count
        guard formatted(message, into: &batch.pointee.buffer) else { return }
        if hasFormatter {
            // A formatter that writes nothing wants no line.
            if batch.pointee.buffer.count == start { return countFiltered() }
        } else if repairsTornLines {
            FileLogger.makeLine(&batch.pointee.buffer, from: start)
        }
        if let cap = batch.pointee.cap, cap.isExceeded(by: batch.pointee.buffer.count - start) {
            shorten(message, from: start, cap)
        }
        finishRecord(in: &batch.pointee.buffer, from: start)
        batch.pointee.endRecord(of: message.level, mark: journalMark)
        if batch.pointee.isFull { writeBatch() }
    }

    /// Makes one line of a text without a formatter.
    private static func makeLine(_ output: inout LogBuffer, from start: Int) {
        if output.count > start, output.last == UInt8(ascii: "\n") { output.truncate(to: output.count - 1) }
        output.makeSafe(from: start, .escape)
    }

    private func shorten(_ message: LogMessage, from start: Int, _ cap: MessageCap) {
        cap.shorten(message, in: &batch.pointee.buffer, from: start) { shorter, output in
            guard let formatter else {
                let start = output.count
                output.appendText(of: shorter, privacy: .redact)
                if repairsTornLines { FileLogger.makeLine(&output, from: start) }
                return true
            }
            return formatter.format(shorter, into: &output)
        }
        report(.note, "a message longer than \(cap) was truncated", key: "\(name) cut")
    }

    /// Writes the batch.
    public final override func batchDidEnd() {
        writeBatch()
        if batch.pointee.hasChange { armTimer() }
    }

    /// Hands everything to the kernel that it takes; a flush says of this logger where that is not all.
    ///
    /// An override calls `super`.
    open override func flush() {
        writeBatch()
        engine.lookClosely(forWhile: false)
        engine.retry()
        settle()
        if !engine.isIdle { reportPending() }
        // An archive that is half made would be left.
        if ProcessExit.isUnderWay { archiver.stop() }
    }

    /// Has the directory read in a second; the first message does it at once.
    ///
    /// Until then settings wait: the first must not remove what the second keeps. An override calls `super`.
    open override func didAdd() {
        startTimer.arm(for: clock.uptime() + FileLogger.settingsTime, of: clock) { [weak self] in
            guard let self else { return }
            perform { [self] in
                open()
                settle()
            }
        }
    }

    /// Closes the file; a later run may continue it.
    ///
    /// An override calls `super`.
    open override func willRemove() {
        writeBatch()
        engine.close()
        settle()
        startTimer.cancel()
        timer.cancel()
    }

    /// Applies the settings; limits that are exceeded are kept at once.
    public final override func settingsDidChange() {
        guard existingEngine != nil else { return }
        writeBatch()
        let settings = usableSettings
        engine.apply(settings)
        if configure(settings), engine.isStarted { enqueueArchives() }
        settle()
    }

    /// Has the finished files worked on that are not archives yet, or not processed.
    final func enqueueArchives() {
        guard usesArchiver else { return }
        var names = engine.finished
        if self.archiveProcessor == nil { names.removeAll { ArchiveStage.split($0).stage != .plain } }
        archiver.enqueue(names)
    }

    // MARK: - Override points

    /// Finishes a record: `output` ends with the text that the formatter wrote from `start` on.
    ///
    /// The base class adds a newline where the record does not end in one. Override it for records that are
    /// no lines, and turn ``repairsTornLines`` off as well, since the end of a file that a crash cut off
    /// cannot be repaired by lines then. Called for the header and the framework's own announcements, too.
    ///
    /// - Parameters:
    ///   - output: The batch so far, and the text of the record.
    ///   - start: Where the record begins.
    open func finishRecord(in output: inout LogBuffer, from start: Int) {
        if output.count == start || output.last != UInt8(ascii: "\n") { output.append(UInt8(ascii: "\n")) }
    }

    /// The first line of the file that is being created; ``FileSettings/fileHeader`` unless overridden, nil
    /// for none.
    ///
    /// Asked for each file that is created, on the logger's queue; where ``FileSettings/fileHeader`` is set,
    /// also before a file from an earlier run is continued. A header that differs from
    /// ``FileSettings/fileHeader`` is not compared with that file's first line, because each file may have a
    /// different one.
    open var headerOfNewFile: String? { self.fileHeader }

    /// Whether files are files of lines, whose torn last line is cut off before they are continued; true.
    open var repairsTornLines: Bool { true }

    // MARK: - Inside

    /// The settings in effect, with the last naming that could read its own names.
    private var usableSettings: FileSettings {
        var settings = orderedSettings.inEffect
        settings.repairsTornLines = repairsTornLines
        guard let before = existingEngine?.settings.naming, before !== settings.naming,
            !settings.naming.isReadable
        else { return settings }
        report(.setting, "\(LogFileNaming.unreadable); the previous naming stays in effect", key: "naming")
        settings.naming = before
        return settings
    }

    /// Reads the directory and applies the limits, the first time that there is something to do.
    final func open() {
        guard !engine.isStarted else { return }
        startTimer.cancel()
        do {
            try engine.start()
            enqueueArchives()
        } catch {
            report(.writeFailed, "cannot read \(directoryPath): \(error)")
        }
    }

    final func writeBatch() {
        guard !batch.pointee.isEmpty else { return }
        open()
        batch.pointee.write(to: engine)
        guard let bytes = engine.grownBytes else { return noteCounters() }
        // Nothing else has changed.
        seen.bytes += bytes
        noteWritten(bytes)
    }

    /// After each piece of work: the figures, the name of the file, the timer.
    final func settle() {
        noteCounters()
        armTimer()
        noteSettled()
    }

    private func noteCounters() {
        seen.settle(as: engine.counters, in: counters)
        let active = engine.writer?.name
        activeName.withLock { if $0 != active { $0 = active } }
    }

    private func armTimer() {
        batch.pointee.hasChange = false
        guard engine.isStarted else { return }
        let due = engine.untilTick.map { clock.uptime() + $0 }
        // Most batches find the timer of an earlier one, and need no closure.
        if timer.serves(due) { return }
        guard let due else { return timer.cancel() }
        timer.arm(for: due, of: clock) { [weak self] in
            guard let self else { return }
            perform { [self] in
                timer.didFire()
                engine.tick()
                settle()
            }
        }
    }
}

/// What the crash journal asks of a logger whose lines survive the process.
extension FileLogger: DurableLogger {
    package final var journalKey: String? { "file:\(directoryPath):\(self.naming.application)" }

    package final var isSettled: Bool { batch.pointee.isEmpty && engine.isIdle }

    package final func note(writesIn slot: JournalSlot?) {
        writeBatch()
        engine.slot = slot
        batch.pointee.keepMarks(slot != nil)
    }

    package final func forgetUnwritten() {
        batch.pointee.removeAll()
        engine.forgetWaiting()
        noteCounters()
    }
}
