#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What C's headers alone do not give to Swift: variables, and functions with any number of arguments.
extension SystemCalls {
    /// Closes a descriptor in the programs that this process starts.
    package static func closeOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    /// Sets the thread's `errno`, for a caller that reads it with `hw_errno()`.
    package static func setErrno(_ number: Int32) { errno = number }
}
