import CHeartwood

/// The rules of a list, made ready: one look at a text finds all places at which one of them may find
/// something.
///
/// A rule that looks for texts is asked only where three characters of one of them are.
final class RedactionPlan: Sendable {
    /// A secret in a text.
    struct Secret {
        var range: Range<Int>
        /// The rule that finds it.
        let rule: Int
        /// Where a replacement needs quotation marks, how many backslashes are before each of them.
        var marks: Int?
        /// Its visible part, if that is not all of it.
        var seen: [UInt8]?
    }

    /// A text that a rule looks for.
    private struct Anchor {
        let rule: Int
        /// Which text of the rule it is.
        let number: Int
        /// Where its three rarest characters begin in it.
        let offset: Int
        /// Its place among all texts.
        let text: Range<Int>
        /// Whether the case of letters counts.
        let isExact: Bool
    }

    private let ways: [RedactionRule.Way]
    /// What `hw_next_trigger` expects.
    private let table: [UInt64]
    private let anchors: [Anchor]
    /// For each bit of the table, its anchors.
    private let bits: [Range<Int>]
    /// The texts of all anchors, one after another; in lower case, unless they are exact.
    private let texts: [UInt8]
    private let searching: [Int]
    private let counting: [Int]
    private let hasKeys: Bool

    init(_ rules: [RedactionRule]) {
        let ways = rules.map(\.way)
        self.ways = ways
        var wanted: [(text: [UInt8], isExact: Bool, rule: Int, number: Int)] = []
        for (index, rule) in rules.enumerated() {
            switch rule.way {
            case .search, .numbers: break
            case .anchored(let texts, let isExact, _):
                for (number, text) in texts.enumerated() { wanted.append((text, isExact, index, number)) }
            case .keys(let keys):
                for (number, text) in keys.anchors.enumerated() {
                    wanted.append((text, false, index, number))
                }
            }
        }
        searching = ways.indices.filter { if case .search = ways[$0] { true } else { false } }
        counting = ways.indices.filter { if case .numbers = ways[$0] { true } else { false } }
        hasKeys = ways.contains { if case .keys = $0 { true } else { false } }
        // Three characters that several texts share have one bit. There are 64: the rarest share theirs,
        // too.
        var groups: [(text: [UInt8], isExact: Bool, rarity: Int, members: [Anchor])] = []
        var texts: [UInt8] = []
        for entry in wanted where !entry.text.isEmpty {
            let text = entry.isExact ? entry.text : entry.text.map(\.lowercased)
            let (offset, rarity) = RedactionPlan.rarest(of: text)
            let part = Array(text[offset...].prefix(3))
            let anchor = Anchor(
                rule: entry.rule, number: entry.number, offset: offset,
                text: texts.count..<texts.count + text.count, isExact: entry.isExact)
            texts += text
            if let group = groups.firstIndex(where: { $0.text == part && $0.isExact == entry.isExact }) {
                groups[group].members.append(anchor)
            } else {
                groups.append((part, entry.isExact, rarity, [anchor]))
            }
        }
        self.texts = texts
        groups.sort { $0.rarity < $1.rarity }
        var table = [UInt64](repeating: 0, count: 768)
        var byBit = [[Anchor]](repeating: [], count: 64)
        for (number, group) in groups.enumerated() {
            let bit = number < 40 ? number : 40 + number % 24
            byBit[bit] += group.members
            for place in 0..<3 {
                for byte in UInt8.min...UInt8.max
                where place >= group.text.count
                    || (group.isExact ? byte : byte.lowercased) == group.text[place]
                {
                    table[place * 256 + Int(byte)] |= 1 << UInt64(bit)
                }
            }
        }
        self.table = table
        anchors = byBit.flatMap(\.self)
        var bits: [Range<Int>] = []
        for group in byBit {
            let start = bits.last?.upperBound ?? 0
            bits.append(start..<start + group.count)
        }
        self.bits = bits
    }

    /// Where the three characters of a text begin that are the rarest in other texts, and how rare they are.
    static func rarest(of text: [UInt8]) -> (offset: Int, rarity: Int) {
        // The letters of English, beginning with the most frequent one, and what logs are full of.
        let letters = Array("etaoinshrdlcumwfgypbvkjxqz".utf8)
        let frequent = ["con", "ent", "ess", "for", "ing", "ion", "pro", "ser", "str", "ter", "ver"]
        let rarity = text.map { letters.firstIndex(of: $0) ?? ($0.isDigit || $0.isCapital ? 20 : 24) }
        guard text.count > 3 else { return (0, rarity.reduce(0, +)) }
        let sums = (0...text.count - 3).map { place in
            frequent.contains { text[place...].starts(with: $0.utf8) }
                ? 0 : rarity[place...place + 2].reduce(0, +)
        }
        let offset = sums.indices.max { sums[$0] < sums[$1] } ?? 0
        return (offset, sums[offset])
    }

