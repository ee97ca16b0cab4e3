import CHeartwood

/// The journals of a directory that are no living process's.
///
/// They are listed without being held, so that each process can get at what its own loggers have left,
/// whoever else looks into the directory. Two loggers of one process may have their parts of the same journal
/// at the same time.
final class JournalLeftovers: Sendable {
    /// A journal that was found, and the loggers that have not come for it yet.
    private struct Entry {
        let name: String
        let header: JournalHeader
        /// The keys of all loggers that it has had, in the order of its slots.
        let known: [JournalKey]
        /// Those that left something.
        let left: Set<JournalKey>
        /// Those of them that were not taken.
        var waiting: Set<JournalKey>
        weak var held: JournalLeftover?

        init(_ mapping: JournalMapping) {
            name = mapping.name
            header = mapping.header
            known = mapping.knownSlots.map { JournalKey($0.key) }
            left = Set(mapping.slotsInUse.map { JournalKey($0.key) })
            waiting = left
        }

        /// The key of what is a logger's, which counts as taken from now on.
        mutating func take(for wanted: JournalKey, order: Int, _ present: Set<JournalKey>) -> JournalKey? {
            JournalKey.share(of: wanted, order: order, known: known, left: left, present: present)
                .flatMap { waiting.remove($0) }
        }
    }

    /// What was found, and who has come.
    private struct State {
        var entries: [Entry] = []
        var present: Set<JournalKey> = []
        /// The names of those that could not be opened when that was last tried.
        var unread: Set<String> = []
        /// The names of those that other processes were recovering when that was last tried.
        var locked: Set<String> = []

        mutating func add(_ entry: Entry) {
            entries.append(entry)
            // Stable: of two of one moment the one that was found first stays first.
            entries.sort { $0.header.createdAt < $1.header.createdAt }
        }
    }

    private enum Hold {
        case held(JournalLeftover)
        case isLocked
        /// It cannot be opened now, and perhaps later.
        case unread
        case nothing
    }

    // MARK: Constants (any thread)
    private let directory: Directory
    private let diagnostics: LogDiagnostics
    /// What opens those that are encrypted.
    private let key: FrameCipher?

    // MARK: Guarded by 'state'
    private let state = Locked(State())

    /// How long to wait for the journal of a dead process: another process may be reading it for a moment.
    private static let patience = Duration.milliseconds(200)

    /// What is added to the name of a journal of another version.
    private static let unknown = ".unknown"

    /// Lists the journals, and puts the directory in order: what is damaged or of another version is set
    /// aside and reported; what has nothing to recover is removed.
    init(_ directory: Directory, _ diagnostics: LogDiagnostics, _ key: FrameCipher? = nil) {
        self.directory = directory
        self.key = key
        self.diagnostics = diagnostics
        let names = (try? directory.names()) ?? []
        // These first: a process that died while it made its journal may have left it with both names.
        for name in names where name.hasSuffix(JournalMapping.suffix + JournalMapping.unfinished) {
            removeUnfinished(name)
        }
        for name in names where name.hasSuffix(JournalMapping.suffix) {
            list(name, reports: true)
        }
        for name in names where name.hasSuffix(JournalMapping.large) { removeLarge(name) }
    }

    /// Removes the text of a message whose journal is gone, or was set aside as damaged.
    private func removeLarge(_ name: String) {
        guard let journal = JournalMapping.journal(ofLarge: name) else { return }
        // Another version may read what this one does not know. A living process finds out that its journal
        // has no name.
        do {
            for other in [journal, journal + JournalLeftovers.unknown]
            where try directory.status(other) != nil { return }
        } catch {
            return
        }
        if JournalMapping.isOfLivingProcess(journal) { return }
        guard let (file, _) = try? directory.open(name, for: .reading, acceptsLinked: true) else { return }
        withExtendedLifetime(file) { _ = try? directory.remove(name) }
    }

