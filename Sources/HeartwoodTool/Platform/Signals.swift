import CHeartwood
import CHeartwoodTool
import Heartwood

/// Turns SIGINT, SIGTERM and SIGHUP into a request to end in good order.
///
/// The second signal ends the process at once. A signal that was ignored when the program began, as under
/// `nohup`, stays ignored.
final class StopSignal: Sendable {
    // MARK: Constants (any thread)
    /// Can be read from when a stop was requested: for poll(2).
    let descriptor: Int32
    private let writer: Int32
    private let numbers: [Int32]

    /// Takes the signals over.
    ///
    /// - Parameter numbers: The signals that ask for the end.
    /// - Throws: `LogError` where the system has no pipe for it.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP]) throws {
        guard let (reader, writer) = SystemCalls.makeSignalPipe() else {
            throw LogError(.file, "cannot create a pipe for signals", cause: hw_errno())
        }
        descriptor = reader
        self.writer = writer
        self.numbers = numbers.filter { hw_tool_pass_signal($0, writer, 1) != 0 }
    }

    deinit {
        for number in numbers { _ = hw_tool_pass_signal(number, -1, 1) }
        close(descriptor)
        close(writer)
    }

    private var requested: Int32 { numbers.isEmpty ? 0 : hw_tool_stop() }

    /// Whether the process was asked to end.
    var isRequested: Bool { requested != 0 }

    /// The signal's name, once there was one.
    var name: String? {
        switch requested {
        case 0: nil
        case SIGINT: "SIGINT"
        case SIGTERM: "SIGTERM"
        default: "SIGHUP"
        }
    }

    /// Ends the process as the signal would have: whoever started it is told the truth.
    func endProcess() {
        let number = requested
        if number == 0 { return }
        SystemCalls.endProcess(by: number)
        _exit(128 + number)  // not reached, unless the signal is blocked
    }
}

/// What signals do to the files of a pipe: SIGHUP opens them again, SIGALRM and SIGUSR1 start new ones.
///
/// A signal that was ignored when the program began stays ignored. Without files SIGALRM and SIGUSR1 do
/// nothing.
final class FileSignals {
    private let numbers: [Int32]
    private let writer: Int32

    /// Takes the signals over.
    ///
    /// - Parameters:
    ///   - file: The files; nil for none.
    ///   - takesHangup: Whether SIGHUP opens the files again, and does not end the process.
    /// - Throws: `LogError` where the system has no pipe for it.
    init(_ file: FileLogger?, takesHangup: Bool) throws {
        guard let (reader, writer) = SystemCalls.makeSignalPipe() else {
            throw LogError(.file, "cannot create a pipe for signals", cause: hw_errno())
        }
        let isStarted = DetachedThread.start {
            var (entry, number) = (pollfd(fd: reader, events: Int16(POLLIN), revents: 0), UInt8(0))
            while true {
                poll(&entry, 1, -1)
                switch read(reader, &number, 1) {
                case 1: if number == UInt8(SIGHUP) { file?.reopen() } else { file?.rollNow() }
                // The writing end is closed.
                case 0: return _ = close(reader)
                default: break
                }
            }
        }
        self.writer = writer
        guard isStarted else {
            close(reader)
            numbers = []
            Terminal.error.write(
                "heartwood pipe: no thread can be created for signals: they do nothing to files\n")
            return
        }
        let numbers = takesHangup ? [SIGALRM, SIGUSR1, SIGHUP] : [SIGALRM, SIGUSR1]
        self.numbers = numbers.filter { hw_tool_pass_signal($0, writer, 0) != 0 }
    }

    deinit {
        for number in numbers { _ = hw_tool_pass_signal(number, -1, 0) }
        close(writer)
    }
}
