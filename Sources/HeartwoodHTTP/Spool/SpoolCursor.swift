import CHeartwood
import Heartwood

/// The file that says how far the delivery is: two slots, written in turn, so that one is always whole.
///
/// ```
/// slot (4096 bytes; the second follows the first; numbers little-endian):
///  0  8 bytes "HWCURSR1"
///  8  u64  generation: the slot with the greater one counts
/// 16  16 bytes: the spool's identity
/// 32  u64  acknowledged: every id up to here is done
/// 40  u64  last id of the open batch, 0 for none
/// 48  u64  first id of the piece on its way, 0 for none
/// 56  u64  last id of that piece
/// 64  u32  how many bytes of marks follow
/// 68  u32  CRC32C of bytes 0 ..< 68 and of the marks
/// 72       marks: bit i is set when the record acknowledged + 1 + i is done
/// ```
struct SpoolCursor: Equatable {
    static let slotSize = 4096
    static let fileSize = 2 * slotSize
    private static let magic = Array("HWCURSR1".utf8)

    var generation: UInt64
    var identity: [UInt8]
    var state: BatchState

    /// The slot's bytes.
    func encoded() -> [UInt8] {
        var output = Self.magic
        SpoolFrame.append(generation, to: &output)
        output += identity
        SpoolFrame.append(state.acknowledged, to: &output)
        SpoolFrame.append(state.last, to: &output)
        SpoolFrame.append(state.piece?.lowerBound ?? 0, to: &output)
        SpoolFrame.append(state.piece?.upperBound ?? 0, to: &output)
        SpoolFrame.append(UInt32(state.done.count), to: &output)
        SpoolFrame.append(CRC32C.checksum(state.done, from: CRC32C.checksum(output)), to: &output)
        return output + state.done
    }

    /// Reads a slot; nil when it is empty, torn, damaged, or says what cannot be.
    init?(decoding bytes: ArraySlice<UInt8>) {
        let parsed = bytes.withUnsafeBytes { bytes -> SpoolCursor? in
            guard bytes.count >= 72, bytes.prefix(8).elementsEqual(Self.magic) else { return nil }
            let count = Int(SpoolFrame.load(bytes, 64, UInt32.self))
            guard count <= Self.slotSize - 72, 72 + count <= bytes.count else { return nil }
            let marks = Array(bytes[72..<72 + count])
            let head = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[..<68]))
            guard CRC32C.checksum(marks, from: head) == SpoolFrame.load(bytes, 68, UInt32.self) else {
                return nil
            }
            let first = SpoolFrame.load(bytes, 48, UInt64.self)
            let last = SpoolFrame.load(bytes, 56, UInt64.self)
            guard first <= last, SpoolFrame.load(bytes, 8, UInt64.self) <= SpoolRecord.largestID,
                SpoolFrame.load(bytes, 32, UInt64.self) <= SpoolRecord.largestID / 2,
                SpoolFrame.load(bytes, 40, UInt64.self) <= SpoolRecord.largestID / 2
            else { return nil }
            let state = BatchState(
                acknowledged: SpoolFrame.load(bytes, 32, UInt64.self),
                last: SpoolFrame.load(bytes, 40, UInt64.self), piece: first == 0 ? nil : first...last,
                done: marks)
            return state.map {
                SpoolCursor(
                    generation: SpoolFrame.load(bytes, 8, UInt64.self), identity: Array(bytes[16..<32]),
                    state: $0)
            }
        }
        guard let parsed else { return nil }
        self = parsed
    }

    init(generation: UInt64, identity: [UInt8], state: BatchState) {
        self.generation = generation
        self.identity = identity
        self.state = state
    }

    /// The newer of the two slots that are whole.
    static func newest(in file: [UInt8]) -> SpoolCursor? {
        let slots = stride(from: 0, to: file.count, by: slotSize).prefix(2).compactMap { start in
            SpoolCursor(decoding: file[start..<min(start + slotSize, file.count)])
        }
        return slots.max { $0.generation < $1.generation }
    }
}

/// The file `cursor` of a spool, which says how far the delivery is.
final class CursorFile {
    static let name = "cursor"

    private let directory: Directory
    private let reports: SpoolReports
    private var file: Descriptor?
    private var generation: UInt64 = 0

    init(in directory: Directory, _ reports: SpoolReports) {
        self.directory = directory
        self.reports = reports
    }

    /// Opens the file and reads it; nil, with a report of damage, if it says nothing that is whole.
    ///
    /// - Throws: what keeps it from being read.
    func load() throws(SystemFailure) -> SpoolCursor? {
        var content: [UInt8] = []
        try Self.retrying { () throws(SystemFailure) in
            let file = if let file { file } else { try directory.openOrCreate(Self.name, for: .writing) }
            self.file = file
            content = []
            try file.read(from: 0, limit: SpoolCursor.fileSize, into: &content)
        }
        if let cursor = SpoolCursor.newest(in: content) {
            generation = cursor.generation
            return cursor
        }
        if !content.isEmpty {
            reports.report(
                .damaged, "the spool's cursor was damaged; some messages may be sent twice", Self.name)
        }
        return nil
    }

    private static func retrying<Value>(
        _ body: () throws(SystemFailure) -> Value
    ) throws(SystemFailure) -> Value {
        for _ in 1..<SpoolPlan.readAttempts {
            do throws(SystemFailure) { return try body() } catch {}
        }
        return try body()
    }

    /// Fills the file with the first state of a spool.
    func start(_ state: BatchState, identity: [UInt8]) {
        if let file {
            _ = reports.attempt("cannot write the spool's cursor", Self.name) { () throws(SystemFailure) in
                try clear(file)
            }
        }
        _ = save(state, identity: identity, synchronizes: false)
    }

    /// Writes the state into the older slot; false, with a report, when that fails.
    ///
    /// After a failure the next write goes to the same slot, so that the other one stays whole.
    func save(_ state: BatchState, identity: [UInt8], synchronizes: Bool) -> Bool {
        let next = generation + 1
        let cursor = SpoolCursor(generation: next, identity: identity, state: state)
        do throws(SystemFailure) {
            let file = if let file { file } else { try reopened() }
            self.file = file
            try file.write(cursor.encoded(), at: Int(next % 2) * SpoolCursor.slotSize)
            if synchronizes {
                try SystemFailure.passingOverUnsupported { () throws(SystemFailure) in try file.sync() }
            }
        } catch {
            reports.fail("cannot write the spool's cursor", Self.name, error)
            // The program has closed it: it is opened again for the next state.
            if error.isError(EBADF) { file = nil }
            return false
        }
        generation = next
        return true
    }

    /// Opens a file that could not be opened at first; what it says is older than what is known.
    private func reopened() throws(SystemFailure) -> Descriptor {
        let file = try directory.openOrCreate(Self.name, for: .writing)
        try clear(file)
        return file
    }

    /// Makes room for both slots, so that no later write can meet a full disk.
    private func clear(_ file: Descriptor) throws(SystemFailure) {
        try file.write([UInt8](repeating: 0, count: SpoolCursor.fileSize), at: 0)
    }
}
