import CHeartwood

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system calls that a program makes for its files; a fault can be injected into each kind.
package enum SystemCall: String, Sendable, CaseIterable {
    case open, close, read, write, status, truncate, sync, rename, link, symlink, unlink
    case makeDirectory, list, lock, changeMode, setTime, freeSpace, limit
}
