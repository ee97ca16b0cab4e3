import CHeartwood
import Synchronization

/// Where the memory of a dispatcher's ring is: in a journal's file, or in the process alone.
///
/// Invariants:
/// 1. `mapping` is that of the file that the ring is in; it changes under the drain's lock only.
/// 2. While the memory is replaced, the ring is closed, and no caller finds room (`isExchanging`).
final class RingPlace: Sendable {
    // MARK: Constants (any thread)
    private let ring: RecordRing
    private let consumer: RingConsumer
    private let diagnostics: LogDiagnostics

    // MARK: Atomics (any thread)
    private let exchanging = Atomic<Bool>(false)

    // MARK: Guarded by themselves
    private let mapping = Locked<JournalMapping?>(nil)

    init(_ ring: RecordRing, _ consumer: RingConsumer, _ diagnostics: LogDiagnostics) {
        self.ring = ring
        self.consumer = consumer
        self.diagnostics = diagnostics
    }

    /// Whether it is in a file.
    var isFile: Bool { mapping.withLock { $0 != nil } }

    /// The path of that file.
    var path: String? { mapping.withLock { $0.map { $0.directory.path + "/" + $0.name } } }

    /// Whether the memory is being replaced, so that no caller finds room for a moment.
    var isExchanging: Bool { exchanging.load(ordering: .acquiring) }

    /// Has fatal signals noted in the file or not; false where there is no file.
    func setNotesSignals(_ notes: Bool) -> Bool {
        guard let mapping = mapping.withLock({ $0 }) else { return false }
        if notes { mapping.noteSignals() } else { mapping.ignoreSignals() }
        return true
    }

    // MARK: - Another place

    /// Replaces the ring's memory by a file, or by fresh memory without one.
    ///
    /// For a moment the ring is closed: callers wait for room. Everything that it has is handed to the
    /// loggers before.
    ///
    /// - Parameters:
    ///   - file: The file; nil for memory.
    ///   - recovery: What dead processes have left.
    /// - Returns: false where there is no memory for that, so that nothing has changed.
    func exchange(for file: JournalFile?, _ recovery: JournalRecovery?) -> Bool {
        exchanging.store(true, ordering: .releasing)
        defer { exchanging.store(false, ordering: .releasing) }
        return consumer.withDrain { drain in
            guard let end = ring.close() else { return false }
            consumer.consumeAll(upTo: end, &drain)
            let beginning = ring.nextBeginning
            file?.begin(at: beginning)
            use(file, recovery, &drain, from: beginning, leavingAt: drain.rescuedEnd ?? end)
            return true
        }
    }

    /// Moves the closed ring to `file`, or to fresh memory if there is no file or it cannot be mapped.
    private func use(
        _ file: JournalFile?, _ recovery: JournalRecovery?, _ drain: inout Drain, from beginning: UInt64,
        leavingAt end: UInt64
    ) {
        let target = file.map {
            (
                descriptor: $0.mapping.descriptor, offset: $0.mapping.geometry.counters,
                released: $0.released, pad: $0.mapping.pad
            )
        }
        if let file { drain.noteClock(in: file) }
        // Before the ring is open: a caller may put a large text beside the file at once.
        mapping.withLock { $0 = file?.mapping }
        let isMapped = ring.exchange(for: target, beginning: beginning)
        // Not before: the ring's tail would be moved as well, and open it.
        drain.journal?.ringHasLeft(at: end)
        let used = isMapped ? file : nil
        if !isMapped { mapping.withLock { $0 = nil } }
        drain.begin(used, used == nil ? nil : recovery, at: beginning)
        if !isMapped { file?.mapping.remove() }
    }

    // MARK: - Large messages

    /// Keeps the text of a message that is too large for the ring beside the file.
    func keep(_ large: Unmanaged<LargeBody>, _ position: UInt64) {
        guard let mapping = mapping.withLock({ $0 }), mapping.isOurs else { return }
        ring.noteLarge()
        do {
            try large._withUnsafeGuaranteedRef { large in
                try mapping.keepLarge(UnsafeRawBufferPointer(large.bytes), at: position)
            }
        } catch {
            diagnostics.report(
                .writeFailed,
                "cannot store a large message in the journal; a crash would lose it: \(error)",
                key: "journal")
        }
    }

    // MARK: - Around a fork

    func handleFork(_ fork: ForkStep) { fork.apply(to: mapping) }

    /// In the child: the file is the parent's, and the ring goes on in memory of its own.
    func leaveInChild() {
        let beginning = ring.nextBeginning
        consumer.drain.withLock { drain in
            drain.leaveJournal()
            _ = ring.exchange(for: nil, beginning: beginning)
        }
        mapping.withLock { $0 = nil }
    }
}
