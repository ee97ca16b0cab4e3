import CHeartwood

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Why something cannot be done with a file: a system call failed, with this `errno`, or the file must not be
/// used.
package struct SystemFailure: Error, Sendable, Hashable, CustomStringConvertible {
    package let call: SystemCall
    package let number: Int32
    /// Why the file was refused; nil where the system call failed.
    package let refusal: FileRefusal?

    package init(_ call: SystemCall, _ number: Int32) {
        (self.call, self.number, refusal) = (call, number, nil)
    }

    private init(_ refusal: FileRefusal) {
        (call, number) = (.open, refusal == .badName ? EINVAL : EPERM)
        self.refusal = refusal
    }

    /// The failure for a file that must not be used.
    package static func refused(_ refusal: FileRefusal) -> SystemFailure { SystemFailure(refusal) }

    /// Whether the system call failed with one of these numbers.
    package func isError(_ numbers: Int32...) -> Bool { refusal == nil && numbers.contains(number) }

    /// Whether the file system has no such call: it will fail the same way each time.
    package var isUnsupported: Bool { [EINVAL, ENOSYS, ENOTSUP, EOPNOTSUPP].contains(number) }

    /// Whether descriptors or memory were short: nothing is said about the file.
    package var isShortage: Bool { isError(EMFILE, ENFILE, ENOMEM) }

    /// Whether a lock was refused because the file system has none.
    package var hasNoLocks: Bool { call == .lock && (isUnsupported || number == ENOLCK) }

    package var description: String { refusal == nil ? "\(call.rawValue): \(reason)" : reason }

    /// The system's words for the `errno`, or why the file was refused.
    package var reason: String {
        refusal.map { "refused, because \($0.explanation)" } ?? SystemFailure.reason(of: number)
    }

    /// Calls `body`, which puts something on the disk, and passes over a file system that has no such call:
    /// nothing else can be done there.
    package static func passingOverUnsupported(
        _ body: () throws(SystemFailure) -> Void
    ) throws(SystemFailure) {
        do throws(SystemFailure) { try body() } catch { guard error.isUnsupported else { throw error } }
    }

    /// The system's words for an `errno`.
    package static func reason(of number: Int32) -> String {
        var buffer = [CChar](repeating: 0, count: 128)
        _ = strerror_r(number, &buffer, buffer.count)
        let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return bytes.isEmpty
            ? "errno \(number)" : "errno \(number): " + String(decoding: bytes, as: UTF8.self)
    }
}

/// Why a file must not be used.
package enum FileRefusal: Sendable, Hashable {
    /// The name is empty, hidden or too long, is `.` or `..`, or has a slash or a zero byte in it.
    case badName
    /// A symbolic link, a pipe, a device or a directory has the name.
    case notRegular
    /// The file belongs to another user.
    case foreignOwner
    /// The file has another name as well, which could be anywhere.
    case linked

    package var explanation: String {
        switch self {
        case .badName: "its name is empty, hidden or too long, or has a slash"
        case .notRegular: "it is a symbolic link, a pipe, a device or a directory"
        case .foreignOwner: "it belongs to another user"
        case .linked: "it has a second name (a hard link)"
        }
    }
}

/// The system calls that a program makes for its files; a fault can be injected into each kind.
package enum SystemCall: String, Sendable, CaseIterable {
    case open, close, read, write, status, truncate, sync, rename, link, symlink, unlink
    case makeDirectory, list, lock, changeMode, setTime, setAttribute, freeSpace, limit
}
