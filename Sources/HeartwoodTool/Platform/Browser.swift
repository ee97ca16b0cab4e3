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
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in Int32(0)...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        guard posix_spawnp(&child, words[0], &actions, nil, &arguments, environ) == 0 else { return false }
        // The program that finds the browser ends when it has: a thread waits for that, so that it leaves no
        // entry.
        _ = DetachedThread.start { [child] in
            var status: Int32 = 0
            while waitpid(child, &status, 0) < 0, hw_errno() == EINTR {}
        }
        return true
    }
}

extension SystemCalls {
    /// Waits until something can be read, or a signal came.
    static func waitReadable(_ descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&entry, 1, -1)
    }
}
