import CHeartwood
import Dispatch
import Heartwood
import HeartwoodArchive

/// The dispatcher of a pipe and its loggers.
final class PipeDestinations {
    let dispatcher = LogDispatcher(ringCapacity: .mebibytes(8))
    private let options: PipeOptions
    private var file: FileLogger?
    private var console: ConsoleLogger?
    private var remote: PipeRemote?
    private var loggers: [AbstractLogger] = []
    private let removedFiles = Locked(0)
    /// How many messages there were after each of the last blocks.
    private var marks: [Int] = []

    /// How many blocks of input may be on their way.
    private static let blocksAhead = 8

    /// How long a call waits for a late logger: forever, as far as a pipe is concerned.
    private static let patience = OverflowPolicy.block(upTo: .seconds(31_536_000))

    /// Makes the loggers that the options ask for.
    ///
    /// - Throws: `LogError` where one cannot be made.
    init(_ options: PipeOptions) throws {
        self.options = options
        dispatcher.overflowPolicy = PipeDestinations.patience
        dispatcher.synchronousLevels = .off
        dispatcher.diagnostics.handler = { report in
            Terminal.error.write("heartwood pipe: \(report.text)\n")
        }
        if let journal = options.journal {
            dispatcher.journal = options.files.key.map { .file(journal, key: $0) } ?? .file(journal)
        }
        if let directory = options.directory { try addFile(directory) }
        if let server = options.remote {
            let remote = try PipeRemote(server, options)
            self.remote = remote
            add(remote.logger)
        }
        if options.showsOnConsole { addConsole() }
    }

    private func add(_ logger: AbstractLogger) {
        logger.overflowPolicy = PipeDestinations.patience
        loggers.append(logger)
        dispatcher.add(logger)
    }

    private func addFile(_ directory: String) throws {
        var settings = options.files.settings
        // The number is always there, so that the order of names is the order of lines even when several
        // files are created in one millisecond.
        settings.naming = try LogFileNaming(
            application: options.name ?? RemoteOptions.defaultService,
            template: "{app}-{date}-{number:3}.log", activeName: options.files.fixedName)
        // A key that cannot be read is told before any line is.
        _ = try settings.archiveKey.map { try FrameCipher(ofLogs: $0) }
        let policy = LogDirectoryPolicy(
            mode: options.files.directoryMode, acceptsShared: options.acceptsSharedDirectory)
        let file: FileLogger
        do {
            file =
                options.form == .raw
                ? try RawFileLogger(
                    directory: directory, settings: settings, formatter: nil, name: "files", policy: policy)
                : try FileLogger(
                    directory: directory, settings: settings, formatter: formatter, name: "files",
                    policy: policy)
        } catch let error as LogError where error.code == .unsafe {
            throw LogError(
                .unsafe,
                "the directory belongs to another user, or other users can write to it; choose another, "
                    + "remove that permission (chmod go-w), or add --shared-directory",
                place: directory)
        }
        file.onDelete = { [removedFiles] _ in removedFiles.withLock { $0 += 1 } }
        self.file = file
        add(file)
    }

    private func addConsole() {
        let console = ConsoleLogger(.standardOutput, formatter: options.form == .line ? nil : formatter)
        console.showsSource = false
        console.zone = options.zone
        console.showsTime = options.showsTime
        self.console = console
        add(console)
    }

    /// What lines are written by in files.
    var formatter: LogFormatter? {
        switch options.form {
        case .raw: return nil
        case .line:
            var layout = LineFormatter.Options()
            layout.showsSource = false
            layout.zone = options.zone
            layout.showsTime = options.showsTime
            return LineFormatter(layout)
        case .json:
            var content = JSONLinesFormatter.Options()
            content.includesSource = false
            content.includesThread = false
            if !options.showsTime { content.members.removeAll { $0 == .time() } }
            return JSONLinesFormatter(content)
        }
    }

    // MARK: While it runs

    /// The file logger, where lines go nowhere else.
    ///
    /// Not where a journal keeps them: these take the way of messages.
    var onlyFile: FileLogger? {
        console == nil && remote == nil && options.journal == nil ? file : nil
    }

    /// The file logger, if there is one.
    var fileLogger: FileLogger? { file }

    /// Whether the console is the only place that lines go to, so that its end is the end.
    var canBecomePointless: Bool { console != nil && file == nil && remote == nil }

    /// Called after each block of input: waits while the slowest logger is more than a few blocks late, so
    /// that nothing has to be dropped, and a request to end is heard nevertheless.
    func waitForRoom(after records: Int, unless stop: StopSignal) {
        marks.append(records)
        if marks.count > PipeDestinations.blocksAhead {
            let due = marks.removeFirst()
            while handled < due, !stop.isRequested {
                dispatcher.workIfAlone(until: .now() + .milliseconds(100))
                usleep(500)
            }
        }
        remote?.waitForRoom(unless: stop)
    }

    /// How many messages every logger has dealt with.
    private var handled: Int { loggers.map(\.statistics.handled).min() ?? .max }

    /// Whether nothing that is read could get anywhere any more.
    var isPointless: Bool { canBecomePointless && (console?.statistics.failed ?? 0) > 0 }

    // MARK: The end

    /// Waits until all is written, and returns the counts.
    ///
    /// As long as it takes, like `cat`; once the process is asked to end, some seconds at most.
    ///
    /// - Returns: whether everything got where it should.
    func finish(_ pump: LinePump, _ stop: StopSignal) -> Bool {
        // Whoever holds lines that no disk takes is not waited for: they are counted when it goes.
        while !stop.isRequested {
            let result = dispatcher.flush(timeout: .seconds(1))
            if result.unfinished == result.holding { break }
        }
        if stop.isRequested { dispatcher.flush(timeout: .seconds(5)) }
        remote?.deliverRest(unless: stop)
        // A run that ends soon would leave its archives to the next one.
        if options.files.makesArchives, !stop.isRequested { file?.finishArchives() }
        let kept = try? file?.logFiles()
        dispatcher.removeAll(timeout: .seconds(1))
        var report = PipeReport(counts: pump.counts, duration: pump.duration, signal: stop.name)
        for logger in [file, console].compactMap({ $0 }) {
            report.add(logger.name, logger.statistics)
        }
        if let remote { report.add(remote.figures(of: pump.counts.records)) }
        if let directory = options.directory, let kept {
            report.noteFiles(kept, removed: removedFiles.withLock { $0 }, directory: directory)
        }
        let patterns = options.patterns.map(\.pattern) + [options.content.join?.pattern].compactMap(\.self)
        for complaint in patterns.compactMap(\.complaint) {
            Terminal.error.write("heartwood pipe: \(complaint)\n")
        }
        if !options.isQuiet { Terminal.error.write(report.text) }
        if let failure = report.failure { Terminal.error.write("heartwood pipe: \(failure)\n") }
        return report.failure == nil
    }
}

/// Files of bytes as they came: the last line may be without a newline, and is not torn then.
final class RawFileLogger: FileLogger, @unchecked Sendable {  // adds no state
    override var repairsTornLines: Bool { false }
}
