import CHeartwood

/// The note, a file's name, that dead letters are being stored again: after a crash the next start can tell
/// whether they were.
///
/// The mark is made before the messages are stored, all of them or none, and goes after the letters were
/// removed. Whoever opens the store looks for it before anything else is stored or sent: where the messages
/// are there, the letters are removed now; where they are not, nothing has happened. So each letter is stored
/// once.
struct ResendMark {
    private static let prefix = "resend."
    /// Where the messages are going to be: a number or a name, by the kind of the store.
    let place: String

    init(_ place: String) { self.place = place }

    /// The mark that an earlier process has left, if the names of a directory's files have one.
    init?(among names: [String]) {
        guard let name = names.first(where: { $0.hasPrefix(Self.prefix) }) else { return nil }
        place = String(name.dropFirst(Self.prefix.count))
    }

    /// Ends what a process was doing that died while it stored dead letters again; 0 or `errno`.
    ///
    /// Where the messages are stored, which `isStored` says, their letters are removed.
    static func finish(
        in directory: SpoolDirectory, among names: [String], _ isStored: (String) -> Bool
    ) -> Int32 {
        guard let mark = ResendMark(among: names) else { return 0 }
        defer { mark.remove(from: directory) }
        guard isStored(mark.place) else { return 0 }
        return DeadLetters(in: directory, payloadLimit: SpoolRecord.largestPayload).remove()
    }

    private var name: String { Self.prefix + place }

    /// Makes the mark; 0 or `errno`.
    func make(in directory: SpoolDirectory) -> Int32 {
        let file = directory.open(name, O_WRONLY | O_CREAT | O_EXCL)
        guard file >= 0 else { return hw_errno() }
        close(file)
        return directory.synchronize()
    }

    /// Removes the mark; 0 or `errno`.
    @discardableResult
    func remove(from directory: SpoolDirectory) -> Int32 { directory.remove(name) }
}
