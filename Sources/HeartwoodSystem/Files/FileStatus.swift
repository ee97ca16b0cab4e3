import CHeartwood

/// What the kernel says about a file.
package struct FileStatus: Sendable, Hashable {
    package enum Kind: Sendable { case regular, directory, symbolicLink, other }

    /// Which file it is, whatever its name.
    package struct Identity: Sendable, Hashable {
        package let device: UInt64
        package let inode: UInt64

        package init(device: UInt64, inode: UInt64) {
            self.device = device
            self.inode = inode
        }
    }

    package let identity: Identity
    package let kind: Kind
    package let size: Int
    package let links: Int
    package let owner: UInt32
    /// The nine permission bits.
    package let mode: UInt32
    /// The bits of ``mode`` that allow writing.
    package static let writing: UInt32 = 0o222
    /// Whether only its owner can rename or remove a file in this directory, as in `/tmp`.
    package let isSticky: Bool
    /// When it was last written, in nanoseconds since 1970.
    package let modifiedNanoseconds: Int64

    /// Describes a file of a simulated system.
    package init(
        identity: Identity, kind: Kind, size: Int, links: Int, owner: UInt32, mode: UInt32,
        isSticky: Bool = false, modifiedNanoseconds: Int64
    ) {
        self.identity = identity
        self.kind = kind
        self.size = size
        self.links = links
        self.owner = owner
        self.mode = mode
        self.isSticky = isSticky
        self.modifiedNanoseconds = modifiedNanoseconds
    }

    init(_ info: stat) {
        identity = Identity(device: UInt64(truncatingIfNeeded: info.st_dev), inode: UInt64(info.st_ino))
        switch UInt32(info.st_mode) & 0o170000 {
        case 0o100000: kind = .regular
        case 0o040000: kind = .directory
        case 0o120000: kind = .symbolicLink
        default: kind = .other
        }
        size = Int(info.st_size)
        links = Int(info.st_nlink)
        owner = info.st_uid
        mode = UInt32(info.st_mode) & 0o777
        isSticky = UInt32(info.st_mode) & 0o1000 != 0
        modifiedNanoseconds = withUnsafePointer(to: info) { hw_modified($0) }
    }
}
