// How a page is opened, and how to wait without one: all that differs between systems.

import CHeartwood
import Heartwood
import HeartwoodHTTP

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The user's browser.
enum Browser {
    /// Opens an address; false where there is no browser that could show it.
    static func open(_ address: String) -> Bool {
        #if canImport(Darwin)
        return start(["/usr/bin/open", address])
        #else
        let environment = ProcessEnvironment.all
        guard environment["DISPLAY"]?.isEmpty == false || environment["WAYLAND_DISPLAY"]?.isEmpty == false
        else { return false }
        return start(["xdg-open", address])
        #endif
    }

    /// Starts a program that nothing is expected of.
    static func start(_ words: [String]) -> Bool {
        guard let program = Program(words, path: words[0]) else { return false }
        // The program that finds the browser ends when it has: a thread waits for that, so that it leaves no
        // entry.
        _ = DetachedThread.start { _ = program.waitForEnd() }
        return true
    }
}

/// A program that was started.
struct Program: Sendable {
    private let child: pid_t

    /// Starts a program; nil where that is not possible.
    ///
    /// - Parameters:
    ///   - words: Its name and its arguments.
    ///   - path: Where it is, or its name, to be found where programs are.
    ///   - input: What it reads; nil for nothing.
    ///   - output: What it writes its output to; nil for nothing.
    ///   - isApart: Whether it gets this program's standard error, and no signals of the terminal.
    init?(
        _ words: [String], path: String, input: Int32? = nil, output: Int32? = nil, isApart: Bool = false
    ) {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for (number, descriptor) in [input, output, isApart ? 2 : nil].enumerated() {
            if let descriptor {
                posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
            } else {
                posix_spawn_file_actions_addopen(&actions, Int32(number), "/dev/null", O_RDWR, 0)
            }
        }
        if isApart { posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)) }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        guard posix_spawnp(&child, path, &actions, &attributes, &arguments, environ) == 0 else { return nil }
        self.child = child
    }

    /// Starts this program again, with other arguments, apart from the terminal's signals.
    init?(itself arguments: [String], input: Int32, output: Int32) {
        // The file of this program, even if it was replaced meanwhile.
        let own = "/proc/self/exe"
        let path = access(own, X_OK) == 0 ? own : CommandLine.arguments[0]
        self.init(
            [CommandLine.arguments[0]] + arguments, path: path, input: input, output: output, isApart: true)
    }

    /// Waits for its end; gives the signal that ended it, or nil.
    func waitForEnd() -> Int32? {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            if hw_errno() != EINTR { return nil }
        }
        return status & 0x7F == 0 ? nil : status & 0x7F
    }
}

extension SystemCalls {
    /// Waits until one of some descriptors can be read or has ended, a signal came, or the time is over.
    ///
    /// - Returns: whether it is the first one.
    @discardableResult
    static func waitReadable(_ descriptors: Int32..., milliseconds: Int32 = -1) -> Bool {
        var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        return poll(&entries, nfds_t(entries.count), milliseconds) > 0 && entries[0].revents != 0
    }
}
