import CHeartwood

/// What the parts of a file engine have in common: the directory, its files, the time, and the settings in
/// effect.
///
/// Not thread-safe: owned by the engine.
final class FileScene {
    let directory: LogDirectory
    let inventory: FileInventory
    let clock: any LogClock
    let report: (FileEvent) -> Void
    /// How a new file would begin.
    let beginning: () -> FileBeginning
    /// Changed by the engine only.
    @exclusivity(unchecked) var settings: FileSettings
    @exclusivity(unchecked) var counters = FileCounters()
    /// Notices that the wall clock was set forward.
    @exclusivity(unchecked) var watch = ClockWatch()

    init(
        _ directory: LogDirectory, _ inventory: FileInventory, _ settings: FileSettings,
        _ clock: any LogClock, beginning: @escaping () -> FileBeginning,
        report: @escaping (FileEvent) -> Void
    ) {
        self.directory = directory
        self.inventory = inventory
        self.settings = settings
        self.clock = clock
        self.beginning = beginning
        self.report = report
    }

    var calls: SystemCalls { directory.calls }

    /// The policy with the limit that the quota allows.
    var rolling: RollingPolicy {
        var policy = settings.rolling
        policy.maximumSize = settings.retention.effectiveFileSize(policy.maximumSize)
        return policy
    }

    /// What the next file is encrypted with; nil for plain text.
    func cipher() throws -> FrameCipher? {
        settings.isEncrypted ? try FrameCipher(ofLogs: settings.key) : nil
    }

    /// Reports why a file cannot be used, by its name.
    func report(_ error: any Error, name: String) {
        switch error {
        case let refusal as LogDirectory.Refusal: report(.refused(refusal, name: name))
        case let failure as SystemFailure:
            counters.failures += 1
            report(.unusable(failure, name: name))
        default: report(.unusable(SystemFailure(.open, EIO), name: name))
        }
    }
}

extension SystemFailure {
    /// Whether it is the process that lacks something, so that another file would not do either.
    var isShortage: Bool { [EMFILE, ENFILE, ENOMEM].contains(number) }
}

/// How each new file begins, as far as that is known before the file is.
struct FileBeginning: Sendable {
    /// The bytes of the header line; empty if there is no header, or if each file may have a different one.
    var header: [UInt8] = []
    /// Whether the first record is a JSON object; nil if the formatter is not known to write only JSON, or
    /// never to.
    var isJSON: Bool?

    /// Whether a file of so many bytes begins like that, so that it can be continued; true for an empty one,
    /// and for one of which no whole frame is there.
    func fits(
        _ file: Descriptor, size: Int, _ cipher: FrameCipher?, _ calls: SystemCalls
    ) throws -> Bool {
        guard size > 0, !header.isEmpty || isJSON != nil else { return true }
        var bytes: [UInt8]
        if let cipher {
            let start = try calls.bytes(EncryptedFrame.headerSize, of: file.number, at: 0)
            guard let text = try EncryptedFrame.Header(start[...])?.text(in: file, at: 0, cipher, calls)
            else { return true }
            bytes = text
        } else {
            bytes = try calls.bytes(header.count + 1, of: file.number, at: 0)
        }
        guard bytes.starts(with: header) else { return false }
        bytes.removeFirst(header.count)
        guard let isJSON, let first = bytes.first else { return true }
        return isJSON == (first == UInt8(ascii: "{"))
    }
}

/// What the engine has done since it was made.
struct FileCounters: Sendable, Hashable {
    /// Records that are in a file.
    var written = 0
    var bytes = 0
    /// Records that were given up.
    var dropped = 0
    /// Records that wait for a file that takes them.
    var waiting = 0
    /// Files that were finished.
    var rolls = 0
    /// Calls of the kernel that failed.
    var failures = 0
    /// Records of the engine's own about dropped ones; not in `written`.
    var announcements = 0
}

/// Notices that the wall clock was set forward; the ages of files are then not believed for an hour.
struct ClockWatch {
    /// The two clocks when they were last compared.
    private var last: (wall: LogTimestamp, steady: Duration)?
    private var distrustedUntil = Duration.zero

    mutating func compare(_ wall: LogTimestamp, _ steady: Duration) {
        if let last, wall - last.wall > (steady - last.steady) + .seconds(3600) {
            distrustedUntil = steady + .seconds(3600)
        }
        last = (wall, steady)
    }

    /// Whether the wall clock tells how old a file is.
    func isTrusted(at steady: Duration) -> Bool { steady >= distrustedUntil }
}
