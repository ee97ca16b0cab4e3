import CHeartwood
import Dispatch
import Heartwood
import HeartwoodHTTP
import HeartwoodServer

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
                    + "anyone who has the address can read these logs\n")
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

/// Where the page is served, and how it is opened.
struct ViewOptions: Sendable {
    var listen = "127.0.0.1"
    var port = 0
    var token = Hexadecimal.encode(RandomBytes.make(20))
    var opensBrowser = true

    /// A port that the system chooses, and a token that cannot be guessed.
    init() {}

    /// Reads the arguments.
    ///
    /// - Throws: ``UsageError`` where they are not valid; an error of the file where the token cannot be
    ///   read.
    init(_ arguments: Arguments) throws {
        if let text = arguments.value("--listen") {
            guard SocketAddress(text, port: 0) != nil else {
                throw UsageError(
                    "--listen expects a numeric address such as 192.168.0.5 or ::1 (got “\(text)”)")
            }
            listen = text
        }
        if let number = try arguments.integer("--port") {
            guard (1...65_535).contains(number) else {
                throw UsageError("--port expects a number from 1 to 65535 (got \(number))")
            }
            port = number
        }
        if let path = arguments.value("--token-file") {
            token = try FileSecrets().secret(named: path).withBytes { String(decoding: $0, as: UTF8.self) }
            guard ViewOptions.isValid(token) else {
                throw UsageError("--token-file: the token must have 16 to 200 letters, digits, - and _")
            }
        }
        opensBrowser = !arguments.has("--no-open")
    }

    private static func isValid(_ token: String) -> Bool {
        (16...200).contains(token.utf8.count)
            && token.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_".utf8.contains($0) }
    }

    /// Whether other machines can connect.
    var isExposed: Bool { SocketAddress(listen, port: 0)?.isLoopback != true }
}

/// The page that `heartwood pipe --view` shows while it writes its files.
///
/// A separate process serves it. Whatever ends that process, the pipe goes on.
final class PipeView: Sendable {
    /// The first argument of that process.
    static let command = "serve-pipe-view"

    // MARK: Constants (any thread)
    /// A byte tells the process that the input has ended; closing it ends the process.
    private let writer: Locked<Descriptor?>
    /// Gets a byte when the page can be opened, and ends with the process.
    private let reader: Descriptor

    /// Left when the process has ended.
    private let ended = DispatchGroup()

    // MARK: Guarded by 'isEnding'
    private let isEnding = Locked(false)

    /// Starts to serve the files of a pipe; nil, with a message, if that fails.
    init?(directory: String, unless stop: StopSignal) {
        guard let input = PipeView.makePipe(), let output = PipeView.makePipe() else {
            PipeView.report("the system has no pipe for it")
            return nil
        }
        (writer, reader) = (Locked(input.writer), output.reader)
        let program = Program(
            itself: [PipeView.command, directory], input: input.reader.number, output: output.writer.number)
        guard let program else {
            PipeView.report("its process cannot be started")
            return nil
        }
        ended.enter()
        let isWatched = DetachedThread.start { [isEnding, ended] in
            let signal = program.waitForEnd()
            defer { ended.leave() }
            if stop.isRequested || isEnding.withLock({ $0 }) { return }
            let how = signal.map { "it was ended by signal \($0) (\(String(cString: strsignal($0))))" }
            PipeView.report((how ?? "it has ended") + "; lines are still written")
        }
        if !isWatched { ended.leave() }
        // The page's address comes before the input is read.
        if SystemCalls.waitReadable(reader.number, stop.descriptor, milliseconds: 10_000) {
            var byte: UInt8 = 0
            _ = read(reader.number, &byte, 1)
        }
    }

    private static func makePipe() -> (reader: Descriptor, writer: Descriptor)? {
        guard let (reader, writer) = SystemCalls.makePipe(), let one = try? Descriptor(reader, SystemCalls()),
            let other = try? Descriptor(writer, SystemCalls())
        else { return nil }
        return (one, other)
    }

    private static func report(_ reason: String) {
        Terminal.error.write("heartwood pipe: the page is not shown: \(reason)\n")
    }

    /// Goes on serving after the end of the input while a person may look at the page; then ends.
    func finish(unless stop: StopSignal) {
        var byte: UInt8 = 1
        if let writer = writer.withLock({ $0 }) {
            _ = withUnsafeBytes(of: &byte) { SystemCalls.write($0, to: writer.number) }
        }
        if !stop.isRequested, Terminal.error.isTerminal {
            Terminal.error.write("heartwood pipe: the page is still served; Ctrl-C ends\n")
            SystemCalls.waitReadable(stop.descriptor, reader.number)
        }
        isEnding.withLock { $0 = true }
        writer.withLock { $0 = nil }
        _ = ended.wait(timeout: .now() + .seconds(2))
    }

    /// Serves the files of a pipe, in the separate process.
    static func serve(_ directory: String) throws {
        let log = ViewLog(paths: [directory], key: nil)
        try log.start()
        // Not from the arguments: their --token-file is a server's secret, and the page's token is in its
        // address.
        let session = try ViewSession(log, ViewOptions())
        session.announce(to: .error)
        var byte: UInt8 = 1
        _ = withUnsafeBytes(of: &byte) { SystemCalls.write($0, to: 1) }
        while read(0, &byte, 1) > 0 { log.endInput() }
        session.end()
    }
}
