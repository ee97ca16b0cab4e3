import Heartwood

/// The page that `heartwood pipe --view` shows while it writes its files.
final class PipeView {
    private let log: ViewLog
    private let session: ViewSession

    /// Starts to serve the files of a pipe.
    ///
    /// - Throws: `LogError` where the directory cannot be read, or no port can be had.
    init(directory: String) throws {
        log = ViewLog(paths: [directory], key: nil)
        try log.start()
        // Not from the arguments: their --token-file is a server's secret, and the page's token is in its address.
        session = try ViewSession(log, ViewOptions())
        session.announce(to: .error)
    }

    /// Goes on serving after the end of the input while a person may look at the page; then ends.
    func finish(unless stop: StopSignal) {
        log.endInput()
        if !stop.isRequested, Terminal.error.isTerminal {
            Terminal.error.write("heartwood pipe: the page is still served; Ctrl-C ends\n")
            while !stop.isRequested { SystemCalls.waitReadable(stop.descriptor) }
        }
        session.end()
    }
}
