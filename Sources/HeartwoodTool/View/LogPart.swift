import Heartwood

/// A file whose lines are shown.
struct LogPart: Sendable {
    /// Where it is, or was when it was found.
    var path: String
    /// Which file it is; the path may lead to another one later.
    let identity: FileStatus.Identity?
    /// Whether its text was cut away.
    var isGone = false

    /// The name without the directory.
    var name: String { String(path.split(separator: "/").last ?? "") }

    /// Whether an open file holds text as it is.
    static func isPlain(_ descriptor: Int32, _ calls: SystemCalls) -> Bool {
        let magic = EncryptedFrame.magic
        guard let start = try? calls.bytes(magic.count, of: descriptor, at: 0) else { return false }
        return !(start.starts(with: [0x1f, 0x8b]) || start == magic)
    }
}
