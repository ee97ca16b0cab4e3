import CHeartwood
package import Heartwood

/// What a test makes of file calls: a full disk, a failing one, or the death of the process in a call.
package protocol DiskFaults: AnyObject, Sendable {
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
    /// Told after a call that has changed the names in a directory.
    func changedNames(of directory: Int32)
    /// Told when the disk has a file, or the names of a directory.
    func synchronized(_ descriptor: Int32)
    /// Told when a call has asked for a file's status.
    func looked(at descriptor: Int32)
}

extension DiskFaults {
    package func read() -> Int32 { 0 }
    package func synchronize() -> Int32 { 0 }
    package func synchronizeNames() -> Int32 { 0 }
    package func changedNames(of directory: Int32) {}
    package func synchronized(_ descriptor: Int32) {}
    package func looked(at descriptor: Int32) {}
}

/// The real system with the faults of a disk.
package final class FaultyKernel: FileKernel {
    /// The faults at the moment, of the kernels that were made without any.
    @TaskLocal package static var faults: (any DiskFaults)?

    package static var calls: SystemCalls { SystemCalls(kernel: FaultyKernel()) }

    private let own: (any DiskFaults)?
    private var faults: (any DiskFaults)? { own ?? FaultyKernel.faults }

    private let real = SystemCalls()
    /// With what the rest of a write fails, of which a part was taken.
    private let rest = Locked<Int32>(0)

    package init(_ faults: (any DiskFaults)? = nil) { own = faults }

    private func fail(_ call: SystemCall, _ ask: (any DiskFaults) -> Int32) throws(SystemFailure) {
        if let faults, case let number = ask(faults), number != 0 {
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
        guard let fault = faults?.write(bytes.count, inPlace: inPlace) else {
            return try write(bytes)
        }
        if fault.written == 0 { throw SystemFailure(.write, fault.error) }
        rest.withLock { $0 = fault.error }
        return try write(UnsafeRawBufferPointer(rebasing: bytes.prefix(fault.written)))
    }

    package var process: Int32 { real.process }
    package var user: UInt32 { real.user }
    package func pause(_ duration: Duration) { real.pause(duration) }

    package func openDirectory(_ path: String) throws(SystemFailure) -> Int32 { try real.openDirectory(path) }

    package func openFile(
        _ directory: Int32, _ name: String, _ flags: Int32, mode: UInt32
    ) throws(SystemFailure) -> Int32 {
        if flags & O_CREAT != 0 { try fail(.open) { $0.change() } }
        if flags & O_ACCMODE == O_RDONLY, flags & O_DIRECTORY == 0 { try fail(.open) { $0.read() } }
        let file = try real.openFile(directory, name, flags, mode: mode)
        if flags & O_CREAT != 0 { faults?.changedNames(of: directory) }
        return file
    }

    package func close(_ descriptor: Int32) { real.close(descriptor) }

    package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemFailure) -> Int {
        try write(bytes, inPlace: false) { bytes throws(SystemFailure) in
            try real.write(descriptor, bytes, quietly: true)
        }
    }

    package func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int)
        throws(SystemFailure)
        -> Int
    {
        let isInPlace = offset + bytes.count <= (try real.status(descriptor).size)
        return try write(bytes, inPlace: isInPlace) { bytes throws(SystemFailure) in
            try real.write(descriptor, bytes, at: offset)
        }
    }

    package func read(
        _ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemFailure) -> Int {
        try fail(.read) { $0.read() }
        return try real.read(descriptor, bytes, at: offset)
    }

    package func truncate(_ descriptor: Int32, to length: Int) throws(SystemFailure) {
        try fail(.truncate) { $0.change() }
        try real.truncate(descriptor, to: length)
    }

    package func sync(_ descriptor: Int32) throws(SystemFailure) {
        let isDirectory = try real.status(descriptor).kind == .directory
        try fail(.sync) { isDirectory ? $0.synchronizeNames() : $0.synchronize() }
        if isDirectory { try real.syncDirectory(descriptor) } else { try real.sync(descriptor) }
        faults?.synchronized(descriptor)
    }

    package func tryLock(_ descriptor: Int32, shared: Bool) throws(SystemFailure) -> Bool {
        try real.tryLock(descriptor, shared: shared)
    }

    package func unlock(_ descriptor: Int32) { real.unlock(descriptor) }

    package func status(_ descriptor: Int32) throws(SystemFailure) -> FileStatus {
        let status = try real.status(descriptor)
        faults?.looked(at: descriptor)
        return status
    }
    package func status(_ directory: Int32, _ name: String) throws(SystemFailure) -> FileStatus {
        try real.status(directory, name)
    }
    package func status(path: String) throws(SystemFailure) -> FileStatus { try real.status(path: path) }
    package func birthNanoseconds(_ descriptor: Int32) -> Int64? { real.birthNanoseconds(descriptor) }
    package func changeMode(_ descriptor: Int32, to mode: UInt32) throws(SystemFailure) {
        try real.changeMode(descriptor, to: mode)
    }
    package func attribute(_ name: String, of descriptor: Int32) -> [UInt8]? {
        real.attribute(name, of: descriptor)
    }
    package func setAttribute(
        _ name: String, to value: [UInt8]?, of descriptor: Int32
    ) throws(SystemFailure) {
        try real.setAttribute(name, to: value, of: descriptor)
    }
    package func setModified(_ descriptor: Int32, nanoseconds: Int64) throws(SystemFailure) {
        try real.setModified(descriptor, nanoseconds: nanoseconds)
    }
    package func freeSpace(_ descriptor: Int32) throws(SystemFailure) -> (free: Int, total: Int) {
        try real.freeSpace(descriptor)
    }
    package func fileSizeLimit() -> Int? { real.fileSizeLimit() }

    package func rename(_ directory: Int32, _ old: String, to new: String) throws(SystemFailure) {
        try fail(.rename) { $0.change() }
        try real.rename(directory, old, to: new)
        faults?.changedNames(of: directory)
    }

    package func link(_ directory: Int32, _ old: String, to new: String) throws(SystemFailure) {
        try fail(.link) { $0.change() }
        try real.link(directory, old, to: new)
        faults?.changedNames(of: directory)
    }

    package func symlink(_ directory: Int32, _ name: String, to target: String) throws(SystemFailure) {
        try fail(.symlink) { $0.change() }
        try real.symlink(directory, name, to: target)
        faults?.changedNames(of: directory)
    }

    package func unlink(_ directory: Int32, _ name: String) throws(SystemFailure) {
        try fail(.unlink) { $0.change() }
        try real.unlink(directory, name)
        faults?.changedNames(of: directory)
    }

    package func makeDirectory(_ path: String, mode: UInt32) throws(SystemFailure) {
        try fail(.makeDirectory) { $0.change() }
        try real.makeDirectory(path, mode: mode)
        let parent = try real.openDirectory(path + "/..")
        faults?.changedNames(of: parent)
        real.close(parent)
    }

    package func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32) throws(SystemFailure) {
        try fail(.makeDirectory) { $0.change() }
        try real.makeDirectory(directory, name, mode: mode)
        faults?.changedNames(of: directory)
    }

    package func removeDirectory(_ directory: Int32, _ name: String) throws(SystemFailure) {
        try fail(.unlink) { $0.change() }
        try real.removeDirectory(directory, name)
        faults?.changedNames(of: directory)
    }

    package func move(_ directory: Int32, _ name: String, into other: Int32) throws(SystemFailure) {
        try fail(.rename) { $0.change() }
        try real.move(directory, name, into: other)
        faults?.changedNames(of: directory)
        faults?.changedNames(of: other)
    }

    package func names(_ directory: Int32) throws(SystemFailure) -> [String] { try real.names(directory) }
}
