import CHeartwood
import Heartwood

/// Standard output and standard error: text for people, whole or not at all.
///
/// A reader that has gone is no reason to end: what cannot be shown is left out.
struct Terminal {
    static let output = Terminal(descriptor: 1)
    static let error = Terminal(descriptor: 2)

    /// The `errno` of a failed write to standard output; 0 if there was none, or the reader has gone.
    static let failure = Locked<Int32>(0)

    let descriptor: Int32

    /// Whether a person looks at it.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Writes the text as it is.
    func write(_ text: String) {
        var text = text
        let error = text.withUTF8 { SystemCalls.write(UnsafeRawBufferPointer($0), to: descriptor) }
        if descriptor == 1, error != 0, error != EPIPE { Terminal.failure.withLock { $0 = error } }
    }
}
