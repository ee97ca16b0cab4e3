import CHeartwood
import CHeartwoodTool
import Dispatch
import Heartwood

/// What signals do to the files of a pipe: SIGHUP opens them again, SIGALRM and SIGUSR1 start new ones.
///
/// A signal that was ignored when the program began stays ignored. Without files SIGALRM and SIGUSR1 do nothing.
final class FileSignals {
    private let numbers: [Int32]
    private let source: any DispatchSourceRead

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
        let source = DispatchSource.makeReadSource(
            fileDescriptor: reader, queue: DispatchQueue(label: "heartwood.file-signals"))
        source.setEventHandler {
            var number: UInt8 = 0
            guard read(reader, &number, 1) == 1 else { return }
            if number == UInt8(SIGHUP) { file?.reopen() } else { file?.rollNow() }
        }
        source.setCancelHandler {
            close(reader)
            close(writer)
        }
        source.activate()
        self.source = source
        let numbers = takesHangup ? [SIGALRM, SIGUSR1, SIGHUP] : [SIGALRM, SIGUSR1]
        self.numbers = numbers.filter { hw_tool_pass_signal($0, writer, 0) != 0 }
    }

    deinit {
        for number in numbers { _ = hw_tool_pass_signal(number, -1, 0) }
        source.cancel()
    }
}
