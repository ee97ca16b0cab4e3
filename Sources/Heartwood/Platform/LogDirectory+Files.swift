import CHeartwood

/// The files of the directory: made, opened, listed, renamed and removed by name only.
extension LogDirectory {
    /// Why a name was refused.
    package enum Refusal: Error, Sendable, Hashable {
        /// The name is empty, is `.` or `..`, or has a slash or a zero byte in it.
        case badName
        /// A symbolic link, a pipe, a device or a directory has the name.
        case notRegular
        /// The file belongs to another user.
        case foreignOwner
        /// The file has another name as well, which could be anywhere.
        case linked
    }

    /// Whether a name can only mean an entry of this directory.
    package static func isSafe(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && name.utf8.count <= 255
            && !name.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
    }

    private func safe(_ name: String) throws(Refusal) {
        guard LogDirectory.isSafe(name) else { throw .badName }
    }

    /// Makes a file that did not exist, for appending, with exactly this mode.
    ///
    /// Where the file system has no modes, as of vfat and CIFS, the file is used as it is, unless its mode
    /// is a promise: `isSecret` says so of encrypted files and of journals.
    ///
    /// - Throws: ``SystemFailure`` of `EEXIST` where the name is taken, by whatever.
    package func create(
        _ name: String, mode: UInt32, readable: Bool = true, isSecret: Bool = false
    ) throws -> Descriptor {
        try safe(name)
        let flags = (readable ? O_RDWR : O_WRONLY) | O_APPEND | O_CREAT | O_EXCL
        let directory = try descriptor
        // Made with no more rights than its owner's, and given the others when it is surely ours.
        let number = try calls.openFile(directory.number, name, flags, mode: mode & 0o700)
        let file = try Descriptor(number, calls)
        do {
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

    /// Finds out whether a file can be created and locked; it is removed again.
    package func tryCreating(for application: String, isSecret: Bool = false) throws {
        let name = ".\(application).\(calls.process).new"
        let file: Descriptor
        do { file = try create(name, mode: 0o600, isSecret: isSecret) } catch let failure as SystemFailure
            where failure.number == EEXIST
        {
            try remove(name)
            file = try create(name, mode: 0o600, isSecret: isSecret)
        }
        defer { _ = try? remove(name) }
        _ = try tryLock(file)
    }

    private func setMode(of file: Descriptor, to mode: UInt32, isSecret: Bool) throws(SystemFailure) {
        do throws(SystemFailure) { try calls.changeMode(file.number, to: mode) } catch {
            if isSecret { throw error }
            note(missing: .modes)
        }
    }

    /// Opens a file that exists, for appending, after making sure that it is a log and nothing else.
    package func open(
        _ name: String, writing: Bool = true, acceptsLinked: Bool = false
    ) throws -> (file: Descriptor, status: FileStatus) {
        try safe(name)
        let directory = try descriptor
        let number: Int32
        do throws(SystemFailure) {
            number = try calls.openFile(directory.number, name, writing ? O_RDWR | O_APPEND : O_RDONLY)
        } catch {
            // What open(2) says of a symbolic link, a directory, and a pipe without a reader.
            let refused = [ELOOP, EISDIR, ENXIO].contains(error.number)
            throw refused ? Refusal.notRegular as any Error : error
        }
        let file = try Descriptor(number, calls)
        let status = try file.status()
        guard status.kind == .regular else { throw Refusal.notRegular }
        guard status.owner == calls.user || !writing else { throw Refusal.foreignOwner }
        guard status.links <= 1 || acceptsLinked else { throw Refusal.linked }
        if !writing || acceptsLinked { return (file, status) }
        // Others may have linked a file of theirs to this name for a moment, and the count above is of
        // another moment: one call says that the file has this name, and no other.
        guard let named = try self.status(name), named.identity == status.identity else {
            throw SystemFailure(.open, ENOENT)
        }
        guard named.links <= 1 else { throw Refusal.linked }
        return (file, status)
    }

    /// Opens a file and takes its lock, to remove it or to work on it.
    ///
    /// - Returns: the file, whose lock is held until it is released; nil where another process or logger has
    ///   the lock.
    /// - Throws: ``Refusal`` for what is not a regular file of this user, ``SystemFailure`` of `ENOENT` where
    ///   it is gone.
    package func hold(_ name: String) throws -> Descriptor? {
        let (file, status) = try open(name, writing: false, acceptsLinked: true)
        guard status.owner == calls.user else { throw Refusal.foreignOwner }
        guard try tryLock(file) else { return nil }
        // Until the lock was taken, the name may have become another file's.
        guard try self.status(name)?.identity == status.identity else { throw SystemFailure(.open, ENOENT) }
        return file
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
    package func status(_ name: String) throws -> FileStatus? {
        try safe(name)
        let directory = try descriptor
        do throws(SystemFailure) {
            return try calls.status(directory.number, name)
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
    }

    /// Gives a file another name, which must be free.
    ///
    /// Done as link and unlink, so that nothing is ever replaced; a crash between leaves both names. Where
    /// the file system has no links, the name is looked for first.
    ///
    /// - Returns: false where the file has kept its old name as well, which the caller has to remove later.
    package func rename(_ old: String, to new: String) throws -> Bool {
        try safe(old)
        try safe(new)
        let directory = try descriptor
        do throws(SystemFailure) {
            try calls.link(directory.number, old, to: new)
        } catch let failure {
            let lacksLinks = [EPERM, ENOTSUP, EOPNOTSUPP, EMLINK, ENOSYS].contains(failure.number)
            guard lacksLinks else { throw failure }
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
    package func replace(_ new: String, with old: String) throws {
        try safe(old)
        try safe(new)
        try calls.rename(try descriptor.number, old, to: new)
    }

    /// Removes an entry.
    ///
    /// - Returns: false where there was none.
    @discardableResult
    package func remove(_ name: String) throws -> Bool {
        try safe(name)
        let directory = try descriptor
        do throws(SystemFailure) {
            try calls.unlink(directory.number, name)
            return true
        } catch {
            if error.number == ENOENT { return false }
            throw error
        }
    }

    /// Makes `name` a symbolic link to `target`; replaces a link that has the name, and nothing else.
    func pointLink(_ name: String, to target: String) throws {
        try safe(name)
        try safe(target)
        if let there = try status(name), there.kind != .symbolicLink { throw Refusal.notRegular }
        let directory = try descriptor
        let temporary = ".\(name).\(calls.process).new"
        try remove(temporary)
        try calls.symlink(directory.number, temporary, to: target)
        try calls.rename(directory.number, temporary, to: name)
    }

    /// All names, in no order.
    package func names() throws -> [String] { try calls.names(try descriptor.number) }

    /// The files whose names `recognize` knows, in no order: with what it says of them, and their status or
    /// why that cannot be read.
    ///
    /// A file that is compressed or renamed meanwhile loses the name that was listed and gets one that was
    /// not. So the names are read again if one of them is gone, twice at most.
    func files<Known>(
        _ recognize: (String) -> Known?
    ) throws -> [(name: String, known: Known, status: Result<FileStatus, any Error>)] {
        var attempts = 3
        while true {
            attempts -= 1
            var files: [(name: String, known: Known, status: Result<FileStatus, any Error>)] = []
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
