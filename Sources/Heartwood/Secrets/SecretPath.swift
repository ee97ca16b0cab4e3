import CHeartwood

/// The way to the file of a secret, and who could exchange the file or read it.
///
/// A value: the status of each link and directory on the way, and of the file, at one moment.
package struct SecretPath {
    /// A directory, a link, or the file at the end.
    struct Step {
        let path: String
        let status: FileStatus
        /// Whether its file system is mounted read-only, so that nothing on it can be exchanged from here.
        let isReadOnly: Bool
    }

    private let steps: [Step]
    private let user: UInt32

    /// Describes a way; the file is the last step.
    init(_ steps: [Step], file: Step, user: UInt32) {
        self.steps = steps
        self.file = file
        self.user = user
    }

    /// What the way leads to.
    let file: Step

    /// Goes the way as the system does, from the root through all links; says into which directory it goes.
    package init(
        _ path: String, _ calls: SystemCalls, enters: (String) -> Void = { _ in }
    ) throws(SystemFailure) {
        /// Whether a link can be exchanged is a matter of its directory.
        func step(_ place: [Substring]) throws(SystemFailure) -> Step {
            let path = "/" + place.joined(separator: "/")
            enters("/" + place.dropLast().joined(separator: "/"))
            let status = try calls.status(path: path)
            let holder = status.kind == .symbolicLink ? place.dropLast() : place[...]
            let isReadOnly = try calls.isReadOnly(path: "/" + holder.joined(separator: "/"))
            return Step(path: path, status: status, isReadOnly: isReadOnly)
        }
        var steps: [Step] = []
        var last = try step([])
        // By bytes: a slash before a combining character is no character of its own.
        func names(_ path: String) -> [Substring] {
            path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
        }
        var rest = Array(names(path).reversed())
        var place: [Substring] = []
        var links = 0
        while let name = rest.popLast() {
            if name == "." { continue }
            steps.append(last)
            if name == ".." {
                // What is left of the place has no link in it.
                _ = place.popLast()
                last = try step(place)
                continue
            }
            last = try step(place + [name])
            guard last.status.kind == .symbolicLink else {
                place.append(name)
                continue
            }
            links += 1
            if links > 40 { throw SystemFailure(.open, ELOOP) }
            let target = try calls.target(ofLink: last.path)
            if target.utf8.first == UInt8(ascii: "/") { place = [] }
            rest += names(target).reversed()
        }
        self.init(steps, file: last, user: calls.user)
    }

    /// Whether two looks have found the same, as far as it decides about the secret: what else happens in the
    /// directories does not count.
    package func isSame(as other: SecretPath?) -> Bool {
        guard let other, file.status == other.file.status, file.isReadOnly == other.file.isReadOnly else {
            return false
        }
        return steps.elementsEqual(other.steps) { left, right in
            left.path == right.path && left.isReadOnly == right.isReadOnly
                && left.status.identity == right.status.identity && left.status.owner == right.status.owner
                && left.status.mode == right.status.mode && left.status.isSticky == right.status.isSticky
        }
    }

    /// Why the secret must not be used, with what to change; nil if it can be.
    ///
    /// - Parameter isKey: Whether it encrypts or hashes: then other users must not read it.
    /// - Returns: The error to throw.
    func refusal(isKey: Bool) -> LogError? {
        if let problem = problem(file, "the secret file") { return error(problem, file) }
        // Without a link, and with a file of its own, a user looks after the directories himself.
        if file.status.owner != user || steps.contains(where: { $0.status.kind == .symbolicLink }) {
            for step in steps {
                let what = step.status.kind == .directory ? "a directory of its path" : "a link of its path"
                if let problem = problem(step, what) { return error(problem, step) }
            }
        }
        if isKey, user != 0, isReadable {
            return error("other users can read the key file; chmod 600 it", file)
        }
        return nil
    }

    /// Whether other users can read a file that this user could close to them.
    func isExposed(isKey: Bool) -> Bool { isReadable && (user != 0 || isKey) }

    private var isReadable: Bool {
        !file.isReadOnly && file.status.owner == user && file.status.mode & 0o044 != 0
    }

    private func problem(_ step: Step, _ what: String) -> String? {
        let status = step.status
        if step.isReadOnly { return nil }
        guard status.owner == user || status.owner == 0 else {
            return "\(what) belongs to user \(status.owner), who could exchange the secret; "
                + "chown it to \(user == 0 ? "root" : "root or user \(user)"), or mount it read-only"
        }
        // The mode of a link means nothing. In a directory like /tmp, each can change only what is his own.
        if status.kind == .symbolicLink || status.kind == .directory && status.isSticky { return nil }
        guard status.mode & 0o022 != 0 else { return nil }
        return "other users can change \(what); remove that permission (chmod go-w), or mount it read-only"
    }

    private func error(_ message: String, _ step: Step) -> LogError {
        LogError(.secret, message, place: step.path)
    }
}
