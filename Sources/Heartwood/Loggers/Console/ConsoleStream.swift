import CHeartwood

/// Standard output or standard error: a batch of lines, and what the stream can show.
struct ConsoleStream: ~Copyable {
    private let descriptor: Int32
    private let isTerminal: Bool
    var buffer = LogBuffer(capacity: 4096)
    /// How many messages the buffer holds.
    var pending = 0
    /// Whether the reader has gone.
    private(set) var isClosed = false
    private(set) var depth: ConsoleColorDepth
    private(set) var privacy: LogPrivacyPolicy
    private(set) var escaping = LogBuffer.Escaping.escape

    /// An open file for the terminal, where it is one; -1 until it is needed.
    private var terminal: Int32 = -1
    /// Whether the reader did not take the last batch as a whole.
    private(set) var isBlocked = false

    /// How much is kept, in bytes, where no thread can wait for the reader.
    static let heldLimit = 4 << 20

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        depth = .none
        privacy = .redact
    }

    var name: String { descriptor == STDERR_FILENO ? "standard error" : "standard output" }

    mutating func configure(
        depth: ConsoleColorDepth?, privacy: LogPrivacyPolicy?, escaping: LogBuffer.Escaping?
    ) {
        self.depth =
            depth ?? ConsoleColorDepth.detect(isTerminal: isTerminal, environment: ProcessEnvironment.all)
        buffer.colorDepth = self.depth
        self.privacy = privacy ?? (isTerminal ? .reveal : .redact)
        self.escaping = escaping ?? (isTerminal ? .indent : .escape)
    }

    deinit {
        let calls = SystemCalls()
        // The program may have closed it, and have a file of its own with that number.
        if terminal >= 0, let own = try? calls.status(terminal).identity,
            own == (try? calls.status(descriptor).identity)
        {
            calls.close(terminal)
        }
    }

    /// Writes the batch, as far as the reader takes it; what stays, because the reader has stopped, is the
    /// beginning of the next batch.
    ///
    /// - Parameters:
    ///   - limit: How long to wait for a reader that has stopped.
    ///   - onProgress: Called after each part that was written.
    /// - Returns: the bytes written, how many messages were not written and never will be, and why not.
    mutating func write(
        waiting limit: Duration, onProgress: () -> Void = {}
    ) -> (written: Int, lost: Int, reason: String) {
        var ownTerminal = terminal
        let descriptor = descriptor
        let (written, failure) = buffer.withUnsafeBytes { bytes in
            SystemCalls.writeWhole(
                bytes, whenBlocked: { ConsoleStream.wait(for: descriptor, upTo: limit) }
            ) { rest, _ throws(SystemFailure) in
                let count = try SystemCalls().perform(.write) {
                    hw_write_now(descriptor, rest.baseAddress, rest.count, &ownTerminal)
                }
                onProgress()
                return count
            }
        }
        terminal = ownTerminal
        isBlocked = failure?.number == EAGAIN
        if isBlocked {
            buffer.removeFirst(written)
            return (written, 0, "")
        }
        defer { discard() }
        guard let failure else { return (written, 0, "") }
        if failure.number == EPIPE || failure.number == EBADF { isClosed = true }
        let lines = buffer.withUnsafeBytes { bytes in
            bytes[written...].reduce(0) { $0 + ($1 == .newline ? 1 : 0) }
        }
        return (written, min(lines, pending), SystemFailure.reason(of: failure.number))
    }

    /// Empties the batch.
    mutating func discard() {
        buffer.removeAll()
        buffer.shrink(to: 256 * 1024)
        pending = 0
        isBlocked = false
    }

    /// Waits until the reader goes on; false where it does not in time.
    private static func wait(for descriptor: Int32, upTo limit: Duration) -> Bool {
        if limit == .zero { return false }
        let deadline = SystemClock().uptime() + limit
        while hw_wait_writable(descriptor, 250) <= 0 {
            if SystemClock().uptime() >= deadline { return false }
        }
        // A terminal may have room for a byte and not for a newline, which is two.
        usleep(200)
        return true
    }
}
