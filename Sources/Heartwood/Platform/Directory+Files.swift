import CHeartwood

/// The files of the directory: made, opened, listed, renamed and removed by name only.
extension Directory {
    /// What a file is opened for.
    package enum Access: Sendable {
        case reading
        /// Reading, and writing at the end.
        case appending
        /// Reading, and writing anywhere.
        case writing

        fileprivate var flags: Int32 {
            switch self {
            case .reading: O_RDONLY
            case .appending: O_RDWR | O_APPEND
            case .writing: O_RDWR
            }
        }
    }

    /// Whether a name can only mean an entry of this directory.
    package static func isSafe(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    func safe(_ name: String) throws(SystemFailure) {
        guard Directory.isSafe(name) else { throw .refused(.badName) }
    }

    /// Makes a file that did not exist, with exactly this mode.
    ///
    /// Where the file system has no modes, as of vfat and CIFS, the file is used as it is, unless its mode
    /// is a promise: `isSecret` says so of encrypted files and of journals.
    ///
    /// - Throws: ``SystemFailure`` of `EEXIST` where the name is taken, by whatever.
    package func create(
        _ name: String, mode: UInt32 = 0o600, for access: Access = .appending, isSecret: Bool = false
    ) throws(SystemFailure) -> Descriptor {
        try create(name, mode: mode, for: access, isSecret: isSecret, in: descriptor)
    }

    private func create(
        _ name: String, mode: UInt32, for access: Access, isSecret: Bool, in directory: Descriptor
    ) throws(SystemFailure) -> Descriptor {
        try safe(name)
        let flags = access.flags | O_CREAT | O_EXCL
        // Made with no more rights than its owner's, and given the others when it is surely ours.
        let number = try calls.openFile(directory.number, name, flags, mode: mode & 0o700)
        let file = try Descriptor(number, calls)
        do throws(SystemFailure) {
            if try file.status().mode != mode { try setMode(of: file, to: mode, isSecret: isSecret) }
        } catch {
            // Another process may have taken it for a file without a writer meanwhile.
            if (try? tryLock(file)) == true, let there = try? status(name)?.identity,
                file.identity == there
            {
                try? calls.unlink(directory.number, name)
            }
            throw error
        }
        return file
    }

    /// Finds out whether a file can be created, locked and marked; it is removed again.
    package func tryCreating(for application: String, isSecret: Bool = false) throws(SystemFailure) {
        let name = ".\(application).\(calls.process).new"
        let file: Descriptor
        do throws(SystemFailure) { file = try create(name, isSecret: isSecret) } catch {
            guard error.isError(EEXIST) else { throw error }
            try remove(name)
            file = try create(name, isSecret: isSecret)
        }
        defer { _ = try? remove(name) }
        _ = try tryLock(file)
        markFinished(file)
    }

    private func setMode(of file: Descriptor, to mode: UInt32, isSecret: Bool) throws(SystemFailure) {
        do throws(SystemFailure) { try calls.changeMode(file.number, to: mode) } catch {
            if isSecret { throw error }
            noteMissingModes(error)
        }
    }

    /// Opens a file that exists, after making sure that it is a log, or the spool's, and nothing else.
    ///
    /// Logs of other users are read; `acceptsLinked` accepts one that has another name.
    package func open(
        _ name: String, for access: Access = .appending, acceptsLinked: Bool = false
    ) throws(SystemFailure) -> (file: Descriptor, status: FileStatus) {
        try open(name, for: access, acceptsLinked: acceptsLinked, in: descriptor)
    }

    private func open(
        _ name: String, for access: Access, acceptsLinked: Bool, in directory: Descriptor
    ) throws(SystemFailure) -> (file: Descriptor, status: FileStatus) {
        try safe(name)
        let number: Int32
        do throws(SystemFailure) {
            number = try calls.openFile(directory.number, name, access.flags)
        } catch {
            // What open(2) says of a symbolic link, a directory, and a pipe without a reader.
            throw error.isError(ELOOP, EISDIR, ENXIO) ? .refused(.notRegular) : error
        }
        let file = try Descriptor(number, calls)
        let status = try file.status()
        let isForeign = status.owner != calls.user && (access != .reading || use == .spool)
        guard status.kind == .regular else { throw .refused(.notRegular) }
        guard !isForeign else { throw .refused(.foreignOwner) }
        guard status.links <= 1 || acceptsLinked else { throw .refused(.linked) }
        if access == .reading || acceptsLinked { return (file, status) }
        // Others may have linked a file of theirs to this name for a moment, and the count above is of
        // another moment: one call says that the file has this name, and no other.
        let named = try calls.status(directory.number, name)
        guard named.identity == status.identity else { throw SystemFailure(.open, ENOENT) }
        guard named.links <= 1 else { throw .refused(.linked) }
        return (file, status)
    }

    /// Opens a file, and makes it, for this user only, where it is missing.
    package func openOrCreate(
        _ name: String, for access: Access = .appending
    ) throws(SystemFailure) -> Descriptor {
        try openOrCreate(name, for: access, in: descriptor)
    }

    func openOrCreate(
        _ name: String, for access: Access, in directory: Descriptor
    ) throws(SystemFailure) -> Descriptor {
        do throws(SystemFailure) {
            return try open(name, for: access, acceptsLinked: false, in: directory).file
        } catch { guard error.isError(ENOENT) else { throw error } }
        do throws(SystemFailure) {
            return try create(name, mode: 0o600, for: access, isSecret: false, in: directory)
        } catch { guard error.isError(EEXIST) else { throw error } }
        // Another process was faster.
        return try open(name, for: access, acceptsLinked: false, in: directory).file
    }

    /// Gives a name to a file with this content, in place of the one that has it: at each moment one of them
    /// is there, and whole.
    ///
    /// - Parameters:
    ///   - content: The content.
    ///   - name: The name.
    ///   - temporary: The name until the content is complete; a file of this user that has it is removed.
    ///   - synchronizes: Whether the disk has the content before the file gets the name.
    /// - Throws: what fails; the file that has the name is unchanged.
    package func store(
        _ content: [UInt8], as name: String, through temporary: String, synchronizes: Bool = false
    ) throws(SystemFailure) {
        if let there = try status(temporary) {
            let isOurs = there.kind == .regular && there.owner == calls.user
            guard isOurs else { throw SystemFailure(.open, EEXIST) }
            try remove(temporary)
        }
        do throws(SystemFailure) {
            let file = try create(temporary)
            if let failure = file.append(content).failure { throw failure }
            if synchronizes {
                try SystemFailure.passingOverUnsupported { () throws(SystemFailure) in try file.sync() }
            }
            try replace(name, with: temporary)
        } catch {
            if !error.isError(EEXIST) { _ = try? remove(temporary) }
            throw error
        }
    }

    /// Opens a file and takes its lock, to remove it or to work on it.
    ///
    /// - Returns: the file, whose lock is held until it is released; nil where another process or logger has
    ///   the lock.
    /// - Throws: a refusal of what is not a regular file of this user, `ENOENT` where it is gone.
    package func hold(_ name: String) throws(SystemFailure) -> Descriptor? {
        var (file, status) = try open(name, for: .reading, acceptsLinked: true)
        guard status.owner == calls.user else { throw .refused(.foreignOwner) }
        do throws(SystemFailure) { guard try tryLock(file) else { return nil } } catch {
            // Network file systems lock only what is open for writing.
            guard error.isError(EBADF), file.isOurs else { throw error }
            (file, status) = try openWritable(name, file, status.mode)
            guard try tryLock(file) else { return nil }
        }
        // Until the lock was taken, the name may have become another file's.
        guard try self.status(name)?.identity == status.identity else { throw SystemFailure(.open, ENOENT) }
        return file
    }

    /// Opens a file for writing that may be finished, so that it has its write permission meanwhile.
    private func openWritable(
        _ name: String, _ file: Descriptor, _ mode: UInt32
    ) throws(SystemFailure) -> (file: Descriptor, status: FileStatus) {
        guard mode & 0o200 == 0 else { return try open(name, acceptsLinked: true) }
        return try calls.whileWritable(file.number, mode) { () throws(SystemFailure) in
            try open(name, acceptsLinked: true)
        }
    }

    /// Takes the write permission away from a file whose lock is held: it is finished, and never written
    /// again.
    ///
    /// - Returns: whether the file has that mark by now, and had it not before.
    @discardableResult
    func markFinished(_ file: Descriptor) -> Bool {
        do throws(SystemFailure) {
            let mode = try file.status().mode
            if mode & FileStatus.writing == 0 { return false }
            try calls.changeMode(file.number, to: mode & ~FileStatus.writing)
            if try file.status().mode & FileStatus.writing == 0 {
                noteModesWork()
                return true
            }
            note(missing: .modes)
        } catch { noteMissingModes(error) }
        return false
    }

    /// Notes that the file system has no modes, if the failed change of one says so.
    private func noteMissingModes(_ failure: SystemFailure) {
        let isRefused = failure.isError(EPERM) || failure.isUnsupported
        if failure.call == .changeMode, isRefused { note(missing: .modes) }
    }

    /// Finds out whether another process has finished a new file, whose lock is held by now; false where the
    /// file system keeps permissions of its own.
    func wasFinished(_ file: Descriptor) throws(SystemFailure) -> Bool {
        let mode = try file.status().mode
        if mode & 0o200 != 0 { return false }
        do throws(SystemFailure) { try calls.changeMode(file.number, to: mode | 0o200) } catch {
            noteMissingModes(error)
            if missing.contains(.modes) { return false }
            throw error
        }
        if try file.status().mode & 0o200 == 0 {
            note(missing: .modes)
            return false
        }
        try calls.changeMode(file.number, to: mode)
        return true
    }

    /// Whether a file has lost its write permission; false where the file system has no permissions.
    func isFinished(_ status: FileStatus) -> Bool {
        status.mode & 0o200 == 0 && !missing.contains(.modes)
    }

    /// Whether no process or logger writes to a file, as its lock tells; false where that cannot be found
    /// out.
    func isFree(_ name: String) -> Bool {
        guard let file = try? hold(name) else { return false }
        calls.unlock(file.number)
        return true
    }

    /// Whether there is an entry, or may be one.
    func mayHave(_ name: String) -> Bool {
        do { return try status(name) != nil } catch { return true }
    }

    /// The status of an entry itself; nil where the name does not exist.
    package func status(_ name: String) throws(SystemFailure) -> FileStatus? {
        try safe(name)
        let directory = try descriptor
        do throws(SystemFailure) {
            return try calls.status(directory.number, name)
        } catch {
            guard error.isError(ENOENT) else { throw error }
            return nil
        }
    }

    /// Gives a file another name, which must be free.
    ///
    /// Done as link and unlink, so that nothing is ever replaced; a crash between leaves both names. Where
    /// the file system has no links, the name is looked for first.
    ///
    /// - Returns: false where the file has kept its old name as well, which the caller has to remove later.
    package func rename(_ old: String, to new: String) throws(SystemFailure) -> Bool {
        try safe(old)
        try safe(new)
        let directory = try descriptor
        do throws(SystemFailure) {
            try calls.link(directory.number, old, to: new)
        } catch {
            guard error.isError(EPERM, ENOTSUP, EOPNOTSUPP, EMLINK, ENOSYS) else { throw error }
            if try status(new) != nil { throw SystemFailure(.rename, EEXIST) }
            try calls.rename(directory.number, old, to: new)
            return true
        }
        do throws(SystemFailure) {
            try calls.unlink(directory.number, old)
            return true
        } catch {
            // Another process that found both names may have removed the old one.
            return error.number == ENOENT
        }
    }

    /// Gives a file another name, and replaces what has that name; atomic.
    package func replace(_ new: String, with old: String) throws(SystemFailure) {
        try safe(old)
        try safe(new)
        try calls.rename(try descriptor.number, old, to: new)
    }

    /// Removes an entry.
    ///
    /// - Returns: false where there was none.
    @discardableResult
    package func remove(_ name: String) throws(SystemFailure) -> Bool {
        try safe(name)
        let directory = try descriptor
        do throws(SystemFailure) {
            try calls.unlink(directory.number, name)
            return true
        } catch {
            guard error.isError(ENOENT) else { throw error }
            return false
        }
    }

    /// Makes `name` a symbolic link to `target`; replaces a link that has the name, and nothing else.
    func pointLink(_ name: String, to target: String) throws(SystemFailure) {
        try safe(name)
        try safe(target)
        if let there = try status(name), there.kind != .symbolicLink { throw .refused(.notRegular) }
        let directory = try descriptor
        let temporary = ".\(name).\(calls.process).new"
        try remove(temporary)
        try calls.symlink(directory.number, temporary, to: target)
        try calls.rename(directory.number, temporary, to: name)
    }

    /// Moves a file into a directory in this one.
    package func move(_ name: String, into other: Directory) throws(SystemFailure) {
        try safe(name)
        try calls.move(descriptor.number, name, into: other.descriptor.number)
    }

    /// The regular files and their sizes, in no order; without those that are gone meanwhile.
    package func regularFiles() throws(SystemFailure) -> [(name: String, size: Int)] {
        try entries(.regular).map { ($0.name, $0.status.size) }
    }

    /// The names of the directories in this one, in no order.
    package func subdirectories() throws(SystemFailure) -> [String] { try entries(.directory).map(\.name) }

    private func entries(
        _ kind: FileStatus.Kind
    ) throws(SystemFailure) -> [(name: String, status: FileStatus)] {
        let directory = try descriptor
        var entries: [(name: String, status: FileStatus)] = []
        for name in try calls.names(directory.number) {
            guard let status = try? calls.status(directory.number, name) else { continue }
            if status.kind == kind { entries.append((name, status)) }
        }
        return entries
    }

    /// All names, in no order.
    package func names() throws(SystemFailure) -> [String] { try calls.names(try descriptor.number) }

    /// The files whose names `recognize` knows, in no order: with what it says of them, and their status or
    /// why that cannot be read.
    ///
    /// A file that is compressed or renamed meanwhile loses the name that was listed and gets one that was
    /// not. So the names are read again if one of them is gone, twice at most.
    func files<Known>(
        _ recognize: (String) -> Known?
    ) throws(SystemFailure) -> [(name: String, known: Known, status: Result<FileStatus, SystemFailure>)] {
        var attempts = 3
        while true {
            attempts -= 1
            var files: [(name: String, known: Known, status: Result<FileStatus, SystemFailure>)] = []
            var isGone = false
            let directory = try descriptor
            for name in try calls.names(directory.number) {
                guard let known = recognize(name) else { continue }
                do throws(SystemFailure) {
                    files.append((name, known, .success(try calls.status(directory.number, name))))
                } catch {
                    if error.number == ENOENT {
                        isGone = true
                    } else {
                        files.append((name, known, .failure(error)))
                    }
                }
            }
            if !isGone || attempts == 0 { return files }
        }
    }
}
