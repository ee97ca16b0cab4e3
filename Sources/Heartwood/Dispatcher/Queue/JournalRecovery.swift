import CHeartwood
import Dispatch

/// Delivers what the loggers of dead processes had not written.
///
/// A journal is held, locked, from when a logger comes for what is in it until that is delivered; no other
/// process touches it meanwhile. The journal itself says how far the delivery is, so that it may be cut off
/// at any moment.
final class JournalRecovery: Sendable {
    /// One logger's part of one journal.
    private typealias Share = (leftover: JournalLeftover, slot: JournalSlot)

    // MARK: Constants (any thread)
    private let leftovers: JournalLeftovers
    private let diagnostics: LogDiagnostics

    /// How many bytes of records are delivered at a time.
    private static let pieceSize = 64 * 1024

    /// Looks for the journals in a directory whose processes are dead.
    init(_ directory: Directory, _ diagnostics: LogDiagnostics, key: FrameCipher? = nil) {
        self.diagnostics = diagnostics
        leftovers = JournalLeftovers(directory, diagnostics, key)
    }

    /// The keys of the loggers that something waits for.
    var keys: [JournalKey] { leftovers.keys }

    /// The paths of the journals that cannot be opened.
    var unread: [String] { leftovers.unread }

    /// The paths of the journals that have something for loggers that have not come, or cannot be opened.
    var waiting: [String] { leftovers.waiting }

    /// In the child of a fork: what was found is the parent's.
    func leaveToParent() { leftovers.leaveToParent() }

    // MARK: - Delivering

    /// Has a logger that makes messages durable get what was left for it, before anything that comes later.
    ///
    /// Called by the drain; waits for nothing.
    ///
    /// - Parameters:
    ///   - node: The logger.
    ///   - key: What it is known by.
    ///   - order: How many loggers of the same place there are before it.
    func deliver(to node: LoggerNode, _ key: JournalKey, order: Int) {
        guard leftovers.isWaiting(key.place) || leftovers.mustLookAgain else { return }
        leftovers.note(key)
        node.recovery.trySoon { [self, unowned node] in take(for: node, key, order: order) }
    }

    private func take(for node: LoggerNode, _ key: JournalKey, order: Int) {
        leftovers.lookAgain()
        let shares = leftovers.take(for: key, order: order).flatMap { leftover, key in
            // A logger that was removed and added again may have several; the older one ends where the next
            // begins.
            leftover.slots.filter { $0.isInUse && JournalKey($0.key) == key }
                .sorted { $0.done < $1.done }.map { (leftover, $0) }
        }
        resolve(shares, node)
        if leftovers.mustLookAgain {
            node.recovery.lookAgain { [self, unowned node] in take(for: node, key, order: order) }
        }
    }

    /// Finds out how much of the writes that were under way has arrived, and delivers the rest.
    ///
    /// What cannot be found out now, as while a database is locked, is tried again; until then nothing is
    /// delivered.
    private func resolve(_ shares: [Share], _ node: LoggerNode) {
        do {
            for share in shares { try resolve(share, node) }
        } catch {
            diagnostics.report(
                .damaged,
                "\(node.logger.name) cannot yet recover the messages of a process that crashed; they are"
                    + " kept in \(names(of: shares)): \(error)", key: node.logger.name)
            return node.recovery.tryAgain(shares.count) { [self, unowned node] in resolve(shares, node) }
        }
        deliver(shares, to: node)
    }

    private func names(of shares: [Share]) -> String {
        shares.map { $0.leftover.mapping.directory.path + "/" + $0.leftover.mapping.name }.joined(
            separator: ", ")
    }

    private func resolve(_ share: Share, _ node: LoggerNode) throws {
        guard let durable = node.logger as? any DurableLogger, share.leftover.mapping.isOurs,
            let intent = share.slot.intent(near: share.leftover.reader.released)
        else { return }
        // The message of a signal has the mark after the tail.
        share.slot.settle(upTo: min(try durable.resolve(intent) ?? 0, share.leftover.reader.tail &+ 8))
    }

    private func deliver(_ shares: [Share], to node: LoggerNode) {
        var rest = shares[...]
        while let share = rest.first {
            guard deliver(share, to: node) else { break }
            rest.removeFirst()
            share.slot.end()
            finish(share.leftover.mapping)
        }
        if rest.isEmpty { return }
        // The disk takes nothing: later, in the order as far as is possible.
        node.recovery.tryAgain(rest.count) { [self, rest, unowned node] in deliver(Array(rest), to: node) }
    }

    /// Removes a journal when all its slots are done with.
    private func finish(_ mapping: JournalMapping) {
        if mapping.slotsInUse.isEmpty { mapping.remove() }
    }

