/// What a test makes of a spool's file calls: a full disk, a failing one, or the death of the process in a
/// call.
package protocol SpoolFaults: AnyObject, Sendable {
    /// How many of `count` bytes a write takes, and the `errno` with which it fails then; nil: it takes all.
    ///
    /// With `inPlace` the bytes replace others, for which a disk needs no more room.
    func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)?
    /// The `errno` with which a call fails that makes, renames, removes or cuts a file; 0: it succeeds.
    func change() -> Int32
    /// The `errno` with which a call fails that reads a file, or opens it for that; 0: it succeeds.
    func read() -> Int32
    /// The `errno` with which a call fails that waits until the disk has a file; 0: it succeeds.
    func synchronize() -> Int32
    /// The `errno` with which a call fails that waits until the disk has the names of a directory; 0: it
    /// succeeds.
    func synchronizeNames() -> Int32
}

extension SpoolFaults {
    package func read() -> Int32 { 0 }
    package func synchronize() -> Int32 { 0 }
    package func synchronizeNames() -> Int32 { 0 }
}
