import CHeartwood

/// Waits for changes of files and directories, as far as the system tells of them.
///
/// Where it does not, as where the user has too many watches, a wait is a pause. Nor does it tell of what
/// other machines do to a network's file system: who waits looks at times whatever came.
package final class FileWatch: Sendable {
    /// What has happened.
    package enum Change: Sendable {
        /// Nothing that is known.
        case none
        /// Files were written to or cut, and nothing else.
        case content
        /// Names came, went or lead elsewhere.
        case names
    }

    /// How long a pause is at most where the system tells nothing.
    private static let pause = Duration.milliseconds(25)
    private let calls = SystemCalls()
    private let queue: Descriptor?
    #if !os(Linux)
    private let directories = Locked<[String: Descriptor]>([:])
    #endif
    private var descriptor: Int32 { queue?.number ?? -1 }

    package init() {
        let descriptor = hw_watch_open()
        queue = descriptor < 0 ? nil : try? Descriptor(descriptor, calls)
    }

    /// Watches the names of a directory from now on; does nothing where it is watched already, or is missing.
    package func add(directory path: String) {
        guard descriptor >= 0 else { return }
        #if os(Linux)
        _ = hw_watch_directory(descriptor, path)
        #else
        // An open directory is what is watched here; that of the path may be another one by now.
        guard let found = try? Descriptor(calls.openForWatching(path), calls) else { return }
        let known = directories.lock()
        defer { directories.unlock() }
        if known.pointee[path]?.identity == found.identity { return }
        if hw_watch_file(descriptor, found.number) >= 0 { known.pointee[path] = found }
        #endif
    }

    /// Watches an open file, whatever its name becomes.
    ///
    /// - Returns: what it is given up by.
    package func add(file: Int32) -> Int32? {
        guard descriptor >= 0, case let number = hw_watch_file(descriptor, file), number >= 0 else {
            return nil
        }
        return number
    }

    /// Gives a file up.
    package func remove(_ number: Int32?) {
        if let number { hw_watch_remove(descriptor, number) }
    }

    /// Waits for a change, so long at most, and takes all that there are.
    package func wait(_ limit: Duration) -> Change {
        guard descriptor >= 0 else {
            calls.pause(min(limit, FileWatch.pause))
            return .names
        }
        switch hw_watch_wait(descriptor, Int32(clamping: (limit.nanoseconds + 999_999) / 1_000_000)) {
        case hw_change_content: return .content
        case hw_change_names: return .names
        default: return .none
        }
    }
}
