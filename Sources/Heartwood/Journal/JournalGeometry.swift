/// Where the parts of a journal's file begin.
struct JournalGeometry: Equatable {
    let pageSize: Int
    let ringSize: Int

    var marks: Int { pageSize }
    func slot(_ index: Int) -> Int { 2 * pageSize + index * slotSize }
    var slotSize: Int { JournalLayout.Slot.end }
    var tables: Int { slot(JournalLayout.slotCount).rounded(upTo: pageSize) }
    var counters: Int { tables + JournalLayout.tableSize }
    var ring: Int { counters + pageSize }
    var fileSize: Int { ring + ringSize }

    /// Where a position of the ring is in the file.
    func offset(of position: UInt64) -> Int { ring + Int(position & UInt64(ringSize - 1)) }
}

extension Int {
    fileprivate func rounded(upTo unit: Int) -> Int { (self + unit - 1) / unit * unit }
}
