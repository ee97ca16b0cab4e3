import CHeartwood
import Synchronization

/// All call sites that have logged, by number.
///
/// A call looks its site up by the addresses of its literals, without a lock; only the first message of a
/// site takes one. Invariants:
/// 1. A slot is written once, from nil to an entry, and entries are immortal: a reader never sees one change
///    or go.
/// 2. A table that grows is replaced by a larger copy; the old one stays for readers that still look at it.
/// 3. Sites whose text is known only while the program runs are limited in number and bytes: data cannot fill
///    the table.
final class CallSiteTable: @unchecked Sendable {  // the slots are atomics, the rest is guarded by the lock
    static let shared = CallSiteTable()

    /// What identifies a call: addresses of static text, and the line.
    private struct Key: Hashable {
        let file: UnsafePointer<UInt8>
        let function: UnsafePointer<UInt8>
        let line: UInt
    }

    private final class Entry {
        let key: Key
        let id: UInt32
        init(key: Key, id: UInt32) {
            self.key = key
            self.id = id
        }
    }

    private final class Slots {
        let mask: Int
        let base: UnsafeMutablePointer<Atomic<UnsafeRawPointer?>>

        init(capacity: Int) {
            mask = capacity - 1
            base = .allocate(capacity: capacity)
            for index in 0..<capacity { (base + index).initialize(to: Atomic(nil)) }
        }

        /// The number of the site with this key, if it is at this place.
        @inline(__always)
        func id(of key: Key, at index: Int) -> UInt32? {
            guard let pointer = base[index].load(ordering: .acquiring) else { return nil }
            return Unmanaged<Entry>.fromOpaque(pointer)._withUnsafeGuaranteedRef {
                $0.key == key ? $0.id : nil
            }
        }

        func isTaken(_ index: Int) -> Bool { base[index].load(ordering: .acquiring) != nil }
    }

    /// What a site is, whatever the address of its literals.
    private struct Text: Hashable {
        let file: String
        let function: String
        let line: Int
    }

    private struct Content {
        var sites: [CallSite] = []
        var byText: [Text: UInt32] = [:]
        var entries: [Key: Entry] = [:]
        /// How many sites were known only while the program ran, and the bytes of their texts.
        var dynamicSites = 0
        var dynamicBytes = 0
        /// Every slot table there ever was, so that late readers find theirs.
        var tables: [Slots] = []
    }

    // MARK: Atomics (any thread)
    private let slots: Atomic<UnsafeRawPointer>

    // MARK: Guarded by 'content'
    private let content: Locked<Content>

    private init() {
        let first = Slots(capacity: 1024)
        slots = Atomic(UnsafeRawPointer(Unmanaged.passUnretained(first).toOpaque()))
        content = Locked(Content(tables: [first]))
    }

    /// The number of the site with these literals.
    static func id(file: StaticString, function: StaticString, line: UInt) -> UInt32 {
        if file.hasPointerRepresentation, function.hasPointerRepresentation {
            return id(file: file.utf8Start, function: function.utf8Start, line: line)
        }
        return shared.id(
            file: file.description, function: function.description, line: Int(clamping: line)) ?? .max
    }

    /// The number of the site whose literals, which end with a zero, are at these addresses.
    @inline(__always)
    static func id(file: UnsafePointer<UInt8>, function: UnsafePointer<UInt8>, line: UInt) -> UInt32 {
        let key = Key(file: file, function: function, line: line)
        guard let known = hw_call_sites_load() else { return first(key) }
        return Unmanaged<CallSiteTable>.fromOpaque(known)._withUnsafeGuaranteedRef {
            // Acquiring: what the entry points to was written before it was published.
            let table = Unmanaged<Slots>.fromOpaque($0.slots.load(ordering: .acquiring))
            // Nearly every site is in the first place where it may be.
            let id = table._withUnsafeGuaranteedRef {
                $0.id(of: key, at: CallSiteTable.slot(of: key) & $0.mask)
            }
            return id ?? $0.slowID(of: key)
        }
    }

