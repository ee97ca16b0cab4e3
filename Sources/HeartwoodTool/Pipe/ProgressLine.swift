import Heartwood

/// One line on a terminal's standard error that says how far the work is.
final class ProgressLine {
    private var shown = Duration.milliseconds(300)
    private var isVisible = false

    /// Shows the figures, five times a second at most.
    func show(_ counts: PipeCounts, after duration: Duration) {
        guard duration - shown > .milliseconds(200) else { return }
        shown = duration
        isVisible = true
        let rate = Int(Double(counts.lines) / max(0.001, duration.seconds))
        Terminal.error.write(
            "\r\(Readable.count(counts.lines, "line"))  \(ByteCount(counts.bytes))  \(Readable.count(rate)) lines/s\u{1B}[K"
        )
    }

    /// Takes the line away.
    func clear() {
        if isVisible { Terminal.error.write("\r\u{1B}[K") }
        isVisible = false
    }
}
