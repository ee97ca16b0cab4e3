import CHeartwood

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
