import CHeartwood

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A system call that failed, and the `errno` that says why.
package struct SystemFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let call: SystemCall
    package let number: Int32

    package init(_ call: SystemCall, _ number: Int32) {
        self.call = call
        self.number = number
    }

    /// Whether the file system has no such call: it will fail the same way each time.
    package var isUnsupported: Bool { [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP].contains(number) }

    /// Whether a lock was refused because the file system has none.
    package var hasNoLocks: Bool { call == .lock && (isUnsupported || number == ENOLCK) }

    package var description: String { "\(call.rawValue): \(SystemFailure.reason(of: number))" }

    /// The system's words for an `errno`.
    package static func reason(of number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        _ = strerror_r(number, &buffer, buffer.count)
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.isEmpty
            ? "errno \(number)" : "errno \(number): " + String(decoding: bytes, as: UTF8.self)
    }
}

/// The system calls that a program makes for its files; a fault can be injected into each kind.
package enum SystemCall: String, Sendable, CaseIterable {
    case open, close, read, write, status, truncate, sync, rename, link, symlink, unlink
    case makeDirectory, list, lock, changeMode, setTime, freeSpace, limit
}
