import Heartwood

/// A view that is being served: it says where, opens the browser, and ends.
struct ViewSession {
    private let server: ViewServer
    private let options: ViewOptions
    private let log: ViewLog

    /// Starts to serve a log.
    ///
    /// - Throws: `LogError` where the address is invalid.
    init(_ log: ViewLog, _ options: ViewOptions) throws {
        server = try ViewServer(log, listen: options.listen, port: options.port, token: options.token)
        self.options = options
        self.log = log
    }

    /// Shows the address, and opens it where there is a browser to open it in.
    func announce(to terminal: Terminal = .output) {
        terminal.write("\(server.address)\n")
        if options.isExposed {
            Terminal.error.write(
                "heartwood: other machines can connect; the connection is not encrypted, and "
                    + "anyone with the address can "
                    + "read all of them\n")
        }
        if options.opensBrowser, Terminal.error.isTerminal {
            if !Browser.open(server.ticketAddress()) {
                Terminal.error.write("heartwood: open the address in a browser; Ctrl-C ends\n")
            }
        }
    }

    /// Ends the server and what reads the log.
    func end() { server.stop() }
}
