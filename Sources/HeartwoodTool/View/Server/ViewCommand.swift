import CHeartwood
import Heartwood
import HeartwoodHTTP
import HeartwoodServer

/// `heartwood view`: a page that shows logs in the browser.
enum ViewCommand: Subcommand {
    static let name = "view"
    static let summary = "Shows logs in the browser, live, with search, filters and a timeline."
    static let operands = "[DIR|FILE…]"
    static let options = [
        OptionGroup(
            title: "Where",
            options: [
                Option(
                    "--port", value: "PORT", help: "Listens on this port; by default on a free one."),
                Option(
                    "--listen", value: "ADDRESS",
                    help: "Listens on this numeric address instead of 127.0.0.1, so that other machines can "
                        + "connect."),
                Option(
                    "--token-file", value: "FILE",
                    help: "Takes the token in the page's address from FILE (16 to 200 letters, digits, - and "
                        + "_), so that bookmarks last; by default it is random."),
                Option("--no-open", help: "Prints the page's address and does not open a browser."),
            ]),
        OptionGroup(title: "How", options: [LogSelection.redact]), LogSelection.keys,
    ]
    static let details = """
        In a DIR, all log files are shown that the other commands read (*.log, as logrotate names them too,
        compressed or encrypted, and syslog, messages, current), merged by time, and new lines as they
        arrive, across rolls. Numbers and dates in the names decide which file is newer; if modification
        times contradict them, the first times in the files do. The page shows the last lines at once; the
        index is built in the background.

        - is standard input, which is also read if nothing is named and something is piped in. What
        comes from it, or from another pipe, is kept in a temporary file until the end.

        The server answers only this machine, only GET and HEAD requests, and only clients that have the
        token in the page's address. It never writes to the directories. With --listen, lines are sent
        unencrypted: anyone who can observe the network can read them.

        Exit codes: 0, ended by SIGINT or SIGTERM; 1, the logs cannot be read, or the port is taken; 2,
        invalid arguments.

        Examples:
            heartwood view /var/log/shop
            kubectl logs -f shop | heartwood view -
            ssh -L 8080:127.0.0.1:8080 server heartwood view --port 8080 --no-open /var/log/shop
        """

    static func run(_ arguments: Arguments) throws -> ExitStatus {
        let operands = try LogSelection.operands(arguments.operands)
        let options = try ViewOptions(arguments)
        let stop = try StopSignal()
        let streams = ViewStreams()
        defer { streams.remove() }
        let key = try LogSelection.key(arguments)
        let redaction = try LogSelection.redaction(arguments)
        let log = ViewLog(
            paths: try operands.map { try streams.path(for: $0, key: key) }, key: key, redaction: redaction,
            redactionNames: arguments.value(LogSelection.redact.names[0]))
        try log.start()
        let session = try ViewSession(log, options)
        session.announce()
        while !stop.isRequested { SystemCalls.waitReadable(stop.descriptor) }
        session.end()
        return .success
    }
}
