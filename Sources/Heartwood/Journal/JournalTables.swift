import CHeartwood
import Synchronization

/// The part of a journal that says what the numbers in its records stand for.
///
/// Owned by whoever holds the lock of ``NameObservers``.
final class JournalTables: NameObserver, @unchecked Sendable {  // guarded by the lock of `NameObservers`
    enum Kind: UInt32 { case site = 1, category = 2, level = 3 }

    private let mapping: JournalMapping
    private var used = 0

    init(_ mapping: JournalMapping) { self.mapping = mapping }

    /// Stores all names there are, and from now on each new one.
    func begin() { NameObservers.shared.begin(self) }

    func end() { NameObservers.shared.end(self) }

    func append(_ site: CallSite) {
        append(.site, site.id, UInt32(clamping: site.line), site.file, site.function)
    }

    func append(level bit: Int, _ level: LogLevel.Definition) {
        append(.level, UInt32(bit), UInt32(level.severity.index), level.name, "")
    }

    func append(category number: UInt32, _ name: String) { append(.category, number, 0, name, "") }

    /// Adds an entry; where there is no room left, records will cite something unknown.
    private func append(_ kind: Kind, _ number: UInt32, _ line: UInt32, _ first: String, _ second: String) {
        let texts = [Array(first.utf8.prefix(4096)), Array(second.utf8.prefix(4096))]
        let size = (20 + texts[0].count + texts[1].count + 7) / 8 * 8 + 8
        guard mapping.isOurs, used + size <= JournalLayout.tableSize else { return }
        let entry = mapping.base + mapping.geometry.tables + used
        memset(entry, 0, size)
        entry.write(UInt32(size), at: 0)
        entry.write(kind.rawValue, at: 4)
        entry.write(number, at: 8)
        entry.write(line, at: 12)
        entry.write(UInt16(texts[0].count), at: 16)
        entry.write(UInt16(texts[1].count), at: 18)
        (entry + 20).copyMemory(from: texts[0], byteCount: texts[0].count)
        (entry + 20 + texts[0].count).copyMemory(from: texts[1], byteCount: texts[1].count)
        let words = entry.assumingMemoryBound(to: hw_word.self)
        entry.write(
            hw_fold_words(words, 0, (size - 8) / 8, mapping.header.salt &+ UInt64(used)), at: size - 8)
        used += size
        // Releasing: what the mark covers is whole.
        mapping.word(mapping.geometry.marks + JournalLayout.Marks.tableUsed).pointee
            .store(UInt64(used), ordering: .releasing)
    }
}

/// What the numbers in a journal's records stand for.
struct JournalNames {
    private(set) var sites: [UInt32: CallSite] = [:]
    private(set) var categories: [UInt32: LogCategory] = [:]
    private(set) var levels: [Int: LogLevel.Definition] = [:]
    /// Whether entries were damaged.
    private(set) var isDamaged = false

    /// Reads the entries of `bytes`, which are the part of the tables that is in use.
    init(_ bytes: UnsafeRawBufferPointer, salt: UInt64) {
        var offset = 0
        while offset + 28 <= bytes.count {
            let size = Int(bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            guard size >= 28, size % 8 == 0, offset + size <= bytes.count, let base = bytes.baseAddress else {
                isDamaged = true
                return
            }
            let entry = base + offset
            let words = entry.assumingMemoryBound(to: hw_word.self)
            let check = hw_fold_words(words, 0, (size - 8) / 8, salt &+ UInt64(offset))
            let first = Int(entry.load(fromByteOffset: 16, as: UInt16.self))
            let second = Int(entry.load(fromByteOffset: 18, as: UInt16.self))
            guard check == entry.load(fromByteOffset: size - 8, as: UInt64.self),
                20 + first + second <= size - 8
            else {
                isDamaged = true
                return
            }
            let number = entry.load(fromByteOffset: 8, as: UInt32.self)
            func text(_ start: Int, _ count: Int) -> String {
                String(decoding: UnsafeRawBufferPointer(start: entry + start, count: count), as: UTF8.self)
            }
            switch JournalTables.Kind(rawValue: entry.load(fromByteOffset: 4, as: UInt32.self)) {
            case .site:
                sites[number] = CallSite(
                    id: .max, file: text(20, first), function: text(20 + first, second),
                    line: Int(entry.load(fromByteOffset: 12, as: UInt32.self)))
            case .category: categories[number] = LogCategory(text(20, first))
            case .level:
                let severity = Int(entry.load(fromByteOffset: 12, as: UInt32.self))
                levels[Int(number)] = LogLevel.Definition(
                    name: text(20, first), severity: LogLevel(index: min(severity, 6)) ?? .info)
            case nil: break
            }
            offset += size
        }
    }
}
