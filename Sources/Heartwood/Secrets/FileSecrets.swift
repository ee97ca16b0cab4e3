import CHeartwood

/// Reads secrets from files, one per secret, as administrators, Docker and Kubernetes provide them.
///
/// The file is read each time the secret is used, so a secret that was exchanged needs no restart. It can
/// have up to 64 KiB; line breaks at the end are not part of the secret.
///
/// 1. The file is a regular file of this user or of root that no other user can change.
/// 2. The path can contain symbolic links. No other user may be able to change one, or a directory on the
///    way.
/// 3. On a file system that is mounted read-only, owners and permissions do not matter.
/// 4. Other users may be able to read a file of root. If they can read a file of this user, this is reported
///    once to the diagnostics of ``LogDispatcher/shared``.
/// 5. A key, for encryption or keyed hashes, is refused if it is a file of this user that others can read. If
///    this user is root, it is reported once.
public struct FileSecrets: SecretFileProvider {
    private static let limit = 65_536
    private let directory: String
    private let calls = SystemCalls()

    // MARK: Guarded by 'told'
    /// The files of which it was reported that others can read them.
    private static let told = Locked<Set<String>>([])

    /// Reads the files of a directory.
    ///
    /// - Parameter directory: The directory, by default the working directory. A relative path is made
    ///   absolute at once. A name that starts with `/` is an absolute path, in whatever directory.
    public init(directory: String = ".") { self.directory = directory.absolutePath() }

    /// Reads the content of the file with this name.
    ///
    /// - Throws: ``LogError`` of code `.secret` when the file is missing, empty or too large, or is refused
    ///   by one of the first two rules.
    public func secret(named name: String) throws -> Secret { try read(name, isKey: false) }

    /// Reads the content of the file with this name, to encrypt or to hash with it.
    ///
    /// - Throws: ``LogError`` of code `.secret`, as ``secret(named:)``, and if other users can read a file of
    ///   this user.
    public func key(named name: String) throws -> Secret { try read(name, isKey: true) }

    package func path(of name: String) -> String? { name.absolutePath(in: directory) }

    private func read(_ name: String, isKey: Bool) throws -> Secret {
        let path = name.absolutePath(in: directory)
        var failure: any Error = LogError(
            .secret, "the secret file is replaced again and again; try again", place: path)
        // Between two looks another file can come under the name, and the one before can go.
        for _ in 0..<100 {
            do {
                let descriptor = try calls.openForReading(path)
                defer { calls.close(descriptor) }
                let status = try calls.status(descriptor)
                guard status.kind == .regular else {
                    throw LogError(.secret, "the secret file must be a regular file", place: path)
                }
                let way = try SecretPath(path, calls)
                guard status.identity == way.file.status.identity else { continue }
                if let refusal = way.refusal(isKey: isKey) { throw refusal }
                let content = try Self.content(calls.contents(of: descriptor, limit: Self.limit), path)
                if way.isExposed(isKey: isKey) { tell(path) }
                return Secret(bytes: content)
            } catch let error as SystemFailure {
                failure = refusal(error.number, path)
                if error.number != ENOENT { break }
            }
        }
        throw failure
    }

    private func refusal(_ number: Int32, _ path: String) -> LogError {
        func error(_ message: String, _ place: String) -> LogError {
            LogError(.secret, message, place: place, cause: number)
        }
        switch number {
        case ENOENT, ENOTDIR:
            return error("no such secret file; create or mount it, or correct the path", path)
        case EACCES, EPERM:
            var directory = path
            let isReached = (try? SecretPath(path, calls) { directory = $0 }) != nil
            let what = isReached ? "read the secret file" : "enter the directory"
            return error(
                "user \(calls.user) cannot \(what); set its owner, group or mode (for Kubernetes `fsGroup`, "
                    + "for Docker `uid`)", isReached ? path : directory)
        default: return error("cannot read the secret file", path)
        }
    }

    private static func content(_ contents: [UInt8]?, _ path: String) throws -> [UInt8] {
        guard let bytes = contents else {
            throw LogError(
                .secret, "the secret file is larger than 64 KiB; check that it is the right file", place: path
            )
        }
        var end = bytes.count
        while end > 0, bytes[end - 1] == .newline || bytes[end - 1] == .carriageReturn { end -= 1 }
        guard end > 0 else {
            throw LogError(.secret, "the secret file is empty; write the secret into it", place: path)
        }
        return Array(bytes[..<end])
    }

    private func tell(_ path: String) {
        guard Self.told.withLock({ $0.insert(path).inserted }) else { return }
        LogDiagnostics.shared.report(
            .setting, "\(path): other users can read the secret file; chmod 600 it", key: path, count: 0)
    }
}

/// Says which file a secret is in, so that its changes can be seen.
package protocol SecretFileProvider: SecretProvider {
    /// The path; nil where the secret is not in a file.
    func path(of name: String) -> String?
}

extension SecretProvider {
    /// The path of the file that a secret is in; nil where it is not in a file.
    package func file(of name: String) -> String? { (self as? any SecretFileProvider)?.path(of: name) }
}
