import CHeartwood

/// Writes records into as many files as it takes: asks ``WriteGate`` how many go into the open one, and does
/// what it says.
///
/// Not thread-safe: owned by the engine.
final class RecordWriter {
    /// How far an attempt has come.
    struct Progress {
        /// How many records are dealt with: written, but for the last one where `unwritable` is set.
        var dealt = 0
        /// Why no file can ever hold the last of them.
        var unwritable: Int32?
    }

    private struct State {
        var slot: JournalSlot?
        /// The file of the lease, when it ends, and the bytes that it is still good for; nil for no lease.
        var leased: FileWriter?
        var leaseEnd = Duration.zero
        var leaseRoom = 0
        var hasOnlyGrown = false
    }
    @exclusivity(unchecked) private var state = State()

    /// Where the journal is told of each write before it is made.
    var slot: JournalSlot? {
        get { state.slot }
        set { state.slot = newValue }
    }

    /// Whether the last write was one within a lease, and has changed nothing but the length of the file.
    var hasOnlyGrown: Bool { state.hasOnlyGrown }

    private let scene: FileScene
    private let ledger: FileLedger
    private let budget: DiskBudget
    private let readiness: FileReadiness
    private let roller: FileRoller
    private let failures: FileFailures
    private let disk: DiskSync

    init(
        _ scene: FileScene, _ ledger: FileLedger, _ budget: DiskBudget, _ readiness: FileReadiness,
        _ roller: FileRoller, _ failures: FileFailures, _ disk: DiskSync
    ) {
        self.scene = scene
        self.ledger = ledger
        self.budget = budget
        self.readiness = readiness
        self.roller = roller
        self.failures = failures
        self.disk = disk
    }

    // MARK: The lease

    /// The most bytes of a lease.
    private static let leaseSize = 64 * 1024

    // For a while, and for some bytes, records go into the file without a question: all parts have agreed
    // to the last write, and what they decide by does not change meanwhile. Whatever else is done with the
    // engine ends it. What others do to the file is noticed at the next look that is due, as without it.

    /// Lets further records go into the file that has just taken some, as long as nothing can be due.
    func grantLease(on writer: FileWriter?) {
        guard slot == nil, scene.settings.sync == .never, let writer, writer.hasRecords,
            failures.health.failure == nil
        else { return }
        let uptime = scene.clock.uptime()
        guard let end = readiness.end(of: writer, at: uptime), end > uptime else { return }
        let largest = scene.rolling.maximumSize
        let rest = largest > 0 ? max(0, largest - writer.size) : Int.max
        (state.leased, state.leaseEnd, state.leaseRoom) = (writer, end, min(rest, RecordWriter.leaseSize))
    }

    func endLease() { state.leased = nil }

    /// Writes records within the lease, if there is one that allows it, and ends it where that fails.
    ///
    /// - Returns: how many were written.
    func writeByLease(_ bytes: UnsafeRawBufferPointer, _ ends: [Int]) -> Int {
        state.hasOnlyGrown = false
        guard let writer = state.leased else { return 0 }
        guard bytes.count <= state.leaseRoom, scene.clock.uptime() < state.leaseEnd,
            budget.spendKnown(bytes.count)
        else {
            state.leased = nil
            return 0
        }
        state.leaseRoom -= bytes.count
        let outcome = writer.append(bytes, ends: ends[...], from: 0)
        note(outcome, writer)
        state.hasOnlyGrown = outcome.failure == nil
        if outcome.failure != nil {
            // The general way looks at the file, and tries the rest again.
            state.leased = nil
            _ = readiness.expireLook()
        }
        return outcome.records
    }

    private func note(_ outcome: FileWriter.Outcome, _ writer: FileWriter) {
        scene.inventory.resize(writer.name, to: writer.size)
        scene.counters.written += outcome.records
        scene.counters.bytes += outcome.bytes
    }

    // MARK: Writing

    /// Writes the records from the one of number `done` on; what prevents it is noted.
    func write(
        _ bytes: UnsafeRawBufferPointer, _ ends: [Int], _ marks: [UInt64], from done: Int = 0
    ) -> Progress {
        var batch = Batch(bytes: bytes, ends: ends, marks: marks, index: done)
        // Fewer, once a frame met a limit on the size of files.
        batch.most = slot == nil ? Int.max : JournalSlot.writeLimit
        var attempt = WriteGate.Attempt()
        do {
            while !batch.isDone {
                if let number = try step(&batch, &attempt) {
                    return Progress(dealt: batch.index + 1, unwritable: number)
                }
            }
            failures.health.noteSuccess()
        } catch {
            failures.note(error)
        }
        return Progress(dealt: batch.index)
    }

