import CHeartwood
import Dispatch
import Heartwood

/// What signals do to the files of a pipe: SIGHUP opens them again, SIGALRM and SIGUSR1 start new ones.
///
/// A signal that was ignored when the program began stays ignored. Without files SIGALRM and SIGUSR1 do nothing.
final class FileSignals {
    private let sources: [any DispatchSourceSignal]

    /// Takes the signals over.
    ///
    /// - Parameters:
    ///   - file: The files; nil for none.
    ///   - takesHangup: Whether SIGHUP opens the files again, and does not end the process.
    init(_ file: FileLogger?, takesHangup: Bool) {
        let queue = DispatchQueue(label: "heartwood.file-signals")
        let numbers = takesHangup ? [SIGALRM, SIGUSR1, SIGHUP] : [SIGALRM, SIGUSR1]
        sources = SystemCalls.signalSources(numbers, on: queue) { number in
            if number == SIGHUP { file?.reopen() } else { file?.rollNow() }
        }
    }

    deinit { for source in sources { source.cancel() } }
}
