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
/// - **Files** are named `<app> yyyy-MM-dd--HH-mm-ss-SSS.log` in UTC, have the permissions 0600 in a directory of 0700,
///   and belong to one logger of one process each. Only files that this naming made are ever touched.
/// - **Rolling**: a file is finished when the next line would make it larger than ``maximumFileSize``, when it is
///   ``rollingInterval`` old, or at a ``rollingBoundary`` of the calendar. Idle files are rolled in time as well; the
///   next file is created by the next line.
/// - **Retention**: the oldest files are removed so that ``maximumFileCount``, ``diskQuota`` and ``maximumFileAge`` all
///   hold. The file that is written counts, and is never removed.
/// - **Faults**: nothing that goes wrong with a disk reaches the program. Lines wait, ``waitingLimit`` bytes of them, are
///   tried again at least every quarter of a second, and what had to be dropped is counted, reported to the
///   dispatcher's diagnostics, and told in the file, where it is missing.
/// - **Long messages**: a line is at most ``maximumMessageSize`` long, and says what was left out of it.
/// - **Others**: a file that another program deletes, moves or cuts is noticed within 5 ms: lines that are logged before
///   that go to the file as it is then. Files with a header, encrypted and shared files, and all files while the crash
///   journal is on, are looked at before each write instead.
/// - **Crashes**: each batch is handed to the kernel as a whole, so it survives the death of the process. What a power
///   cut may take is for ``syncPolicy`` to say.
///
/// All settings may be changed at any time, on any thread, and take effect in order with the messages (promise 2). The
/// limits are first applied at the first message, or a second after the logger was added, so they may be set before
/// or after that in any order; later each is applied as it is set.
/// A subclass that overrides a hook of the base class calls `super`; for other bytes than lines it overrides
/// ``finishRecord(in:from:)``, and for headers that differ from file to file ``headerOfNewFile``.
open class FileLogger: AbstractLogger, @unchecked Sendable {  // state is the queue's; settings are `Ordered`
    /// All settings of a file logger.
    public typealias Settings = FileSettings

    /// All settings at once; the properties below are its members.
    @Ordered public final var settings: Settings

    // MARK: Rolling (any thread, ordered)

    /// The most bytes of a file; 10 MiB.
    ///
    /// A line never makes a file exceed it, unless it is the only line. Zero: no limit.
    @OrderedMember(\Settings.maximumFileSize) public final var maximumFileSize: ByteCount

    /// How long a file is written, from when it was created, through restarts as well; 24 hours.
    ///
    /// Zero: no limit.
    @OrderedMember(\Settings.rollingInterval) public final var rollingInterval: Duration

    /// Where on the calendar a new file begins; nil, nowhere.
    ///
    /// ``rollingInterval`` holds besides.
    @OrderedMember(\Settings.rollingBoundary) public final var rollingBoundary: LogCalendarBoundary?

    /// The zone whose calendar ``rollingBoundary`` means; UTC.
    ///
    /// Others need a program that imports Foundation.
    @OrderedMember(\Settings.timeZone) public final var timeZone: TimeZone

    // MARK: Retention (any thread, ordered)

    /// The most files, the one that is written included; 10.
    ///
    /// Zero: no limit.
    @OrderedMember(\Settings.maximumFileCount) public final var maximumFileCount: Int

    /// The most bytes of all files together; zero, no limit but the number of files times their size.
    ///
    /// Kept at every moment: older files are removed before a line is written, and a line that is larger than the whole
    /// quota is dropped and counted. With several processes in one directory each counts what it saw when it last began a
    /// file.
    @OrderedMember(\Settings.diskQuota) public final var diskQuota: ByteCount

    /// How long a file is kept after its last line; zero, forever.
    @OrderedMember(\Settings.maximumFileAge) public final var maximumFileAge: Duration

    // MARK: Files (any thread, ordered)

    /// How files are named, and known again.
    @OrderedMember(\Settings.naming) public final var naming: LogFileNaming

    /// Which files belong to the logger, how new ones are labeled and created, and in which order old ones go.
    @OrderedMember(\Settings.scheme) public final var scheme: LogFileScheme

