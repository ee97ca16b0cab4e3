import CHeartwood
import Heartwood
import HeartwoodHTTP

/// What a test makes of a spool's file calls: a full disk, a failing one, or the death of the process in a call.
protocol DiskFaults: AnyObject, Sendable {
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
    /// The same for the names of a directory.
    func synchronizeNames() -> Int32
}

extension DiskFaults {
    func read() -> Int32 { 0 }
    func synchronize() -> Int32 { 0 }
    func synchronizeNames() -> Int32 { 0 }
}

/// The real system with the faults of a disk.
final class FaultyKernel: FileKernel {
    /// The faults at the moment.
    @TaskLocal static var faults: (any DiskFaults)?

    static var calls: SystemCalls { SystemCalls(kernel: FaultyKernel()) }

    private let real = SystemCalls()
    /// With what the rest of a write fails, of which a part was taken.
    private let rest = Locked<Int32>(0)

    private func fail(_ call: SystemCall, _ ask: (any DiskFaults) -> Int32) throws(SystemFailure) {
        if let faults = FaultyKernel.faults, case let number = ask(faults), number != 0 {
            throw SystemFailure(call, number)
        }
    }

    private func write(
        _ bytes: UnsafeRawBufferPointer, inPlace: Bool,
        _ write: (UnsafeRawBufferPointer) throws(SystemFailure) -> Int
    ) throws(SystemFailure) -> Int {
        let left = rest.withLock { rest in
            defer { rest = 0 }
            return rest
        }
        if left != 0 { throw SystemFailure(.write, left) }
        guard let fault = FaultyKernel.faults?.write(bytes.count, inPlace: inPlace) else {
            return try write(bytes)
        }
        if fault.written == 0 { throw SystemFailure(.write, fault.error) }
        rest.withLock { $0 = fault.error }
        return try write(UnsafeRawBufferPointer(rebasing: bytes.prefix(fault.written)))
    }

    var process: Int32 { real.process }
    var user: UInt32 { real.user }
    func pause(_ duration: Duration) { real.pause(duration) }

    func openDirectory(_ path: String) throws(SystemFailure) -> Int32 { try real.openDirectory(path) }

    func openFile(
        _ directory: Int32, _ name: String, _ flags: Int32, mode: UInt32
    ) throws(SystemFailure) -> Int32 {
        if flags & O_CREAT != 0 { try fail(.open) { $0.change() } }
        if flags & O_ACCMODE == O_RDONLY, flags & O_DIRECTORY == 0 { try fail(.open) { $0.read() } }
        return try real.openFile(directory, name, flags, mode: mode)
    }

    func close(_ descriptor: Int32) { real.close(descriptor) }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemFailure) -> Int {
        try write(bytes, inPlace: false) { bytes throws(SystemFailure) in
            try real.write(descriptor, bytes, quietly: true)
        }
    }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemFailure)
        -> Int
    {
        let isInPlace = offset + bytes.count <= (try real.status(descriptor).size)
        return try write(bytes, inPlace: isInPlace) { bytes throws(SystemFailure) in
            try real.write(descriptor, bytes, at: offset)
        }
    }

    func read(
        _ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemFailure) -> Int {
        try fail(.read) { $0.read() }
        return try real.read(descriptor, bytes, at: offset)
    }

    func truncate(_ descriptor: Int32, to length: Int) throws(SystemFailure) {
        try fail(.truncate) { $0.change() }
        try real.truncate(descriptor, to: length)
    }

    func sync(_ descriptor: Int32) throws(SystemFailure) {
        let isDirectory = try real.status(descriptor).kind == .directory
        try fail(.sync) { isDirectory ? $0.synchronizeNames() : $0.synchronize() }
        if isDirectory { try real.syncDirectory(descriptor) } else { try real.sync(descriptor) }
    }

    func tryLock(_ descriptor: Int32, shared: Bool) throws(SystemFailure) -> Bool {
        try real.tryLock(descriptor, shared: shared)
    }

    func unlock(_ descriptor: Int32) { real.unlock(descriptor) }

    func status(_ descriptor: Int32) throws(SystemFailure) -> FileStatus { try real.status(descriptor) }
    func status(_ directory: Int32, _ name: String) throws(SystemFailure) -> FileStatus {
        try real.status(directory, name)
    }
    func status(path: String) throws(SystemFailure) -> FileStatus { try real.status(path: path) }
    func birthNanoseconds(_ descriptor: Int32) -> Int64? { real.birthNanoseconds(descriptor) }
    func changeMode(_ descriptor: Int32, to mode: UInt32) throws(SystemFailure) {
        try real.changeMode(descriptor, to: mode)
    }
    func setModified(_ descriptor: Int32, nanoseconds: Int64) throws(SystemFailure) {
        try real.setModified(descriptor, nanoseconds: nanoseconds)
    }
    func freeSpace(_ descriptor: Int32) throws(SystemFailure) -> (free: Int, total: Int) {
        try real.freeSpace(descriptor)
    }
    func fileSizeLimit() -> Int? { real.fileSizeLimit() }

    func rename(_ directory: Int32, _ old: String, to new: String) throws(SystemFailure) {
        try fail(.rename) { $0.change() }
        try real.rename(directory, old, to: new)
    }

    func link(_ directory: Int32, _ old: String, to new: String) throws(SystemFailure) {
        try fail(.link) { $0.change() }
        try real.link(directory, old, to: new)
    }

    func symlink(_ directory: Int32, _ name: String, to target: String) throws(SystemFailure) {
        try fail(.symlink) { $0.change() }
        try real.symlink(directory, name, to: target)
    }

    func unlink(_ directory: Int32, _ name: String) throws(SystemFailure) {
        try fail(.unlink) { $0.change() }
        try real.unlink(directory, name)
    }

    func makeDirectory(_ path: String, mode: UInt32) throws(SystemFailure) {
        try fail(.makeDirectory) { $0.change() }
        try real.makeDirectory(path, mode: mode)
    }

    func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32) throws(SystemFailure) {
        try fail(.makeDirectory) { $0.change() }
        try real.makeDirectory(directory, name, mode: mode)
    }

    func removeDirectory(_ directory: Int32, _ name: String) throws(SystemFailure) {
        try fail(.unlink) { $0.change() }
        try real.removeDirectory(directory, name)
    }

    func move(_ directory: Int32, _ name: String, into other: Int32) throws(SystemFailure) {
        try fail(.rename) { $0.change() }
        try real.move(directory, name, into: other)
    }

    func names(_ directory: Int32) throws(SystemFailure) -> [String] { try real.names(directory) }
}
