import CHeartwood

/// A lock that the processes and loggers of one directory share; held shortly, and waited for with a limit.
///
/// It is an advisory lock on a file beside the logs, so it is free as soon as its holder dies. The size of
/// the file counts up whenever a log file is created or finished, by which the others see that there is a
/// change. Where the name is taken by a file that cannot be used (another user's, say), a file of this user's
/// is the lock. Not thread-safe: owned by the engine.
package final class DirectoryLock {
    /// How long to wait at most when others come and go: on a busy machine it takes a while.
    private static let patience = Duration.seconds(3)
    /// The same after a wait that failed: the holder may be stopped, and must not stop this process, too.
    private static let impatience = Duration.milliseconds(250)

    package enum Outcome: Sendable {
        /// Held; held by another process or logger; no lock file can be used.
        case held, busy, unusable
    }

    /// Called once with the name of a lock file that cannot be used.
    package var report: (_ name: String, any Error) -> Void = { _, _ in }

    private let directory: Directory
    private let name: String
    private var file: Descriptor?
    private var fileName = ""
    /// The open lock file cannot be written, so it cannot tell of changes.
    private var isReadOnly = false
    /// How many lock files were opened.
    private(set) var openings = 0
    private var depth = 0
    private var outcome = Outcome.busy
    private var hasTimedOut = false
    private var hasReported = false
    private var owner: ProcessOwner

    package init(_ directory: Directory, name: String) {
        (self.directory, self.name) = (directory, name)
        owner = ProcessOwner(directory.calls)
    }

    /// Takes the lock, or gives up after a while; returns whether it is held.
    package func acquire() -> Bool { take() == .held }

    /// The same, telling why it is not held; may be nested, and each call needs its ``release()``.
    package func take(waits: Bool = true) -> Outcome {
        depth += 1
        if depth == 1 { outcome = takeOnce(waits: waits) }
        return outcome
    }

    package func release() {
        depth -= 1
        guard depth == 0 else { return }
        if outcome == .held, let file { directory.calls.unlock(file.number) }
        outcome = .busy
    }

    /// Takes the lock of the file that has the name: one that others have removed is no lock any more.
    private func takeOnce(waits: Bool) -> Outcome {
        for _ in 0..<3 {
            let outcome = takeFile(waits: waits)
            guard outcome == .held, let file else { return outcome }
            do throws(SystemFailure) {
                if try directory.status(fileName)?.identity == file.identity { return .held }
            } catch {
                // Where no name can be looked up, a file that still has one is the lock.
                if error.isError(EACCES, EPERM), let status = try? file.status(), status.links > 0 {
                    return .held
                }
                directory.calls.unlock(file.number)
                break
            }
            directory.calls.unlock(file.number)
            self.file = nil
        }
        return .unusable
    }

    private func takeFile(waits: Bool) -> Outcome {
        let calls = directory.calls
        // After a fork the open file is shared with the parent, and with it the lock. One that could only
        // be read may be usable by now.
        if owner.leaveParent(calls) || isReadOnly || file?.isOurs == false { file = nil }
        guard let file = file ?? open() else { return .unusable }
        self.file = file
        let limit = hasTimedOut ? DirectoryLock.impatience : DirectoryLock.patience
        for attempt in 0..<(waits ? Int(limit / .milliseconds(1)) : 1) {
            if attempt > 0 { calls.pause(.milliseconds(1)) }
            guard let taken = try? directory.tryLock(file), !directory.missing.contains(.locks) else {
                return .unusable
            }
            if taken {
                hasTimedOut = false
                return .held
            }
        }
        if waits { hasTimedOut = true }
        return .busy
    }

    private func open() -> Descriptor? {
        isReadOnly = false
        for candidate in [name, "\(name).\(directory.calls.user)"] {
            do throws(SystemFailure) {
                let file = try open(candidate)
                fileName = candidate
                openings += 1
                return file
            } catch {
                if !hasReported { report(candidate, error) }
                hasReported = true
                // Two processes must not have two locks because one call of one of them failed.
                guard isRefused(candidate) else { return nil }
            }
        }
        return nil
    }

    /// Whether no process of this user can use what has the name.
    private func isRefused(_ name: String) -> Bool {
        guard let status = try? directory.status(name) else { return false }
        let isUsable = status.kind == .regular && status.owner == directory.calls.user && status.links <= 1
        return !isUsable || status.mode & 0o600 != 0o600
    }

    private func open(_ name: String) throws(SystemFailure) -> Descriptor {
        do throws(SystemFailure) { return try directory.openOrCreate(name) } catch {
            guard error.isError(EPERM, EROFS), try directory.status(name) != nil else { throw error }
            // It can be locked all the same; changes of others are then looked for each time.
            report(name, error)
            isReadOnly = true
            return try directory.open(name, for: .reading).file
        }
    }

    /// For a directory that was replaced.
    package func reset() {
        if depth == 0 { file = nil }
    }

    /// What differs whenever another process has created or finished a file; nil where that is not known.
    ///
    /// How many lock files this process has opened, as others may have removed one, and the size of the last.
    var generation: [Int]? {
        guard let file, !isReadOnly, let status = try? file.status() else { return nil }
        return [openings, status.size]
    }

    /// Tells the others that a file is created or finished; returns whether they will see it.
    func countUp() -> Bool {
        guard var file, file.isOurs else { return true }
        if isReadOnly {
            do throws(SystemFailure) { file = try directory.open(fileName).file } catch {
                // Others look each time where nobody can write it; perhaps only this process could not, for a
                // moment.
                return error.isError(EPERM, EROFS)
            }
        }
        let calls = directory.calls
        let byte = [UInt8(ascii: ".")]
        if byte.withUnsafeBytes({ try? calls.write(file.number, $0, quietly: true) }) == 1 { return true }
        // A full disk has room for a hole.
        guard let size = try? calls.status(file.number).size else { return false }
        return (try? calls.truncate(file.number, to: size + 1)) != nil
    }
}
