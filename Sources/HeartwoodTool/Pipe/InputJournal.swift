import CHeartwood
import Heartwood
import Synchronization

/// Keeps what was read from a pipe until it is in the dispatcher's journal, through the end of the process by
/// any signal.
///
/// Bytes that were read from a pipe are nowhere else. They are read straight into a mapped file, so that they
/// are in it at the moment at which the kernel has taken them out of the pipe; a line is given up after the
/// dispatcher's journal has it.
///
///     0     magic number                                    8 bytes
///     8     state: half in use, start, end                  8 bytes, one atomic word
///     4096  first half                                      `capacity` bytes
///     …     second half                                     `capacity` bytes
///
/// 1. `start..<end` of the half in use are bytes that no journal has yet.
/// 2. All bytes of that half after `end` are zeros until the next read. A process that was killed between the
///    kernel's copy and its own note of the length has left them there: the next one goes to the last byte
///    that is not zero.
/// 3. Bytes are moved by a copy into the other half, which is all zeros; then the state changes; then the
///    half is cleared.
///
/// Owned by the pump's thread.
final class InputJournal {
    /// The largest number of bytes that may wait: two of the longest records, a line and a read.
    static let capacity = 4 * 1024 * 1024
    private static let header = 4096
    private static let size = header + 2 * capacity
    private static let magic: UInt64 = 0x3150_4950_5448_5748  // HWHTPIP1

    private let descriptor: Int32
    private let base: UnsafeMutableRawPointer
    private let path: String
    private var half = 0
    private var start = 0
    private var end = 0
    /// Where in the stream `start` is.
    private var position = 0
    private var owner = ThreadOwner("the journal of the input")

    /// Opens the file, or makes it, and finds out what an earlier process has left.
    ///
    /// - Parameter path: The file.
    /// - Throws: `LogError` where it cannot be used, or another process uses it.
    init(_ path: String) throws {
        self.path = path
        let descriptor = SystemCalls.openShared(path)
        guard descriptor >= 0 else {
            throw LogError(.file, "the journal of the input cannot be opened", place: path, cause: hw_errno())
        }
        func failure(_ reason: String) -> LogError {
            let cause = hw_errno()
            SystemCalls.unlock(descriptor)
            close(descriptor)
            return LogError(.file, reason, place: path, cause: cause)
        }
        guard SystemCalls.lock(descriptor) else {
            throw failure("another process uses the journal of the input")
        }
        guard let status = try? SystemCalls().status(descriptor), status.kind == .regular,
            status.size == 0 || status.size == Self.size
        else {
            throw failure("is not a journal of the input; choose another name")
        }
        guard SystemCalls.allocate(descriptor, Self.size), let base = SystemCalls.map(descriptor, Self.size)
        else { throw failure("the journal of the input cannot be made") }
        (self.descriptor, self.base) = (descriptor, base)
        if status.size == Self.size {
            guard base.load(as: UInt64.self) == Self.magic || base.load(as: UInt64.self) == 0 else {
                throw LogError(.file, "is not a journal of the input; choose another name", place: path)
            }
            recover()
        }
        base.storeBytes(of: Self.magic, as: UInt64.self)
    }

    deinit {
        munmap(base, Self.size)
        SystemCalls.unlock(descriptor)
        close(descriptor)
    }

    /// What an earlier process has read and not handed over; call ``take(upTo:)`` for its lines like for
    /// others.
    var leftover: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: area(half) + start, count: end - start)
    }

    /// The number of bytes of the stream so far, those of the leftover included.
    var total: Int { position + end - start }

    /// Reads from a source, at most as many bytes as fit into `room`, and copies them there.
    func read(
        _ source: LineSource, into room: UnsafeMutableRawBufferPointer, stop: StopSignal, milliseconds: Int32
    ) -> LineSource.Reading {
        owner.enter()
        if Self.capacity - end < room.count { moveToFront() }
        let free = min(room.count, Self.capacity - end)
        let place = UnsafeMutableRawBufferPointer(start: area(half) + end, count: free)
        let reading = source.read(into: place, stop: stop, milliseconds: milliseconds)
        if case .bytes(let count) = reading {
            end += count
            publish()
            room.copyMemory(from: UnsafeRawBufferPointer(rebasing: place[..<count]))
        }
        return reading
    }

    /// Gives up all bytes before a place in the stream: the dispatcher's journal has their lines.
    func take(upTo place: Int) {
        owner.enter()
        let count = min(max(0, place - position), end - start)
        position += count
        start += count
        publish()
    }

    /// Gives everything up, and removes the file: nothing waits.
    func finish() {
        take(upTo: total)
        unlink(path)
    }

    // MARK: The file

    private func area(_ half: Int) -> UnsafeMutableRawPointer {
        base + Self.header + half * Self.capacity
    }

    private var state: UnsafeMutablePointer<Atomic<UInt64>> {
        (base + 8).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// One word, so that a process that is killed leaves the one state or the other.
    private func publish() {
        // Releasing: what the state speaks of was written before it.
        state.pointee.store(UInt64(half) << 63 | UInt64(start) << 32 | UInt64(end), ordering: .releasing)
    }

    private func moveToFront() {
        let (old, used, count) = (half, end, end - start)
        memcpy(area(1 - old), area(old) + start, count)
        (half, start, end) = (1 - old, 0, count)
        publish()
        memset(area(old), 0, used)
    }

    private func recover() {
        let word = state.pointee.load(ordering: .acquiring)
        half = Int(word >> 63)
        start = Int(word >> 32 & 0x7FFF_FFFF)
        end = Int(word & 0xFFFF_FFFF)
        guard start <= end, end <= Self.capacity else {
            (half, start, end) = (0, 0, 0)
            publish()
            memset(area(0), 0, 2 * Self.capacity)
            return
        }
        // What the kernel copied before the process could note it.
        let bytes = UnsafeRawBufferPointer(start: area(half), count: Self.capacity)
        end = bytes[end...].lastIndex { $0 != 0 }.map { $0 + 1 } ?? end
        // The other half may not have been cleared to its end.
        memset(area(1 - half), 0, Self.capacity)
        moveToFront()
        memset(area(1 - half), 0, Self.capacity)
    }
}
