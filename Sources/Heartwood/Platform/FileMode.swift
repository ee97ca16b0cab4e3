/// The permissions of a file or directory, written as an octal literal: `0o640`.
public struct FileMode: Hashable, Sendable, CustomStringConvertible, ExpressibleByIntegerLiteral {
    /// The nine permission bits, `rwxrwxrwx`, and the three before them, which count for directories.
    public let bits: UInt16

    /// Makes permissions from their bits; others than the twelve are left out.
    public init(_ bits: UInt16) { self.bits = bits & 0o7777 }

    /// The nine bits that a file has.
    var ofFile: UInt32 { UInt32(bits & 0o777) }

    /// Makes permissions from a literal, such as `0o640`.
    public init(integerLiteral bits: UInt16) { self.init(bits) }

    /// The permissions in octal, as `chmod` takes them: `0640`.
    public var description: String {
        let digits = String(bits, radix: 8)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}

/// Which directory a logger accepts, and how it makes a missing one.
public struct LogDirectoryPolicy: Hashable, Sendable {
    /// The permissions of directories that are made, whatever the umask.
    ///
    /// Default: `0700`.
    public var mode: FileMode
    /// Whether a directory is accepted that others may write to, or that belongs to another user.
    ///
    /// They could remove the files, or replace them with others, which the logger refuses. Default: `false`.
    public var acceptsShared: Bool

    /// Makes a policy.
    public init(mode: FileMode = 0o700, acceptsShared: Bool = false) {
        self.mode = mode
        self.acceptsShared = acceptsShared
    }
}