    /// The permissions of new files, whatever the umask; 0o600.
    @OrderedMember(\Settings.fileMode) public final var fileMode: UInt16

    /// When new files can be read on Apple's devices; from the first unlocking on.
    ///
    /// Without effect on other systems, and untested.
    @OrderedMember(\Settings.fileProtection) public final var fileProtection: LogFileProtection

    /// Whether Apple's systems put the directory into backups; false.
    ///
    /// Without effect on other systems, and untested.
    @OrderedMember(\Settings.isInBackup) public final var isInBackup: Bool

    /// Whether a run continues the newest file of an earlier one, where that is not finished, full or too old; true.
    @OrderedMember(\Settings.reusesFiles) public final var reusesFiles: Bool

    /// The first line of every file; nil for none.
    ///
    /// A file from an earlier run that begins with a different line is finished, and a new one is created.
    /// Without a header, the first line of that file is not compared.
    @OrderedMember(\Settings.fileHeader) public final var fileHeader: String?

    /// The name of a symbolic link, in the directory, to the file that is written; nil for none.
    @OrderedMember(\Settings.currentLink) public final var currentLink: String?

    /// Whether several processes append to one file, instead of each to its own; false.
    ///
    /// All must use the same settings. Each write takes a lock, and a process that holds it too long is not waited for.
    @OrderedMember(\Settings.isShared) public final var isShared: Bool

    // MARK: Writing (any thread, ordered)

    /// When lines are put on the disk itself, not just into the kernel; never.
    @OrderedMember(\Settings.syncPolicy) public final var syncPolicy: LogSyncPolicy

    /// The most bytes of a message as the formatter writes it; 64 KiB.
    ///
    /// The text of a longer one is cut at a character, and ends in `…[truncated 1234 bytes]`; then fields are left out,
    /// and counted as well, if need be. Limits below 256 bytes count as 256. Zero: no limit.
    @OrderedMember(\Settings.maximumMessageSize) public final var maximumMessageSize: ByteCount

    /// How many bytes of lines wait in memory while no file takes them; 1 MiB.
    ///
    /// What is more is dropped and counted.
    @OrderedMember(\Settings.waitingLimit) public final var waitingLimit: ByteCount

    /// The space on the file system that is left to others, 1 % of it at most; 64 MiB.
    ///
    /// Zero: none.
    @OrderedMember(\Settings.minimumFreeSpace) public final var minimumFreeSpace: ByteCount

    // MARK: Archives (any thread, ordered)

    /// How files are kept; as they are.
    ///
    /// Finished files become archives, and those that are finished already as well. `encrypted` begins at once, with a new
    /// file: no line is written unencrypted after it was set. What was encrypted stays so when it is taken back.
    @OrderedMember(\Settings.archiveFormat) public final var archiveFormat: LogArchiveFormat

    /// Where the key of encrypted logs comes from: the secret `log-archive-key`, of 32 bytes or 64 hex digits.
    ///
    /// Asked whenever a file is created or archived, or a setting is changed, so that a key may be replaced; not for each
    /// line. Called on the logging queues, and should not take long.
    @OrderedMember(\Settings.archiveKey) public final var archiveKey: (any SecretProvider)?

    /// Does something with every finished file, in the background; nil for nothing.
    @OrderedMember(\Settings.archiveProcessor) public final var archiveProcessor: LogArchiveProcessor?

    // MARK: Hooks (any thread, ordered)

    /// Called when a file was finished, off the logging queues.
    @Ordered public final var didRoll: (@Sendable (LogFileInfo) -> Void)?

    /// Called instead of ``didRoll`` when the file is one of an earlier run, and this one has written nothing to it.
    @Ordered public final var didFinishLeftover: (@Sendable (LogFileInfo) -> Void)?

    /// Called when a finished file was compressed or encrypted, off the logging queues.
    @Ordered public final var didArchive: (@Sendable (LogFileInfo) -> Void)?

    /// Called with the name of a file that the retention limits removed, off the logging queues.
    @Ordered public final var didDelete: (@Sendable (String) -> Void)?

    // MARK: Constants (any thread)

