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
    ///
    /// - Parameters:
    ///   - createdAt: When it was created; nil where names have no date.
    ///   - number: Which file of those created at the same time it is; the first is 1.
    ///   - process: The process that it belongs to; nil where names do not say so.
    ///   - variant: What the name says besides, such as the version of the program.
    public init(createdAt: LogTimestamp?, number: Int = 1, process: Int32? = nil, variant: String? = nil) {
        self.createdAt = createdAt
        self.number = number
        self.process = process
        self.variant = variant
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
        if left.number != right.number { return left.number < right.number }
        return (left.process ?? 0) < (right.process ?? 0)
    }
}
