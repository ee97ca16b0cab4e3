import CHeartwood

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads secrets from files, one per secret, that only their owner can read.
///
/// The file must be a regular file (not a symbolic link), belong to the user that runs the program, and give
/// no permissions to group and others (`chmod 600`). It can have up to 64 KiB. Line breaks at the end are not
/// part of the secret.
public struct FileSecrets: SecretProvider {
    private static let limit = 65_536
    private let directory: String

    /// Reads files in `directory`; a name that starts with `/` is an absolute path.
    public init(directory: String = ".") { self.directory = directory }

    /// Reads the content of the file with this name.
    ///
    /// - Throws: ``LogError`` of code `.secret` when the file is missing, empty, too large, or open to others.
    public func secret(named name: String) throws -> Secret {
        let path = name.hasPrefix("/") ? name : directory + "/" + name
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let cause = hw_errno()
            let remedy =
                cause == ELOOP
                ? "the secret file is a symbolic link; use the file's own path"
                : "cannot open the secret file; create it with mode 0600"
            throw LogError(.secret, remedy, place: path, cause: cause)
        }
        defer { close(descriptor) }
        try Self.check(descriptor, path)
        return Secret(bytes: try Self.content(descriptor, path))
    }

    private static func check(_ descriptor: Int32, _ path: String) throws {
        var info = stat()
        guard fstat(descriptor, &info) == 0 else {
            throw LogError(.secret, "cannot examine the secret file", place: path, cause: hw_errno())
        }
        guard info.st_mode & 0o170000 == 0o100000 else {
            throw LogError(.secret, "the secret file must be a regular file", place: path)
        }
        guard info.st_uid == geteuid() else {
            throw LogError(
                .secret,
                "the secret file belongs to user \(info.st_uid); chown it to the program's user",
                place: path)
        }
        guard info.st_mode & 0o077 == 0 else {
            throw LogError(
                .secret, "other users can read or change the secret file; chmod 600 it", place: path)
        }
    }

    private static func content(_ descriptor: Int32, _ path: String) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: limit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
                return read(descriptor, rest.baseAddress, rest.count)
            }
            if got == 0 { break }
            if got < 0 {
                if hw_errno() == EINTR { continue }
                throw LogError(.secret, "cannot read the secret file", place: path, cause: hw_errno())
            }
            count += got
        }
        guard count <= limit else {
            throw LogError(
                .secret, "the secret file is larger than 64 KiB; check that it is the right file", place: path
            )
        }
        var end = count
        while end > 0, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
        guard end > 0 else {
            throw LogError(.secret, "the secret file is empty; write the secret into it", place: path)
        }
        return Array(bytes[..<end])
    }
}
