import CHeartwood
import Dispatch

/// Finds the journals of dead processes in a directory, and delivers what their loggers had not written.
///
/// A journal is held, locked, from when it is found until it is done with; nobody else touches it meanwhile. How far the
/// delivery is stands in the journal itself, so that it may be cut off at any moment.
final class JournalRecovery: Sendable {
    /// A journal that belongs to nobody.
    private struct Leftover {
        let mapping: JournalMapping
        let reader: JournalReader
        /// The slots of loggers that have not come yet.
        var slots: [JournalSlot]
    }

    /// One logger's part of one journal.
    private struct Share: Sendable {
        let mapping: JournalMapping
        let reader: JournalReader
        let slot: JournalSlot
    }

    // MARK: Constants (any thread)
    private let directory: LogDirectory
    private let diagnostics: LogDiagnostics

    // MARK: Guarded by 'leftovers'
    private let leftovers: Locked<[Leftover]>

    /// How many bytes of records are delivered at a time.
    private static let pieceSize = 64 * 1024

    /// Takes hold of the journals in a directory whose processes are dead.
    ///
    /// What is damaged or of another version is set aside and reported; what has nothing to recover is removed.
    init(_ directory: LogDirectory, _ diagnostics: LogDiagnostics) {
        self.directory = directory
        self.diagnostics = diagnostics
        leftovers = Locked([])
        let names = (try? directory.calls.names(directory.descriptor.number)) ?? []
        var found: [Leftover] = []
        // These first: a process that died while it made its journal may have left it with both names.
        for name in names where name.hasSuffix(JournalMapping.suffix + JournalMapping.unfinished) {
            removeUnfinished(name)
        }
        for name in names where name.hasSuffix(JournalMapping.suffix) {
            if let leftover = take(name) { found.append(leftover) }
        }
        found.sort { $0.mapping.header.begun < $1.mapping.header.begun }
        leftovers.withLock { [found] in $0 = found }
    }

    /// The keys of the loggers that something waits for.
    var keys: [String] { leftovers.withLock { $0.flatMap { $0.slots.map(\.key) } } }

    private func removeUnfinished(_ name: String) {
        guard let (file, _) = try? directory.open(name, acceptsLinked: true),
            (try? directory.calls.tryLock(file.number)) == true
        else { return }
        _ = try? directory.remove(name)
    }

    /// Whether a journal has the name, too, under which journals are made.
    private func hasBothNames(_ name: String) -> Bool {
        guard let status = try? directory.status(name + JournalMapping.unfinished) else { return false }
        return (try? directory.status(name))?.identity == status.identity
    }

    private func take(_ name: String) -> Leftover? {
        let place = directory.path + "/" + name
        do {
            let (file, status) = try directory.open(name)
            guard try directory.calls.tryLock(file.number) else { return nil }
            // Another recovery may have finished with it between the opening and the lock.
            guard try directory.status(name)?.identity == status.identity else { return nil }
            guard status.size > 0 else { throw JournalHeader.Failure.damaged("it is empty") }
            guard let base = MemoryMap.shared(file.number, size: status.size) else {
                throw SystemFailure(.open, hw_errno())
            }
            let bytes = UnsafeRawBufferPointer(start: base, count: status.size)
            let header: JournalHeader
            do {
                header = try JournalHeader(reading: bytes)
            } catch {
                munmap(base, status.size)
                throw error
            }
            let mapping = JournalMapping(
                directory: directory, name: name, header: header, base: base, file: file)
            let reader = try JournalReader(bytes, header)
            let slots = (0..<JournalLayout.slotCount).map { JournalSlot(mapping, index: $0) }
                .filter(\.isInUse)
            if slots.isEmpty {
                mapping.remove()
                return nil
            }
            return Leftover(mapping: mapping, reader: reader, slots: slots)
        } catch let failure as JournalHeader.Failure {
            setAside(name, failure)
        } catch let failure as SystemFailure where failure.number == ENOENT {
            // Somebody else has finished with it.
        } catch LogDirectory.Refusal.linked where hasBothNames(name) {
            // Somebody who is alive is just making it.
        } catch {
            diagnostics.report(.damaged, "the journal \(place) cannot be read: \(error)", key: name)
        }
        return nil
    }

    private func setAside(_ name: String, _ failure: JournalHeader.Failure) {
        let (reason, ending) =
            switch failure {
            case .damaged(let reason): (reason, ".damaged")
            case .unknownVersion(let version): ("it is of version \(version)", ".unknown")
            }
        do {
            try directory.replace(name + ending, with: name)
            diagnostics.report(
                .damaged,
                "the journal \(directory.path)/\(name) was set aside as \(name)\(ending): \(reason)",
                key: name)
        } catch {
            diagnostics.report(
                .damaged,
                "the journal \(directory.path)/\(name) cannot be used (\(reason)) nor set aside: \(error)",
                key: name)
        }
    }

