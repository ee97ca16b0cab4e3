import CHeartwood
import Heartwood
import HeartwoodHTTP

/// `heartwood spool`: what a remote logger, or `heartwood pipe --spool`, could not send.
enum SpoolCommand: Subcommand {
    static let name = "spool"
    static let summary = "Lists, sends, exports or removes unsent and rejected messages."
    static let operands = "DIR"
    static let options = [
        OptionGroup(
            title: "Actions (default: list the messages, oldest first)",
            options: [
                Option(
                    "--send", value: "URL",
                    help: "Sends all messages to URL now, and removes those that arrived."),
                Option(
                    "--export", value: "FILE",
                    help: "Writes all messages to FILE, one JSON object per line; - is standard output."),
                Option(
                    "--resend-rejected",
                    help: "Queues the messages that a server has rejected again, from DIR/rejected.ndjson "
                        + "and DIR/rejected.1.ndjson, after the messages that are already queued. With "
                        + "--send they are sent immediately."),
                Option("--clear", help: "Removes all messages; with --export only after they are written."),
            ]),
        OptionGroup(
            title: "Sending",
            options: RemoteOptions.options + [
                Option(
                    "--name", "-n", value: "NAME",
                    help: "The program's name for the server: service, job, index or source, depending on "
                        + "the encoding; \(RemoteOptions.defaultService) by default."),
                Option(
                    "--patience", value: "TIME",
                    help: "Gives up when the server has accepted nothing for this long; "
                        + "\(Option.text(of: DeliveryWatch.patience)) by default."),
            ]),
        OptionGroup(
            title: "Other",
            options: [Option("--quiet", "-q", help: "Shows no counts; errors are still shown.")]),
    ]
    static let details = """
        DIR is the directory of `heartwood pipe --spool` or of an HTTPLogger, or the
        directory/user/prefix of an EventStore, for which --send is not available. While one of them
        uses it, this command reports an error.

        Listing and exporting remove nothing. Batches keep their idempotency keys, so that a server can
        recognize what it has already stored. Messages that the server rejects permanently are moved to
        DIR/rejected.ndjson. --resend-rejected queues each of those once, even if the command is killed
        while it runs; they get new keys.

        Exit codes: 0, success; 1, DIR cannot be used, is damaged, or something could not be delivered, and
        standard error says what; 2, invalid arguments.

        Examples:
            heartwood spool /var/lib/shop/spool | grep error
            heartwood spool --export unsent.ndjson --clear /var/lib/shop/spool
            heartwood spool --send https://logs.example.com/in --token-file token /var/lib/shop/spool
            heartwood spool --resend-rejected --send https://logs.example.com/in /var/lib/shop/spool
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        guard let directory = arguments.operands.first, !directory.isEmpty else {
            throw UsageError("missing DIR: the directory of unsent messages")
        }
        if arguments.operands.count > 1 { throw UsageError("expected one directory") }
        let isQuiet = arguments.has("--quiet")
        if arguments.has("--resend-rejected") {
            for option in ["--export", "--clear"] where arguments.has(option) {
                throw UsageError("--resend-rejected can be combined only with --send")
            }
        }
        if let remote = try RemoteOptions(arguments, server: "--send") {
            if arguments.has("--export") || arguments.has("--clear") {
                throw UsageError(
                    "--send cannot be combined with --export or --clear: delivered messages are removed "
                        + "anyway, and the rest must stay")
            }
            let patience = try arguments.duration("--patience") ?? DeliveryWatch.patience
            if arguments.has("--resend-rejected") {
                _ = try resend(try open(directory, toSend: true), isQuiet)
            }
            return try send(directory, remote, arguments.value("--name"), patience, isQuiet)
        }
        for option in ["--name", "--patience"] where arguments.has(option) {
            throw UsageError("\(option) requires --send URL")
        }
        let unsent = try open(directory)
        if arguments.has("--resend-rejected") {
            let isWhole = try resend(unsent, isQuiet)
            return report(unsent.drainErrors()) && isWhole ? .success : .failure
        }
        let count = unsent.count
        if !isQuiet { say(Self.summary(of: unsent)) }
        if let path = arguments.value("--export") {
            let output = try export(unsent, path)
            if !isQuiet { say("\(Readable.count(count, "message")) written to \(output.place)") }
        } else if !arguments.has("--clear") {
            try list(unsent)
        }
        let isWhole = report(unsent.drainErrors())
        if arguments.has("--clear") {
            // What could not be read was not exported: it is better kept for those who can.
            guard isWhole || !arguments.has("--export") else {
                say("nothing was removed, because not all messages could be exported")
                return .failure
            }
            let removed = unsent.removeAll()
            if !isQuiet { say("\(Readable.count(removed, "message")) removed") }
        }
        return isWhole ? .success : .failure
    }

    private static func open(_ directory: String, toSend: Bool = false) throws -> UnsentMessages {
        let unsent = try UnsentMessages(directory: directory)
        if toSend && unsent.isEventStore {
            throw UsageError(
                "\(directory) belongs to an event store; its program sends the events at its next start")
        }
        return unsent
    }

    /// Queues rejected messages again; false when some of them cannot be.
    private static func resend(_ unsent: UnsentMessages, _ isQuiet: Bool) throws -> Bool {
        let (messages, others) = try unsent.resendRejected()
        if !isQuiet {
            let verb = messages == 1 ? "is queued" : "are queued"
            say("\(Readable.count(messages, "rejected message")) \(verb) again")
        }
        if others > 0 {
            say(
                "\(Readable.count(others, "line")) in the files of "
                    + "rejected messages are damaged and cannot be sent again")
        }
        return others == 0
    }

    // MARK: Looking

    private static func summary(of unsent: UnsentMessages) -> String {
        guard let oldest = unsent.oldest else { return "nothing waits" }
        var line = LogBuffer()
        line.append(iso8601: oldest)
        let verb = unsent.count == 1 ? "is queued" : "are queued"
        return
            "\(Readable.count(unsent.count, "message")) \(verb), \(unsent.size), the oldest of \(line.text)"
    }

    private static func export(_ unsent: UnsentMessages, _ path: String) throws -> ByteOutput {
        let output = path == "-" ? ByteOutput.standard : try ByteOutput(newFile: path)
        do {
            try unsent.export { try output.write($0) }
            try output.synchronize()
        } catch {
            output.remove()
            throw error
        }
        return output
    }

    private static func list(_ unsent: UnsentMessages) throws {
        var lines = LogBuffer(capacity: 65_536)
        var result = Result<Void, any Error>.success(())
        unsent.forEach { entry in
            lines.append(line: entry)
            guard lines.count > 49_152 else { return true }
            result = Result { try ByteOutput.standard.write(lines.bytes) }
            lines.removeAll()
            return (try? result.get()) != nil
        }
        try result.get()
        try ByteOutput.standard.write(lines.bytes)
    }

    private static func report(_ troubles: [LogError]) -> Bool {
        for trouble in troubles { say("\(trouble)") }
        return troubles.isEmpty
    }

    private static func say(_ text: String) { Terminal.error.write("heartwood spool: \(text)\n") }

    // MARK: Sending

    private static func send(
        _ directory: String, _ remote: RemoteOptions, _ service: String?, _ patience: Duration,
        _ isQuiet: Bool
    ) throws -> ExitStatus {
        // A logger would make the directory; a user who looks for messages wants to know that it is missing.
        _ = try open(directory, toSend: true)
        let logger = try remote.makeLogger(service: service, spool: directory)
        let dispatcher = LogDispatcher()
        let isInOrder = Locked(true)
        dispatcher.diagnostics.handler = { report in
            isInOrder.withLock { $0 = false }
            say(report.text)
        }
        dispatcher.add(logger)
        var watch = DeliveryWatch(logger)
        let isDelivered = watch.deliver { patience }
        dispatcher.removeAll(timeout: .seconds(5))
        let figures = logger.httpStatistics
        if !isQuiet {
            say(
                "\(Readable.count(figures.acknowledged, "message")) delivered, "
                    + "\(Readable.count(figures.rejected)) rejected, "
                    + "\(Readable.count(figures.pending)) wait; "
                    + "\(ByteCount(figures.bytesOnWire)) in "
                    + "\(Readable.count(figures.requests, "request")) to \(logger.endpoint)")
        }
        if !isDelivered {
            let reason = figures.lastError.map { ": \($0)" } ?? ""
            say("\(Readable.count(figures.pending, "message")) could not be delivered and are kept\(reason)")
        }
        let isAll = isDelivered && figures.rejected == 0 && figures.dropped == 0
        return isAll && isInOrder.withLock { $0 } ? .success : .failure
    }
}

extension LogBuffer {
    /// Adds a stored message as a line: time, level, category, text and the fields beside the text.
    fileprivate mutating func append(line entry: RemoteEntry) {
        append(iso8601: entry.time)
        append(UInt8(ascii: " "))
        appendEscaped(entry.levelName)
        append(repeating: UInt8(ascii: " "), count: max(1, 8 - entry.levelName.utf8.count))
        if let category = entry.category {
            appendEscaped(category)
            append(UInt8(ascii: " "))
        }
        appendEscaped(entry.text)
        for (index, (name, value)) in entry.metadata.enumerated() {
            append(index == 0 ? " {" : " ")
            appendEscaped("\(name)=\(value)")
        }
        append(entry.metadata.isEmpty ? "\n" : "}\n")
    }
}
