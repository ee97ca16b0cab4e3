import CHeartwood

/// A lock that the processes and loggers of one directory share; held shortly, and never waited for without end.
///
/// It is an advisory lock on a file beside the logs, so it is free as soon as its holder dies. The file also holds a
/// number that whoever begins a file counts up, by which the others see that there is a newer one.
///
/// Not thread-safe: owned by the engine.
package final class DirectoryLock {
    /// How long to wait at most, in steps of a millisecond, when others come and go: on a busy machine it takes a while.
    package static let patience = 3000
    /// The same when the last wait was in vain: whoever has the lock may be stopped, and must not stop this process, too.
    package static let impatience = 250

    private let directory: LogDirectory
    private let name: String
    private var file: Descriptor?
    private var depth = 0
    private var isHeld = false
    private var hasWaitedInVain = false
    private var process = getpid()

    package init(_ directory: LogDirectory, name: String) {
        self.directory = directory
        self.name = name
    }

    /// Takes the lock, or gives up after a while.
    ///
    /// May be nested; each call needs its ``release()``.
    ///
    /// - Parameter waits: wait for another holder, three seconds at most, a quarter of one after a wait in vain.
    /// - Returns: whether it is held.
    package func acquire(waits: Bool = true) -> Bool {
        depth += 1
        if depth > 1 { return isHeld }
        isHeld = take(waits: waits)
        return isHeld
    }

    package func release() {
        depth -= 1
        guard depth == 0 else { return }
        if isHeld, let file { directory.calls.unlock(file.number) }
        isHeld = false
    }

    private func take(waits: Bool) -> Bool {
        if process != getpid() {
            // After a fork the open file is shared with the parent, and with it the lock.
            file = nil
            process = getpid()
        }
        guard let file = file ?? open() else { return false }
        self.file = file
        var tries = !waits ? 1 : hasWaitedInVain ? DirectoryLock.impatience : DirectoryLock.patience
        while tries > 0 {
            guard let taken = try? directory.calls.tryLock(file.number) else { return false }
            if taken {
                hasWaitedInVain = false
                return true
            }
            tries -= 1
            if tries > 0 { usleep(1000) }
        }
        if waits { hasWaitedInVain = true }
        return false
    }

    private func open() -> Descriptor? {
        if let file = try? directory.open(name).file { return file }
        if let file = try? directory.create(name, mode: 0o600) { return file }
        return try? directory.open(name).file
    }

    /// Forgets the open lock file; for a directory that was replaced.
    package func reset() {
        guard depth == 0 else { return }
        file = nil
    }

    // MARK: The number of the newest file

    /// A number that differs whenever another process has begun a file.
    package var generation: Int {
        guard let file else { return 0 }
        return (try? directory.calls.status(file.number).size) ?? 0
    }

    /// Tells the others that there is a newer file.
    ///
    /// The number is the size of the lock file, one byte for each.
    package func countUp() {
        guard let file else { return }
        let byte: [UInt8] = [UInt8(ascii: ".")]
        _ = byte.withUnsafeBytes { try? directory.calls.write(file.number, $0, quietly: true) }
    }
}
