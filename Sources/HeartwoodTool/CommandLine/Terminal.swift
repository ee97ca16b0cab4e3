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

/// Numbers for people.
enum Readable {
    /// `1,234,567`.
    static func count(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `1 line`, `2,000 lines`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(count(number)) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `0.42 s`, `3 min 20 s`, `2 d 4 h`.
    static func duration(_ duration: Duration) -> String {
        let seconds = duration.seconds
        if seconds < 100 {
            let hundredths = Int((seconds * 100).rounded())
            let rest = hundredths % 100
            return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
        }
        let whole = Int(seconds)
        if whole < 7200 { return "\(whole / 60) min \(whole % 60) s" }
        if whole < 172_800 { return "\(whole / 3600) h \(whole / 60 % 60) min" }
        return "\(whole / 86_400) d \(whole / 3600 % 24) h"
    }
}

extension LogBuffer {
    /// What was added.
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// A text as it may be shown on a terminal.
    static func escaped(_ text: String) -> String {
        var output = LogBuffer()
        output.appendEscaped(text)
        return output.text
    }
}

extension String {
    /// The text as one word of a shell.
    var shellQuoted: String { "'" + replacing("'", with: "'\\''") + "'" }
}
