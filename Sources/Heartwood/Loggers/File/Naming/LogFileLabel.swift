/// What the name of a log file says: when it was created, and which of several it is.
///
/// Labels are ordered as the files were created. A logger never gives a label below one that is there
/// already, so the order of the names is the order of the lines, even when the clock was set back in between.
public struct LogFileLabel: Hashable, Comparable, Sendable {
    /// When the file was created, as exactly as the name can tell; nil where names have no date.
    public var createdAt: LogTimestamp?
    /// Which file of those created at the same time it is; the first is 1.
    public var number: Int
    /// The process that the file belongs to, where the name says so.
    public var process: Int32?
    /// What the name says besides, such as the version of the program; without meaning for the order.
    public var variant: String?

    /// The greatest number that a name can have.
    static let greatestNumber = 999_999_999_999_999

    /// Describes a file.
    public init(createdAt: LogTimestamp?, number: Int = 1, process: Int32? = nil, variant: String? = nil) {
        (self.createdAt, self.number, self.process, self.variant) = (createdAt, number, process, variant)
    }

    /// Counts up; after the greatest number comes the first.
    mutating func count() {
        number = (1..<LogFileLabel.greatestNumber).contains(number) ? number + 1 : 1
    }

    /// Which of the two files was created first.
    public static func < (left: LogFileLabel, right: LogFileLabel) -> Bool {
        if left.createdAt != right.createdAt {
            guard let first = left.createdAt else { return true }
            guard let second = right.createdAt else { return false }
            return first < second
        }
        return (left.number, left.process ?? 0) < (right.number, right.process ?? 0)
    }
}

/// What a log file has become: told by the end of its name, which survives copying and every file system.
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
        let isUnfinished = name.hasSuffix(unfinished)
        let log = name.dropLast(isUnfinished ? unfinished.count : 0)
        let stage = [gzip, encrypted].first { log.hasSuffix($0.rawValue) } ?? .plain
        return (String(log.dropLast(stage.rawValue.count)), stage, isUnfinished)
    }
}