    // MARK: Texts

    /// The next place, from `start` on, at which three characters of a text are; `which` gets their bits.
    @inline(__always)
    private func nextTrigger(
        _ bytes: UnsafeRawBufferPointer, from start: Int, _ which: inout UInt64
    ) -> Int {
        guard !anchors.isEmpty, let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return bytes.count
        }
        return table.withUnsafeBufferPointer { table in
            table.baseAddress.map { hw_next_trigger($0, base, bytes.count, start, &which) } ?? bytes.count
        }
    }

    /// Calls `body` with each anchor of some bits whose text is around a place, and where it begins, until
    /// it is true.
    @inline(__always)
    private func firstAnchor(
        _ which: UInt64, _ bytes: UnsafeRawBufferPointer, _ place: Int, _ body: (Anchor, Int) -> Bool
    ) -> Bool {
        var which = which
        while which != 0 {
            for index in bits[which.trailingZeroBitCount] {
                let anchor = anchors[index]
                let start = place - anchor.offset
                guard start >= 0, start + anchor.text.count <= bytes.count,
                    has(anchor, bytes, at: start), body(anchor, start)
                else { continue }
                return true
            }
            which &= which - 1
        }
        return false
    }

    @inline(__always)
    private func has(_ anchor: Anchor, _ bytes: UnsafeRawBufferPointer, at start: Int) -> Bool {
        texts.withUnsafeBufferPointer { texts in
            for index in anchor.text {
                let byte = bytes[start + index - anchor.text.lowerBound]
                if (anchor.isExact ? byte : byte.lowercased) != texts[index] { return false }
            }
            return true
        }
    }

    /// All secrets in some UTF-8, in their order, none of which overlap.
    ///
    /// What overlaps is one secret, of the rule that finds more of it, or is the first.
    func secrets(in bytes: UnsafeRawBufferPointer) -> [Secret] {
        var found: [Secret] = []
        // Where the last secret of each rule ends; nothing in it is looked at by the same rule.
        var ends: [Int] = []
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return [] }
        var which: UInt64 = 0
        var place = nextTrigger(bytes, from: 0, &which)
        while place < bytes.count {
            check(which, bytes, place, &found, &ends)
            place = nextTrigger(bytes, from: place + 1, &which)
        }
        place = counting.isEmpty ? bytes.count : hw_next_number(base, bytes.count, 0)
        while place < bytes.count {
            var next = place + 1
            for rule in counting {
                guard case .numbers(let match) = ways[rule], let range = match(bytes, place) else { continue }
                found.append(Secret(range: range, rule: rule))
                next = max(next, range.upperBound)
            }
            place = hw_next_number(base, bytes.count, next)
        }
        for rule in searching {
            guard case .search(let find) = ways[rule] else { continue }
            var index = 0
            while index < bytes.count, let range = find(bytes, index), !range.isEmpty,
                range.lowerBound >= index, range.upperBound <= bytes.count
            {
                found.append(Secret(range: range, rule: rule))
                index = range.upperBound
            }
        }
        return RedactionPlan.merged(found)
    }

    @inline(never)
    private func check(
        _ which: UInt64, _ bytes: UnsafeRawBufferPointer, _ place: Int, _ found: inout [Secret],
        _ ends: inout [Int]
    ) {
        _ = firstAnchor(which, bytes, place) { anchor, start in
            if !ends.isEmpty, ends[anchor.rule] > start { return false }
            let count = found.count
            switch ways[anchor.rule] {
            case .anchored(_, _, let match):
                if let range = match(bytes, start, anchor.number) {
                    found.append(Secret(range: range, rule: anchor.rule))
                }
            case .keys(let keys):
                if let (range, marks) = keys.value(in: bytes, at: start, anchor: anchor.number) {
                    found.append(Secret(range: range, rule: anchor.rule, marks: marks))
                }
            default: break
            }
            if found.count > count {
                if ends.isEmpty { ends = [Int](repeating: 0, count: ways.count) }
                ends[anchor.rule] = found[count].range.upperBound
            }
            return false
        }
    }

    static func merged(_ found: [Secret]) -> [Secret] {
        if zip(found, found.dropFirst()).allSatisfy({ $0.range.upperBound <= $1.range.lowerBound }) {
            return found
        }
        let found = found.sorted {
            if $0.range.lowerBound != $1.range.lowerBound { return $0.range.lowerBound < $1.range.lowerBound }
            if $0.range.count != $1.range.count { return $0.range.count > $1.range.count }
            return ($0.rule, $0.seen == nil ? 1 : 0) < ($1.rule, $1.seen == nil ? 1 : 0)
        }
        var result: [Secret] = []
        for secret in found {
            guard let last = result.last, secret.range.lowerBound < last.range.upperBound else {
                result.append(secret)
                continue
            }
            if secret.range.upperBound <= last.range.upperBound { continue }
            var longer = secret.range.count > last.range.count ? secret : last
            longer.range = last.range.lowerBound..<secret.range.upperBound
            longer.marks = last.marks ?? secret.marks
            longer.seen = nil
            result[result.count - 1] = longer
        }
        return result
    }

    // MARK: The first sight

    /// What is known of the places of a text at which there may be a secret.
    struct Look {
        fileprivate var trigger = -1
        fileprivate var number = -1
        fileprivate var escape = -1
        fileprivate var unseen = -1
    }

    /// The next place, from `start` on, at which there may be a secret; the end of the text if none is left.
    ///
    /// `look` goes with the text; places do not go backward. In a line of JSON, an escape that may hide
    /// something is such a place.
    func nextSuspect(in bytes: UnsafeRawBufferPointer, from start: Int, _ look: inout Look) -> Int {
        if !searching.isEmpty { return min(start, bytes.count) }
        if look.trigger < start { look.trigger = nextBeginning(bytes, from: start) }
        if look.number < start { look.number = nextNumber(bytes, from: start) }
        if look.escape < start { look.escape = nextEscape(bytes, from: start) }
        if look.unseen < start, let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) {
            look.unseen = hw_next_unseen(base, bytes.count, start)
        }
        return min(look.trigger, look.number, look.escape, max(start, look.unseen))
    }

    private func nextBeginning(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var which: UInt64 = 0
        var place = nextTrigger(bytes, from: start, &which)
        while place < bytes.count, !mayBegin(which, bytes, place) {
            place = nextTrigger(bytes, from: place + 1, &which)
        }
        return place
    }

    @inline(never)
    private func mayBegin(_ which: UInt64, _ bytes: UnsafeRawBufferPointer, _ place: Int) -> Bool {
        firstAnchor(which, bytes, place) { anchor, start in
            switch ways[anchor.rule] {
            case .anchored(_, _, let match): match(bytes, start, anchor.number) != nil
            case .keys(let keys): keys.mayBeKey(in: bytes, at: start, anchor: anchor.number)
            default: false
            }
        }
    }

    private func nextNumber(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        guard !counting.isEmpty, let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else {
            return bytes.count
        }
        var place = hw_next_number(base, bytes.count, start)
        while place < bytes.count {
            for rule in counting {
                if case .numbers(let match) = ways[rule], match(bytes, place) != nil { return place }
            }
            place = hw_next_number(base, bytes.count, place + 1)
        }
        return place
    }

    /// The next `\/`, `\u` or `\b` in a line that may be JSON.
    private func nextEscape(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        while index < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + index, 0x5C, bytes.count - index)
        {
            let place = base.distance(to: found)
            index = place + 2
            guard place + 1 < bytes.count,
                [.slash, UInt8(ascii: "u"), UInt8(ascii: "b")].contains(bytes[place + 1])
            else { continue }
            var first = place
            while first > 0, bytes[first - 1] != .newline { first -= 1 }
            while first < place, bytes[first].isBlank { first += 1 }
            if bytes[first] == .openBrace || bytes[first] == .openBracket { return place }
            // Nothing in the rest of the line counts, either.
            guard let end = memchr(base + place, 0x0A, bytes.count - place) else { break }
            index = base.distance(to: end)
        }
        return bytes.count
    }

    // MARK: Names of fields

    /// How the values of a name are hidden.
    struct Hiding {
        let rule: Int
        let name: SecretKeys.Name
    }

    /// How the values of a name are hidden; nil where no rule does that.
    func hiding(_ key: UnsafeRawBufferPointer) -> Hiding? {
        guard hasKeys else { return nil }
        var which: UInt64 = 0
        var hiding: Hiding?
        var place = nextTrigger(key, from: 0, &which)
        while place < key.count {
            let isFound = firstAnchor(which, key, place) { anchor, _ in
                guard case .keys(let keys) = ways[anchor.rule],
                    let name = keys.name(in: key, anchor: anchor.number)
                else { return false }
                hiding = Hiding(rule: anchor.rule, name: name)
                return true
            }
            if isFound { return hiding }
            place = nextTrigger(key, from: place + 1, &which)
        }
        return nil
    }
}
