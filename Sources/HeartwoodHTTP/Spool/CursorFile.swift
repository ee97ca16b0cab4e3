import CHeartwood
import Heartwood

/// The file `cursor` of a spool, which says how far the delivery is.
final class CursorFile {
    private static let name = "cursor"

    private let directory: SpoolDirectory
    private let reports: SpoolReports
    private var descriptor: Int32 = -1
    private var generation: UInt64 = 0

    init(in directory: SpoolDirectory, _ reports: SpoolReports) {
        self.directory = directory
        self.reports = reports
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Opens the file and reads it; nil, with a report of damage, if it says nothing that is whole.
    func load() -> SpoolCursor? {
        for _ in 0..<SpoolDisk.readAttempts where descriptor < 0 {
            descriptor = directory.open(Self.name, O_RDWR | O_CREAT)
        }
        guard descriptor >= 0 else {
            reports.fail("cannot open the spool's cursor", Self.name, hw_errno())
            return nil
        }
        var content: [UInt8] = []
        var error: Int32 = EIO
        for _ in 0..<SpoolDisk.readAttempts where error != 0 {
            content = []
            error = SpoolFile.read(descriptor, from: 0, limit: SpoolCursor.fileSize, into: &content)
        }
        if error != 0 { reports.fail("cannot read the spool's cursor", Self.name, error) }
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

    /// Fills the file with the first state of a spool.
    func start(_ state: BatchState, identity: [UInt8]) {
        if descriptor >= 0 { _ = clear() }
        _ = save(state, identity: identity, synchronizes: false)
    }

    /// Writes the state into the older slot; false, with a report, when that fails.
    ///
    /// After a failure the next write goes to the same slot, so that the other one stays whole.
    func save(_ state: BatchState, identity: [UInt8], synchronizes: Bool) -> Bool {
        guard descriptor >= 0 || reopen() else { return false }
        let next = generation + 1
        let cursor = SpoolCursor(generation: next, identity: identity, state: state)
        let slot = Int(next % 2) * SpoolCursor.slotSize
        var error = SpoolFile.write(descriptor, cursor.encoded(), at: slot)
        if error == 0 && synchronizes { error = SpoolFile.synchronize(descriptor) }
        guard error == 0 else {
            reports.fail("cannot write the spool's cursor", Self.name, error)
            return false
        }
        generation = next
        return true
    }

    /// Opens a file that could not be opened at first; what it says is older than what is known.
    private func reopen() -> Bool {
        descriptor = directory.open(Self.name, O_RDWR | O_CREAT)
        guard descriptor >= 0 else { return false }
        if clear() { return true }
        close(descriptor)
        descriptor = -1
        return false
    }

    /// Makes room for both slots, so that no later write can meet a full disk.
    private func clear() -> Bool {
        let error = SpoolFile.write(descriptor, [UInt8](repeating: 0, count: SpoolCursor.fileSize), at: 0)
        if error != 0 { reports.fail("cannot write the spool's cursor", Self.name, error) }
        return error == 0
    }
}
