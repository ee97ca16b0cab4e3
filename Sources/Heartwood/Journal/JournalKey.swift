import CHeartwood

/// What a logger is known by in a journal: so that each of several that write to one place gets its own
/// messages again.
package struct JournalKey: Hashable, Sendable {
    /// The logger's kind, and where it writes to.
    let place: String
    /// Its name, and the class of its formatter.
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

    /// The class of the formatter, as far as it is known.
    package var formatter: String { variant.split(separator: "/").last.map(String.init) ?? "" }

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

    /// Which part of a journal is a logger's, if any.
    ///
    /// A logger that left something gets exactly that. One that the journal knows, and that left nothing,
    /// gets nothing of others, unless only their number tells them apart. One that the journal does not know
    /// gets what no other logger claims: where that is one logger's, all of it, whatever the names and
    /// formatters are; where it is several loggers', what the logger left that came as the same one in order.
    ///
    /// - Parameters:
    ///   - wanted: The logger's key.
    ///   - order: How many loggers of the same place, of any variant, were there before it.
    ///   - known: The keys of all loggers that the journal has had, in the order of its slots.
    ///   - left: Those of them that left something.
    ///   - present: The keys of all loggers that are there now.
    /// - Returns: the key of that part; nil where nothing is the logger's.
    static func share(
        of wanted: JournalKey, order: Int, known: [JournalKey], left: Set<JournalKey>,
        present: Set<JournalKey>
    ) -> JournalKey? {
        if left.contains(wanted) { return wanted }
        var distinct: [JournalKey] = []
        for key in known where key.place == wanted.place && !distinct.contains(key) { distinct.append(key) }
        let isKnown = distinct.contains(wanted)
        distinct.removeAll { !left.contains($0) }
        let free = distinct.filter { !present.contains($0) && (!isKnown || $0.variant == wanted.variant) }
        if free.count <= 1 { return free.first }
        return order < distinct.count && free.contains(distinct[order]) ? distinct[order] : nil
    }
}

extension JournalKey: CustomStringConvertible {
    /// The directory of a file logger and the application of its naming; nil for another kind, or
    /// a damaged key.
    package var files: (directory: String, application: String)? {
        let parts = place.split(separator: ":", maxSplits: 1).map(String.init)
        // An application's name may have a colon, a directory's may, too: the last slash comes before the
        // name's.
        guard parts.count == 2, parts[0] == "file", let slash = parts[1].lastIndex(of: "/"),
            let colon = parts[1][slash...].firstIndex(of: ":")
        else { return nil }
        return (String(parts[1][..<colon]), String(parts[1][parts[1].index(after: colon)...]))
    }

    package var description: String {
        files.map { "messages of “\($0.application)” in \($0.directory)" } ?? place
    }
}