    /// Has the file looked at before each write for a second, or only before the next one.
    func lookClosely(forWhile: Bool) { readiness.lookClosely(forWhile: forWhile) }

    /// Gets the file of the next record ready; what prevents it is noted.
    func prepare() {
        let isLocked = ledger.beginWrite()
        defer { ledger.endWrite() }
        do {
            _ = readiness.expireLook()
            _ = try readiness.ready(isLocked: isLocked, isJournaled: slot != nil)
        } catch {
            failures.note(error)
        }
    }

    /// The records of one call, and how far they are.
    private struct Batch {
        let bytes: UnsafeRawBufferPointer
        let ends: [Int]
        let marks: [UInt64]
        /// The first record that is not written yet.
        var index = 0
        /// How many records a write may have.
        var most = Int.max

        var isDone: Bool { index >= ends.count }
        var start: Int { index == 0 ? 0 : ends[index - 1] }
    }

    /// Does what the gate says.
    ///
    /// - Returns: why no file can ever hold the next record; nil where one may.
    private func step(_ batch: inout Batch, _ attempt: inout WriteGate.Attempt) throws -> Int32? {
        let isLocked = ledger.beginWrite()
        defer { ledger.endWrite() }
        let writer = try readiness.ready(isLocked: isLocked, isJournaled: slot != nil)
        let situation = WriteGate.Situation(
            size: writer.size, hasRecords: writer.hasRecords, total: scene.inventory.total,
            isTorn: writer.isTorn)
        let answer = gate(writer, batch.most).answer(
            batch.ends[batch.index...], from: batch.start, situation, attempt)
        if case .write = answer {} else if readiness.expireLook() { return nil }
        switch answer {
        case .complete:
            if let failure = append(&batch, 1, writer) { throw failure }
        case .roll:
            attempt.cannotRoll = !roller.roll()
        case .makeRoom(let needed):
            budget.apply(incoming: needed)
            attempt.hasMadeRoom = true
        case .never(let number):
            return number
        case .wait(let number):
            throw SystemFailure(.write, number)
        case .write(let count, let size):
            try budget.spend(size)
            attempt = WriteGate.Attempt()
            guard let failure = append(&batch, count, writer) else { break }
            // Others may have closed or removed the file, or lowered a limit, since it was last looked at.
            if readiness.expireLook() { return nil }
            return try handle(failure, of: count, &batch, writer)
        }
        return nil
    }

    /// Goes on in another file where the process may not make this one larger.
    ///
    /// - Returns: why no file can ever hold the next record; nil where one may.
    private func handle(
        _ failure: SystemFailure, of count: Int, _ batch: inout Batch, _ writer: FileWriter
    ) throws -> Int32? {
        guard failure.number == EFBIG else { throw failure }
        if writer.hasRecords {
            guard roller.roll() else { throw failure }
        } else if writer.isFramed, count > 1 {
            batch.most = count / 2
        } else {
            return EFBIG
        }
        return nil
    }

    private func gate(_ writer: FileWriter, _ most: Int) -> WriteGate {
        WriteGate(
            rolling: scene.rolling, quota: scene.settings.retention.quota, headerSize: readiness.headerSize,
            mostRecords: most, isFramed: writer.isFramed)
    }

    private func append(_ batch: inout Batch, _ count: Int, _ writer: FileWriter) -> SystemFailure? {
        let range = batch.index..<batch.index + count
        let (start, ends, marks) = (batch.start, batch.ends, batch.marks)
        let part = UnsafeRawBufferPointer(rebasing: batch.bytes[start..<ends[range.upperBound - 1]])
        let outcome = writer.append(part, ends: ends[range], from: start) { written in
            if marks.isEmpty { return }
            slot?.intend(
                writer.identity, writer.name, size: writer.size, written, from: start, ends: ends[range],
                marks: marks[range], isFrame: writer.isFramed)
        }
        if !marks.isEmpty {
            slot?.settle(upTo: marks[range.lowerBound..<range.lowerBound + outcome.records].max() ?? 0)
        }
        note(outcome, writer)
        if outcome.bytes > 0 { disk.noteWrite() }
        batch.index += outcome.records
        return outcome.failure
    }
}