    /// Delivers one logger's part of a journal; false where the logger cannot write it now.
    private func deliver(_ share: Share, to node: LoggerNode) -> Bool {
        guard let durable = node.logger as? any DurableLogger, share.leftover.mapping.isOurs,
            durable.isSettled
        else {
            return false
        }
        let (slot, reader) = (share.slot, share.leftover.reader)
        let last = reader.tail &+ 8
        let done = slot.done
        let start = done <= last && done & 7 == 0 ? max(done, reader.released) : reader.released
        let places = reader.places.filter { $0.position >= start && reader.isWanted($0, by: slot) }
        let signal = done >= last ? nil : reader.signal
        let damaged = reader.damaged.count { $0 >= start }
        if places.isEmpty, signal == nil, damaged == 0, slot.lost == 0 { return true }

        let announcement = announcement(
            slot.mapping.header, recovered: places.count, damaged: damaged, missing: slot.lost,
            at: node.logger.currentTime)
        var piece = [RecoveredMessage(parts: announcement.message, mark: 0, isNote: true)]
        var size = 0
        for (index, place) in places.enumerated() {
            let large =
                reader.largeSize(place).flatMap {
                    slot.mapping.large(at: place.position, size: $0, reader.pad)
                }
            piece.append(
                RecoveredMessage(
                    parts: reader.message(place, sequence: UInt64(index + 1), large: large), mark: place.end,
                    size: place.size))
            size += place.size + (large?.count ?? 0)
            if size >= JournalRecovery.pieceSize {
                guard node.delivery.deliver(piece, of: slot) else { return false }
                (piece, size) = ([], 0)
            }
        }
        if let signal {
            piece.append(RecoveredMessage(parts: signal.message, mark: last, isNote: true))
        }
        guard piece.isEmpty || node.delivery.deliver(piece, of: slot) else { return false }
        diagnostics.report(
            .note, "\(node.logger.name): \(announcement.text)", key: share.leftover.mapping.name)
        return true
    }

    /// What the log says of a recovery, before the messages that are recovered.
    private func announcement(
        _ header: JournalHeader, recovered: Int, damaged: Int, missing: Int, at time: LogTimestamp
    ) -> (text: String, message: MessageParts) {
        var text =
            "recovered \(recovered) \(recovered == 1 ? "message" : "messages") of process \(header.process)"
            + " (\(header.program)), which terminated abnormally"
        if damaged > 0 { text += "; \(damaged) \(damaged == 1 ? "was" : "were") not complete" }
        if missing > 0 { text += "; up to \(missing) are missing before them" }
        var parts = MessageParts()
        parts.level = .notice
        parts.category = .heartwood
        parts.timestamp = time
        parts.threadID = ThreadState.current.id
        parts.text = LogText(text).bytes
        parts.fields =
            EncodedMetadata([
                "recovered": .integer(Int64(recovered)), "process": .integer(header.process),
                "incomplete": .integer(Int64(damaged)), "missing": .integer(Int64(missing)),
            ]).bytes
        return (text, parts)
    }
}

/// What dead processes have left for one logger and was not delivered yet, and when to try again.
///
/// Invariant: while something is left, there is a try ahead: the logger's next message, the next flush or the
/// timer.
final class LoggerRecovery: @unchecked Sendable {  // see the MARKs
    // MARK: Constants (any thread)
    private unowned let logger: AbstractLogger
    private let inbox: LoggerInbox
    private let right: RunningRight

    private static let interval = Duration.seconds(1)

    // MARK: Owned by the running thread
    /// What is still to be recovered, and to be tried now or again.
    private var recoveries: [@Sendable () -> Void] = []
    /// How many journals have something that was not delivered to the logger yet.
    private var unrecovered = 0
    /// What looks again for journals that could not be opened.
    private var looks: [@Sendable () -> Void] = []

    init(_ logger: AbstractLogger, _ inbox: LoggerInbox, _ right: RunningRight) {
        self.logger = logger
        self.inbox = inbox
        self.right = right
    }

    /// Whether something that a dead process has left could not be delivered so far.
    var isUnfinished: Bool {
        right.check()
        return unrecovered > 0 || !recoveries.isEmpty
    }

    // MARK: - Asking for a try

    /// Has `work` done before the logger's next message, at the next flush, or after a second, whichever is
    /// first: what is set right after the logger was added holds for it as well.
    ///
    /// Called by the drain.
    func trySoon(_ work: @escaping @Sendable () -> Void) {
        inbox.push { [self] in recoveries.append(work) }
        startTimer()
    }

    /// What was left by `journals` dead processes cannot be delivered yet: `work` will try again.
    func tryAgain(_ journals: Int, _ work: @escaping @Sendable () -> Void) {
        right.check()
        recoveries.append(work)
        unrecovered += journals
        startTimer()
    }

    /// Some journals could not be opened, so their owners are unknown: `work` will try again.
    func lookAgain(_ work: @escaping @Sendable () -> Void) {
        right.check()
        looks.append(work)
        startTimer()
    }

    private func startTimer() {
        if hw_forked_child_load() { return }
        SystemClock.call(after: LoggerRecovery.interval) { [weak logger] in
            guard let logger else { return }
            logger.node.inbox.push { if logger.node.dispatcher != nil { logger.node.recovery.run() } }
        }
    }

    // MARK: - Trying

    /// Delivers what comes before the logger's first message; later tries have times of their own.
    @inline(__always)
    func runBeforeMessage() {
        right.check()
        if !recoveries.isEmpty, unrecovered == 0 { run() }
    }

    /// Delivers what dead processes have left, as far as is possible now.
    func run() {
        right.check()
        let work = recoveries + looks
        forget()
        for work in work { work() }
    }

    /// Leaves what was not delivered to others.
    func forget() {
        right.check()
        (recoveries, unrecovered, looks) = ([], 0, [])
    }
}
