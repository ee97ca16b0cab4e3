import CoreFixtures
import Heartwood
@testable import HeartwoodReading

/// Changes lines of programs in ways that must not change what they say, or must change it in one way only.
///
/// So wrong values are found without knowing what is right: of lines of any program.
struct LineChanges {
    typealias Bytes = UnsafeRawBufferPointer

    /// Lines of one program, and what is wrong with them.
    private let lines: [String]
    private let ofOneProgram: Bool
    private let recognizer: LineRecognizer
    private let times: LineTime
    private var random: SeededNumbers
    private(set) var failures: [String] = []
    /// How many changed lines were read.
    private(set) var count = 0

    /// Takes lines; those of one program also with each other's messages.
    init(_ lines: [String], ofOneProgram: Bool = true, now: LogTimestamp, seed: UInt64) {
        (self.lines, self.ofOneProgram) = (lines, ofOneProgram)
        recognizer = LineRecognizer(now: now)
        times = LineTime(now: now)
        random = SeededNumbers(seed)
    }

    /// Changes each line in all ways.
    mutating func run() {
        for line in lines {
            let record = recognizer.record(of: line)
            insert(into: line, record)
            respell(line, record)
            removeLevel(line, record)
            if ofOneProgram { exchange(line, record) }
        }
    }

    private mutating func fail(_ rule: String, _ line: String, _ changed: String, _ what: String) {
        failures.append("\(rule): \(what)\n  \(line)\n  \(changed)")
    }

    /// Time, level and category of a record as text.
    private func head(_ record: LineRecord) -> String {
        "\(record.moment.map { LineRecord.text(of: $0) } ?? "-") \(record.level?.name ?? "-") \(record.category ?? "-")"
    }

    private mutating func expect(_ rule: String, _ line: String, _ changed: String, _ expected: LineRecord) {
        count += 1
        let record = recognizer.record(of: changed)
        guard head(record) != head(expected) else { return }
        fail(rule, line, changed, "\(head(record)) and not \(head(expected))")
    }

    // MARK: Changes

    /// Numbers, words and columns, as messages have them.
    private static let insertions = [
        "4711", "17", "0", "2020", "-1", "3.5", "ann", "the", "A", "T", "F", "E", "10.0.0.1", "#17",
        "order=17", "(17)", "[17]", "[ann]", "Connection", "12:30", "1781643929", "an error", "warning",
        "no info", "ok,", "0x7f3a", "17,ann", "17;ann", "17\tann", "%s", "100%", "<b>", "{}", "\"x\"",
    ]

    /// What names a category where it follows a header and one word.
    private static let names = ["shop.test", "user:", "| 17 |", "- 17", "[17] shop.test"]

    /// Where a word begins in the message of a line that ends with it, but for the first ones and the last;
    /// nil where it is not at the end.
    private mutating func place(in line: String, _ record: LineRecord, first: Int) -> String.Index? {
        let message = record.message.utf8
        let start = line.utf8.count - message.count
        guard message.count > 3, start > 0, line.hasSuffix(record.message) else { return nil }
        let places = line.utf8.indices.dropFirst(start).filter { line.utf8[$0] == 0x20 }
        guard places.count > first else { return nil }
        return places[first - 1..<places.count - 1].randomElement(using: &random).map {
            line.utf8.index(after: $0)
        }
    }

    /// A number, a word or a column in the message keeps time, level and category.
    private mutating func insert(into line: String, _ record: LineRecord) {
        guard record.moment != nil || record.level != nil, !record.message.contains("level=") else { return }
        for _ in 0..<4 {
            let isName = random.chance(2)
            let texts = isName ? LineChanges.names : LineChanges.insertions
            guard let place = place(in: line, record, first: isName ? 2 : 1),
                let text = texts.randomElement(using: &random)
            else { return }
            expect("insertion", line, line[..<place] + text + " " + line[place...], record)
        }
    }

