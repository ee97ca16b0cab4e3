#if os(Linux)
import Foundation
import Glibc

/// The descriptors that a program which this process starts now has, besides the standard streams, and what
/// each is.
///
/// For a process of a test's own: what other tests open would be in it.
package func inheritedDescriptors() throws -> [Int32: String] {
    let path = NSTemporaryDirectory() + "heartwood-inherited-\(UUID())"
    defer { unlink(path) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    var words = [strdup("ls"), strdup("-l"), strdup("/proc/self/fd"), nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    guard posix_spawnp(&child, "ls", &actions, nil, &words, environ) == 0 else { throw POSIXError(.ENOENT) }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    var all: [Int32: String] = [:]
    for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
        guard let entry = line.firstMatch(of: /(\d+) -> (.*)$/), let number = Int32(entry.1) else { continue }
        // The directory that it lists.
        if number > 2, entry.2 != "/proc/\(child)/fd" { all[number] = String(entry.2) }
    }
    return all
}
#endif
