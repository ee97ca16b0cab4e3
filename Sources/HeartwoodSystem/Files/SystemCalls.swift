import CHeartwood

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Every system call for a file goes through here, so that a test can make any one of them fail, or run the
/// program on a simulated system.
///
/// `EINTR` is handled here and nowhere else: an interrupted call is repeated. All other failures are thrown.
package struct SystemCalls: Sendable {
    /// What a test makes of a call instead of letting it happen.
    package enum Fault: Sendable {
        /// The call is not made, and fails with this `errno`.
        case fails(Int32)
        /// A `write` that takes this many bytes at most.
        case short(Int)
    }

    /// Asked before each call; nil lets the call happen.
    private let fault: (@Sendable (SystemCall) -> Fault?)?
    /// The system that is asked instead of the real one; nil for the real one.
    let kernel: (any FileKernel)?
    /// Whether there is one: to look whether `kernel` is nil copies it, which is too much for each line.
    private let isSimulated: Bool

    package init(fault: (@Sendable (SystemCall) -> Fault?)? = nil) {
        self.fault = fault
        kernel = nil
        isSimulated = false
    }

    /// Makes calls of a simulated system.
    package init(kernel: any FileKernel) {
        fault = nil
        self.kernel = kernel
        isSimulated = true
    }

    // MARK: Who asks

    /// The number of the process; kept, but asked for again in a forked child, which has another one.
    package var process: Int32 { isSimulated ? kernel?.process ?? hw_process() : hw_process() }

    /// The user whose files the process owns.
    package var user: UInt32 { kernel?.user ?? geteuid() }

    /// Waits, while another process holds a lock.
    package func pause(_ duration: Duration) {
        if let kernel { return kernel.pause(duration) }
        usleep(useconds_t(clamping: duration.nanoseconds / 1000))
    }

    /// Waits until a descriptor takes more bytes, a tenth of a second at most.
    package func waitUntilWritable(_ descriptor: Int32) {
        if let kernel { return kernel.pause(.milliseconds(100)) }
        _ = hw_wait_writable(descriptor, 100)
    }

    package func perform(_ call: SystemCall, _ body: () -> Int) throws(SystemFailure) -> Int {
        while true {
            if let fault, case .fails(let number)? = fault(call) {
                if number == EINTR { continue }
                throw SystemFailure(call, number)
            }
            let result = body()
            if result >= 0 { return result }
            let number = hw_errno()
            if number != EINTR { throw SystemFailure(call, number) }
        }
    }

    // MARK: Descriptors

    /// Opens a directory, which may be reached through symbolic links.
    package func openDirectory(_ path: String) throws(SystemFailure) -> Int32 {
        if let kernel { return try kernel.openDirectory(path) }
        return Int32(try perform(.open) { Int(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) })
    }

    /// Opens a file of a directory; never follows a symbolic link, never waits for a pipe's other end.
    package func openFile(
        _ directory: Int32, _ name: String, _ flags: Int32, mode: UInt32 = 0
    ) throws(SystemFailure) -> Int32 {
        if let kernel { return try kernel.openFile(directory, name, flags, mode: mode) }
        let all = flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
        return Int32(try perform(.open) { Int(hw_open_file(directory, name, all, mode)) })
    }

    /// Opens a file that the user named, wherever it is; never waits for a pipe's other end.
    package func openForReading(_ path: String) throws(SystemFailure) -> Int32 {
        Int32(try perform(.open) { Int(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) })
    }

    #if canImport(Darwin)
    /// Opens a directory to be told of its changes, which does not keep its volume from being ejected.
    func openForWatching(_ path: String) throws(SystemFailure) -> Int32 {
        Int32(try perform(.open) { Int(open(path, O_EVTONLY | O_DIRECTORY | O_CLOEXEC)) })
    }
    #endif

    /// Closes a descriptor, once: it is gone whatever `close` says.
    package func close(_ descriptor: Int32) {
        if let kernel { return kernel.close(descriptor) }
        #if canImport(Darwin)
        _ = Darwin.close(descriptor)
        #elseif canImport(Musl)
        _ = Musl.close(descriptor)
        #else
        _ = Glibc.close(descriptor)
        #endif
    }

    /// What SQLite has to be told for a database that can be used when other files can, on Apple's devices.
    #if canImport(Darwin) && !os(macOS)
    package static let databaseProtection: Int32 = 0x30_0000
    #else
    package static let databaseProtection: Int32 = 0
    #endif

    // MARK: Bytes

    /// Writes at the end of the file; may write less than asked for.
    ///
    /// `SIGXFSZ`, which would otherwise end the process at its file size limit, is blocked meanwhile with
    /// `quietly`; else a handler takes the signal where the limit was lowered since it was last looked at.
    package func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, quietly: Bool
    ) throws(SystemFailure) -> Int {
        if isSimulated, let kernel { return try kernel.write(descriptor, bytes) }
        while true {
            var count = bytes.count
            switch fault?(.write) {
            case .fails(EINTR): continue
            case .fails(let number): throw SystemFailure(.write, number)
            case .short(let limit): count = min(count, limit)
            case nil: break
            }
            let result =
                quietly
                ? hw_write_quietly(descriptor, bytes.baseAddress, count)
                : hw_write_guarded(descriptor, bytes.baseAddress, count)
            if result >= 0 { return result }
            let number = hw_errno()
            if number != EINTR { throw SystemFailure(.write, number) }
        }
    }

    /// Writes at a position, of a file that was not opened to append; may write less than asked for.
    package func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(SystemFailure) -> Int {
        if let kernel { return try kernel.write(descriptor, bytes, at: offset) }
        return try perform(.write) {
            hw_write_at_quietly(descriptor, bytes.baseAddress, bytes.count, Int64(offset))
        }
    }

    /// Reads at a position; zero bytes at the end of the file.
    package func read(
        _ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemFailure) -> Int {
        if let kernel { return try kernel.read(descriptor, bytes, at: offset) }
        return try perform(.read) { pread(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
    }

    package func truncate(_ descriptor: Int32, to length: Int) throws(SystemFailure) {
        if let kernel { return try kernel.truncate(descriptor, to: length) }
        _ = try perform(.truncate) { Int(hw_truncate_quietly(descriptor, Int64(length))) }
    }

    /// Puts the file's bytes, and what is needed to read them back, on the disk.
    package func sync(_ descriptor: Int32) throws(SystemFailure) {
        if let kernel { return try kernel.sync(descriptor) }
        #if canImport(Darwin)
        _ = try perform(.sync) {
            let result = fcntl(descriptor, F_FULLFSYNC)
            let isMissing = result != 0 && [ENOTSUP, EINVAL, ENOTTY].contains(errno)
            return Int(isMissing ? fsync(descriptor) : result)
        }
        #else
        _ = try perform(.sync) { Int(fdatasync(descriptor)) }
        #endif
    }

    /// Puts a directory's names on the disk.
    package func syncDirectory(_ descriptor: Int32) throws(SystemFailure) {
        #if canImport(Darwin)
        try sync(descriptor)
        #else
        if let kernel { return try kernel.sync(descriptor) }
        _ = try perform(.sync) { Int(fsync(descriptor)) }
        #endif
    }

    // MARK: Status

    package func status(_ descriptor: Int32) throws(SystemFailure) -> FileStatus {
        if let kernel { return try kernel.status(descriptor) }
        var info = stat()
        _ = try perform(.status) { Int(fstat(descriptor, &info)) }
        return FileStatus(info)
    }

    /// The status of a name in a directory, of a symbolic link itself.
    package func status(_ directory: Int32, _ name: String) throws(SystemFailure) -> FileStatus {
        if let kernel { return try kernel.status(directory, name) }
        var info = stat()
        _ = try perform(.status) { Int(fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW)) }
        return FileStatus(info)
    }

    /// The status of a path, through symbolic links in its directories but not at its end.
    package func status(path: String) throws(SystemFailure) -> FileStatus {
        if let kernel { return try kernel.status(path: path) }
        var info = stat()
        _ = try perform(.status) { Int(lstat(path, &info)) }
        return FileStatus(info)
    }

    /// The status of the file that a path leads to, through all symbolic links.
    package func target(_ path: String) throws(SystemFailure) -> FileStatus {
        if let kernel { return try kernel.status(path: path) }
        var info = stat()
        _ = try perform(.status) { Int(stat(path, &info)) }
        return FileStatus(info)
    }

    /// When a file was created, in nanoseconds since 1970; nil where the system does not know.
    package func birthNanoseconds(_ descriptor: Int32) -> Int64? {
        if let kernel { return kernel.birthNanoseconds(descriptor) }
        let nanoseconds = hw_file_birth(descriptor)
        return nanoseconds > 0 ? nanoseconds : nil
    }

    package func changeMode(_ descriptor: Int32, to mode: UInt32) throws(SystemFailure) {
        if let kernel { return try kernel.changeMode(descriptor, to: mode) }
        _ = try perform(.changeMode) { Int(fchmod(descriptor, mode_t(mode))) }
    }

    /// The bytes of an extended attribute of a file; nil where it has none of that name.
    package func attribute(_ name: String, of descriptor: Int32) -> [UInt8]? {
        if let kernel { return kernel.attribute(name, of: descriptor) }
        let name = SystemCalls.attributePrefix + name
        let size = hw_attribute_get(descriptor, name, nil, 0)
        if size < 0 { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(size))
        let count = hw_attribute_get(descriptor, name, &bytes, bytes.count)
        return Array(bytes.prefix(max(0, Int(count))))
    }

    /// Sets an extended attribute of a file; nil removes it.
    ///
    /// A file without write permission has it meanwhile: the system asks its owner for that.
    package func setAttribute(
        _ name: String, to value: [UInt8]?, of descriptor: Int32
    ) throws(SystemFailure) {
        do throws(SystemFailure) { try setOnce(name, to: value, of: descriptor) } catch {
            let mode = try status(descriptor).mode
            guard error.isError(EACCES, EPERM), mode & 0o200 == 0 else { throw error }
            try whileWritable(descriptor, mode) { () throws(SystemFailure) in
                try setOnce(name, to: value, of: descriptor)
            }
        }
    }

    /// Calls `body` while a file of this mode has its owner's write permission.
    package func whileWritable<Result>(
        _ descriptor: Int32, _ mode: UInt32, _ body: () throws(SystemFailure) -> Result
    ) throws(SystemFailure) -> Result {
        try changeMode(descriptor, to: mode | 0o200)
        defer { try? changeMode(descriptor, to: mode) }
        return try body()
    }

    private func setOnce(
        _ name: String, to value: [UInt8]?, of descriptor: Int32
    ) throws(SystemFailure) {
        if let kernel { return try kernel.setAttribute(name, to: value, of: descriptor) }
        let name = SystemCalls.attributePrefix + name
        _ = try perform(.setAttribute) {
            guard let value else { return Int(hw_attribute_set(descriptor, name, nil, 0)) }
            // An address, also for no bytes.
            return (value + [0]).withUnsafeBytes {
                Int(hw_attribute_set(descriptor, name, $0.baseAddress, value.count))
            }
        }
    }

    #if canImport(Darwin)
    private static let attributePrefix = ""
    #else
    /// Programs may set no others.
    private static let attributePrefix = "user."
    #endif

    /// Sets when the file was last written, in nanoseconds since 1970.
    package func setModified(_ descriptor: Int32, nanoseconds: Int64) throws(SystemFailure) {
        if let kernel { return try kernel.setModified(descriptor, nanoseconds: nanoseconds) }
        let (seconds, rest) = CivilTime.split(nanoseconds)
        _ = try perform(.setTime) { Int(hw_set_modified(descriptor, seconds, Int64(rest))) }
    }

    /// Bytes that this user can still write on the file system, and its size.
    package func freeSpace(_ descriptor: Int32) throws(SystemFailure) -> (free: Int, total: Int) {
        if let kernel { return try kernel.freeSpace(descriptor) }
        var info = statvfs()
        _ = try perform(.freeSpace) { Int(fstatvfs(descriptor, &info)) }
        let unit = Int(clamping: info.f_frsize)
        return (
            Int(clamping: info.f_bavail).multipliedClamping(by: unit),
            Int(clamping: info.f_blocks).multipliedClamping(by: unit)
        )
    }

    /// Whether the file system that holds a path is mounted read-only.
    package func isReadOnly(path: String) throws(SystemFailure) -> Bool {
        var info = statvfs()
        _ = try perform(.freeSpace) { Int(statvfs(path, &info)) }
        return UInt(info.f_flag) & UInt(ST_RDONLY) != 0
    }

    /// What a symbolic link says.
    package func target(ofLink path: String) throws(SystemFailure) -> String {
        var bytes = [CChar](repeating: 0, count: 4096)
        let count = try perform(.open) { readlink(path, &bytes, bytes.count) }
        return String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The largest size that the process may give a file; nil where there is no limit.
    package func fileSizeLimit() -> Int? {
        if let kernel { return kernel.fileSizeLimit() }
        var limit = rlimit()
        #if canImport(Glibc)
        let result = try? perform(.limit) {
            Int(getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit))
        }
        #else
        let result = try? perform(.limit) { Int(getrlimit(RLIMIT_FSIZE, &limit)) }
        #endif
        guard result != nil, limit.rlim_cur <= UInt64(Int.max / 2) else { return nil }
        return Int(limit.rlim_cur)
    }
}

extension Int {
    fileprivate func multipliedClamping(by factor: Int) -> Int {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}
