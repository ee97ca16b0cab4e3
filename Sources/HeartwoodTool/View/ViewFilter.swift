import Heartwood

/// Which lines a page shows, as its address says it.
///
/// It is translated into arguments of `heartwood grep`, which then decide: what the page shows and what the command
/// shows is the same.
struct ViewFilter: Hashable, Sendable {
    /// What lines must contain; nothing where it is empty.
    var text = ""
    /// Whether `text` is a regular expression.
    var isRegex = false
    /// Whether capitals and small letters differ.
    var isCaseSensitive = false
    /// Lines that contain one of these are left out.
    var excluded: [String] = []
    /// The name of the least serious level.
    var level: String?
    var category: String?
    /// The name of a file.
    var file: String?
    /// Fields and their values, as `--where` takes them.
    var fields: [String] = []
    /// The first moment, as `--since` takes it.
    var since: String?
    /// The moment before which lines are wanted, as `--until` takes it.
    var until: String?

    /// Whether all lines are wanted.
    var isEmpty: Bool { self == ViewFilter(isRegex: isRegex, isCaseSensitive: isCaseSensitive) }

    /// Reads the parts of an address.
    init(_ query: ViewQuery) {
        text = query["q"] ?? ""
        isRegex = query["re"] == "1"
        isCaseSensitive = query["cs"] == "1"
        excluded = query.all("not").filter { !$0.isEmpty }
        level = query["level"]
        category = query["category"]
        file = query["file"]
        fields = query.all("where").filter { !$0.isEmpty }
        since = query["since"]
        until = query["until"]
    }

    init(isRegex: Bool = false, isCaseSensitive: Bool = false) {
        self.isRegex = isRegex
        self.isCaseSensitive = isCaseSensitive
    }

    /// The options of `heartwood grep` that select the same lines, but for excluded texts and a file.
    var options: [String] {
        var words: [String] = []
        if !text.isEmpty {
            if !isRegex { words.append("-F") }
            if !isCaseSensitive { words.append("-i") }
        }
        if let level { words += ["--level", level] }
        if let category { words += ["--category", category] }
        for field in fields { words += ["--where", field] }
        if let since { words += ["--since", since] }
        if let until { words += ["--until", until] }
        return words
    }

    /// The command that shows the same lines of the paths.
    func command(_ paths: [String]) -> String {
        let name = text.isEmpty ? ["heartwood", "cat"] : ["heartwood", "grep"]
        let pattern = text.isEmpty ? [] : text.hasPrefix("-") ? ["--", text] : [text]
        var line = (name + options + pattern + paths).map(ViewFilter.quoted).joined(separator: " ")
        for text in excluded {
            line += " | grep -vF\(isCaseSensitive ? "" : "i") -e " + ViewFilter.quoted(text)
        }
        return line
    }

    /// A word as a shell takes it.
    private static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "-_./:=,@%+".utf8.contains(byte)
                }
            }
        if isPlain { return word }
        return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
            + "'"
    }
}
