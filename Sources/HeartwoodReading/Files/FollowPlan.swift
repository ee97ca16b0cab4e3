import CHeartwood
package import Heartwood

/// Decides which files following opens, reads and gives up, from what the paths lead to at a moment.
///
/// A pure value: it opens and reads nothing. `LogFollower` carries out what it says.
///
/// 1. A file is known by its identity, never by its path. What was opened is read to its end by its
///    descriptor, also after its path leads to another file or to none, until nothing has come for ``grace``.
/// 2. A file that was never met is read from its beginning, after what was written to older ones.
/// 3. A file that was cut, even if it has grown beyond the old place since, is read from its beginning.
/// 4. A copy or an archive of what was read is told by its first bytes, and not shown again; only what a copy
///    has and the cut file has lost is read from it.
/// 5. A new file that is too short to tell is open and not read, for ``grace`` at most.
/// 6. A new file that could not be opened was not met: its archive is read in its place, before newer files.
/// 7. About ``mostHeld`` files are open at most; one that was closed is read on when its size has changed.
package struct FollowPlan {
    /// Which file it is: the kernel gives the number of a removed file to the next one, so its birth counts
    /// as well.
    package struct File: Hashable, Sendable {
        package let identity: FileStatus.Identity
        package let birth: Int64

        package init(identity: FileStatus.Identity, birth: Int64) {
            self.identity = identity
            self.birth = birth
        }
    }

    /// What a path leads to.
    package struct Seen {
        package let path: String
        package let file: File
        package let size: Int
        /// The first bytes of its text, at most ``FollowPlan/beginningSize``; asked for only where the file
        /// is new.
        let beginning: [UInt8]

        package init(path: String, file: File, size: Int, beginning: [UInt8]) {
            self.path = path
            self.file = file
            self.size = size
            self.beginning = beginning
        }
    }

    /// What an open file is like at the moment.
    package struct Held {
        let size: Int
        let beginning: [UInt8]

        package init(size: Int, beginning: [UInt8]) {
            self.size = size
            self.beginning = beginning
        }
    }

    package enum Action: Equatable {
        /// Opens the file that the path leads to, and reads it from a place to its end.
        case open(File, path: String, at: Int)
        /// Opens the file that the path leads to, and reads nothing yet.
        case hold(File, path: String)
        /// Reads on in an open file.
        case read(File)
        /// Reads an open file from its beginning.
        case restart(File)
        /// Gives a file up, and hands out a last line without its newline.
        case close(File)
    }

    /// How many of the first bytes tell a file from others.
    package static let beginningSize = 4096
    /// How long a file that lost its path is read on: its writer may keep it open for a while.
    package static let grace = Duration.seconds(5)
    /// How many files are open at most, but for those to which something has come within ``grace``.
    static let mostHeld = 64

    private struct Entry {
        var path: String
        var position: Int
        var beginning: [UInt8]
        var isHeld = false
        var isListed = true
        /// When something was read from it last, or it lost its path.
        var change: Duration
        /// Whether it is too short yet to tell whether it is a copy.
        var isUndecided = false
        /// The file that it is a copy of, as long as that one has the same text.
        var original: File?
    }
    /// Files that were cut, with what they begin with now.
    private typealias Cut = [File: [UInt8]]
    private var entries: [File: Entry] = [:]
    /// The files, in the order in which they were met.
    private var order: [File] = []
    /// The paths of logs that were met and opened, in whatever stage.
    private var logs: Set<String> = []

    /// Whether another look is due at once: a file was cut, and whether another one is a copy of it is known
    /// by then.
    package private(set) var looksAgain = false

    package init() {}

    package func knows(_ file: File) -> Bool { entries[file] != nil }

    /// Notes what is there already, and opens the newest of it for what will come.
    package mutating func start(_ seen: [Seen], at now: Duration) -> [Action] {
        for file in seen { note(file, position: file.size, now) }
        return seen.suffix(16).filter { !FollowPlan.isArchive($0.path) }.map { file in
            entries[file.file]?.isHeld = true
            return .open(file.file, path: file.path, at: file.size)
        }
    }

    /// Notes how far a file was read, and by whomever, and what it began with then.
    package mutating func advance(
        _ file: File, path: String, to position: Int, beginning: [UInt8] = [], at now: Duration
    ) {
        guard let entry = entries[file] else {
            note(Seen(path: path, file: file, size: position, beginning: []), position: position, now)
            return
        }
        if beginning.count > entry.beginning.count { entries[file]?.beginning = beginning }
        if entry.position == position { return }
        entries[file]?.position = position
        entries[file]?.change = now
    }

    /// Notes that a file could not be opened: its path has come to lead to another one, or to none.
    ///
    /// What it has become by then, an archive perhaps, is met in the next look.
    package mutating func miss(_ file: File) {
        guard let entry = entries[file] else { return }
        if entry.position == 0 { forget(file) } else { entries[file]?.isHeld = false }
    }

    /// Notes that a file cannot be read: it is tried again when more has come to it.
    package mutating func fail(_ file: File) { entries[file]?.isHeld = false }

    private mutating func forget(_ file: File) {
        order.removeAll { $0 == file }
        guard let entry = entries.removeValue(forKey: file) else { return }
        let log = ArchiveStage.split(entry.path).log
        if !entries.values.contains(where: { ArchiveStage.split($0.path).log == log }) { logs.remove(log) }
    }

    /// Decides what is to be done; `seen` is in the order of age, and was looked up after `held`.
    package mutating func look(_ seen: [Seen], held: [File: Held], at now: Duration) -> [Action] {
        let listed = Set(seen.map(\.file))
        var (actions, cut) = examine(held)
        let isFirst = !looksAgain
        looksAgain = false
        for (file, held) in held where entries[file]?.isUndecided == true {
            entries[file]?.beginning = held.beginning
        }
        let met = seen.flatMap { meet($0, listed, cut, now) }
        // What is open is older than what was met just now.
        for file in order { actions += decide(file, held[file], listed, cut, now, isFirst: isFirst) }
        actions += met
        for file in order {
            guard let beginning = cut[file] else { continue }
            if isFirst, mayHaveCopy(file, held, listed, cut) {
                looksAgain = true
            } else {
                actions += restart(file, beginning, seen, now)
            }
        }
        for file in order {
            guard let entry = entries[file] else { continue }
            if entry.isListed != listed.contains(file) {
                entries[file]?.isListed.toggle()
                entries[file]?.change = now
            } else if entry.isHeld, !entry.isListed, now - entry.change >= FollowPlan.grace {
                entries[file]?.isHeld = false
                actions.append(.close(file))
            }
        }
        for file in idle(now) {
            entries[file]?.isHeld = false
            actions.append(.close(file))
        }
        forgetOldest()
        return actions
    }

    /// The open files to which nothing has come for the longest time, where there are too many: each is
    /// opened again when something has come.
    private func idle(_ now: Duration) -> ArraySlice<File> {
        let held = order.filter { entries[$0]?.isHeld == true && entries[$0]?.isUndecided == false }
        guard held.count > FollowPlan.mostHeld else { return [] }
        let idle = held.filter { entries[$0].map { now - $0.change >= FollowPlan.grace } == true }
        return idle.sorted { (entries[$0]?.change ?? now) < (entries[$1]?.change ?? now) }
            .prefix(held.count - FollowPlan.mostHeld)
    }

    /// Decides what is to be done where no name has changed.
    ///
    /// Returns nil where copies count: a file was cut, or may be a copy.
    package mutating func glance(held: [File: Held]) -> [Action]? {
        let (actions, cut) = examine(held)
        return cut.isEmpty && !entries.values.contains(where: \.isUndecided) ? actions : nil
    }

    /// Whether an open file was cut since it was read last.
    package func isCut(_ file: File, _ held: Held) -> Bool {
        guard let entry = entries[file] else { return false }
        let (count, isLonger) = (entry.beginning.count, held.beginning.count >= entry.beginning.count)
        return held.size < entry.position || !isLonger || memcmp(held.beginning, entry.beginning, count) != 0
    }

    /// Tells open files that are to be read on from those that were cut.
    private mutating func examine(_ held: [File: Held]) -> (actions: [Action], cut: Cut) {
        var actions: [Action] = []
        var cut: Cut = [:]
        for file in order {
            guard let entry = entries[file], !entry.isUndecided, let held = held[file] else { continue }
            if isCut(file, held) {
                cut[file] = held.beginning
                continue
            }
            if held.beginning.count > entry.beginning.count { entries[file]?.beginning = held.beginning }
            actions.append(.read(file))
        }
        return (actions, cut)
    }

    private mutating func meet(
        _ seen: Seen, _ listed: Set<File>, _ cut: Cut, _ now: Duration
    ) -> [Action] {
        let (log, stage, _) = ArchiveStage.split(seen.path)
        if let entry = entries[seen.file] {
            entries[seen.file]?.path = seen.path
            logs.insert(log)
            if entry.isHeld || entry.original != nil || stage == .gzip || seen.size == entry.position {
                return []
            }
            entries[seen.file]?.isHeld = true
            let place = seen.size < entry.position ? 0 : entry.position
            entries[seen.file]?.position = place
            return [.open(seen.file, path: seen.path, at: place)]
        }
        let isArchived = stage != .plain && logs.contains(log)
        let isOfNew = isCopyOfNew(seen, listed, cut)
        let original = original(of: seen, listed, cut) { file, _ in !isOfNew && cut[file] != nil }
        if let original {
            note(seen, position: seen.size, now)
            if stage == .plain { entries[seen.file]?.original = original }
            return []
        }
        if isOfNew {
            looksAgain = true
            return []
        }
        if isArchived {
            note(seen, position: seen.size, now)
            return []
        }
        note(seen, position: 0, now)
        if stage == .plain, isTooShort(seen, listed, cut) {
            entries[seen.file]?.isUndecided = true
            entries[seen.file]?.isHeld = true
            return [.hold(seen.file, path: seen.path)]
        }
        let open = Action.open(seen.file, path: seen.path, at: 0)
        if stage == .gzip { return [open, .close(seen.file)] }
        entries[seen.file]?.isHeld = true
        return [open]
    }

    /// Decides about a file that was too short to tell whether it is a copy.
    private mutating func decide(
        _ file: File, _ held: Held?, _ listed: Set<File>, _ cut: Cut, _ now: Duration, isFirst: Bool
    ) -> [Action] {
        guard let entry = entries[file], entry.isUndecided, let held else { return [] }
        let seen = Seen(path: entry.path, file: file, size: held.size, beginning: held.beginning)
        let isLate = now - entry.change >= FollowPlan.grace
        let isOfNew = isCopyOfNew(seen, listed, cut)
        let original = original(of: seen, listed, cut) { file, entry in
            cut[file] != nil && !isFirst && !isOfNew || isLate && seen.path.hasPrefix(entry.path)
        }
        if original == nil, isTooShort(seen, listed, cut), !isLate { return [] }
        if original == nil, isOfNew {
            looksAgain = true
            return []
        }
        entries[file]?.isUndecided = false
        entries[file]?.beginning = held.beginning
        guard let original else { return [.read(file)] }
        entries[file]?.position = held.size
        entries[file]?.original = original
        entries[file]?.isHeld = false
        return [.close(file)]
    }

    /// The file that a new one is a copy or an archive of.
    ///
    /// A cut file may have had more than a copy that was complete before the cut.
    private func original(
        of seen: Seen, _ listed: Set<File>, _ cut: Cut, isComplete: (File, Entry) -> Bool
    ) -> File? {
        order.last { file in
            guard let entry = entries[file], mayCopy(seen, file, entry, listed, cut) else { return false }
            if seen.beginning.starts(with: entry.beginning) { return true }
            return !seen.beginning.isEmpty && isComplete(file, entry)
                && entry.beginning.starts(with: seen.beginning)
        }
    }

    /// Whether a new file begins as another one, of which it may be a copy that is not complete yet.
    private func isTooShort(_ seen: Seen, _ listed: Set<File>, _ cut: Cut) -> Bool {
        order.contains { file in
            guard let entry = entries[file], mayCopy(seen, file, entry, listed, cut) else { return false }
            return seen.beginning.count < entry.beginning.count
                && entry.beginning.starts(with: seen.beginning)
        }
    }

    /// Whether a file that is too short to tell may become a copy of a file.
    private func mayHaveCopy(
        _ original: File, _ held: [File: Held], _ listed: Set<File>, _ cut: Cut
    ) -> Bool {
        guard let entry = entries[original] else { return false }
        return entries.contains { file, other in
            guard other.isUndecided, let held = held[file] else { return false }
            let seen = Seen(path: other.path, file: file, size: held.size, beginning: held.beginning)
            return mayCopy(seen, original, entry, listed, cut)
                && entry.beginning.starts(with: held.beginning)
        }
    }

    /// Whether a new file may be a copy of what a file has become since it was cut, which no look has seen.
    private func isCopyOfNew(_ seen: Seen, _ listed: Set<File>, _ cut: Cut) -> Bool {
        cut.contains { file, beginning in
            guard let entry = entries[file], !beginning.isEmpty, mayCopy(seen, file, entry, listed, cut)
            else { return false }
            return seen.beginning.starts(with: beginning) || beginning.starts(with: seen.beginning)
        }
    }

    private func mayCopy(
        _ seen: Seen, _ file: File, _ entry: Entry, _ listed: Set<File>, _ cut: Cut
    ) -> Bool {
        guard file != seen.file, !entry.beginning.isEmpty, entry.path != seen.path else { return false }
        // Two logs that are both there, and begin alike, are two, unless the name says otherwise.
        return !listed.contains(file) || cut[file] != nil || seen.path.hasPrefix(entry.path)
    }

    private mutating func restart(
        _ file: File, _ beginning: [UInt8], _ seen: [Seen], _ now: Duration
    ) -> [Action] {
        guard let old = entries[file] else { return [] }
        var actions: [Action] = []
        for copy in seen where entries[copy.file]?.original == file {
            entries[copy.file]?.original = nil
            entries[copy.file]?.position = min(copy.size, old.position)
            guard copy.size > old.position else { continue }
            entries[copy.file]?.isHeld = true
            actions.append(.open(copy.file, path: copy.path, at: old.position))
        }
        entries[file]?.position = 0
        entries[file]?.beginning = beginning
        entries[file]?.change = now
        return actions + [.restart(file)]
    }

    private mutating func note(_ seen: Seen, position: Int, _ now: Duration) {
        logs.insert(ArchiveStage.split(seen.path).log)
        if entries[seen.file] == nil { order.append(seen.file) }
        entries[seen.file] = Entry(
            path: seen.path, position: position, beginning: seen.beginning, change: now)
    }

    /// Keeps what is remembered of files that are gone within bounds.
    private mutating func forgetOldest() {
        let gone = order.filter { entries[$0].map { !$0.isHeld && !$0.isListed } ?? true }
        for file in gone.dropLast(64) { forget(file) }
    }

    private static func isArchive(_ path: String) -> Bool { ArchiveStage.split(path).stage != .plain }
}