    private func list(_ name: String, reports: Bool) {
        switch hold(name, reports: reports) {
        case .held(let leftover): state.withLock { $0.add(Entry(leftover.mapping)) }
        case .isLocked: if let entry = look(into: name) { state.withLock { $0.add(entry) } }
        case .unread: state.withLock { _ = $0.unread.insert(name) }
        case .nothing: break
        }
    }

    /// The paths of the journals that cannot be opened.
    var unread: [String] { state.withLock { $0.unread.sorted() }.map { directory.path + "/" + $0 } }

    /// The paths of the journals that have something for loggers that have not come, or cannot be opened.
    var waiting: [String] {
        let names = state.withLock { state in
            state.unread.union(state.entries.filter { !$0.waiting.isEmpty }.map(\.name))
        }
        return names.sorted().map { directory.path + "/" + $0 }
    }

    /// Whether some could not be opened, or were another process's, when that was last tried.
    var mustLookAgain: Bool { state.withLock { !$0.unread.isEmpty || !$0.locked.isEmpty } }

    /// Tries again to open what could not be opened.
    func lookAgain() {
        let names = state.withLock { state in
            let names = state.unread.filter { name in !state.entries.contains { $0.name == name } }
            (state.unread, state.locked) = ([], [])
            return names
        }
        for name in names.sorted() { list(name, reports: false) }
    }

    /// The keys of the loggers that something waits for, in the order in which they came.
    var keys: [JournalKey] {
        state.withLock { $0.entries.flatMap { entry in entry.known.filter(entry.waiting.contains) } }
    }

    /// Whether something may wait for a logger that writes to this place.
    func isWaiting(_ place: String) -> Bool {
        state.withLock { $0.entries.contains { $0.waiting.contains { $0.place == place } } }
    }

    /// Takes note that a logger is there: what it left goes to no other.
    func note(_ key: JournalKey) { state.withLock { _ = $0.present.insert(key) } }

    /// Takes hold of the journals that have something for a logger, the oldest first, and says what is its;
    /// once.
    ///
    /// What cannot be held now waits on: see ``mustLookAgain``.
    ///
    /// - Parameters:
    ///   - key: The logger's key.
    ///   - order: How many loggers of the same place there were before it.
    /// - Returns: the journals, and the key of the slots that are the logger's.
    func take(for key: JournalKey, order: Int) -> [(leftover: JournalLeftover, key: JournalKey)] {
        let found = state.withLock { state in
            let present = state.present
            return state.entries.indices.map { index in
                (state.entries[index].name, state.entries[index].take(for: key, order: order, present))
            }
        }
        return found.compactMap { name, key in
            guard let key else { return nil }
            if let leftover = waitAndHold(name) { return (leftover, key) }
            state.withLock { state in
                guard state.unread.contains(name) || state.locked.contains(name),
                    let index = state.entries.firstIndex(where: { $0.name == name })
                else { return }
                state.entries[index].waiting.insert(key)
            }
            return nil
        }
    }

    /// In the child of a fork: what was found is the parent's.
    func leaveToParent() {
        state.withLockInChild { state in
            for entry in state.entries { entry.held?.mapping.leaveToParent() }
            (state.entries, state.unread, state.locked) = ([], [], [])
        }
    }

    // MARK: - One journal

    /// Takes hold of a journal, unless it is gone, cannot be opened, or another process recovers it.
    private func waitAndHold(_ name: String) -> JournalLeftover? {
        let clock = SystemClock()
        let deadline = clock.uptime() + JournalLeftovers.patience
        while true {
            let (leftover, isLocked) = state.withLock { state -> (JournalLeftover?, Bool) in
                guard let index = state.entries.firstIndex(where: { $0.name == name }) else {
                    return (nil, false)
                }
                if let held = state.entries[index].held { return (held, false) }
                switch hold(name, reports: true) {
                case .held(let leftover):
                    state.entries[index].held = leftover
                    // Not before: another program's levels are no concern of this one's.
                    LogLevel.adopt(leftover.reader.names.levels)
                    return (leftover, false)
                case .nothing: return (nil, false)
                case .unread:
                    state.unread.insert(name)
                    return (nil, false)
                // Its process is dead, though another one may have its number: it is in this list. Another
                // logger of this process may be about to release it.
                case .isLocked: return (nil, true)
                }
            }
            if !isLocked { return leftover }
            if clock.uptime() > deadline {
                state.withLock { _ = $0.locked.insert(name) }
                return nil
            }
            usleep(1000)
        }
    }

