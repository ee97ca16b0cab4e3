import HeartwoodTestSupport

@testable import Heartwood

/// A suite that tries file engines in a directory of a simulated disk.
protocol FileBench {
    var clock: ManualClock { get }
    var disk: SimulatedDisk { get }
}

extension FileBench {
    /// A disk with an empty directory of the user that kernels here are made for.
    static func makeDisk(_ clock: ManualClock) -> SimulatedDisk {
        let disk = SimulatedDisk(clock)
        disk.makeFolder(owner: 1000, mode: 0o700)
        return disk
    }

    func makeKernel(_ process: Int32 = 101) -> SimulatedKernel {
        SimulatedKernel(disk, process: process, user: 1000)
    }

    /// Makes an engine of files that begin with `t`; one of the process 101 unless a kernel is given.
    func makeEngine(
        _ kernel: SimulatedKernel? = nil, activeName: String? = nil,
        _ change: (inout FileSettings) -> Void = { _ in }, report: @escaping (FileEvent) -> Void = { _ in }
    ) throws -> FileEngine {
        var settings = FileSettings.unlimited(
            naming: try LogFileNaming(application: "t", activeName: activeName))
        change(&settings)
        return FileEngine(
            directory: try Directory("/logs", calls: SystemCalls(kernel: kernel ?? makeKernel())),
            settings: settings, clock: clock, report: report)
    }

    func write(_ line: String, to engine: FileEngine) {
        let bytes = Array((line + "\n").utf8)
        bytes.withUnsafeBytes { engine.write($0, [bytes.count]) }
    }

    /// What a file has.
    func text(_ name: String) -> String {
        String(decoding: disk.folder?.entries[name]?.data ?? [], as: UTF8.self)
    }

    /// The names of all files that are not hidden.
    var names: [String] { (disk.folder?.entries.keys.filter { !$0.hasPrefix(".") } ?? []).sorted() }
}

extension FileSettings {
    /// Settings without the limits that a logger has by default.
    static func unlimited(naming: LogFileNaming) -> FileSettings {
        var settings = FileSettings(naming: naming)
        settings.rolling = RollingPolicy()
        settings.retention = RetentionPlan()
        settings.minimumFreeSpace = .zero
        return settings
    }

    var rolling: RollingPolicy {
        get { rollingPolicy }
        set {
            (maximumFileSize, rollingInterval) = (.bytes(newValue.maximumSize), newValue.interval)
            (rollingBoundary, zone) = (newValue.boundary, newValue.zone)
        }
    }

    var retention: RetentionPlan {
        get { retentionPlan }
        set {
            (maximumFileCount, diskQuota) = (newValue.maximumCount, .bytes(newValue.quota))
            maximumFileAge = newValue.maximumAge
        }
    }

    var isEncrypted: Bool {
        get { archiveFormat.stage == .encrypted }
        set { archiveFormat = LogArchiveFormat(newValue ? .encrypted : .plain) }
    }
}

extension ArchiveJob {
    /// Does the work for a file that nobody holds; returns the size of the archive.
    func run() throws -> Int? { try directory.hold(name).flatMap { try run($0)?.size } }
}
