import CHeartwood
import Heartwood

/// A directory that is ours alone: opened once, locked, and reached by its descriptor only.
///
/// Files are made with mode 0600, opened with `O_NOFOLLOW`, and must be regular, ours and without a second
/// name; nothing is written to or cut off one that is not. The same holds for the directories in it, which
/// are never links. A failed call returns its `errno`; nothing here throws after ``init(path:)``.
package final class SpoolDirectory {
    let path: String
    private let descriptor: Int32
    private let lock: Int32
    private let owner = ProcessOwner()

    private static let calls = SystemCalls()

    /// Makes the directory where it is missing (mode 0700), and locks it.
    ///
    /// - Throws: `LogError`: `.inUse` when another logger or process has it, `.unsafe` when others may write
    ///   in it, `.file` when the system refuses, `.setting` for a path that is empty or has a zero byte.
    init(path: String) throws {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw LogError(
                .setting, "The path of the spool's directory is empty or contains a null byte", place: path)
        }
        self.path = path
        let made = mkdir(path, 0o700) == 0 || Self.makeParents(of: path)
        let cause = hw_errno()
        descriptor = Self.number { () throws(SystemFailure) in
            try Self.calls.openFile(AT_FDCWD, path, O_RDONLY | O_DIRECTORY)
        }
        guard descriptor >= 0 else {
            throw LogError(
                .file,
                made ? "cannot open the spool's directory" : "cannot create the spool's directory",
                place: path, cause: made ? hw_errno() : cause)
        }
        do {
            try Self.check(descriptor, path)
            lock = try Self.takeLock(descriptor, path)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit {
        // A child that another thread is just starting has the lock's descriptor, too, until it runs its
        // program: closing ours would leave the directory locked so long. A forked child must not free its
        // parent's lock.
        if owner.isHere { _ = flock(lock, LOCK_UN) }
        close(lock)
        close(descriptor)
    }

    // MARK: Files

    /// Opens a file of the directory; negative on failure, with the reason in `errno`.
    func open(_ name: String, _ flags: Int32) -> Int32 { Self.open(name, flags, in: descriptor) }

    /// Opens a file of a directory in this one; negative on failure, with the reason in `errno`.
    func open(_ name: String, in subdirectory: String, _ flags: Int32) -> Int32 {
        let place = openDirectory(subdirectory)
        guard place >= 0 else { return -1 }
        defer { close(place) }
        return Self.open(name, flags, in: place)
    }

    private static func open(_ name: String, _ flags: Int32, in directory: Int32) -> Int32 {
        if flags & O_CREAT != 0, let error = SpoolDirectory.faults?.change(), error != 0 {
            SystemCalls.setErrno(error)
            return -1
        }
        if flags & O_ACCMODE == O_RDONLY, let error = SpoolDirectory.faults?.read(), error != 0 {
            SystemCalls.setErrno(error)
            return -1
        }
        return number { () throws(SystemFailure) in
            // A file is emptied only after it is known to be ours.
            let file = try calls.openFile(directory, name, flags & ~O_TRUNC, mode: 0o600)
            return try keep(file) { () throws(SystemFailure) in
                let status = try calls.status(file)
                let isOwn = status.kind == .regular && status.owner == calls.user && status.links == 1
                guard isOwn else { throw SystemFailure(.open, EPERM) }
                if flags & O_TRUNC != 0 { try calls.truncate(file, to: 0) }
            }
        }
    }

    /// Opens a directory in this one that is no link and ours; negative on failure, with the reason in
    /// `errno`.
    private func openDirectory(_ name: String) -> Int32 {
        Self.number { () throws(SystemFailure) in
            let place = try Self.calls.openFile(descriptor, name, O_RDONLY | O_DIRECTORY)
            return try Self.keep(place) { () throws(SystemFailure) in
                let owner = try Self.calls.status(place).owner
                guard owner == Self.calls.user else { throw SystemFailure(.open, EPERM) }
            }
        }
    }

    /// Returns a descriptor that `check` accepts, and closes another one.
    private static func keep(_ file: Int32, _ check: () throws(SystemFailure) -> Void) throws(SystemFailure)
        -> Int32
    {
        do throws(SystemFailure) { try check() } catch {
            calls.close(file)
            throw error
        }
        return file
    }

    /// What `body` returns; where it fails, -1 with the reason in `errno`.
    private static func number(_ body: () throws(SystemFailure) -> Int32) -> Int32 {
        do throws(SystemFailure) { return try body() } catch {
            SystemCalls.setErrno(error.number)
            return -1
        }
    }

    /// 0, or the `errno` with which `body` fails, unless that is `accepted`.
    private static func error(
        accepting accepted: Int32 = 0, _ body: () throws(SystemFailure) -> Void
    ) -> Int32 {
        do throws(SystemFailure) { try body() } catch { return error.number == accepted ? 0 : error.number }
        return 0
    }

    /// Removes a file; 0, also for one that is not there, or `errno`.
    func remove(_ name: String) -> Int32 {
        if let error = SpoolDirectory.faults?.change(), error != 0 { return error }
        return Self.error(accepting: ENOENT) { () throws(SystemFailure) in
            try Self.calls.unlink(descriptor, name)
        }
    }

    /// Gives a file another name; 0 or `errno`.
    func rename(_ name: String, to other: String) -> Int32 {
        if let error = SpoolDirectory.faults?.change(), error != 0 { return error }
        return Self.error { () throws(SystemFailure) in try Self.calls.rename(descriptor, name, to: other) }
    }

    /// Moves a file into a directory in this one, which is made where it is missing; 0 or `errno`.
    func move(_ name: String, into subdirectory: String) -> Int32 {
        if let error = SpoolDirectory.faults?.change(), error != 0 { return error }
        let error = make(subdirectory)
        if error != 0 { return error }
        let place = openDirectory(subdirectory)
        guard place >= 0 else { return hw_errno() }
        defer { close(place) }
        return renameat(descriptor, name, place, name) == 0 ? 0 : hw_errno()
    }

    /// Makes a directory inside of this one; 0 or `errno`.
    func makeDirectory(_ name: String) -> Int32 {
        if let error = SpoolDirectory.faults?.change(), error != 0 { return error }
        return make(name)
    }

    private func make(_ name: String) -> Int32 {
        mkdirat(descriptor, name, 0o700) == 0 || hw_errno() == EEXIST ? 0 : hw_errno()
    }

    /// Makes names durable; 0 or `errno`.
    func synchronize() -> Int32 {
        if let error = SpoolDirectory.faults?.synchronizeNames(), error != 0 { return error }
        return Self.error { () throws(SystemFailure) in try Self.calls.syncDirectory(descriptor) }
    }

    /// The regular files and their sizes, in no order; nil when they cannot be listed.
    func list(_ subdirectory: String = ".") -> [(name: String, size: Int)]? {
        entries(of: subdirectory)?.filter { $0.status.kind == .regular }.map { ($0.name, $0.status.size) }
    }

    /// The names of the directories inside of this one, in no order; nil when they cannot be listed.
    func subdirectories() -> [String]? {
        entries(of: ".")?.filter { $0.status.kind == .directory }.map(\.name)
    }

    /// Removes a directory inside of this one with its files: segments first, what is known of them then, the
    /// lock at last; 0 or `errno`.
    func removeDirectory(_ name: String) -> Int32 {
        let place = openDirectory(name)
        guard place >= 0 else { return hw_errno() == ENOENT ? 0 : hw_errno() }
        defer { close(place) }
        let rank = { (file: String) in file.hasSuffix(".seg") ? 0 : file == "lock" ? 2 : 1 }
        for file in (list(name) ?? []).sorted(by: { rank($0.name) < rank($1.name) }) {
            if let error = SpoolDirectory.faults?.change(), error != 0 { return error }
            let error = Self.error(accepting: ENOENT) { () throws(SystemFailure) in
                try Self.calls.unlink(place, file.name)
            }
            if error != 0 { return error }
        }
        if let error = SpoolDirectory.faults?.change(), error != 0 { return error }
        return unlinkat(descriptor, name, AT_REMOVEDIR) == 0 || hw_errno() == ENOENT ? 0 : hw_errno()
    }

    /// Opens `a/b`, neither of which is a link.
    private func openNested(_ path: String) -> Int32 {
        var place = openDirectory(".")
        for name in path.split(separator: "/") where place >= 0 {
            let next = Self.number { () throws(SystemFailure) in
                try Self.calls.openFile(place, String(name), O_RDONLY | O_DIRECTORY)
            }
            let error = hw_errno()
            close(place)
            SystemCalls.setErrno(error)
            place = next
        }
        return place
    }

    private func entries(of subdirectory: String) -> [(name: String, status: FileStatus)]? {
        let place = subdirectory.contains("/") ? openNested(subdirectory) : openDirectory(subdirectory)
        guard place >= 0 else { return nil }
        defer { close(place) }
        return try? Self.calls.names(place).compactMap { name in
            (try? Self.calls.status(place, name)).map { (name, $0) }
        }
    }

    // MARK: Setting up

    /// Whether there is a directory of that name.
    static func exists(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & 0o170000 == 0o040000
    }

    private static func makeParents(of path: String) -> Bool {
        guard hw_errno() == ENOENT else { return hw_errno() == EEXIST }
        var parent = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false).dropLast() {
            parent += part + "/"
            if mkdir(parent, 0o700) != 0 && hw_errno() != EEXIST && hw_errno() != EISDIR { return false }
        }
        return mkdir(path, 0o700) == 0 || hw_errno() == EEXIST
    }

    private static func check(_ descriptor: Int32, _ path: String) throws {
        let status: FileStatus
        do throws(SystemFailure) { status = try calls.status(descriptor) } catch {
            throw LogError(.file, "cannot examine the spool's directory", place: path, cause: error.number)
        }
        guard status.owner == calls.user else {
            throw LogError(
                .unsafe, "the spool's directory belongs to user \(status.owner); choose another directory",
                place: path)
        }
        guard status.mode & 0o022 == 0 else {
            throw LogError(
                .unsafe, "other users can write to the spool's directory; chmod 700 it", place: path)
        }
    }

    private static func takeLock(_ directory: Int32, _ path: String) throws -> Int32 {
        let file = open("lock", O_RDWR | O_CREAT, in: directory)
        guard file >= 0 else {
            let cause = hw_errno()
            guard cause != EPERM && cause != ELOOP else {
                throw LogError(
                    .unsafe, "the spool's lock is a link or belongs to another user; remove it",
                    place: path + "/lock")
            }
            throw LogError(.file, "cannot create the spool's lock", place: path + "/lock", cause: cause)
        }
        let isTaken: Bool
        do throws(SystemFailure) { isTaken = try calls.tryLock(file) } catch {
            close(file)
            throw LogError(.file, "cannot lock the spool", place: path, cause: error.number)
        }
        guard isTaken else {
            defer { close(file) }
            let bytes = (try? calls.bytes(20, of: file, at: 0)) ?? []
            let owner = String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber }
            throw LogError(
                .inUse,
                "another logger, in process \(owner), uses this spool; give each logger its own directory",
                place: path)
        }
        // For the message above only: who died holding the lock has lost it.
        let owner = Array("\(ProcessFacts.identifier)\n".utf8)
        if (try? calls.truncate(file, to: 0)) != nil { _ = SpoolDirectory.write(file, owner, at: 0) }
        return file
    }
}