    /// The path of the directory.
    public final var directoryPath: String { directory.path }
    let directory: LogDirectory
    let clock: any LogClock
    /// Where hooks of the user are called.
    let hookQueue = DispatchQueue(label: "heartwood.FileLogger.hooks", qos: .utility)

    // MARK: Guarded by themselves
    final let activeName = Locked<String?>(nil)

    // MARK: Owned by the hooks
    private var existingEngine: FileEngine?
    private var archiverIfMade: FileArchiver?
    /// Through a pointer, so that the checks of exclusive access are not made for every message.
    private let batch = FileLogger.makeBatch()
    /// Fires when the limits are applied for the first time.
    private var startTimer = DueTimer()
    private var timer = DueTimer()
    /// The engine's counters when the statistics last got them.
    private var seen = FileCounters()

    /// How long after it was added the logger waits for settings, before it applies the limits.
    private static let settingsTime = Duration.seconds(1)
    /// How long a look at the open file is enough for: what others do to it is noticed at the first write after that.
    private static let lookInterval = Duration.milliseconds(5)

    /// Makes a logger for a directory, which is made if it is missing.
    ///
    /// No file is made before the first line.
    ///
    /// - Parameters:
    ///   - directory: The path.
    ///   - naming: How files are named; by the program's name and date unless given.
    ///   - scheme: Which files belong to the logger, how new ones are labeled and created, and in which order old ones go.
    ///   - formatter: Turns messages into lines; nil writes the text alone, with line breaks and control characters escaped.
    ///   - name: The logger's name in statistics.
    ///   - directoryMode: The permissions of directories that are made, whatever the umask.
    ///   - acceptsSharedDirectory: Accepts a directory that other users may write to. They could remove the files, and
    ///     put others in their place that this logger refuses.
    ///   - clock: The time, for tests.
    /// - Throws: ``LogError`` where the directory cannot be made or opened, or others may write to it, or where the naming
    ///   cannot read the names that it writes.
    public init(
        directory: String, naming: LogFileNaming = LogFileNaming(), scheme: LogFileScheme = LogFileScheme(),
        formatter: LogFormatter? = LineFormatter(),
        name: String? = nil, directoryMode: UInt16 = 0o700, acceptsSharedDirectory: Bool = false,
        clock: any LogClock = SystemClock()
    ) throws {
        let policy = LogDirectory.Policy(
            directoryMode: UInt32(directoryMode), acceptsShared: acceptsSharedDirectory)
        self.directory = try LogDirectory(directory, policy: policy)
        self.clock = clock
        _settings = Ordered(wrappedValue: try FileLogger.settings(naming, scheme))
        super.init(name: name, formatter: formatter, runsOnCaller: true)
        makeEngine()
    }

    /// Makes a logger for a directory, which is made if it is missing; all else is as the other initializer has it.
    ///
    /// - Parameters:
    ///   - directory: The place of the directory; a file URL.
    ///   - naming: How files are named; by the program's name and date unless given.
    ///   - formatter: Turns messages into lines; nil writes the text alone.
    /// - Throws: ``LogError`` where the directory cannot be made or opened, or others may write to it.
    public convenience init(
        directory: URL, naming: LogFileNaming = LogFileNaming(), formatter: LogFormatter? = LineFormatter()
    ) throws {
        guard directory.isFileURL else {
            throw LogError(.setting, "The log directory must be a file URL", place: directory.absoluteString)
        }
        try self.init(directory: directory.path, naming: naming, formatter: formatter)
    }

    /// Makes a logger for the usual directory of the program's logs, which is created if it is missing.
    ///
    /// That is the first of these that there is: `$LOGS_DIRECTORY`, which systemd sets for `LogsDirectory=`;
    /// `$XDG_STATE_HOME/<app>/log`; on Apple's systems `~/Library/Logs/<app>`; for root `/var/log/<app>`; and
    /// `~/.local/state/<app>/log`. ``directoryPath`` says which.
    ///
    /// - Parameters:
    ///   - naming: How files are named; by the program's name and date unless given. Its application is `<app>`.
    ///   - scheme: Which files belong to the logger, how new ones are labeled and created, and in which order old ones go.
    ///   - formatter: Turns messages into lines; nil writes the text alone, with line breaks and control characters escaped.
    /// - Throws: ``LogError`` where the directory cannot be created or opened, or others may write to it.
    public convenience init(
        naming: LogFileNaming = LogFileNaming(), scheme: LogFileScheme = LogFileScheme(),
        formatter: LogFormatter? = LineFormatter()
    ) throws {
        try self.init(
            directory: StandardLogDirectory.path(application: naming.application), naming: naming,
            scheme: scheme,
            formatter: formatter)
    }