    @inline(never)
    private static func first(_ key: Key) -> UInt32 {
        hw_call_sites_store(Unmanaged.passUnretained(shared).toOpaque())
        return shared.slowID(of: key)
    }

    @inline(never)
    private func slowID(of key: Key) -> UInt32 {
        let table = Unmanaged<Slots>.fromOpaque(slots.load(ordering: .acquiring))
        return table._withUnsafeGuaranteedRef { table in
            var index = CallSiteTable.slot(of: key) & table.mask
            while table.isTaken(index) {
                if let found = table.id(of: key, at: index) { return found }
                index = (index + 1) & table.mask
            }
            return register(key)
        }
    }

    private static func slot(of key: Key) -> Int {
        let (file, function) = (UInt(bitPattern: key.file), UInt(bitPattern: key.function))
        let mixed = (file ^ (function &<< 1)) &+ key.line &* 0x9E37_79B9
        return Int(truncatingIfNeeded: (mixed &* 0x9E37_79B9_7F4A_7C15) &>> 40)
    }

    @inline(never)
    private func register(_ key: Key) -> UInt32 {
        content.withLock { content in
            if let known = content.entries[key] { return known.id }
            let text = Text(
                file: String(cString: key.file), function: String(cString: key.function),
                line: Int(clamping: key.line))
            let id = content.byText[text] ?? CallSiteTable.add(text, to: &content)
            let entry = Entry(key: key, id: id)
            content.entries[key] = entry
            guard let table = content.tables.last else { return id }
            if content.entries.count * 2 > table.mask {
                let larger = Slots(capacity: (table.mask + 1) * 4)
                for entry in content.entries.values { CallSiteTable.insert(entry, into: larger) }
                content.tables.append(larger)
                slots.store(
                    UnsafeRawPointer(Unmanaged.passUnretained(larger).toOpaque()), ordering: .releasing)
            } else {
                CallSiteTable.insert(entry, into: table)
            }
            return id
        }
    }

    private static func insert(_ entry: Entry, into table: Slots) {
        var index = slot(of: entry.key) & table.mask
        while table.base[index].load(ordering: .relaxed) != nil { index = (index + 1) & table.mask }
        table.base[index].store(
            UnsafeRawPointer(Unmanaged.passUnretained(entry).toOpaque()), ordering: .releasing)
    }

    /// How many sites, and how many bytes of their texts, are kept for places that are known only while the
    /// program runs.
    static let dynamicSiteLimit = 4096
    static let dynamicByteLimit = 512 * 1024

    /// The number of a site whose text is known only while the program runs; nil where the table has no room
    /// for it.
    func id(file: String, function: String, line: Int) -> UInt32? {
        let text = Text(file: file, function: function, line: line)
        return content.withLock { content in
            if let known = content.byText[text] { return known }
            let size = file.utf8.count + function.utf8.count
            guard content.dynamicSites < CallSiteTable.dynamicSiteLimit,
                size <= CallSiteTable.dynamicByteLimit - content.dynamicBytes
            else { return nil }
            content.dynamicSites += 1
            content.dynamicBytes += size
            return CallSiteTable.add(text, to: &content)
        }
    }

    /// The number of the site of a message; nil where it is not one of this process's, and has no room.
    func id(of site: CallSite) -> UInt32? {
        let isKnown = content.withLock { content in
            site.id < content.sites.count && content.sites[Int(site.id)] === site
        }
        return isKnown ? site.id : id(file: site.file, function: site.function, line: site.line)
    }

    private static func add(_ text: Text, to content: inout Content) -> UInt32 {
        let id = UInt32(content.sites.count)
        let site = CallSite(id: id, file: text.file, function: text.function, line: text.line)
        content.sites.append(site)
        content.byText[text] = id
        // Before any other thread knows the number, and so before a record can contain it.
        NameObservers.shared.append(site)
        return id
    }

    func handleFork(_ fork: ForkStep) { fork.apply(to: content) }

    /// Calls `body` with all sites so far, while none can be added.
    func withSites(_ body: ([CallSite]) -> Void) { content.withLock { body($0.sites) } }

    /// All sites so far; their numbers are their places.
    var sites: [CallSite] { content.withLock { $0.sites } }
}