// Whole reads and writes of an open file; interrupted calls are repeated, a failure is an `errno`.
extension SpoolDirectory {
    /// The faults that a test injects; nil outside of tests.
    @TaskLocal package static var faults: (any SpoolFaults)?

    /// Appends all of `bytes`, in one call if the system takes them in one; returns what was written, and
    /// `errno`.
    package static func append(_ file: Int32, _ bytes: [UInt8]) -> (written: Int, error: Int32) {
        writeWhole(bytes, faults?.write(bytes.count, inPlace: false)) { rest, _ throws(SystemFailure) in
            try calls.write(file, rest, quietly: true)
        }
    }

    /// Writes all of `bytes` at `offset`; 0 or `errno`.
    static func write(_ file: Int32, _ bytes: [UInt8], at offset: Int) -> Int32 {
        let fault = faults.flatMap {
            $0.write(bytes.count, inPlace: offset + bytes.count <= (size(file) ?? 0))
        }
        return writeWhole(bytes, fault) { rest, written throws(SystemFailure) in
            try calls.perform(.write) {
                hw_write_at_quietly(file, rest.baseAddress, rest.count, Int64(offset + written))
            }
        }.error
    }

    /// Writes all of `bytes`, or what a fault lets through of them.
    private static func writeWhole(
        _ bytes: [UInt8], _ fault: (written: Int, error: Int32)?,
        _ write: (UnsafeRawBufferPointer, Int) throws(SystemFailure) -> Int
    ) -> (written: Int, error: Int32) {
        let (written, failure) = bytes.withUnsafeBytes { bytes in
            SystemCalls.writeWhole(
                UnsafeRawBufferPointer(rebasing: bytes.prefix(fault?.written ?? bytes.count)), write)
        }
        return (written, failure?.number ?? fault?.error ?? 0)
    }