    /// Makes a logger for a directory that is open.
    package init(
        _ directory: LogDirectory, naming: LogFileNaming, formatter: LogFormatter?, name: String? = nil,
        clock: any LogClock = SystemClock()
    ) throws {
        self.directory = directory
        self.clock = clock
        _settings = Ordered(wrappedValue: try FileLogger.settings(naming, LogFileScheme()))
        super.init(name: name, formatter: formatter, runsOnCaller: true)
        makeEngine()
    }

    deinit {
        batch.deinitialize(count: 1)
        batch.deallocate()
    }

    private static func settings(_ naming: LogFileNaming, _ scheme: LogFileScheme) throws -> Settings {
        guard naming.isReadable else {
            let example = naming.name(for: LogFileLabel(createdAt: LogTimestamp(nanoseconds: 0)))
            throw LogError(.setting, LogFileNaming.unreadable, place: example)
        }
        return Settings(naming: naming, scheme: scheme)
    }

    private static func makeBatch() -> UnsafeMutablePointer<FileBatch> {
        let batch = UnsafeMutablePointer<FileBatch>.allocate(capacity: 1)
        batch.initialize(to: FileBatch())
        return batch
    }

    private func makeEngine() {
        orderedSettings = _settings
        existingEngine = FileEngine(
            directory: directory, settings: usableSettings, clock: clock,
            lookInterval: FileLogger.lookInterval,
            header: { [unowned self] in header() },
            beginning: { [unowned self] in beginning },
            announcement: { [unowned self] in announcement($0, $1) },
            report: { [unowned self] in handle($0) })
        archiverIfMade = FileArchiver(
            directory: directory, application: naming.application, inventory: inventory, clock: clock,
            makeRoom: { [weak self] in self?.makeRoom($0, of: $1) ?? false },
            describe: { [weak self] in self?.describe($0) },
            tell: { [weak self] in self?.handle($0) })
    }

    final var engine: FileEngine {
        assert(isOwnedHere, "The file engine was used outside of the logger's hooks; use it in a hook")
        return existingEngine.unsafelyUnwrapped
    }
    /// The files that the engine knows; any thread.
    final var inventory: FileInventory { existingEngine.unsafelyUnwrapped.inventory }
    final var archiver: FileArchiver { archiverIfMade.unsafelyUnwrapped }

    // MARK: - Hooks of the base class

    /// Adds the message to the batch.
    ///
    /// A subclass that overrides it may leave messages out, change or repeat them; what it hands to `super` is written.
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

