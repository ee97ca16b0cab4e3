import Heartwood

/// Which lines a page shows, as its address says it.
///
/// It is translated into arguments of `heartwood grep`, which then decide: what the page shows and what the
/// command shows is the same.
struct ViewFilter: Hashable, Sendable {
    /// What lines must contain; nothing where it is empty.
    var text = ""
    /// Whether `text` is a regular expression.
    var isRegex = false
    /// Whether `text` and `excluded` match case.
    var isCaseSensitive = false
    /// Lines that contain one of these are left out.
    var excluded: [String] = []
    /// The name of the least serious level, or several names, as `--level` takes them.
    var level: String?
    var category: String?
    /// The names of the files; of all where it is empty.
    var files: [String] = []
    /// The names of the files that are left out.
    var excludedFiles: [String] = []
    /// Fields and their values, as `--where` takes them.
    var fields: [String] = []
    /// The first moment, as `--since` takes it.
    var since: String?
    /// The moment before which lines are wanted, as `--until` takes it.
    var until: String?
    /// Whether a row is a record, not a line.
    var isFolded = false

    /// Whether all lines are wanted.
    var isEmpty: Bool {
        self
            == ViewFilter(isRegex: isRegex, isCaseSensitive: isCaseSensitive, isFolded: isFolded)
    }

    /// Reads the parts of an address.
    init(_ query: ViewQuery) {
        text = query["q"] ?? ""
        isRegex = query["re"] == "1"
        isCaseSensitive = query["cs"] == "1"
        // No line contains a newline, or can be told from others by it.
        excluded = query.all("not").filter { !$0.isEmpty && !$0.contains("\n") }
        level = query["level"]
        category = query["category"]
        files = query.all("file").filter { !$0.isEmpty }
        excludedFiles = query.all("notfile").filter { !$0.isEmpty }
        fields = query.all("where").filter { !$0.isEmpty }
        since = query["since"]
        until = query["until"]
        isFolded = query["fold"] == "1"
    }

    init(isRegex: Bool = false, isCaseSensitive: Bool = false, isFolded: Bool = false) {
        self.isRegex = isRegex
        self.isCaseSensitive = isCaseSensitive
        self.isFolded = isFolded
    }

    /// What finds `text`; nil where that is empty.
    ///
    /// - Throws: ``UsageError`` where it is not a regular expression.
    func searcher() throws -> LineSearcher? {
        text.isEmpty ? nil : try LineSearcher(text, isLiteral: !isRegex, ignoresCase: !isCaseSensitive)
    }

    /// The options of `heartwood grep` that select the same lines, but for the files.
    var options: [String] {
        var words: [String] = []
        if !text.isEmpty, !isRegex { words.append("-F") }
        if !text.isEmpty || !excluded.isEmpty, !isCaseSensitive { words.append("-i") }
        if let level { words += ["--level", level] }
        if let category { words += ["--category", category] }
        for field in fields { words += ["--where", field] }
        for text in excluded { words += ["--not", text] }
        if let since { words += ["--since", since] }
        if let until { words += ["--until", until] }
        return words
    }

    /// The command that shows the same lines of the log.
    func command(_ log: ViewLog) -> String {
        let (paths, present) = (log.paths, log.store.files.present)
        var operands = paths
        if !files.isEmpty || !excludedFiles.isEmpty {
            operands = present.filter {
                (files.isEmpty || files.contains($0.name)) && !excludedFiles.contains($0.name)
            }.map(\.path)
            // No file is left: none of this name is there.
            if operands.isEmpty { operands = files.map { (paths.first ?? ".") + "/" + $0 } }
        }
        let searches = !text.isEmpty || options.contains("-i")
        var name = searches ? ["heartwood", "grep"] : ["heartwood", "cat"]
        if searches, operands.count > 1 { name.append("-h") }
        if let rules = log.redactionNames {
            name.append(rules == LogSelection.redact.standard ? "--redact" : "--redact=\(rules)")
        }
        let pattern = !searches ? [] : text.hasPrefix("-") ? ["--", text] : [text]
        return (name + options + pattern + operands).map(ViewFilter.quoted).joined(separator: " ")
    }

    /// A word as a shell takes it.
    private static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_./:=,@%+".utf8.contains($0) }
        // A word that begins with = is another one in zsh.
        return isPlain && !word.isEmpty && !word.hasPrefix("=") ? word : word.shellQuoted
    }
}

/// The path and the query of a request's target.
struct ViewQuery: Sendable {
    /// The parts of the path, decoded, without empty ones.
    let path: [String]
    private let pairs: [(name: String, value: String)]

    /// Reads a target; nil where it is not valid.
    init?(_ target: String) {
        guard target.hasPrefix("/") else { return nil }
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path: [String] = []
        for part in halves[0].split(separator: "/") {
            guard let text = ViewQuery.decoded(part, plusIsSpace: false) else { return nil }
            path.append(text)
        }
        var pairs: [(String, String)] = []
        for pair in halves.count > 1 ? halves[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = ViewQuery.decoded(sides[0], plusIsSpace: true),
                let value = ViewQuery.decoded(sides.count > 1 ? sides[1] : "", plusIsSpace: true)
            else { return nil }
            pairs.append((name, value))
        }
        self.path = path
        self.pairs = pairs
    }

    /// The first value under a name that is not empty.
    subscript(name: String) -> String? { pairs.first { $0.name == name && !$0.value.isEmpty }?.value }

    /// All values under a name.
    func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// The whole number that a name has; nil without one.
    ///
    /// - Throws: ``UsageError`` where the value is another.
    func integer(_ name: String) throws -> Int? {
        try self[name].map { text in
            guard let number = Int(text) else {
                throw UsageError("“\(name)” in the address is not a whole number (got “\(text)”)")
            }
            return number
        }
    }

    /// A time under a name, which is in milliseconds; one that nanoseconds cannot express is the nearest that
    /// they can.
    ///
    /// - Throws: ``UsageError`` where the value is no whole number.
    func nanoseconds(_ name: String) throws -> Int64? {
        try integer(name).map { milliseconds in
            let (time, isTooLarge) = Int64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
            return isTooLarge ? (milliseconds < 0 ? .min : .max) : time
        }
    }

    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                let digits = rest.prefix(2)
                guard digits.count == 2,
                    let decoded = Hexadecimal.decode(String(decoding: digits, as: UTF8.self))
                else { return nil }
                bytes += decoded
                rest = rest.dropFirst(2)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
