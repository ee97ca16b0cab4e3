import CHeartwood

/// What a logger is known by in a journal: so that each of several that write to one place gets its own messages again.
struct JournalKey: Hashable, Sendable {
    /// The logger's kind, and where it writes to.
    let place: String
    /// Its name, and the class of its formatter; empty in journals of version 1.
    var variant = ""
    /// How many loggers of the same place and variant were there when it came.
    var number = 0

    private static let separator: Character = "\0"
    /// Longer places are known by their beginning and a check.
    private static let longestPlace = 800
    private static let longestVariant = 150

    /// The key of a logger; `number` of others have the same.
    init(place: String, variant: String, number: Int = 0) {
        self.place = JournalKey.shortened(place)
        self.variant = String(decoding: variant.utf8.prefix(JournalKey.longestVariant), as: UTF8.self)
        self.number = number
    }

    /// Reads what is in a slot; anything can be read.
    init(_ text: String) {
        let parts = text.split(separator: JournalKey.separator, omittingEmptySubsequences: false)
        place = String(parts[0])
        guard parts.count == 3, let number = Int(parts[2]) else { return }
        (variant, self.number) = (String(parts[1]), number)
    }

    /// What is put into a slot.
    var text: String { "\(place)\(JournalKey.separator)\(variant)\(JournalKey.separator)\(number)" }

    /// What a logger that makes messages durable is known by; nil for others.
    static func of(_ logger: AbstractLogger) -> JournalKey? {
        guard let place = (logger as? any DurableLogger)?.journalKey else { return nil }
        let formatter = logger.formatter.map { String(describing: type(of: $0)) } ?? ""
        return JournalKey(place: place, variant: "\(logger.name)/\(formatter)")
    }

    /// The class of the formatter.
    var formatter: String { variant.split(separator: "/").last.map(String.init) ?? "" }

    private static func shortened(_ place: String) -> String {
        var place = place
        let check = place.withUTF8 { bytes -> UInt64 in
            if bytes.count <= longestPlace { return 0 }
            return bytes.baseAddress.map { hw_fold_bytes($0, bytes.count, 0) } ?? 0
        }
        if check == 0 { return place }
        let beginning = String(decoding: place.utf8.prefix(longestPlace), as: UTF8.self)
        return beginning + "#" + String(check, radix: 16)
    }

    /// Which of the keys in a journal are a logger's, as positions.
    ///
    /// Where only one logger wrote to its place, all is the one's that is there now, whatever its name and formatter are.
    /// Where several did, each gets what has its own variant; one whose variant is new gets what is left of the logger
    /// that came as the same one in order.
    ///
    /// - Parameters:
    ///   - keys: The keys in the journal, in the order of its slots.
    ///   - wanted: The logger's.
    ///   - order: How many loggers of the same place, of any variant, were there before it.
    /// - Returns: the positions in `keys`, in order.
    static func positions(in keys: [JournalKey], for wanted: JournalKey, order: Int) -> [Int] {
        let same = keys.indices.filter { keys[$0].place == wanted.place }
        var distinct: [JournalKey] = []
        for position in same where !distinct.contains(keys[position]) { distinct.append(keys[position]) }
        if distinct.count <= 1 { return same }
        let chosen = distinct.contains(wanted) ? wanted : order < distinct.count ? distinct[order] : nil
        return same.filter { keys[$0] == chosen }
    }
}
