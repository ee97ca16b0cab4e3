import CHeartwood
import Heartwood

/// A directory that is ours alone: opened once, locked, and reached by its descriptor only.
///
/// Files are made with mode 0600, opened with `O_NOFOLLOW`, and must be regular, ours and without a second
/// name; nothing is written to or cut off one that is not. The same holds for the directories in it, which
/// are never links. A failed call returns its `errno`; nothing here throws after ``init(path:)``.
///
/// A number is ours while it leads to what was opened. Where the program has closed it, calls with it fail
/// with `EBADF`; the directory and its lock are opened again.
package final class SpoolDirectory {
    let path: String
    private var directory: Descriptor
    private var lock: Descriptor
    /// The files that are open, by their numbers.
    private var files: [Int32: Descriptor] = [:]
    /// How many of the last directories of the path were made, whose names the disk may not have.
    private(set) var made: Int

    /// What files are reached by.
    let calls: SystemCalls

    /// Makes the directory where it is missing (mode 0700), and locks it.
    ///
    /// - Throws: `LogError`: `.inUse` when another logger or process has it, `.unsafe` when others may write
    ///   in it, `.file` when the system refuses, `.setting` for a path that is empty or has a zero byte.
    init(path: String, _ calls: SystemCalls = SystemCalls()) throws {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw LogError(
                .setting, "The path of the spool's directory is empty or contains a null byte", place: path)
        }
        (self.path, self.calls) = (path.absolutePath(), calls)
        var isThere = false
        do throws(SystemFailure) {
            made = try calls.makeDirectories(path, mode: 0o700)
            isThere = true
            directory = try Self.openDirectory(self.path, calls)
        } catch {
            throw LogError(
                .file,
                isThere ? "cannot open the spool's directory" : "cannot create the spool's directory",
                place: path, cause: error.number)
        }
        try Self.check(directory, path, calls)
        lock = try Self.takeLock(directory.number, path, calls)
    }

    private static func openDirectory(
        _ path: String, _ calls: SystemCalls
    ) throws(SystemFailure) -> Descriptor {
        try Descriptor(calls.openFile(AT_FDCWD, path, O_RDONLY | O_DIRECTORY), calls)
    }

    /// The number of the directory; opens it again, with its lock, where the program has closed them.
    ///
    /// - Throws: `EBADF` where the path leads to another directory, or another process has the lock by now.
    private var descriptor: Int32 {
        get throws(SystemFailure) {
            if !directory.isOurs {
                let fresh = try Self.openDirectory(path, calls)
                guard fresh.identity == directory.identity else { throw SystemFailure(.open, EBADF) }
                directory = fresh
            }
            if !lock.isOurs {
                guard let fresh = try? Self.takeLock(directory.number, path, calls) else {
                    throw SystemFailure(.lock, EBADF)
                }
                lock = fresh
            }
            return directory.number
        }
    }

    // MARK: Files

    /// Opens a file of the directory; negative on failure, with the reason in `errno`.
    func open(_ name: String, _ flags: Int32) -> Int32 {
        keepOpen { () throws(SystemFailure) in try Self.open(name, flags, in: descriptor, calls) }
    }

    /// Opens a file of a directory in this one; negative on failure, with the reason in `errno`.
    func open(_ name: String, in subdirectory: String, _ flags: Int32) -> Int32 {
        let place = openDirectory(subdirectory)
        guard place >= 0 else { return -1 }
        defer { calls.close(place) }
        return keepOpen { () throws(SystemFailure) in try Self.open(name, flags, in: place, calls) }
    }

    private static func open(
        _ name: String, _ flags: Int32, in directory: Int32, _ calls: SystemCalls
    ) throws(SystemFailure) -> Descriptor {
        // A file is emptied only after it is known to be ours.
        let file = try Descriptor(calls.openFile(directory, name, flags & ~O_TRUNC, mode: 0o600), calls)
        let status = try file.status()
        let isOwn = status.kind == .regular && status.owner == calls.user && status.links == 1
        guard isOwn else { throw SystemFailure(.open, EPERM) }
        if flags & O_TRUNC != 0 { try calls.truncate(file.number, to: 0) }
        return file
    }

    /// Keeps a file that `body` opens; the number, or -1 with the reason in `errno`.
    private func keepOpen(_ body: () throws(SystemFailure) -> Descriptor) -> Int32 {
        Self.number { () throws(SystemFailure) in
            let file = try body()
            files[file.number] = file
            return file.number
        }
    }

    /// Checks that a number is that of a file which is open here.
    private func check(_ file: Int32) throws(SystemFailure) {
        guard files[file]?.isOurs == true else { throw SystemFailure(.status, EBADF) }
    }

    /// Opens a directory in this one that is no link and ours; negative on failure, with the reason in
    /// `errno`.
    private func openDirectory(_ name: String) -> Int32 {
        Self.number { () throws(SystemFailure) in
            let place = try calls.openFile(try descriptor, name, O_RDONLY | O_DIRECTORY)
            do throws(SystemFailure) {
                guard try calls.status(place).owner == calls.user else { throw SystemFailure(.open, EPERM) }
            } catch {
                calls.close(place)
                throw error
            }
            return place
        }
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
        Self.error(accepting: ENOENT) { () throws(SystemFailure) in try calls.unlink(try descriptor, name) }
    }

    /// Gives a file another name; 0 or `errno`.
    func rename(_ name: String, to other: String) -> Int32 {
        Self.error { () throws(SystemFailure) in try calls.rename(try descriptor, name, to: other) }
    }

    /// Moves a file into a directory in this one, which is made where it is missing; 0 or `errno`.
    func move(_ name: String, into subdirectory: String) -> Int32 {
        let error = makeDirectory(subdirectory)
        if error != 0 { return error }
        let place = openDirectory(subdirectory)
        guard place >= 0 else { return hw_errno() }
        defer { calls.close(place) }
        return Self.error { () throws(SystemFailure) in try calls.move(try descriptor, name, into: place) }
    }

    /// Makes a directory inside of this one, where it is missing; 0 or `errno`.
    func makeDirectory(_ name: String) -> Int32 {
        Self.error(accepting: EEXIST) { () throws(SystemFailure) in
            try calls.makeDirectory(try descriptor, name, mode: 0o700)
        }
    }

    /// Where the directory is new: so many of those above it have names that the disk may not have, either.
    func noteMade(above count: Int) { if made > 0 { made += count } }

    /// Makes names durable, that of the directory as well; 0 or `errno`.
    func synchronize() -> Int32 {
        Self.error { () throws(SystemFailure) in try calls.syncDirectory(try descriptor, made: &made) }
    }

    /// Whether a file system has no such call as waiting for the disk, and no other way to keep anything.
    static func isUnsupported(_ error: Int32) -> Bool {
        SystemFailure(.sync, error).isUnsupported
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
        defer { calls.close(place) }
        let rank = { (file: String) in file.hasSuffix(".seg") ? 0 : file == "lock" ? 2 : 1 }
        for file in (list(name) ?? []).sorted(by: { rank($0.name) < rank($1.name) }) {
            let error = Self.error(accepting: ENOENT) { () throws(SystemFailure) in
                try calls.unlink(place, file.name)
            }
            if error != 0 { return error }
        }
        return Self.error(accepting: ENOENT) { () throws(SystemFailure) in
            try calls.removeDirectory(try descriptor, name)
        }
    }

    /// Opens `a/b`, neither of which is a link.
    private func openNested(_ path: String) -> Int32 {
        var place = openDirectory(".")
        for name in path.split(separator: "/") where place >= 0 {
            let next = Self.number { () throws(SystemFailure) in
                try calls.openFile(place, String(name), O_RDONLY | O_DIRECTORY)
            }
            let error = hw_errno()
            calls.close(place)
            SystemCalls.setErrno(error)
            place = next
        }
        return place
    }

    private func entries(of subdirectory: String) -> [(name: String, status: FileStatus)]? {
        let place = subdirectory.contains("/") ? openNested(subdirectory) : openDirectory(subdirectory)
        guard place >= 0 else { return nil }
        defer { calls.close(place) }
        do throws(SystemFailure) {
            return try calls.names(place).compactMap { name in
                (try? calls.status(place, name)).map { (name, $0) }
            }
        } catch {
            SystemCalls.setErrno(error.number)
            return nil
        }
    }

    // MARK: Setting up

    /// Whether there is a directory of that name.
    static func exists(_ path: String) -> Bool {
        var info = stat()
        return stat(path, &info) == 0 && info.st_mode & 0o170000 == 0o040000
    }

    private static func check(_ directory: Descriptor, _ path: String, _ calls: SystemCalls) throws {
        let status: FileStatus
        do throws(SystemFailure) { status = try directory.status() } catch {
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

    private static func takeLock(
        _ directory: Int32, _ path: String, _ calls: SystemCalls
    ) throws -> Descriptor {
        let file: Descriptor
        do throws(SystemFailure) { file = try open("lock", O_RDWR | O_CREAT, in: directory, calls) } catch {
            let cause = error.number
            guard cause != EPERM && cause != ELOOP else {
                throw LogError(
                    .unsafe, "the spool's lock is a link or belongs to another user; remove it",
                    place: path + "/lock")
            }
            throw LogError(.file, "cannot create the spool's lock", place: path + "/lock", cause: cause)
        }
        let isTaken: Bool
        do throws(SystemFailure) { isTaken = try calls.tryLock(file.number) } catch {
            throw LogError(
                .file,
                error.hasNoLocks
                    ? "the file system of the spool has no locks; choose a directory on another one"
                    : "cannot lock the spool", place: path, cause: error.number)
        }
        guard isTaken else {
            let bytes = (try? calls.bytes(20, of: file.number, at: 0)) ?? []
            let owner = String(decoding: bytes, as: UTF8.self).prefix { $0.isNumber }
            throw LogError(
                .inUse,
                "another logger, in process \(owner), uses this spool; give each logger its own directory",
                place: path)
        }
        // For the message above only: who died holding the lock has lost it.
        let owner = Array("\(ProcessFacts.identifier)\n".utf8)
        if (try? calls.truncate(file.number, to: 0)) != nil {
            _ = owner.withUnsafeBytes { owner in try? calls.write(file.number, owner, at: 0) }
        }
        return file
    }
}

// Whole reads and writes of an open file; interrupted calls are repeated, a failure is an `errno`.
extension SpoolDirectory {
    func close(_ file: Int32) { files[file] = nil }

    /// Appends all of `bytes`, in one call if the system takes them in one; returns what was written, and
    /// `errno`.
    package func append(_ file: Int32, _ bytes: [UInt8]) -> (written: Int, error: Int32) {
        writeWhole(file, bytes) { rest, _ throws(SystemFailure) in
            try calls.write(file, rest, quietly: true)
        }
    }

    /// Writes all of `bytes` at `offset`; 0 or `errno`.
    func write(_ file: Int32, _ bytes: [UInt8], at offset: Int) -> Int32 {
        writeWhole(file, bytes) { rest, written throws(SystemFailure) in
            try calls.write(file, rest, at: offset + written)
        }.error
    }

    private func writeWhole(
        _ file: Int32, _ bytes: [UInt8], _ write: (UnsafeRawBufferPointer, Int) throws(SystemFailure) -> Int
    ) -> (written: Int, error: Int32) {
        guard files[file]?.isOurs == true else { return (0, EBADF) }
        let (written, failure) = bytes.withUnsafeBytes { SystemCalls.writeWhole($0, write) }
        return (written, failure?.number ?? 0)
    }

    /// Cuts a file to a size; 0 or `errno`.
    func truncate(_ file: Int32, to size: Int) -> Int32 {
        Self.error { () throws(SystemFailure) in
            try check(file)
            try calls.truncate(file, to: size)
        }
    }

    /// Adds to `output` what the file has from `offset` to its end, `limit` bytes at most; 0 or `errno`.
    package func read(_ file: Int32, from offset: Int, limit: Int, into output: inout [UInt8]) -> Int32 {
        var position = offset
        let rest = max(1, (size(file) ?? limit) - offset)
        var buffer = [UInt8](repeating: 0, count: min(limit, 262_144, rest))
        do throws(SystemFailure) {
            try check(file)
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
    func synchronize(_ file: Int32) -> Int32 {
        Self.error { () throws(SystemFailure) in
            try check(file)
            try calls.sync(file)
        }
    }

    /// The status of a file that is open here; nil on failure.
    func status(of file: Int32) -> FileStatus? { try? files[file]?.status() }

    /// The file's size; nil on failure, with the reason in `errno`.
    func size(_ file: Int32) -> Int? {
        do throws(SystemFailure) {
            guard let file = files[file] else { throw SystemFailure(.status, EBADF) }
            return try file.status().size
        } catch {
            SystemCalls.setErrno(error.number)
            return nil
        }
    }
}
