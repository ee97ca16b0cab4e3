import CHeartwood
import HeartwoodTestSupport

@testable import Heartwood

/// A file or link of a simulated disk; kept after its last name is gone, so that every line can be found again.
final class SimulatedFile {
    let number: UInt64
    let kind: FileStatus.Kind
    var owner: UInt32
    var mode: UInt32
    var data: [UInt8] = []
    var links = 0
    /// When others took its last name away, in steady time; nil where no others did.
    var removedAt: Duration?
    var modified: LogTimestamp
    let birth: LogTimestamp
    /// Belongs to others: whatever a logger does to it is a defect.
    var isForeign = false
    /// Was opened by the program itself, and has a number that a logger's file had.
    var isProgramData = false
    /// Cannot be opened for writing, removed or renamed by anyone (`chattr +i`).
    var isImmutable = false
    /// It was created under a name that is not hidden.
    var isLog = true
    /// Others have written to it, so its size and its lines are theirs as well.
    var isTampered = false
    /// How many bytes others have taken out of it.
    var sizeBefore: Int?
    /// How often a processor was given it.
    var processed = 0
    /// Which processes had it processed.
    var processors: Set<Int32> = []
    /// Its last write was cut short, and what it left is still there.
    var hasPart = false
    /// How many parts of records may be left in it: those of deaths, and those that could not be cut off.
    var excusedParts = 0
    /// The process that wrote to it last, and when that one began to, in the order of all such moments; the
    /// first one where all write to a file.
    var lastWriter: (process: Int32, begun: Int)?
    /// Who has its lock, and whether they share it.
    var locks: [ObjectIdentifier: Bool] = [:]
    var attributes: [String: [UInt8]] = [:]

    init(_ number: UInt64, _ kind: FileStatus.Kind, owner: UInt32, mode: UInt32, at moment: LogTimestamp) {
        self.number = number
        self.kind = kind
        self.owner = owner
        self.mode = mode
        modified = moment
        birth = moment
    }

    var status: FileStatus {
        FileStatus(
            identity: .init(device: 1, inode: number), kind: kind, size: data.count, links: links,
            owner: owner,
            mode: mode, modifiedNanoseconds: modified.nanoseconds)
    }
}

/// A directory of a simulated disk.
final class SimulatedFolder {
    let number: UInt64
    var owner: UInt32
    var mode: UInt32
    var entries: [String: SimulatedFile] = [:] { didSet { changes += 1 } }
    /// How often a name came or went.
    private(set) var changes = 0
    var isRemoved = false
    var locks: [ObjectIdentifier: Bool] = [:]
    var attributes: [String: [UInt8]] = [:]
    /// The label of the file that was created last.
    var latest: LogFileLabel?

    init(_ number: UInt64, owner: UInt32, mode: UInt32) {
        self.number = number
        self.owner = owner
        self.mode = mode
    }
}

/// An open file of a simulated process.
final class SimulatedHandle {
    let file: SimulatedFile?
    let folder: SimulatedFolder?
    let isWritable: Bool

    init(file: SimulatedFile? = nil, folder: SimulatedFolder? = nil, isWritable: Bool = false) {
        self.file = file
        self.folder = folder
        self.isWritable = isWritable
    }
}

/// A disk in memory with one directory, `/logs`, which several simulated processes and others use.
final class SimulatedDisk {
    let clock: ManualClock
    var folder: SimulatedFolder?
    /// Every file there ever was.
    private(set) var files: [SimulatedFile] = []
    /// The bytes that files may take in all.
    var capacity = Int.max / 4
    /// Whether all write to one file.
    var isShared = false
    /// What `flock` fails with, on a file system without locks.
    var lockRefusal: Int32?
    /// Directories have locks all the same, as on some network file systems.
    var locksFolders = false
    /// What `fchmod` fails with, on a file system without modes.
    var modeRefusal: Int32?
    /// What `fsetxattr` fails with, on a file system without attributes.
    var attributeRefusal: Int32?
    /// Only what is open for writing can be locked alone, as on NFS.
    var locksNeedWriting = false
    /// No name of the directory can be looked up: the program has given up its privileges.
    var isUnsearchable = false
    /// No file can be created, and those that are there can grow.
    var hasNoInodes = false
    /// How often a process has begun to write to a file.
    var beginnings = 0
    /// Whether all that a process knows of the files is true, so that it removes the oldest first.
    var isOrderKnown = { true }
    /// What was cut off by others, and of which file.
    var taken: [(data: [UInt8], file: SimulatedFile)] = []
    /// What loggers have done that they must not do.
    var violations: [String] = []
    /// How long a logger may go without a look at the file that it writes.
    var lookInterval = Duration.zero
    /// Until when every logger that lives looks before each write, as the files were listed.
    var closeUntil: Duration?
    private var lastNumber: UInt64 = 1

    /// A clock that shows a later time is wrong: in 2080.
    static let wrongClock = LogTimestamp(nanoseconds: 3_471_292_800_000_000_000)

    init(_ clock: ManualClock) { self.clock = clock }

    func makeFolder(owner: UInt32, mode: UInt32) {
        lastNumber += 1
        folder = SimulatedFolder(lastNumber, owner: owner, mode: mode)
    }

    func makeFile(_ kind: FileStatus.Kind = .regular, owner: UInt32, mode: UInt32 = 0o600) -> SimulatedFile {
        lastNumber += 1
        let file = SimulatedFile(lastNumber, kind, owner: owner, mode: mode, at: clock.now())
        files.append(file)
        return file
    }

    /// Puts a file of others or of an earlier run into the directory.
    @discardableResult
    func plant(
        _ name: String, _ text: String = "", kind: FileStatus.Kind = .regular, owner: UInt32,
        mode: UInt32 = 0o600, isForeign: Bool = false
    ) -> SimulatedFile {
        let file = makeFile(kind, owner: owner, mode: mode)
        file.data = Array(text.utf8)
        file.isForeign = isForeign
        file.isTampered = true
        file.links = 1
        folder?.entries[name] = file
        return file
    }

    var used: Int { folder?.entries.values.reduce(0) { $0 + $1.data.count } ?? 0 }

    /// Until when a logger need not have noticed that its file was taken away.
    private var unnoticedUntil = Duration.zero
    /// Whether every logger that lives has looked since others took a file away.
    var isNoticed: Bool { clock.uptime() >= unnoticedUntil }

    func removeName(_ name: String) {
        guard let file = folder?.entries.removeValue(forKey: name) else { return }
        takeLink(file)
    }

    func renameByOthers(_ name: String, to new: String) {
        guard let file = folder?.entries.removeValue(forKey: name) else { return }
        folder?.entries[new] = file
        file.isTampered = true
        unnoticedUntil = clock.uptime() + lookInterval
    }

    /// Whether a logger may still write to a file that others have removed: it need not have looked since.
    func mayBeUnnoticed(_ file: SimulatedFile) -> Bool {
        guard let removedAt = file.removedAt else { return false }
        if let closeUntil, clock.uptime() < closeUntil { return false }
        return clock.uptime() - removedAt < lookInterval
    }

    private func takeLink(_ file: SimulatedFile) {
        file.links -= 1
        if file.links == 0 { file.removedAt = clock.uptime() }
        unnoticedUntil = clock.uptime() + lookInterval
    }

    func removeFolder() {
        guard let folder else { return }
        for file in folder.entries.values { takeLink(file) }
        folder.entries = [:]
        folder.isRemoved = true
        self.folder = nil
    }
}
