import CHeartwood
import Synchronization

/// A journal's file in memory, locked; the lock goes with the last of its users, and with the process.
final class JournalMapping: @unchecked Sendable {  // raw memory, whose parts have owners of their own
    // MARK: Constants (any thread)
    let directory: Directory
    let name: String
    let header: JournalHeader
    let base: UnsafeMutableRawPointer
    /// What this process encrypts its own journal with; nil for a journal without a key, or of another
    /// process.
    let pad: JournalPad?
    private let file: Descriptor

    // MARK: Atomics (any thread)
    /// False in the child of a fork: the file is the parent's.
    private let ours = Atomic<Bool>(true)

    var geometry: JournalGeometry { header.geometry }
    /// The number of the file; -1 where the program has closed it.
    var descriptor: Int32 { file.isOurs ? file.number : -1 }
    var isOurs: Bool { ours.load(ordering: .relaxed) }
    /// Whether the file has lost some of its bytes.
    var isCut: Bool {
        guard let status = try? status() else { return false }
        return status.size < geometry.fileSize
    }

    /// The status of the file, whose descriptor the program may have closed: its memory and its lock are
    /// ours all the same.
    private func status() throws -> FileStatus {
        do throws(SystemFailure) { return try file.status() } catch {
            guard error.number == EBADF, let there = try directory.status(name),
                there.identity == file.identity
            else { throw error }
            return there
        }
    }

    /// What is wrong with the file, if anything is: it survives nothing without all its bytes and its name.
    var loss: JournalLoss? {
        let status: FileStatus
        do { status = try self.status() } catch {
            return (error as? SystemFailure)?.number == EBADF ? .removed : .unstored
        }
        if status.size < geometry.fileSize { return .cut }
        // Of a file that was cut and has its size again the counters are zero, if not records.
        let salt = word(geometry.counters + JournalLayout.Counters.salt).pointee.load(ordering: .relaxed)
        // It may have been cut since its status was read.
        if hw_guard_was_hit(base) { return isCut ? .cut : .unstored }
        if salt != header.salt { return .cut }
        return status.links > 0 && isInPlace(status.identity) ? nil : .removed
    }

    /// Whether the name leads to the file, where the next process looks for it; true where that cannot be
    /// known.
    private func isInPlace(_ identity: FileStatus.Identity) -> Bool {
        do throws(SystemFailure) {
            guard try directory.status(name)?.identity == identity else { return false }
            // Through "/." as the directory was opened.
            let there = try directory.calls.status(path: directory.path + "/.")
            return try there.identity == directory.descriptor.identity
        } catch {
            return !error.isError(ENOENT, ENOTDIR)
        }
    }
    /// All of the file.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: base, count: geometry.fileSize) }

    init(
        directory: Directory, name: String, header: JournalHeader, base: UnsafeMutableRawPointer,
        file: Descriptor, pad: JournalPad? = nil
    ) {
        self.pad = pad
        self.directory = directory
        self.name = name
        self.header = header
        self.base = base
        self.file = file
        _ = hw_guard_add(base, header.geometry.fileSize, nil, 0, 0, 0)
        JournalMapping.living.withLock { $0[ObjectIdentifier(self)] = Weak(self) }
    }

    /// All that this process has, so that a forked child can give up its copies.
    static let living = Locked<[ObjectIdentifier: Weak<JournalMapping>]>([:])

    /// Gives up, in the child of a fork, every journal: while it has one in its memory, the lock does not end
    /// with the parent.
    static func handleFork(_ fork: ForkStep) {
        fork.apply(to: living)
        guard fork == .child else { return }
        living.withLock { references in
            for reference in references.values { reference.object?.leaveToParent() }
            references = [:]
        }
    }

    /// Maps a journal that is there, and reads whose it is.
    convenience init(
        directory: Directory, name: String, file: Descriptor, size: Int
    ) throws {
        guard size > 0 else { throw JournalHeader.Failure.damaged("it is empty") }
        guard let base = MemoryMap.shared(file.number, size: size) else {
            throw SystemFailure(.open, hw_errno())
        }
        let header: JournalHeader
        do {
            header = try JournalHeader(reading: UnsafeRawBufferPointer(start: base, count: size))
        } catch {
            munmap(base, size)
            throw error
        }
        self.init(directory: directory, name: name, header: header, base: base, file: file)
    }

    deinit {
        // By its identity: to look at another one's reference could end that one here, under the lock.
        let id = ObjectIdentifier(self)
        JournalMapping.living.withLock { references in references[id] = nil }
        ignoreSignals()
        hw_guard_remove(base)
        munmap(base, geometry.fileSize)
    }

    /// The slots of all loggers that it has had, as far as no other has taken their place.
    var knownSlots: [JournalSlot] {
        (0..<JournalLayout.slotCount).map { JournalSlot(self, index: $0) }.filter(\.isKnown)
    }

    /// The slots of the loggers that are not done with it.
    var slotsInUse: [JournalSlot] {
        (0..<JournalLayout.slotCount).map { JournalSlot(self, index: $0) }.filter(\.isInUse)
    }

    // MARK: Signals

    private var signalPlace: UnsafeMutablePointer<UInt64> {
        (base + geometry.marks + JournalLayout.Marks.signal).assumingMemoryBound(to: UInt64.self)
    }

