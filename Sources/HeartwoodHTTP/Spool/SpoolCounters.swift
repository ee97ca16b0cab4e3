/// Counts of the messages that a spool was given, and of damage in its files.
package struct SpoolCounters: Sendable, Equatable {
    /// Records taken over.
    package var appended = 0
    /// Records that are still there from an earlier run.
    package var recovered = 0
    /// Records dropped because the store was full.
    package var droppedFull = 0
    /// Records dropped because they were too old.
    package var droppedOld = 0
    /// Records dropped because the program asked for it.
    package var droppedAsked = 0
    /// Records that were in memory only when the store was closed, since the disk did not take them.
    package var droppedUnsaved = 0
    /// Records lost in damaged files.
    package var damagedRecords = 0
    /// Bytes of damaged files.
    package var damagedBytes = 0
    /// Bytes at the end of a file that were never completely written, nor reported as written.
    package var tornBytes = 0
    /// Calls of the system that failed.
    package var failures = 0

    /// Adds the figures of another spool.
    static func += (sum: inout SpoolCounters, other: SpoolCounters) {
        sum.appended += other.appended
        sum.recovered += other.recovered
        sum.droppedFull += other.droppedFull
        sum.droppedOld += other.droppedOld
        sum.droppedAsked += other.droppedAsked
        sum.droppedUnsaved += other.droppedUnsaved
        sum.damagedRecords += other.damagedRecords
        sum.damagedBytes += other.damagedBytes
        sum.tornBytes += other.tornBytes
        sum.failures += other.failures
    }

    /// All records that are gone without having been delivered.
    package var lost: Int { droppedFull + droppedOld + droppedAsked + droppedUnsaved + damagedRecords }
}