    /// The spellings of a moment with whole seconds.
    private static func spellings(_ civil: CivilTime) -> [String] {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let (day, month) = (two(civil.day), two(civil.month))
        let clock = "\(two(civil.hour)):\(two(civil.minute)):\(two(civil.second))"
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let name = names[civil.month - 1]
        return [
            "\(civil.year)-\(month)-\(day)T\(clock)Z", "\(civil.year)-\(month)-\(day) \(clock)",
            "\(civil.year)-\(month)-\(day) \(clock),000", "\(civil.year)/\(month)/\(day) \(clock).000000",
            "\(civil.year)-\(month)-\(day) \(clock) +0000", "\(civil.year)-\(month)-\(day)T\(clock)+00:00",
            "\(civil.year)-\(month)-\(day) \(clock) UTC", "\(day)-\(name)-\(civil.year) \(clock)",
            "\(day)/\(name)/\(civil.year):\(clock) +0000", "\(name) \(civil.day), \(civil.year) \(clock)",
            "\(name) \(civil.day < 10 ? " " : "")\(civil.day) \(civil.year) \(clock)",
            "\(day) \(name) \(civil.year) \(clock)", "\(civil.year)\(month)\(day) \(clock)",
            "\(day).\(month).\(civil.year) \(clock)", "\(civil.year) \(name) \(day) \(clock)",
            "\(civil.year)-\(name)-\(day) \(clock).000", "\(civil.year)\(month)\(day)-\(clock)",
            "\(civil.year)\(month)\(day)T\(two(civil.hour))\(two(civil.minute))\(two(civil.second))Z",
        ]
    }

    /// The range of the time in a line whose header has one.
    private func rangeOfTime(_ line: String) -> Range<Int>? {
        Array(line.utf8).withUnsafeBytes { bytes in
            guard let found = LineHeader(bytes, times, .all).time, found.moment != nil else { return nil }
            let end =
                found.end
                - (bytes[found.end - 1] == UInt8(ascii: "]") || bytes[found.end - 1] == 0x22 ? 1 : 0)
            let start = (0..<end).first { times.read(bytes, at: $0)?.end == end }
            // That of glog is a part of a word.
            guard let start, start == 0 || !bytes[start - 1].isLetter else { return nil }
            return start..<end
        }
    }

    /// The time of a line in another spelling is the same moment.
    private mutating func respell(_ line: String, _ record: LineRecord) {
        guard let moment = record.moment, let range = rangeOfTime(line) else { return }
        let whole = LogTimestamp(nanoseconds: moment.nanoseconds / 1_000_000_000 * 1_000_000_000)
        for text in LineChanges.spellings(CivilTime(nanoseconds: whole.nanoseconds)) {
            let bytes = Array(line.utf8)
            let changed = String(
                decoding: bytes[..<range.lowerBound] + text.utf8 + bytes[range.upperBound...], as: UTF8.self)
            count += 1
            let found = recognizer.record(of: changed).moment
            if found != whole {
                fail("spelling", line, changed, found.map { LineRecord.text(of: $0) } ?? "-")
            }
        }
    }

    /// Without all words and letters that are levels, there is no level, but for those of a status or a number.
    private mutating func removeLevel(_ line: String, _ record: LineRecord) {
        let isOther = [
            "<", "{", "HTTP/", "%", "TCP_", "status", "Default", "System", "PHP", " # ", " * ", " . ", " - ",
            "\u{1B}",
        ]
        .contains { line.contains($0) }
        guard record.level != nil, !isOther else { return }
        var bytes = Array(line.utf8)
        var start = 0
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end].isLetter { end += 1 }
            let isLevel = bytes.withUnsafeBytes { LevelWord.meaning($0, start..<end) != nil }
            let isCapital = end > start && end <= start + 2 && bytes[start] & 0x20 == 0
            if isLevel || isCapital && bytes[start] == bytes[end - 1] {
                for index in start..<end { bytes[index] = UInt8(ascii: "q") }
            }
            start = max(end, start + 1)
        }
        count += 1
        let changed = String(decoding: bytes, as: UTF8.self)
        if let level = recognizer.record(of: changed).level { fail("level", line, changed, level.name) }
    }

    /// The header of a line with the message of another of the same program says what the header says.
    private mutating func exchange(_ line: String, _ record: LineRecord) {
        guard let other = lines.randomElement(using: &random), !record.message.isEmpty,
            line.hasSuffix(record.message),
            record.message.utf8.count < line.utf8.count
        else { return }
        let message = recognizer.record(of: other).message
        guard let first = message.split(separator: " ").first, first.utf8.count > 1, line.first != "<",
            other.hasSuffix(message), form(line) == form(other)
        else { return }
        expect(
            "exchange", line,
            String(decoding: line.utf8.dropLast(record.message.utf8.count), as: UTF8.self) + message, record)
    }

    private func form(_ line: String) -> Int {
        Array(line.utf8).withUnsafeBytes { LineHeader($0, times, .all).row }
    }
}