    /// Makes one line of a text that no formatter has written.
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
        diagnostics.report(
            .note, "\(name): a message longer than \(maximumMessageSize) was truncated", key: "\(name) cut"
        )
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
    /// In between, settings are only taken note of: the first of several must not remove what the second would keep.
    /// An override calls `super`.
    open override func didAdd() {
        startTimer.arm(for: clock.uptime() + FileLogger.settingsTime, of: clock, on: queue) { [weak self] in
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
        // The lock of shared files may be held by a stopped process: no caller waits for it beyond its own time limit.
        setRunsOnCaller(!settings.isShared)
        batch.pointee.configure(longest: settings.maximumMessageSize.bytes, sync: settings.syncPolicy)
        engine.apply(settings)
        if engine.isStarted { directory.calls.setBackup(of: directoryPath, isExcluded: !settings.isInBackup) }
        let hasNewWork = archiver.apply(
            FileArchiver.Settings(
                format: settings.archiveFormat.stage, key: settings.archiveKey,
                mode: UInt32(settings.permissions), processor: settings.archiveProcessor))
        if hasNewWork, engine.isStarted { enqueueArchives() }
        settle()
    }

    /// Has the finished files worked on that are not archives yet, or not processed.
    private func enqueueArchives() {
        guard archiveFormat != .plain || archiveProcessor != nil else { return }
        var names = engine.unarchived
        if archiveProcessor == nil { names.removeAll { ArchiveStage.split($0).stage != .plain } }
        archiver.enqueue(names)
    }

    // MARK: - Override points

    /// Finishes a record: `output` ends with the text that the formatter wrote from `start` on.
    ///
    /// The base class adds a newline where the record does not end in one. Override it for records that are no lines, with a length in
    /// front, say; then the end of a file that a crash cut off cannot be repaired by lines, so turn
    /// ``repairsTornLines`` off as well. Called for the header and for the framework's own announcements, too.
    ///
    /// - Parameters:
    ///   - output: The batch so far, and the text of the record.
    ///   - start: Where the record begins.
    open func finishRecord(in output: inout LogBuffer, from start: Int) {
        if output.count == start || output.last != UInt8(ascii: "\n") { output.append(UInt8(ascii: "\n")) }
    }

    /// The first line of the file that is being created; ``fileHeader`` unless overridden, nil for none.
    ///
    /// Asked for each file that is created, on the logger's queue; where ``fileHeader`` is set, also before a
    /// file from an earlier run is continued. A header that differs from ``fileHeader`` is not compared with
    /// that file's first line, because each file may have a different one.
    open var headerOfNewFile: String? { fileHeader }

    /// Whether files are files of lines, whose torn last line is cut off before they are continued; true.
    open var repairsTornLines: Bool { true }

    // MARK: - Inside

    /// The settings in effect, with the last naming that could read its own names.
    private var usableSettings: Settings {
        var settings = _settings.inEffect
        settings.repairsTornLines = repairsTornLines
        guard let before = existingEngine?.settings.naming, before !== settings.naming,
            !settings.naming.isReadable
        else { return settings }
        diagnostics.report(
            .setting, "\(name): \(LogFileNaming.unreadable); the previous naming stays in effect",
            key: "naming")
        settings.naming = before
        return settings
    }

    /// Reads the directory and applies the limits, the first time that there is something to do.
    final func open() {
        guard !engine.isStarted else { return }
        startTimer.cancel()
        do {
            try engine.start()
            directory.calls.setBackup(of: directoryPath, isExcluded: !isInBackup)
            enqueueArchives()
        } catch {
            diagnostics.report(.writeFailed, "\(name): cannot read \(directoryPath): \(error)", key: name)
        }
    }

    final func writeBatch() {
        guard !batch.pointee.isEmpty else { return }
        open()
        batch.pointee.write(to: engine)
        noteCounters(ofSameFile: engine.hasOnlyGrown)
    }

    /// After each piece of work: the figures, the name of the file, the timer.
    final func settle() {
        noteCounters()
        armTimer()
        noteSettled()
    }

    // MARK: - For the journal

    /// Whether no record waits, in the batch or in the engine.
    final var hasUnwritten: Bool { !batch.pointee.isEmpty || !engine.isIdle }

    final func beginJournal(_ slot: JournalSlot?) {
        writeBatch()
        engine.slot = slot
        batch.pointee.keepMarks(slot != nil)
    }

    /// Drops what waits, uncounted.
    final func forgetBatch() {
        batch.pointee.removeAll()
        engine.forgetWaiting()
        noteCounters()
    }

    private func noteCounters(ofSameFile isSame: Bool = false) {
        let now = engine.counters
        if now.bytes != seen.bytes { noteWritten(now.bytes - seen.bytes) }
        // They were counted as delivered when they were handed over, or are at the end of their batch.
        if now.dropped != seen.dropped { counters.fail(later: now.dropped - seen.dropped) }
        seen = now
        if isSame { return }
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
        timer.arm(for: due, of: clock, on: queue) { [weak self] in
            guard let self else { return }
            perform { [self] in
                timer.didFire()
                engine.tick()
                settle()
            }
        }
    }
}
