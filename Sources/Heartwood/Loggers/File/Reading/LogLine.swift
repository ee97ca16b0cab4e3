/// A line of a log file, with what can be told from it.
///
/// Understood are the lines of ``LineFormatter`` and ``JSONLinesFormatter``, and others that begin with an ISO 8601 date
/// or are JSON objects with `time` (or `timestamp`, `ts`), `level` (or `severity`) and `category` (or `logger`).
public struct LogLine: Hashable, Sendable {
    /// The line as it is, without its newline.
    ///
    /// Bytes that are not UTF-8 are replaced by U+FFFD.
    public let text: String
    /// The name of the file that it is in.
    public let file: String

    /// Takes a line.
    public init(text: String, file: String = "") {
        self.text = text
        self.file = file
    }

    /// When the line was logged, where it says so.
    public var moment: LogTimestamp? {
        if isJSON { return value(of: ["time", "timestamp", "ts"]).flatMap { LineClock.moment(in: $0[...]) } }
        return LineClock.moment(in: text[...])
    }

    /// The level, where the line says so.
    public var level: LogLevel? {
        if isJSON { return value(of: ["level", "severity"]).flatMap(LogLevel.init(named:)) }
        return words.prefix(3).lazy.compactMap { word in
            LogLevel(named: word.trimming { "[]<>():".contains($0) })
        }.first
    }

    /// The category, where the line says so; nil for the default one.
    ///
    /// In the text of ``LineFormatter``, a word between the level and the place.
    public var category: String? {
        if isJSON { return value(of: ["category", "logger"]) }
        let words = self.words.prefix(6)
        guard let level = words.firstIndex(where: { LogLevel(named: String($0)) != nil }),
            level + 2 < words.endIndex
        else { return nil }
        let isPlace = words[level + 2].contains(":") && words[level + 2].contains(".")
        return isPlace ? String(words[level + 1]) : nil
    }

    /// Whether the line is a JSON object.
    public var isJSON: Bool { text.first == "{" && text.last == "}" }

    private var words: [Substring] { text.prefix(400).split(separator: " ", maxSplits: 7) }

    /// The text of one of the keys, at whatever depth; enough for the flat objects that logs are made of.
    private func value(of keys: [String]) -> String? {
        for key in keys {
            guard let found = text.range(ofASCII: "\"\(key)\":") else { continue }
            let rest = text[found...].drop { $0 == " " }
            if rest.first == "\"" { return String(rest.dropFirst().prefix { $0 != "\"" }) }
            return String(rest.prefix { $0 != "," && $0 != "}" })
        }
        return nil
    }
}

extension Substring {
    fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> String {
        var text = self
        while let first = text.first, isTrimmed(first) { text.removeFirst() }
        while let last = text.last, isTrimmed(last) { text.removeLast() }
        return String(text)
    }
}

extension String {
    /// The place behind the first occurrence of a text.
    fileprivate func range(ofASCII wanted: String) -> String.Index? {
        let bytes = utf8
        let pattern = Array(wanted.utf8)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] == pattern[0], bytes[index...].starts(with: pattern) {
                return bytes.index(index, offsetBy: pattern.count)
            }
            index = bytes.index(after: index)
        }
        return nil
    }
}

/// Reads the date that a line begins with.
package enum LineClock {
    /// Reads `2026-11-20 10:20:30.123Z`, with `T` or a blank, any fraction, and `Z`, `+01:00` or nothing (UTC) behind it.
    package static func moment(in text: Substring) -> LogTimestamp? {
        let bytes = Array(text.utf8.prefix(48))
        func number(_ start: Int, _ count: Int) -> Int? {
            guard start + count <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[start..<start + count] {
                guard (48...57).contains(byte) else { return nil }
                value = value * 10 + Int(byte - 48)
            }
            return value
        }
        guard bytes.count >= 10, let year = number(0, 4), bytes[4] == 45, let month = number(5, 2),
            bytes[7] == 45,
            let day = number(8, 2)
        else { return nil }
        var civil = CivilTime(year: year, month: month, day: day)
        var index = 10
        if bytes.count >= 16, bytes[10] == 32 || bytes[10] == 84, bytes[13] == 58, let hour = number(11, 2),
            let minute = number(14, 2)
        {
            civil.hour = hour
            civil.minute = minute
            let hasSeconds = bytes.count > 16 && bytes[16] == 58
            if hasSeconds { civil.second = number(17, 2) ?? 0 }
            index = hasSeconds ? 19 : 16
        }
        if index < bytes.count, bytes[index] == 46 || bytes[index] == 44 {
            var scale = 100_000_000
            index += 1
            while let digit = number(index, 1) {
                civil.nanosecond += digit * scale
                scale /= 10
                index += 1
            }
        }
        guard civil.isValid else { return nil }
        var offset = 0
        if index < bytes.count, bytes[index] == 43 || bytes[index] == 45, let hours = number(index + 1, 2) {
            let hasColon = index + 3 < bytes.count && bytes[index + 3] == 58
            let minutes = number(index + (hasColon ? 4 : 3), 2) ?? 0
            offset = (hours * 3600 + minutes * 60) * (bytes[index] == 45 ? -1 : 1)
        }
        return civil.moment(offset: offset)
    }
}
