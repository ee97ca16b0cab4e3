/// Rules that give names levels, where a name also belongs to those that it begins with: `net.http` to `net`.
///
/// Of all rules that describe a name or one that it belongs to, the one counts whose pattern has the most
/// characters that are no stars; of two that have as many, the later one.
struct LevelRules: Sendable {
    private struct Rule {
        let pattern: NamePattern
        let levels: LogLevelMask
    }

    private var rules: [Rule] = []
    private let separator: UInt8

    init(separator: Unicode.Scalar) { self.separator = UInt8(ascii: separator) }

    var isEmpty: Bool { rules.isEmpty }

    /// All rules in the order of their setting.
    var list: [LogLevelRule] { rules.map { LogLevelRule($0.pattern.text, $0.levels) } }

    /// The levels that occur in any rule.
    var union: UInt32 { rules.reduce(0) { $0 | $1.levels.rawValue } }

    /// Sets the levels of a pattern, or removes its rule.
    mutating func set(_ levels: LogLevelMask?, for pattern: NamePattern) {
        rules.removeAll { $0.pattern == pattern }
        if let levels { rules.append(Rule(pattern: pattern, levels: levels)) }
    }

    mutating func replace(with list: [LogLevelRule]) {
        rules = []
        for rule in list { set(rule.levels, for: NamePattern(rule.pattern)) }
    }

    /// Takes rules back that are still as they were set, and sets others.
    mutating func exchange(_ old: [LogLevelRule], for new: [LogLevelRule]) {
        let now = list
        for rule in old where now.contains(rule) { set(nil, for: NamePattern(rule.pattern)) }
        for rule in new { set(rule.levels, for: NamePattern(rule.pattern)) }
    }

    /// The levels of a name; nil where no rule describes it.
    func levels(of name: String) -> LogLevelMask? {
        if rules.isEmpty { return nil }
        let bytes = Array(name.utf8)
        var best: Rule?
        for rule in rules where describes(rule.pattern, bytes) {
            if rule.pattern.weight >= best?.pattern.weight ?? 0 { best = rule }
        }
        return best?.levels
    }

    private func describes(_ pattern: NamePattern, _ name: [UInt8]) -> Bool {
        if pattern.matches(name[...]) { return true }
        return name.indices.contains { name[$0] == separator && pattern.matches(name[..<$0]) }
    }
}
