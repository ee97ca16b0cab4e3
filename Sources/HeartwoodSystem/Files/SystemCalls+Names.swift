import CHeartwood

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The calls that change or list names; as all others they repeat when interrupted and throw when they fail.
extension SystemCalls {
    /// Renames within a directory; an existing `new` is replaced.
    package func rename(_ directory: Int32, _ old: String, to new: String) throws(SystemFailure) {
        if let kernel { return try kernel.rename(directory, old, to: new) }
        _ = try perform(.rename) { Int(renameat(directory, old, directory, new)) }
    }

    /// Gives a file a second name; fails with `EEXIST` where that is taken.
    package func link(_ directory: Int32, _ old: String, to new: String) throws(SystemFailure) {
        if let kernel { return try kernel.link(directory, old, to: new) }
        _ = try perform(.link) { Int(linkat(directory, old, directory, new, 0)) }
    }

    package func symlink(_ directory: Int32, _ name: String, to target: String) throws(SystemFailure) {
        if let kernel { return try kernel.symlink(directory, name, to: target) }
        _ = try perform(.symlink) { Int(symlinkat(target, directory, name)) }
    }

    package func unlink(_ directory: Int32, _ name: String) throws(SystemFailure) {
        if let kernel { return try kernel.unlink(directory, name) }
        _ = try perform(.unlink) { Int(unlinkat(directory, name, 0)) }
    }

    /// The bytes of an extended attribute; nil where the file has none of that name, or is a link.
    package func attribute(_ name: String, ofFileAt path: String) -> [UInt8]? {
        guard let file = try? openFile(AT_FDCWD, path, O_RDONLY) else { return nil }
        defer { close(file) }
        return attribute(name, of: file)
    }

    /// Sets an extended attribute; nil removes it.
    ///
    /// - Returns: whether the file system has taken it.
    @discardableResult
    package func setAttribute(_ name: String, _ value: [UInt8]?, ofFileAt path: String) -> Bool {
        guard let file = try? openFile(AT_FDCWD, path, O_RDONLY) else { return false }
        defer { close(file) }
        return (try? setAttribute(name, to: value, of: file)) != nil
    }

    /// Makes one directory, closed to all others whatever the umask says about opening it.
    package func makeDirectory(_ path: String, mode: UInt32) throws(SystemFailure) {
        if let kernel { return try kernel.makeDirectory(path, mode: mode) }
        _ = try perform(.makeDirectory) { Int(mkdir(path, mode_t(mode))) }
    }

    /// Makes a directory in another one; fails with `EEXIST` where the name is taken.
    package func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32) throws(SystemFailure) {
        if let kernel { return try kernel.makeDirectory(directory, name, mode: mode) }
        _ = try perform(.makeDirectory) { Int(mkdirat(directory, name, mode_t(mode))) }
    }

    /// Makes a directory and those above it, as far as they are missing; each that is made gets exactly the
    /// mode, whatever the umask, where the file system has modes.
    ///
    /// - Returns: how many of the last ones of the path were missing; see ``syncDirectory(_:made:)``.
    package func makeDirectories(_ path: String, mode: UInt32) throws(SystemFailure) -> Int {
        var missing: [String] = []
        // Each level once: `a//b/./` has two.
        let levels = path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
        var rest = (path.hasPrefix("/") ? "/" : "") + levels
        while !rest.isEmpty, rest != "/" {
            do {
                _ = try status(path: rest)
                break
            } catch  where error.number == ENOENT {
                missing.append(rest)
            }
            guard let slash = rest.lastIndex(of: "/") else { break }
            rest = String(rest[..<slash])
        }
        for directory in missing.reversed() {
            do {
                try makeDirectory(directory, mode: mode)
            } catch  where error.number == EEXIST {
                continue  // another process was faster; whose it is, is checked when it is opened
            }
            let made = try openDirectory(directory)
            defer { close(made) }
            if try status(made).mode != mode { try? changeMode(made, to: mode) }
        }
        return missing.count
    }

    /// Puts the names in a directory on the disk, and with them the names of the last `made` directories of
    /// its path, which becomes 0.
    package func syncDirectory(_ descriptor: Int32, made: inout Int) throws(SystemFailure) {
        while made > 0 {
            let parent = repeatElement("..", count: made).joined(separator: "/")
            do {
                let place = try openFile(descriptor, parent, O_RDONLY | O_DIRECTORY)
                defer { close(place) }
                try syncDirectory(place)
            } catch  where error.isUnsupported || [EACCES, EPERM].contains(error.number) {
                // One that may not be read, or whose file system has no such call, cannot be waited for.
            }
            made -= 1
        }
        try syncDirectory(descriptor)
    }

    /// Removes an empty directory of another one.
    package func removeDirectory(_ directory: Int32, _ name: String) throws(SystemFailure) {
        if let kernel { return try kernel.removeDirectory(directory, name) }
        _ = try perform(.unlink) { Int(unlinkat(directory, name, AT_REMOVEDIR)) }
    }

    /// Moves a file into another directory, under the same name.
    package func move(_ directory: Int32, _ name: String, into other: Int32) throws(SystemFailure) {
        if let kernel { return try kernel.move(directory, name, into: other) }
        _ = try perform(.rename) { Int(renameat(directory, name, other, name)) }
    }

    /// Takes the lock of an open file without waiting.
    ///
    /// - Returns: false where another open file has it.
    package func tryLock(_ descriptor: Int32, shared: Bool = false) throws(SystemFailure) -> Bool {
        while let kernel {
            do { return try kernel.tryLock(descriptor, shared: shared) } catch  where error.number == EINTR {}
        }
        do {
            _ = try perform(.lock) { Int(flock(descriptor, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB)) }
            return true
        } catch  where error.number == EWOULDBLOCK {
            return false
        }
    }

    package func unlock(_ descriptor: Int32) {
        if let kernel { return kernel.unlock(descriptor) }
        _ = flock(descriptor, LOCK_UN)
    }

    /// All names of a directory but `.` and `..`, in the order of the file system.
    package func names(_ directory: Int32) throws(SystemFailure) -> [String] {
        if let kernel { return try kernel.names(directory) }
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
        let copy = Int32(try perform(.list) { Int(openat(directory, ".", flags)) })
        guard let stream = fdopendir(copy) else {
            let number = hw_errno()
            close(copy)
            throw SystemFailure(.list, number)
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // A name that is no UTF-8 cannot be one of ours.
            if let name, name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// What C's headers alone do not give to Swift: variables, and functions with any number of arguments.
extension SystemCalls {
    /// Closes a descriptor in the programs that this process starts.
    package static func closeOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
}
