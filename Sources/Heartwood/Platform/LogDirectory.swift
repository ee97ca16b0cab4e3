import CHeartwood

/// The directory that a file logger works in, held open, so that no name in its path is looked up twice.
///
/// 1. Nothing outside of the directory is ever opened, made, renamed or removed: names with `/` are refused.
/// 2. Nothing is opened through a symbolic link, and only regular files are opened, which belong to this user
///    and have no other name. What was planted there is refused, unread and unwritten.
/// 3. A file is made with `O_EXCL`: it never replaces another one, and never inherits foreign permissions.
///
/// Every member may be used from any thread.
package final class LogDirectory: Sendable {
    private struct State {
        var descriptor: Descriptor
        /// How many of the last directories of the path were made, whose names the disk may not have.
        var made: Int
        /// What the file system does not have, and files are used without.
        var missing: Set<Feature> = []
        /// A lock was taken once.
        var hasLocked = false
        /// How often the directory was opened again.
        var reopenings = 0
    }

    /// What a file system may not have.
    package enum Feature: Sendable { case locks, modes }

    // MARK: Constants (any thread)
    /// The path as it was given, without a final slash.
    package let path: String
    package let calls: SystemCalls
    private let policy: LogDirectoryPolicy

    // MARK: Guarded by 'state'
    private let state: Locked<State>

    /// Opens the directory, and makes it, with those above it, where it is missing and `isMade` says so.
    ///
    /// A path that begins with `~/` is in the home directory of the user.
    ///
    /// - Throws: ``LogError`` of code `unsafe` where others may write to it, `setting` for a path that cannot
    ///   name a directory, else `file`.
    package init(
        _ path: String, policy: LogDirectoryPolicy = LogDirectoryPolicy(), calls: SystemCalls = SystemCalls(),
        isMade: Bool = true
    ) throws {
        var path = try HomeDirectory.expand(path)
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw LogError(
                .setting, "The path of the log directory is empty or contains a null byte", place: path)
        }
        self.path = path.absolutePath()
        self.policy = policy
        self.calls = calls
        self.state = Locked(try LogDirectory.open(self.path, policy, calls, isMade))
    }

    /// The descriptor; keep the object as long as the number is used.
    ///
    /// Where the program has closed it, the directory is opened again.
    ///
    /// - Throws: ``SystemFailure`` of `EBADF` where that is not possible, or the path leads to another one.
    package var descriptor: Descriptor {
        get throws(SystemFailure) {
            let held = state.withLock { $0.descriptor }
            if held.isOurs { return held }
            guard let fresh = try? LogDirectory.open(path, policy, calls, false).descriptor,
                fresh.identity == held.identity
            else { throw SystemFailure(.open, EBADF) }
            state.withLock {
                $0.descriptor = fresh
                $0.reopenings += 1
            }
            return fresh
        }
    }

    /// Opens the path again, and creates it where it is gone; for a directory that was removed or replaced.
    package func reopen() throws {
        let fresh = try LogDirectory.open(path, policy, calls)
        state.withLock {
            ($0.descriptor, $0.made) = (fresh.descriptor, fresh.made)
            $0.reopenings += 1
        }
    }

    /// How often the directory was opened again, since it was replaced or the program has closed it.
    var reopenings: Int { state.withLock { $0.reopenings } }

    /// What the file system turned out not to have.
    package var missing: Set<Feature> { state.withLock { $0.missing } }

    func note(missing feature: Feature) { state.withLock { _ = $0.missing.insert(feature) } }

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
        try calls.syncDirectory(descriptor.number, made: &made)
        state.withLock { if $0.descriptor === descriptor { $0.made = made } }
    }

    /// Whether the path still leads to the directory that is open.
    package var isInPlace: Bool {
        guard let held = try? state.withLock({ $0.descriptor }).status(), held.links > 0 else { return false }
        // Through "/." so that a symbolic link at the end of the path is followed, as it was when it was
        // opened.
        guard let there = try? calls.status(path: path + "/.") else { return false }
        return there.identity == held.identity
    }

    // MARK: Opening

    private static func open(
        _ path: String, _ policy: LogDirectoryPolicy, _ calls: SystemCalls, _ isMade: Bool = true
    ) throws -> State {
        let number: Int32
        var made = 0
        do {
            number = try calls.openDirectory(path)
        } catch let failure where failure.number == ENOENT && isMade {
            do {
                made = try calls.makeDirectories(path, mode: UInt32(policy.mode.bits))
                number = try calls.openDirectory(path)
            } catch {
                throw LogError(
                    .file,
                    error.number == EROFS
                        ? "Cannot create the log directory; choose one on a volume that is not read-only"
                        : "Cannot create the log directory; create it, or make its parent writable",
                    place: path, cause: error.number)
            }
        } catch {
            throw LogError(
                .file, "Cannot open the log directory; check its permissions", place: path,
                cause: error.number)
        }
        let descriptor: Descriptor
        do {
            descriptor = try Descriptor(number, calls)
            try check(descriptor.status(), path, policy, user: calls.user)
        } catch let failure as SystemFailure {
            throw LogError(.file, "Cannot examine the log directory", place: path, cause: failure.number)
        }
        return State(descriptor: descriptor, made: made)
    }

    private static func check(
        _ status: FileStatus, _ path: String, _ policy: LogDirectoryPolicy, user: UInt32
    ) throws {
        guard !policy.acceptsShared else { return }
        guard status.mode & 0o022 == 0 else {
            throw LogError(
                .unsafe,
                "Other users can write to the log directory and could "
                    + "plant links in it; use a directory in it, remove that permission"
                    + " (chmod go-w), or set `acceptsSharedDirectory` of a file logger or database",
                place: path)
        }
        guard status.owner == user || status.owner == 0 else {
            throw LogError(
                .unsafe,
                "The log directory belongs to another user; choose another one, or set"
                    + " `acceptsSharedDirectory` of a file logger or database", place: path)
        }
    }
}
