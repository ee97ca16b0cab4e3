/// Lines that are finished, on their way to a file.
///
/// Owned by whoever fills it until it is given to ``FileLogger/write(_:completion:)``, and by the logger
/// until that is done.
package final class LineBlock: @unchecked Sendable {  // one owner at a time
    /// The lines, with their newlines.
    package var buffer: LogBuffer
    /// Where each line ends.
    package var ends: [Int] = []

    package init(capacity: Int) {
        buffer = LogBuffer(capacity: capacity)
        ends.reserveCapacity(capacity / 32)
    }

    /// Calls `body` with both, to be filled.
    @inline(__always)
    package func fill(_ body: (inout LogBuffer, inout [Int]) -> Void) { body(&buffer, &ends) }

    /// Removes the lines; the memory stays.
    package func removeAll() {
        buffer.removeAll()
        buffer.shrink(to: 1 << 21)
        ends.removeAll(keepingCapacity: true)
    }
}