    /// Reads whose a journal is that another process has locked; nil where nothing of it may be needed.
    private func look(into name: String) -> Entry? {
        guard let (file, status) = try? directory.open(name, acceptsLinked: true),
            let mapping = try? JournalMapping(
                directory: directory, name: name, file: file, size: status.size),
            !mapping.header.isOfLivingProcess
        else { return nil }
        return Entry(mapping)
    }

    private func removeUnfinished(_ name: String) {
        guard let (file, _) = try? directory.open(name, acceptsLinked: true),
            (try? directory.calls.tryLock(file.number)) == true
        else { return }
        _ = try? directory.remove(name)
    }

    /// Takes hold of a journal; what is damaged or of another version is set aside, what has nothing left is
    /// removed.
    private func hold(_ name: String, reports: Bool) -> Hold {
        let place = directory.path + "/" + name
        do {
            // A backup by hard links must not keep it from being recovered: nothing is written but to a
            // journal of this user.
            let (file, status) = try directory.open(name, acceptsLinked: true)
            guard try directory.calls.tryLock(file.number) else { return .isLocked }
            // Another recovery may have finished with it between the opening and the lock.
            guard try directory.status(name)?.identity == status.identity else { return .nothing }
            let mapping = try JournalMapping(
                directory: directory, name: name, file: file, size: status.size)
            var reader = try JournalReader(mapping.bytes, mapping.header)
            if mapping.slotsInUse.isEmpty {
                mapping.remove()
                return .nothing
            }
            reader.pad = try mapping.header.pad(key)
            return .held(JournalLeftover(mapping, reader))
        } catch let failure as JournalHeader.Failure {
            setAside(name, failure)
        } catch let failure as SystemFailure where failure.number == ENOENT {
            // Another process has finished with it.
        } catch {
            if reports {
                diagnostics.report(.damaged, "cannot read the journal \(place): \(error)", key: name)
            }
            return isOurs(name) ? .unread : .nothing
        }
        return .nothing
    }

    /// Whether a name is a regular file's of this user, as far as can be told.
    private func isOurs(_ name: String) -> Bool {
        do {
            guard let status = try directory.status(name) else { return false }
            return status.kind == .regular && status.owner == directory.calls.user
        } catch {
            return true
        }
    }

    private func setAside(_ name: String, _ failure: JournalHeader.Failure) {
        let (reason, ending) =
            switch failure {
            case .damaged(let reason): (reason, ".damaged")
            case .unknownVersion(let version):
                ("its version, \(version), is not supported", JournalLeftovers.unknown)
            }
        do {
            try directory.replace(name + ending, with: name)
            diagnostics.report(
                .damaged,
                "the journal \(directory.path)/\(name) was renamed to \(name)\(ending): \(reason)",
                key: name)
        } catch {
            diagnostics.report(
                .damaged,
                "the journal \(directory.path)/\(name) cannot be used (\(reason)) or renamed: \(error)",
                key: name)
        }
    }
}

/// The journal of a dead process, held.
final class JournalLeftover: Sendable {
    let mapping: JournalMapping
    let reader: JournalReader
    /// The slots of the loggers that are not done with it.
    let slots: [JournalSlot]

    init(_ mapping: JournalMapping, _ reader: JournalReader) {
        self.mapping = mapping
        self.reader = reader
        slots = mapping.slotsInUse
    }
}
