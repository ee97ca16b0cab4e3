/// What a log file on the disk has become: told by the end of its name, which survives copying and every file
/// system.
package enum ArchiveStage: String, Sendable, CaseIterable, Hashable {
    /// Text, as it was written.
    case plain = ""
    /// Compressed with gzip.
    case gzip = ".gz"
    /// Encrypted frames, compressed one by one.
    case encrypted = ".hwe"

    /// The end of the name of a file that is being made, and not yet what its name will say.
    package static let unfinished = ".part"

    /// Splits the name of a file into the name of the log and its stage.
    package static func split(_ name: String) -> (log: String, stage: ArchiveStage, isUnfinished: Bool) {
        var log = name[...]
        let isUnfinished = log.hasSuffix(unfinished)
        if isUnfinished { log.removeLast(unfinished.count) }
        for stage in [gzip, encrypted] where log.hasSuffix(stage.rawValue) {
            return (String(log.dropLast(stage.rawValue.count)), stage, isUnfinished)
        }
        return (String(log), .plain, isUnfinished)
    }
}
