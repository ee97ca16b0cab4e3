import Heartwood

/// What goes into one request: a batch, or a part of one, with a key by which a repetition is recognised.
package struct SpoolPiece: Sendable, Equatable {
    /// The ids between which the records lie.
    package let range: ClosedRange<UInt64>
    /// The records, in their order; never empty.
    package let records: [SpoolRecord]
    /// The same key always stands for the same records, over restarts too.
    package let key: String
    /// The identity of the spool that it came from.
    let origin: [UInt8]

    /// Makes a piece of the spool `origin`; its key is made from `identity`, which is the spool's unless given.
    init(
        range: ClosedRange<UInt64>, records: [SpoolRecord], origin: [UInt8], identity: [UInt8]? = nil
    ) {
        self.range = range
        self.records = records
        self.origin = origin
        key = Self.key(records.map(\.id), identity: identity ?? origin)
    }

    /// A hash of the spool's identity and the first and last id; where ids are missing between them, of all of them.
    static func key(_ ids: [UInt64], identity: [UInt8]) -> String {
        var input = Array("heartwood batch".utf8) + identity
        let first = ids.first ?? 0
        let last = ids.last ?? 0
        SpoolFrame.append(first, to: &input)
        SpoolFrame.append(last, to: &input)
        if last &- first &+ 1 != UInt64(ids.count) {
            for id in ids { SpoolFrame.append(id, to: &input) }
        }
        let digits = Hexadecimal.encode(Digest.sha256(input).prefix(16))
        var groups: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return groups.joined(separator: "-")
    }
}
