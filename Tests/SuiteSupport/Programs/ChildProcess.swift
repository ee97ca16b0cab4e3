import Heartwood

#if os(Linux)
package import Glibc

// glibc has them, and its module for Swift does not.
@_silgen_name("posix_spawn_file_actions_addclosefrom_np")
private func closeFrom(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32) -> Int32
@_silgen_name("posix_spawn_file_actions_addchdir_np")
private func changeDirectory(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ path: UnsafePointer<CChar>
) -> Int32
#else
package import Darwin
#endif

/// A child process that is reaped by a thread of its own, whatever else this process does.
///
/// For tests. Foundation's `Process` was seen to miss the end of a child, waits for what a child leaves, and
/// passes on the signals that the calling thread has blocked: a child that is started by a queue's thread
/// cannot be asked to end by SIGTERM. This one has none blocked, and gets no descriptor but its three.
package final class ChildProcess: Sendable {
    /// What one of the three standard streams is.
    package enum Stream {
        /// `/dev/null`.
        case nothing
        /// A file: read as input, made or emptied as output.
        case file(String)
        /// An open file, pipe or terminal; the caller's still, who closes it.
        case descriptor(Int32)
        /// For errors: where the output goes.
        case output
    }

    /// How a process ended.
    package struct Ending: Hashable, Sendable {
        /// The exit code, or the number of the signal.
        package let code: Int32
        /// Whether a signal ended it.
        package let isSignal: Bool

        /// Whether it ended by itself with 0.
        package var isSuccess: Bool { code == 0 && !isSignal }

        init(status: Int32) {
            isSignal = status & 0x7F != 0
            code = isSignal ? status & 0x7F : status >> 8 & 0xFF
        }
    }

    package struct Failure: Error {
        let path: String
        let number: Int32
    }

    private struct State {
        var ending: Ending?
        var waiting: [CheckedContinuation<Ending, Never>] = []
    }

    package let id: pid_t
    private let state = Locked(State())
    /// Signaled when it has ended, and by each thread that has waited for that, for the next.
    private let hasEnded = Semaphore()

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: Its path, or its name where `PATH` has it.
    ///   - arguments: Its arguments, without its name.
    ///   - directory: Where it starts; where this process is unless given.
    ///   - environment: What is added to this process's, or put in its place.
    ///   - input: Its standard input.
    ///   - output: Its standard output.
    ///   - error: Its standard error.
    /// - Throws: ``Failure`` when it cannot be started.
    package init(
        _ program: String, _ arguments: [String] = [], in directory: String? = nil,
        environment: [String: String] = [:], input: Stream = .nothing, output: Stream = .nothing,
        error: Stream = .nothing
    ) throws {
        #if os(Linux)
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #else
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (number, stream) in zip(Int32(0)..., [input, output, error]) {
            let flags = number == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC
            switch stream {
            case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            case .file(let path): posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o600)
            case .descriptor(let other): posix_spawn_file_actions_adddup2(&actions, other, number)
            case .output: posix_spawn_file_actions_adddup2(&actions, 1, number)
            }
        }
        var flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #if os(Linux)
        _ = closeFrom(&actions, 3)
        if let directory { _ = changeDirectory(&actions, directory) }
        #else
        flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        if let directory { posix_spawn_file_actions_addchdir_np(&actions, directory) }
        #endif

        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        var all = sigset_t()
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var settings: [UnsafeMutablePointer<CChar>?] = []
        var next = environ
        while let variable = next.pointee {
            let name = String(cString: variable).prefix { $0 != "=" }
            if environment[String(name)] == nil { settings.append(strdup(variable)) }
            next += 1
        }
        settings += environment.map { strdup("\($0)=\($1)") } + [nil]
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words + settings { free(word) } }
        var child: pid_t = 0
        let number = posix_spawnp(&child, program, &actions, &attributes, &words, &settings)
        guard number == 0 else { throw Failure(path: program, number: number) }
        id = child
        if !DetachedThread.start({ self.reap() }) { throw Failure(path: program, number: EAGAIN) }
    }

    private func reap() {
        var info = siginfo_t()
        while waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        // Reaped under the lock, so that no signal goes to whoever gets the number next.
        let (ending, waiting) = state.withLock { state in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let ending = Ending(status: status)
            state.ending = ending
            defer { state.waiting = [] }
            return (ending, state.waiting)
        }
        hasEnded.signal()
        for continuation in waiting { continuation.resume(returning: ending) }
    }

    package var isRunning: Bool { state.withLock { $0.ending == nil } }

    package func signal(_ number: Int32) { state.withLock { if $0.ending == nil { kill(id, number) } } }

    /// How it ended, once it has; no thread waits.
    package func ended() async -> Ending {
        await withCheckedContinuation { continuation in
            let ending = state.withLock { state in
                if state.ending == nil { state.waiting.append(continuation) }
                return state.ending
            }
            if let ending { continuation.resume(returning: ending) }
        }
    }

    /// Waits for its end on the caller's thread, so long at most: then it is killed.
    @discardableResult
    package func wait(upTo limit: Duration = .seconds(60)) -> Ending? {
        if hasEnded.wait(upTo: limit) { hasEnded.signal() }
        if isRunning {
            signal(SIGKILL)
            return nil
        }
        return state.withLock { $0.ending }
    }
}
