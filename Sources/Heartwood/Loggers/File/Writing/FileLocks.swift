import CHeartwood

/// Opens files and takes their locks, and remembers whether others write to the directory.
///
/// A file is written only while its lock is held.
///
/// Not thread-safe: owned by the engine.
final class FileLocks {
    /// A file that was opened, and whose lock is held.
    struct Taken {
        let file: Descriptor
        let status: FileStatus
        /// Whether no other process writes to it.
        let isAlone: Bool
    }

    private let scene: FileScene
    /// Another process or logger writes to this directory, so names say whose they are.
    private(set) var sharesDirectory = false

    init(_ scene: FileScene) { self.scene = scene }

    /// Another process or logger writes to this directory.
    func noteSharing() { sharesDirectory = true }

    /// Opens a file and takes its lock: alone, or with others where all write to one file.
    ///
    /// - Returns: nil where another process or logger writes to it.
    /// - Throws: `ENOENT` where the name was another file's before the lock was taken.
    func take(_ name: String) throws -> Taken? {
        let (file, _) = try scene.directory.open(name)
        let isAlone = try scene.calls.tryLock(file.number)
        guard try isAlone || scene.settings.isShared && scene.calls.tryLock(file.number, shared: true) else {
            sharesDirectory = true
            return nil
        }
        let status = try scene.calls.status(file.number)
        guard try scene.directory.status(name)?.identity == status.identity else {
            throw SystemFailure(.open, ENOENT)
        }
        return Taken(file: file, status: status, isAlone: isAlone)
    }

    /// Takes the lock of a file that was just created.
    ///
    /// - Returns: false where another process took it first.
    func lock(new file: Descriptor, _ name: String, isShared: Bool) throws(SystemFailure) -> Bool {
        do throws(SystemFailure) {
            return try scene.calls.tryLock(file.number, shared: isShared)
        } catch {
            // Where locks do not work at all, no other process can have taken this one.
            if [ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL].contains(error.number) {
                _ = try? scene.directory.remove(name)
                throw error
            }
            return try scene.calls.tryLock(file.number, shared: isShared)
        }
    }
}
