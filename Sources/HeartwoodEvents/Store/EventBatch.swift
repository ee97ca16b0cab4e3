import CHeartwood
import Heartwood
import HeartwoodHTTP

/// Events that belong together: a few in memory, more in a file without a name, which the system
/// removes when the process ends.
///
/// It has one owner at a time: its scope while that is open, the store afterwards.
final class EventBatch: @unchecked Sendable {  // see above
    private static let memoryLimit = 65_536
    private static let headerSize = 12

    private let directory: String
    private(set) var count = 0
    /// How many bytes the payloads have.
    private(set) var bytes = 0
    /// Each event's length (u32), time (i64) and payload.
    private var memory: [UInt8] = []
    private var file: Descriptor?
    private var position = 0
    private var chunk: ArraySlice<UInt8> = []

    /// Makes an empty one that may make a file in `directory`.
    init(directory: String) { self.directory = directory }

    /// How many bytes it takes in memory.
    var memoryBytes: Int { memory.count }

    /// Adds an event, writing to the file when there are more than 64 KiB in memory.
    ///
    /// - Throws: `LogError` if the file cannot be created or written.
    func add(_ event: StoredEvent) throws {
        withUnsafeBytes(of: UInt32(event.payload.count)) { memory.append(contentsOf: $0) }
        withUnsafeBytes(of: event.time.nanoseconds) { memory.append(contentsOf: $0) }
        memory += event.payload
        count += 1
        bytes += event.payload.count
        if memory.count > Self.memoryLimit { try spill() }
    }

    /// Goes back to the first event.
    func rewind() {
        position = 0
        chunk = []
    }

    /// The next event, `count` times after each ``rewind()``.
    ///
    /// - Throws: `LogError` when the file cannot be read.
    func next() throws -> StoredEvent {
        let header = try take(Self.headerSize)
        let (length, time) = header.withUnsafeBytes {
            ($0.loadUnaligned(as: UInt32.self), $0.loadUnaligned(fromByteOffset: 4, as: Int64.self))
        }
        return StoredEvent(payload: Array(try take(Int(length))), time: LogTimestamp(nanoseconds: time))
    }

    private func take(_ size: Int) throws -> ArraySlice<UInt8> {
        guard let file else {
            defer { position += size }
            return memory[position..<position + size]
        }
        if chunk.count < size {
            var more: [UInt8] = []
            do throws(SystemFailure) {
                try file.read(from: position, limit: max(262_144, size), into: &more)
            } catch { throw unread(error.number) }
            guard chunk.count + more.count >= size else { throw unread(0) }
            position += more.count
            chunk += more
        }
        defer { chunk = chunk.dropFirst(size) }
        return chunk.prefix(size)
    }

    private func unread(_ cause: Int32) -> LogError {
        LogError(.file, "cannot read the events of a scope", place: directory, cause: cause)
    }

    private func spill() throws {
        let file = try self.file ?? Self.nameless(in: directory)
        self.file = file
        if let failure = file.append(memory).failure {
            throw LogError(
                .file, "cannot write the events of a scope", place: directory, cause: failure.number)
        }
        memory.removeAll(keepingCapacity: true)
    }

    /// Writes the rest, so that all is in one place; to be called once, when nothing more comes.
    func seal() throws { if file != nil && !memory.isEmpty { try spill() } }

    private static func nameless(in directory: String) throws -> Descriptor {
        var template = Array((directory + "/scope.XXXXXX").utf8CString)
        let file = hw_temporary_file(&template)
        guard file >= 0 else {
            throw LogError(
                .file, "cannot create a file for the events of a scope", place: directory, cause: hw_errno())
        }
        unlink(template)
        return try Descriptor(file, SystemCalls())
    }
}
