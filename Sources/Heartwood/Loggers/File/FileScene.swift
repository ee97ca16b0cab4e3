import CHeartwood

/// What the parts of a file engine have in common: the directory, its files, the time, and the settings in effect.
///
/// Not thread-safe: owned by the engine.
final class FileScene {
    let directory: LogDirectory
    let inventory: FileInventory
    let clock: any LogClock
    let report: (FileEvent) -> Void
    /// Changed by the engine only.
    @exclusivity(unchecked) var settings: FileSettings
    @exclusivity(unchecked) var counters = FileCounters()
    /// Notices that the wall clock was set forward.
    @exclusivity(unchecked) var watch = ClockWatch()

    init(
        _ directory: LogDirectory, _ inventory: FileInventory, _ settings: FileSettings,
        _ clock: any LogClock,
        report: @escaping (FileEvent) -> Void
    ) {
        self.directory = directory
        self.inventory = inventory
        self.settings = settings
        self.clock = clock
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
