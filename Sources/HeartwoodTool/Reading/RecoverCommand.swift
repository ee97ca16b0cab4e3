import Heartwood
import HeartwoodArchive

/// `heartwood recover`: delivers what dead processes have left in their crash journals.
enum RecoverCommand: Subcommand {
    static let name = "recover"
    static let summary = "Delivers messages from the journals of crashed programs."
    static let operands = "DIR"
    static let options = [
        OptionGroup(
            title: "How lines are written",
            options: [Option("--json", help: "Writes a JSON object for each message, instead of text.")]),
        OptionGroup(
            title: "Encrypted journals",
            options: LogSelection.keyOptions("Reads encrypted journals with the key in")),
    ]
    static let details = """
        DIR is the directory of the journals (`LogDispatcher.journal`). A program recovers its journals
        itself when it starts again; this command is for programs that do not. It writes each message
        once, with its time, thread and source location, to the directory of the program's file logger.
        It does not touch journals of running programs. Files with the default names are continued; for
        others a new file is created. Nothing is rolled, removed or compressed. Messages for a server
        stay: only the program itself knows its credentials.

        Exit codes: 0, nothing is left; 1, something is left or was damaged, and standard error says
        what; 2, invalid arguments.

        Example:
            heartwood recover /var/lib/shop/journal
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        guard let path = arguments.operands.first, arguments.operands.count == 1 else {
            throw UsageError("expected one directory")
        }
        // A journal's directory that is missing is a mistake, not something to make.
        _ = try Directory(path, isMade: false)
        let isWhole = Locked(true)
        let dispatcher = LogDispatcher(ringCapacity: .kibibytes(64))
        dispatcher.diagnostics.interval = .zero
        dispatcher.diagnostics.handler = { report in
            Terminal.error.write("heartwood recover: \(report.text)\n")
            if report.kind != .note { isWhole.withLock { $0 = false } }
        }
        let key = try LogSelection.key(arguments)
        dispatcher.journal = key.map { .file(path, key: $0) } ?? .file(path)
        if case .unavailable = dispatcher.journalStatus { return .failure }
        for key in dispatcher.recoverable {
            guard let (directory, application) = key.files else {
                Terminal.error.write("heartwood recover: skipped \(key): the program recovers it itself\n")
                isWhole.withLock { $0 = false }
                continue
            }
            // Where several loggers wrote to one place, each gets its own, in the order in which they were
            // added.
            let isJSON = arguments.has("--json") || key.formatter == "JSONLinesFormatter"
            let formatter: LogFormatter = isJSON ? JSONLinesFormatter() : LineFormatter()
            var settings = FileSettings(naming: LogFileNaming(application: application))
            (settings.maximumFileCount, settings.maximumFileSize) = (nil, nil)
            settings.rollingInterval = nil
            let logger = try FileLogger(directory: directory, settings: settings, formatter: formatter)
            dispatcher.add(logger)
        }
        let isComplete = dispatcher.flush(timeout: .seconds(60)).isComplete && dispatcher.removeAll()
        dispatcher.journal = nil
        return isComplete && isWhole.withLock { $0 } ? .success : .failure
    }
}