    /// In the child of a fork: what was found is the parent's.
    func leaveToParent() {
        for leftover in leftovers.withLock({ $0 }) { leftover.mapping.leaveToParent() }
        leftovers.withLock { $0 = [] }
    }

    func around(_ fork: ForkStep) { fork.apply(to: leftovers) }

    // MARK: - Delivering

    /// Has a logger that makes messages durable get what was left for it, before anything that comes later.
    ///
    /// Called by the drain; waits for nothing.
    func deliver(to node: LoggerNode) {
        guard let key = (node.logger as? any DurableLogger)?.journalKey else { return }
        let shares = leftovers.withLock { leftovers in
            var shares: [Share] = []
            for index in leftovers.indices {
                let own = leftovers[index].slots.filter { $0.key == key }
                leftovers[index].slots.removeAll { slot in own.contains { $0 === slot } }
                let (mapping, reader) = (leftovers[index].mapping, leftovers[index].reader)
                shares += own.map { Share(mapping: mapping, reader: reader, slot: $0) }
            }
            leftovers.removeAll { $0.slots.isEmpty }
            return shares
        }
        if shares.isEmpty { return }
        node.push { [self] in
            // All of them before the first is delivered: what that writes must not be taken for another's write.
            for share in shares { resolve(share, node) }
            deliver(shares, to: node)
        }
    }

    /// Finds out how much of the write that was under way has arrived.
    private func resolve(_ share: Share, _ node: LoggerNode) {
        guard let durable = node.logger as? any DurableLogger, share.mapping.isOurs,
            let intent = share.slot.intent(near: share.reader.released)
        else { return }
        share.slot.settle(upTo: min(durable.resolve(intent) ?? 0, share.reader.tail))
    }

    private func deliver(_ shares: [Share], to node: LoggerNode) {
        var rest = shares[...]
        while let share = rest.first {
            guard deliver(share, to: node) else { break }
            rest.removeFirst()
            share.slot.end()
            finish(share.mapping)
        }
        if rest.isEmpty { return }
        // The disk takes nothing: later, in the order as far as is possible.
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(1)) { [rest] in
            node.push { [self] in
                if node.dispatcher != nil { deliver(Array(rest), to: node) }
            }
        }
    }

    /// Removes a journal when all its slots are done with.
    private func finish(_ mapping: JournalMapping) {
        let isOpen = (0..<JournalLayout.slotCount).contains { JournalSlot(mapping, index: $0).isInUse }
        if !isOpen { mapping.remove() }
    }

    /// Delivers one logger's part of a journal; false where the logger cannot write it now.
    private func deliver(_ share: Share, to node: LoggerNode) -> Bool {
        guard let durable = node.logger as? any DurableLogger, share.mapping.isOurs, durable.isSettled else {
            return false
        }
        let (slot, reader) = (share.slot, share.reader)
        let last = reader.tail &+ 8
        let done = slot.done
        let start = done <= last && done & 7 == 0 ? max(done, reader.released) : reader.released
        let levels = slot.levels
        let places = reader.places.filter { $0.position >= start && reader.level(of: $0) & levels != 0 }
        let signal = done >= last ? nil : reader.signal
        let damaged = reader.damaged.count { $0 >= start }
        if places.isEmpty, signal == nil, damaged == 0, slot.lost == 0 { return true }

        let marker = Marker(
            header: share.mapping.header, recovered: places.count, damaged: damaged, missing: slot.lost)
        var piece: [(parts: MessageParts, mark: UInt64)] = [(marker.message(at: node.logger.currentTime), 0)]
        var size = 0
        for (index, place) in places.enumerated() {
            let large =
                reader.isLarge(place) ? JournalLargeText.read(for: place.position, share.mapping) : nil
            piece.append((reader.message(place, sequence: UInt64(index + 1), large: large), place.end))
            size += place.size + (large?.count ?? 0)
            if size >= JournalRecovery.pieceSize {
                guard node.deliver(piece, of: slot) else { return false }
                (piece, size) = ([], 0)
            }
        }
        if let signal { piece.append((signal.message, last)) }
        guard piece.isEmpty || node.deliver(piece, of: slot) else { return false }
        diagnostics.report(.note, "\(node.logger.name): \(marker.text)", key: share.mapping.name)
        return true
    }

    /// What the log says of a recovery, before the messages that are recovered.
    struct Marker {
        let header: JournalHeader
        let recovered: Int
        let damaged: Int
        let missing: Int

        var text: String {
            var text =
                "recovered \(recovered) \(recovered == 1 ? "message" : "messages") of process \(header.process)"
                + " (\(header.program)), which did not end in order"
            if damaged > 0 { text += "; \(damaged) \(damaged == 1 ? "was" : "were") not complete" }
            if missing > 0 { text += "; up to \(missing) are missing before them" }
            return text
        }

        func message(at time: LogTimestamp) -> MessageParts {
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
            return parts
        }
    }
}
