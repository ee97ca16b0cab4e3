import CHeartwood
import Heartwood

/// Which files of a directory were met, so that rolled, renamed and archived ones are not read twice.
struct KnownFiles {
    /// The kernel gives the number of a removed file to the next one, so its birth counts as well.
    private struct Key: Hashable {
        let identity: FileStatus.Identity
        let birth: Int64
    }

    private let calls = SystemCalls()
    private var known: Set<Key> = []
    /// The same by their paths, so that most need not be opened to be known again.
    private var paths: [String: FileStatus.Identity] = [:]
    /// The paths of logs that were met, in whatever stage.
    private var logs: Set<String> = []

    /// How many paths are known.
    var count: Int { paths.count }

    /// What a path leads to.
    enum Finding: Equatable {
        /// The file that it led to before, an archive of a log that was read, or nothing that can be read.
        case known
        /// A file that was met under another path.
        case moved(FileStatus.Identity)
        /// A file that was never met.
        case new
    }

    /// Says what a path leads to; from then on it is known.
    mutating func look(at path: String) -> Finding {
        guard let status = try? calls.status(path: path), status.kind == .regular,
            paths[path] != status.identity, let number = try? calls.openForReading(path)
        else { return .known }
        let file = Descriptor(number, calls)
        paths[path] = status.identity
        let isFirst = known.insert(Key(identity: status.identity, birth: hw_file_birth(file.number))).inserted
        let (log, stage, _) = ArchiveStage.split(path)
        // The archive of a log that was read while it was plain is nothing new.
        let isLogNew = logs.insert(log).inserted
        if !isFirst { return .moved(status.identity) }
        return isLogNew || stage == .plain ? .new : .known
    }
}
