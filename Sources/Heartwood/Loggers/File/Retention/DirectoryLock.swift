import CHeartwood

/// The lock of a directory, which the processes and loggers that use it share; held shortly, and waited for
/// with a limit.
///
/// It is an advisory lock on the directory itself, so it needs no file, and is free as soon as its holder
/// dies. Not thread-safe: owned by the engine.
package final class DirectoryLock {
    /// How long to wait at most when others come and go: on a busy machine it takes a while.
    private static let patience = Duration.seconds(3)
    /// The same after a wait that failed: the holder may be stopped, and must not stop this process, too.
    private static let impatience = Duration.milliseconds(250)

    private let directory: Directory
    /// Whether to wait long; where no file is shared, the lock spares work only.
    package var isPatient = true
    /// The directory, opened for the lock alone.
    private var file: Descriptor?
    /// How often it was opened.
    private(set) var openings = 0
    private var depth = 0
    private var isHeld = false
    /// Whether it is held, of a lock that was asked for and not released; it changes with the directory.
    var outcome: Bool? { depth > 0 ? isHeld : nil }
    /// Whether another process or logger held it at the last attempt.
    private(set) var isBusy = false
    private var hasTimedOut = false
    private var owner: ProcessOwner

    package init(_ directory: Directory) {
        self.directory = directory
        owner = ProcessOwner(directory.calls)
    }

    /// Takes the lock, or gives up, after a while if it waits; returns whether it is held.
    ///
    /// May be nested, and each call needs its ``release()``.
    package func acquire(waits: Bool = true) -> Bool {
        depth += 1
        if depth == 1 { isHeld = take(waits: waits) }
        return isHeld
    }

    package func release() {
        depth -= 1
        guard depth == 0 else { return }
        if isHeld { file?.unlock() }
        isHeld = false
    }

    private func take(waits: Bool) -> Bool {
        isBusy = false
        let calls = directory.calls
        // After a fork the open directory is shared with the parent, and with it the lock. Others use the one
        // that has the name now.
        if owner.leaveParent(calls) || file?.isOurs == false
            || file?.identity != (try? directory.descriptor)?.identity
        {
            file = nil
        }
        if file == nil {
            file = try? directory.openAgain()
            openings += 1
        }
        guard let file else { return false }
        let limit = hasTimedOut || !isPatient ? DirectoryLock.impatience : DirectoryLock.patience
        for attempt in 0..<(waits ? Int(limit / .milliseconds(1)) : 1) {
            if attempt > 0 { calls.pause(.milliseconds(1)) }
            // Not by the directory: where files have no locks, directories may have them all the same.
            guard let isTaken = try? calls.tryLock(file.number), !directory.missing.contains(.locks) else {
                return false
            }
            guard isTaken else { continue }
            hasTimedOut = false
            if let status = try? file.status(), status.links > 0 { return true }
            file.unlock()
            self.file = nil
            return false
        }
        if waits { hasTimedOut = true }
        isBusy = true
        return false
    }

    /// For a directory that was replaced: a lock that is held is that of the new one from now on.
    package func reset() {
        if isHeld { file?.unlock() }
        file = nil
        if depth > 0 { isHeld = take(waits: true) }
    }
}
