import CHeartwood

/// Reads secrets from files, one per secret, that only their owner can read.
///
/// The file must be a regular file (not a symbolic link), belong to the user that runs the program, and give
/// no permissions to group and others (`chmod 600`). It can have up to 64 KiB. Line breaks at the end are not
/// part of the secret.
public struct FileSecrets: SecretProvider {
    private static let limit = 65_536
    private static let calls = SystemCalls()
    private let directory: String

    /// Reads files in `directory`; a name that starts with `/` is an absolute path.
    public init(directory: String = ".") { self.directory = directory }

    /// Reads the content of the file with this name.
    ///
    /// - Throws: ``LogError`` of code `.secret` when the file is missing, empty, too large, or open to
    ///   others.
    public func secret(named name: String) throws -> Secret {
        let path = name.hasPrefix("/") ? name : directory + "/" + name
        let descriptor: Int32
        do throws(SystemFailure) {
            descriptor = try Self.calls.openForReading(path, followsLink: false)
        } catch {
            let remedy =
                error.number == ELOOP
                ? "the secret file is a symbolic link; use the file's own path"
                : "cannot open the secret file; create it with mode 0600"
            throw LogError(.secret, remedy, place: path, cause: error.number)
        }
        defer { Self.calls.close(descriptor) }
        try Self.check(descriptor, path)
        return Secret(bytes: try Self.content(descriptor, path))
    }

    private static func check(_ descriptor: Int32, _ path: String) throws {
        let status: FileStatus
        do throws(SystemFailure) { status = try calls.status(descriptor) } catch {
            throw LogError(.secret, "cannot examine the secret file", place: path, cause: error.number)
        }
        guard status.kind == .regular else {
            throw LogError(.secret, "the secret file must be a regular file", place: path)
        }
        guard status.owner == calls.user else {
            throw LogError(
                .secret,
                "the secret file belongs to user \(status.owner); chown it to the program's user",
                place: path)
        }
        guard status.mode & 0o077 == 0 else {
            throw LogError(
                .secret, "other users can read or change the secret file; chmod 600 it", place: path)
        }
    }

    private static func content(_ descriptor: Int32, _ path: String) throws -> [UInt8] {
        let contents: [UInt8]?
        do throws(SystemFailure) { contents = try calls.contents(of: descriptor, limit: limit) } catch {
            throw LogError(.secret, "cannot read the secret file", place: path, cause: error.number)
        }
        guard let bytes = contents else {
            throw LogError(
                .secret, "the secret file is larger than 64 KiB; check that it is the right file", place: path
            )
        }
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
        guard end > 0 else {
            throw LogError(.secret, "the secret file is empty; write the secret into it", place: path)
        }
        return Array(bytes[..<end])
    }
}
