import CHeartwood

/// A directory that is held open, so that no name in its path is looked up twice: of log files, of a journal,
/// or a spool.
///
/// 1. Nothing outside of the directory is ever opened, made, renamed or removed: names with `/` are refused.
/// 2. Nothing is opened through a symbolic link, and only regular files are opened, which belong to this user
///    and have no other name. What was planted there is refused, unread and unwritten.
/// 3. A file is made with `O_EXCL`: it never replaces another one, and never inherits foreign permissions.
/// 4. Every failure is a ``SystemFailure``, refusals by 1 and 2 included; opening the directory throws a
///    ``LogError``.
///
/// Every member may be used from any thread.
package final class Directory: Sendable {
    /// What a directory is for.
    package enum Use: Sendable {
        /// Log files, which processes share and other users may read.
        case logs
        /// Files of one store, whose lock is held as long as the directory is open. It belongs to this user,
        /// and its path does not end in a link.
        case spool

        /// What errors call it.
        var name: String { self == .logs ? "log directory" : "spool's directory" }
        /// The name of the lock.
        package static let lock = "lock"
    }

    private struct State {
        var descriptor: Descriptor
        /// How many of the last directories of the path were made, whose names the disk may not have.
        var made: Int
        /// The lock of a spool.
        var lock: Descriptor?
        /// What the file system does not have, and files are used without.
        var missing: Set<Feature> = []
        /// A lock was taken once.
        var hasLocked = false
        /// A file was marked as finished once.
        var hasMarked = false
        /// How often the directory was opened again.
        var reopenings = 0
    }

    /// What a file system may not have.
    package enum Feature: Sendable { case locks, modes, attributes }

    // MARK: Constants (any thread)
    /// The absolute path, without a final slash.
    package let path: String
    package let calls: SystemCalls
    let use: Use
    private let policy: LogDirectoryPolicy

    // MARK: Guarded by 'state'
    private let state: Locked<State>

    /// Opens the directory, and makes it, with those above it, where it is missing and `isMade` says so.
    ///
    /// A path that begins with `~/` is in the home directory of the user.
    ///
    /// - Throws: ``LogError`` of code `unsafe` where others may write to it, `inUse` where another process or
    ///   logger has the spool, `setting` for a path that cannot name a directory, else `file`.
    package init(
        _ path: String, for use: Use = .logs, policy: LogDirectoryPolicy = LogDirectoryPolicy(),
        calls: SystemCalls = SystemCalls(), isMade: Bool = true
    ) throws(LogError) {
        var path = try HomeDirectory.expand(path)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw LogError(
                .setting, "The path of the \(use.name) is empty or contains a null byte", place: path)
        }
        (self.path, self.use, self.policy, self.calls) = (path.absolutePath(), use, policy, calls)
        state = Locked(try Directory.open(self.path, use, policy, calls, isMade))
        let lock = try takeLock(in: state.withLock { $0.descriptor })
        state.withLock { $0.lock = lock }
    }

    /// Opens a subdirectory, which must belong to this user and not be a link; it has no lock.
    private init(_ name: String, in parent: Directory) throws(SystemFailure) {
        path = parent.path + "/" + name
        (calls, use, policy) = (parent.calls, parent.use, parent.policy)
        let number = try calls.openFile(parent.descriptor.number, name, O_RDONLY | O_DIRECTORY)
        let descriptor = try Descriptor(number, calls)
        guard try descriptor.status().owner == calls.user else { throw .refused(.foreignOwner) }
        state = Locked(State(descriptor: descriptor, made: 0))
    }

    /// The descriptor; keep the object as long as the number is used.
    ///
    /// Where the program has closed it, the directory is opened again, and so is a spool's lock.
    ///
    /// - Throws: ``SystemFailure`` of `EBADF` where that is not possible, the path leads to another
    ///   directory, or another process has the lock by now.
    package var descriptor: Descriptor {
        get throws(SystemFailure) {
            let (held, lock) = state.withLock { ($0.descriptor, $0.lock) }
            if held.isOurs, lock?.isOurs ?? true { return held }
            let fresh = held.isOurs ? held : try? Directory.open(path, use, policy, calls, false).descriptor
            guard let fresh, fresh.identity == held.identity else { throw SystemFailure(.open, EBADF) }
            var freshLock = lock
            if lock?.isOurs == false {
                do throws(LogError) { freshLock = try takeLock(in: fresh) } catch {
                    // Another thread may have taken it.
                    freshLock = state.withLock { $0.lock }
                    guard freshLock?.isOurs == true else { throw SystemFailure(.lock, EBADF) }
                }
            }
            state.withLock {
                ($0.descriptor, $0.lock) = (fresh, freshLock)
                $0.reopenings += 1
            }
            return fresh
        }
    }

    /// Opens the path of logs again, and creates it where it is gone; for a directory that was removed or
    /// replaced.
    package func reopen() throws(LogError) {
        precondition(use == .logs, "a spool would meet its own lock")
        let fresh = try Directory.open(path, use, policy, calls, true)
        state.withLock {
            ($0.descriptor, $0.made) = (fresh.descriptor, fresh.made)
            $0.reopenings += 1
        }
    }

    /// Opens the directory once more, for a lock of its own.
    func openAgain() throws(SystemFailure) -> Descriptor {
        try Descriptor(calls.openFile(descriptor.number, ".", O_RDONLY | O_DIRECTORY), calls)
    }

    /// How often the directory was opened again, since it was replaced or the program has closed it.
    var reopenings: Int { state.withLock { $0.reopenings } }

    /// What the file system turned out not to have.
    package var missing: Set<Feature> { state.withLock { $0.missing } }

    /// Notes that the file system does not have something; a mode that was changed once tells that it has
    /// modes.
    func note(missing feature: Feature) {
        state.withLock { if feature != .modes || !$0.hasMarked { $0.missing.insert(feature) } }
    }

    func noteModesWork() {
        state.withLock {
            $0.hasMarked = true
            $0.missing.remove(.modes)
        }
    }

    /// How many of the last directories of the path were made, whose names the disk may not have.
    package var made: Int { state.withLock { $0.made } }

    /// Where the directory is new, counts so many of those above it, which were made before.
    package func addMade(_ count: Int) { state.withLock { if $0.made > 0 { $0.made += count } } }

    /// Takes the lock of an open file without waiting; false where another open file has it.
    ///
    /// On a file system without locks, as some network file systems are, it is taken for held: no other
    /// process can have it. A failure after a lock that worked is one of this call, and thrown.
    package func tryLock(_ file: Descriptor, shared: Bool = false) throws(SystemFailure) -> Bool {
        do throws(SystemFailure) {
            let isTaken = try calls.tryLock(file.number, shared: shared)
            state.withLock {
                $0.hasLocked = true
                $0.missing.remove(.locks)
            }
            return isTaken
        } catch {
            guard error.hasNoLocks, !state.withLock({ $0.hasLocked }) else { throw error }
            note(missing: .locks)
            return true
        }
    }

    /// Puts the names on the disk, those of directories that were made as well: without it, a file that was
    /// made or renamed may have its old name after a power cut.
    package func sync() throws(SystemFailure) {
        let descriptor = try descriptor
        var made = state.withLock { $0.made }
        defer { state.withLock { if $0.descriptor === descriptor { $0.made = made } } }
        try calls.syncDirectory(descriptor.number, made: &made)
    }

    /// Whether the path still leads to the directory that is open.
    package var isInPlace: Bool {
        guard let held = try? state.withLock({ $0.descriptor }).status(), held.links > 0 else { return false }
        // Through "/." so that a symbolic link at the end of the path is followed, as it was when it was
        // opened.
        guard let there = try? calls.status(path: path + "/.") else { return false }
        return there.identity == held.identity
    }

    // MARK: Directories in it

    /// Opens a subdirectory, which must belong to this user and not be a link; makes it where it is missing
    /// and `isMade` says so.
    package func subdirectory(_ name: String, isMade: Bool = false) throws(SystemFailure) -> Directory {
        try safe(name)
        if isMade {
            do { try calls.makeDirectory(descriptor.number, name, mode: 0o700) } catch
                where error.isError(EEXIST)
            {}
        }
        return try Directory(name, in: self)
    }

    /// Removes a directory in this one with its files, if it is there; `rank` says which files go first.
    package func removeDirectory(
        _ name: String, rank: (String) -> Int = { _ in 0 }
    ) throws(SystemFailure) {
        do {
            let inner = try subdirectory(name)
            for file in try inner.regularFiles().map(\.name).sorted(by: { rank($0) < rank($1) }) {
                try inner.remove(file)
            }
            try calls.removeDirectory(descriptor.number, name)
        } catch  where error.isError(ENOENT) {}
    }

    // MARK: Opening

    private static func descriptor(
        _ path: String, _ use: Use, _ calls: SystemCalls
    ) throws(SystemFailure) -> Descriptor {
        switch use {
        case .logs: try Descriptor(calls.openDirectory(path), calls)
        case .spool: try Descriptor(calls.openFile(AT_FDCWD, path, O_RDONLY | O_DIRECTORY), calls)
        }
    }

    private static func open(
        _ path: String, _ use: Use, _ policy: LogDirectoryPolicy, _ calls: SystemCalls, _ isMade: Bool
    ) throws(LogError) -> State {
        let descriptor: Descriptor
        var made = 0
        do throws(SystemFailure) { descriptor = try self.descriptor(path, use, calls) } catch {
            guard error.isError(ENOENT), isMade else {
                throw LogError(
                    .file,
                    "Cannot open the \(use.name); "
                        + (error.isError(ENOTDIR, ELOOP)
                            ? "it is a link, or no directory: choose another one" : "check its permissions"),
                    place: path, cause: error.number)
            }
            do throws(SystemFailure) {
                made = try calls.makeDirectories(path, mode: UInt32(policy.mode.bits))
                descriptor = try self.descriptor(path, use, calls)
            } catch {
                throw LogError(
                    .file,
                    "Cannot create the \(use.name); "
                        + (error.isError(EROFS)
                            ? "choose one on a volume that is not read-only"
                            : "create it, or make its parent writable"),
                    place: path, cause: error.number)
            }
        }
        try check(descriptor, path, use, policy, user: calls.user)
        return State(descriptor: descriptor, made: made)
    }

    private static func check(
        _ descriptor: Descriptor, _ path: String, _ use: Use, _ policy: LogDirectoryPolicy, user: UInt32
    ) throws(LogError) {
        let status: FileStatus
        do throws(SystemFailure) { status = try descriptor.status() } catch {
            throw LogError(.file, "Cannot examine the \(use.name)", place: path, cause: error.number)
        }
        guard !policy.acceptsShared else { return }
        let advice =
            use == .logs ? ", or set `acceptsSharedDirectory` of a file logger or database" : ""
        let or = use == .logs ? "" : "or "
        guard status.mode & 0o022 == 0 else {
            throw LogError(
                .unsafe,
                "Other users can write to the \(use.name) and could plant links in it; use a directory in it,"
                    + " \(or)remove that permission (chmod go-w)" + advice, place: path)
        }
        guard status.owner == user || status.owner == 0 && use == .logs else {
            throw LogError(
                .unsafe,
                "The \(use.name) belongs to another user (\(status.owner)); choose another one" + advice,
                place: path)
        }
    }

    /// Takes the lock of a spool in its directory.
    private func takeLock(in directory: Descriptor) throws(LogError) -> Descriptor? {
        guard use == .spool else { return nil }
        let file: Descriptor
        do throws(SystemFailure) { file = try openOrCreate(Use.lock, for: .writing, in: directory) } catch {
            let place = path + "/" + Use.lock
            if let refusal = error.refusal {
                throw LogError(
                    .unsafe, "The spool's lock cannot be used, because \(refusal.explanation); remove it",
                    place: place)
            }
            throw LogError(.file, "Cannot create the spool's lock", place: place, cause: error.number)
        }
        let isTaken: Bool
        do throws(SystemFailure) { isTaken = try calls.tryLock(file.number) } catch {
            throw LogError(
                .file,
                error.hasNoLocks
                    ? "The file system of the spool has no locks; choose a directory on another one"
                    : "Cannot lock the spool", place: path, cause: error.number)
        }
        guard isTaken else {
            let content = (try? calls.bytes(20, of: file.number, at: 0)) ?? []
            let process = String(decoding: content, as: UTF8.self).prefix { $0.isNumber }
            throw LogError(
                .inUse,
                "Another logger, in process \(process), uses this spool; give each logger its own directory",
                place: path)
        }
        // For the message above only: one that died with the lock has lost it.
        if (try? file.truncate(to: 0)) != nil {
            try? file.write(Array("\(ProcessFacts.identifier)\n".utf8), at: 0)
        }
        return file
    }
}
