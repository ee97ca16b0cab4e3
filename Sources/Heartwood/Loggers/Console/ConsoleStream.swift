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

    /// How long a reader that does not read may hold up one batch, in milliseconds, before the batch is given up.
    private static let patience: Int32 = 10_000

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        depth = .none
        privacy = .redact
    }

    var name: String { descriptor == STDERR_FILENO ? "standard error" : "standard output" }

    mutating func configure(depth: ConsoleColorDepth?, privacy: LogPrivacyPolicy?) {
        self.depth =
            depth ?? ConsoleColorDepth.detect(isTerminal: isTerminal, environment: ProcessEnvironment.all)
        buffer.colorDepth = self.depth
        self.privacy = privacy ?? (isTerminal ? .reveal : .redact)
    }

    /// Writes the batch, and empties it whatever happens.
    ///
    /// - Returns: the bytes written, how many messages were not written, and why not.
    mutating func write() -> (written: Int, lost: Int, reason: String) {
        var written = 0
        var failure: Int32 = 0
        let count = buffer.count
        buffer.withUnsafeBytes { bytes in
            while written < count, failure == 0 {
                guard let base = bytes.baseAddress else { break }
                let result = hw_write_quietly(descriptor, base + written, count - written)
                if result > 0 {
                    written += result
                } else {
                    failure = ConsoleStream.failure(hw_errno(), descriptor)
                }
            }
        }
        defer {
            buffer.removeAll()
            buffer.shrink(to: 256 * 1024)
            pending = 0
        }
        if failure == 0 { return (written, 0, "") }
        if failure == EPIPE || failure == EBADF { isClosed = true }
        let lines = buffer.withUnsafeBytes { bytes in
            bytes[written...].reduce(0) { $0 + ($1 == 0x0A ? 1 : 0) }
        }
        return (written, min(lines, pending), LogError.reason(of: failure))
    }

    /// 0 where it is worth another try.
    private static func failure(_ error: Int32, _ descriptor: Int32) -> Int32 {
        switch error {
        case EINTR: return 0
        case EAGAIN, EWOULDBLOCK: return hw_wait_writable(descriptor, patience) > 0 ? 0 : error
        default: return error
        }
    }
}
