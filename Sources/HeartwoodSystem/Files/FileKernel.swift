/// The part of an operating system that files need; ``SystemCalls`` asks the real one unless given another.
///
/// A test puts a simulated one here, with its own files, locks, users and processes. Every member may be
/// called from any thread. Failures are thrown as the `errno` of the system's own call.
package protocol FileKernel: Sendable {
    // MARK: Who asks

    /// The number of the process.
    var process: Int32 { get }
    /// The effective user of the process.
    var user: UInt32 { get }
    /// Lets time pass while another process holds a lock.
    func pause(_ duration: Duration)

    // MARK: Descriptors

    func openDirectory(_ path: String) throws(SystemFailure) -> Int32
    func openFile(_ directory: Int32, _ name: String, _ flags: Int32, mode: UInt32) throws(SystemFailure)
        -> Int32
    func close(_ descriptor: Int32)
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemFailure) -> Int
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemFailure)
        -> Int
    func read(
        _ descriptor: Int32, _ bytes: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemFailure) -> Int
    func truncate(_ descriptor: Int32, to length: Int) throws(SystemFailure)
    func sync(_ descriptor: Int32) throws(SystemFailure)
    func tryLock(_ descriptor: Int32, shared: Bool) throws(SystemFailure) -> Bool
    func unlock(_ descriptor: Int32)

    // MARK: Status

    func status(_ descriptor: Int32) throws(SystemFailure) -> FileStatus
    func status(_ directory: Int32, _ name: String) throws(SystemFailure) -> FileStatus
    func status(path: String) throws(SystemFailure) -> FileStatus
    /// When a file was created, in nanoseconds since 1970; nil where the system does not know.
    func birthNanoseconds(_ descriptor: Int32) -> Int64?
    func changeMode(_ descriptor: Int32, to mode: UInt32) throws(SystemFailure)
    func attribute(_ name: String, of descriptor: Int32) -> [UInt8]?
    func setAttribute(_ name: String, to value: [UInt8]?, of descriptor: Int32) throws(SystemFailure)
    func setModified(_ descriptor: Int32, nanoseconds: Int64) throws(SystemFailure)
    func freeSpace(_ descriptor: Int32) throws(SystemFailure) -> (free: Int, total: Int)
    func fileSizeLimit() -> Int?

    // MARK: Names

    func rename(_ directory: Int32, _ old: String, to new: String) throws(SystemFailure)
    func link(_ directory: Int32, _ old: String, to new: String) throws(SystemFailure)
    func symlink(_ directory: Int32, _ name: String, to target: String) throws(SystemFailure)
    func unlink(_ directory: Int32, _ name: String) throws(SystemFailure)
    func makeDirectory(_ path: String, mode: UInt32) throws(SystemFailure)
    func makeDirectory(_ directory: Int32, _ name: String, mode: UInt32) throws(SystemFailure)
    func removeDirectory(_ directory: Int32, _ name: String) throws(SystemFailure)
    func move(_ directory: Int32, _ name: String, into other: Int32) throws(SystemFailure)
    func names(_ directory: Int32) throws(SystemFailure) -> [String]
}
