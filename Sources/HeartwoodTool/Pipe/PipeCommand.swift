import CHeartwood
import Heartwood

/// `heartwood pipe`: keeps the lines of any program.
enum PipeCommand: Subcommand {
    static let name = "pipe"
    static let summary = "Reads lines from standard input or files, and logs each."
    static let operands = "[FILE…]"
    static let options = PipeOptions.groups
    static let details = """
        Lines are read from the FILEs in turn, `-` being standard input, or from standard input alone.
        Bytes that are not UTF-8, and control characters, are written as \\x{ff}, \\t, \\u{1b} and the
        like, and a backslash is doubled, so that a line is a line and its text is certain; --raw writes
        what came. JSON has no place for such bytes: each becomes U+FFFD, and the summary counts the
        lines. Input that begins as gzip does is decompressed; --raw writes the compressed bytes.

        Lines that arrive together have the same time: that at which they were read.

        A line longer than --max-line is cut into pieces between two characters. Each is a line of its
        own, with the field `part` (1, 2, 3 …), and the last one with `last=true`.

        Levels are found by themselves: a syslog priority (<34>), `level=warn` and JSON's "level", ERROR
        and other words in capitals, [error], error:, and a word after the time. A rule of your own
        comes first:

            heartwood pipe -d /var/log/shop --level-pattern 'error=(?i)declined|timed out' < shop.out

        Nothing is dropped for being too fast: reading waits for the writers, so the program in front
        waits too. A disk that takes nothing is tried again, while up to \
        \(PipeFileOptions.waitingLimit) of lines wait in memory;
        what is dropped after that is counted, told in the file where it is missing, and the reason for
        exit code 1.

        --join traces keeps a stack trace and the message in front of it in one record, with the level
        of its first line; a record is a line of the file, with \\n in it. --json takes the members of
        lines that are JSON objects over as members, and `message` or `msg` as the message. --raw with
        files alone writes exactly the bytes of the input, without a newline after the last line if it
        has none.

        With --journal, what is read from a pipe is in FILE.input at the moment at which it is read, and
        in FILE from then on until it is written: after a SIGKILL the next run writes all of it. The
        line that was being copied at that moment may be written twice. What no run has read is the
        pipe's.

        SIGINT and SIGTERM: what has arrived is written, the summary is shown, and the process ends by
        the signal; a second one ends it at once. SIGHUP with --directory: the file is closed and opened
        again, and keys, tokens and certificates are read again at their next use; without files, or
        with a terminal as the input, it ends the process as SIGTERM does. SIGALRM and SIGUSR1: a new
        file is started. A console whose reader has gone ends the process only where lines go nowhere
        else.

        Exit codes: 0, every line was written; 1, something could not be read or written, and standard
        error says what; 2: invalid arguments; ended by SIGINT or SIGTERM (130, 143 in a shell),
        everything was written.

        Examples:
            myserver 2>&1 | heartwood pipe --directory /var/log/myserver --max-size 50MiB --keep 20
            heartwood pipe old.log --directory archive --json
            journalctl -f -o cat | heartwood pipe --level warning
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        let options = try PipeOptions(arguments)
        // A terminal's hangup is the end; without one, SIGHUP is logrotate's or an operator's.
        let takesHangup = options.directory != nil && isatty(0) != 1
        let stop = try StopSignal(takesHangup ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP])
        // Its lines come before those of the input, and after those of the dispatcher's journal.
        // Not for encrypted logs: the kernel would write the input to that file in clear.
        let inputJournal =
            try options.files.key == nil ? options.journal.map { try InputJournal($0 + ".input") } : nil
        let destinations = try PipeDestinations(options)
        let signals = try FileSignals(destinations.fileLogger, takesHangup: takesHangup)
        defer { withExtendedLifetime(signals) {} }
        let view = options.viewedDirectory.flatMap { PipeView(directory: $0, unless: stop) }
        let pump = LinePump(options, destinations, stop, inputJournal)
        let isInOrder = pump.run()
        let isDelivered = destinations.finish(pump, stop)
        view?.finish(unless: stop)
        if isInOrder, isDelivered { stop.endProcess() }
        return isInOrder && isDelivered ? .success : .failure
    }
}