    /// Has a fatal signal leave its traces in the marks.
    func noteSignals() {
        ignoreSignals()
        if isOurs { _ = hw_note_fatal_signals(signalPlace) }
    }

    func ignoreSignals() { hw_ignore_fatal_signals(signalPlace) }

    func word(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (base + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// In the child of a fork: lets the file alone, and gives up its part of the lock, which the memory has
    /// as well.
    func leaveToParent() {
        if !ours.exchange(false, ordering: .relaxed) { return }
        ignoreSignals()
        if file.isOurs { hw_let_go(file.number) }
        // Zeros in its place: who has kept an address may still read.
        _ = MemoryMap.freshen(base, geometry.fileSize)
    }

    // MARK: Names

    static let suffix = ".journal"
    static let unfinished = ".new"
    static let large = ".large"

    /// The name of the file that keeps the text of a message that is too large for the ring.
    func largeName(_ position: UInt64) -> String { "\(name).\(position)\(JournalMapping.large)" }

    /// The name of the journal that a file of a large message belongs to; nil if the name is no such file's.
    static func journal(ofLarge name: String) -> String? {
        guard name.hasPrefix("heartwood-"), name.hasSuffix(large) else { return nil }
        let rest = name.dropLast(large.count)
        guard let dot = rest.lastIndex(of: "."), UInt64(rest[rest.index(after: dot)...]) != nil,
            rest[..<dot].hasSuffix(suffix)
        else { return nil }
        return String(rest[..<dot])
    }

    /// Whether the process that a journal's name tells of lives, as far as this machine can tell.
    static func isOfLivingProcess(_ name: String) -> Bool {
        let parts = name.split(separator: "-")
        guard parts.count == 4, let process = Int64(parts[1]), let start = UInt64(parts[2]) else {
            return false
        }
        return start != 0 && hw_process_start(process) == start
    }

    /// Removes the file with everything that belongs to it; that goes first, while the journal still says
    /// whose it is.
    func remove() {
        guard isOurs else { return }
        removeLarge { _ in true }
        // Another file may have taken its name.
        guard let there = try? directory.status(name), there.identity == file.identity else { return }
        _ = try? directory.remove(name)
    }

    /// Removes the files of large messages.
    func removeLarge(_ condition: (UInt64) -> Bool) {
        guard let names = try? directory.names() else { return }
        for other in names where other.hasPrefix(name + ".") && other.hasSuffix(JournalMapping.large) {
            let position = UInt64(other.dropFirst(name.count + 1).dropLast(JournalMapping.large.count))
            if let position, condition(position) { _ = try? directory.remove(other) }
        }
    }
}

// The files beside a journal that keep text and fields of messages that are too large for the ring: 8 bytes
// of check, seeded with the position and the journal's salt, then the bytes. The check is of all whole words
// of them, the last filled up with zeros.
extension JournalMapping {
    /// Keeps the bytes of the record at a position, encrypted where the journal is.
    func keepLarge(_ bytes: UnsafeRawBufferPointer, at position: UInt64) throws {
        let file = try directory.create(largeName(position), mode: 0o600, isSecret: true)
        guard let pad else { return try write(bytes, at: position, to: file) }
        guard let sealed = pad.applied(to: bytes, .large(position), from: 0) else {
            throw LogError(.secret, "Encryption failed")
        }
        try sealed.withUnsafeBytes { try write($0, at: position, to: file) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at position: UInt64, to file: Descriptor) throws {
        var check = check(bytes, position)
        try withUnsafeBytes(of: &check) { try directory.calls.writeAll(file.number, $0) }
        try directory.calls.writeAll(file.number, bytes)
    }

    /// The most bytes that are read: a planted header must not use up all memory.
    private static let longestLarge = 1 << 28

    /// The bytes of the record at a position, as many as it says there are; nil where the file is missing or
    /// not what was written; `pad` is what they are encrypted with, if they are.
    func large(at position: UInt64, size: Int, _ pad: JournalPad?) -> [UInt8]? {
        guard
            let (file, status) = try? directory.open(
                largeName(position), for: .reading, acceptsLinked: true),
            size <= JournalMapping.longestLarge, status.size == size + 8,
            let bytes = try? directory.calls.bytes(status.size, of: file.number, at: 0),
            bytes.count == status.size
        else { return nil }
        return bytes.withUnsafeBytes { bytes in
            let body = UnsafeRawBufferPointer(rebasing: bytes[8...])
            guard bytes.loadUnaligned(as: UInt64.self) == check(body, position) else { return nil }
            return pad.map { $0.applied(to: body, .large(position), from: 0) } ?? Array(body)
        }
    }

    private func check(_ bytes: UnsafeRawBufferPointer, _ position: UInt64) -> UInt64 {
        var words = [UInt64](repeating: 0, count: (bytes.count + 7) / 8)
        words.withUnsafeMutableBytes { $0.copyMemory(from: bytes) }
        let seed = position ^ header.salt
        return words.withUnsafeBufferPointer { words in
            words.baseAddress.map {
                hw_fold_words(
                    UnsafeRawPointer($0).assumingMemoryBound(to: hw_word.self), 0, words.count,
                    seed ^ UInt64(bytes.count))
            } ?? seed
        }
    }
}