    /// Cuts a file to a size; 0 or `errno`.
    static func truncate(_ file: Int32, to size: Int) -> Int32 {
        if let error = faults?.change(), error != 0 { return error }
        do throws(SystemFailure) { try calls.truncate(file, to: size) } catch { return error.number }
        return 0
    }

    /// Adds to `output` what the file has from `offset` to its end, `limit` bytes at most; 0 or `errno`.
    package static func read(_ file: Int32, from offset: Int, limit: Int, into output: inout [UInt8]) -> Int32
    {
        if let error = faults?.read(), error != 0 { return error }
        var position = offset
        let rest = max(1, (size(file) ?? limit) - offset)
        var buffer = [UInt8](repeating: 0, count: min(limit, 262_144, rest))
        do throws(SystemFailure) {
            while position - offset < limit {
                let wanted = min(buffer.count, limit - (position - offset))
                let count = try calls.fill(&buffer, wanted, from: file, at: position)
                output.append(contentsOf: buffer.prefix(count))
                if count < wanted { break }
                position += count
            }
        } catch {
            return error.number
        }
        return 0
    }

    /// Waits until the disk has the file's content; 0 or `errno`.
    static func synchronize(_ file: Int32) -> Int32 {
        if let error = faults?.synchronize(), error != 0 { return error }
        return fdatasync(file) == 0 ? 0 : hw_errno()
    }

    /// The file's size, or nil.
    static func size(_ file: Int32) -> Int? {
        var info = stat()
        return fstat(file, &info) == 0 ? Int(info.st_size) : nil
    }
}

/// What a test makes of a spool's file calls: a full disk, a failing one, or the death of the process in a
/// call.
package protocol SpoolFaults: AnyObject, Sendable {
    /// How many of `count` bytes a write takes, and the `errno` with which it fails then; nil: it takes all.
    ///
    /// With `inPlace` the bytes replace others, for which a disk needs no more room.
    func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)?
    /// The `errno` with which a call fails that makes, renames, removes or cuts a file; 0: it succeeds.
    func change() -> Int32
    /// The `errno` with which a call fails that reads a file, or opens it for that; 0: it succeeds.
    func read() -> Int32
    /// The `errno` with which a call fails that waits until the disk has a file; 0: it succeeds.
    func synchronize() -> Int32
    /// The `errno` with which a call fails that waits until the disk has the names of a directory; 0: it
    /// succeeds.
    func synchronizeNames() -> Int32
}

extension SpoolFaults {
    package func read() -> Int32 { 0 }
    package func synchronize() -> Int32 { 0 }
    package func synchronizeNames() -> Int32 { 0 }
}
