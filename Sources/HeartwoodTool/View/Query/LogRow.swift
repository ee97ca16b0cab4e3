import Heartwood
import HeartwoodReading

/// A line that is shown, and what it says, which is read once: when it is first asked for.
///
/// Not thread-safe: owned by the rows of one answer.
final class ShownLine {
    /// How much of a line is read.
    static let limit = 1 << 20

    /// Its text; nil where the file is gone.
    let text: ArraySlice<UInt8>?
    private let reader: LineReader
    /// Its level and time where they are known without reading it.
    private let known: LineCarry?
    /// What it says, without terminal colors.
    private(set) lazy var record = beginning.withUnsafeBytes { reader.record(of: $0) }
    /// Its message and the colors of that.
    private(set) lazy var message = AnsiText(messageOf: record, in: beginning)

    init(_ text: ArraySlice<UInt8>?, _ reader: LineReader, known: LineCarry? = nil) {
        (self.text, self.reader, self.known) = (text, reader, known)
    }

    /// The part that is read.
    var beginning: ArraySlice<UInt8> { (text ?? []).prefix(ShownLine.limit) }

    var level: LogLevel? {
        if let known { return known.level }
        return record.level
    }
    var moment: Int64? {
        if let known { return known.moment }
        return record.moment?.nanoseconds
    }
}

/// Makes the rows of a block; those of one record share its first line.
struct BlockRows {
    let text: BlockText
    let block: LogBlock
    let reader: LineReader
    /// The name of the file of a text.
    let file: (Int) -> String
    /// How much text of a line is kept.
    let limit: Int
    /// The first line of the last record.
    private var head: (index: Int?, line: ShownLine)?

    init(
        _ text: BlockText, _ block: LogBlock, _ reader: LineReader, file: @escaping (Int) -> String,
        limit: Int = .max
    ) {
        (self.text, self.block, self.reader, self.file, self.limit) = (text, block, reader, file, limit)
    }

    /// The row that a line is; an index that the block does not have is a line whose file is gone.
    ///
    /// Where lines are folded, it tells how many lines of the same record follow its first one.
    mutating func row(_ number: Int, _ index: Int, isFolded: Bool = false) -> LogRow {
        let place = index < text.lines.count ? text.lines[index] : nil
        let heads = block.facts.heads
        let first = heads.last(upTo: index)
        if head?.index != first || head == nil {
            head = (first, first.map(line) ?? ShownLine(nil, reader, known: block.carry))
        }
        let isFirst = first == index
        let own = isFirst ? head?.line : nil
        return LogRow(
            number: number, line: index, file: (place?.part ?? block.pieces.first?.part).map(file) ?? "",
            offset: place?.offset ?? 0,
            folded: isFolded && isFirst ? (heads.next(from: index + 1) ?? block.facts.lines) - index - 1 : 0,
            own: own ?? line(index), head: head?.line)
    }

    private func line(_ index: Int) -> ShownLine {
        guard let line = text[index] else { return ShownLine(nil, reader, known: LineCarry()) }
        guard line.count > ShownLine.limit else { return ShownLine(line, reader) }
        // A part is copied, so that the row does not keep all of a long line in memory.
        let head = text.withLine(index) { reader.head(of: $0) }
        return ShownLine(
            line.count > limit ? Array(line.prefix(limit))[...] : line, reader,
            known: LineCarry(level: head?.level, moment: head?.moment?.nanoseconds))
    }
}

/// A row that a page shows: a line, or a record where lines are folded.
struct LogRow {
    /// How much of a message the list shows.
    private static let messageLimit = 2000
    /// How many fields of a row the list shows, and how much of each.
    private static let fieldLimit = 16
    private static let valueLimit = 300

    /// Its number.
    let number: Int
    /// Its place among the lines of its block.
    let line: Int
    /// The name of its file.
    let file: String
    /// Where it is in the file's text.
    let offset: Int
    /// How many lines of the record are folded under it.
    let folded: Int
    /// The line, which may be the first one of its record.
    let own: ShownLine
    fileprivate let head: ShownLine?

    /// Its text; nil where the file is gone.
    var text: ArraySlice<UInt8>? { own.text }
    /// The level of its record.
    var level: LogLevel? { text == nil ? nil : head?.level }
    /// The time of its record.
    var moment: Int64? { text == nil ? nil : head?.moment }
    /// Whether a record begins with it.
    private var isHead: Bool { own === head }

    // MARK: For the page

    /// Tells the line from others of its time, in every run of the server: FNV-1a of its beginning.
    var textMark: Int {
        var hash: UInt32 = 0x811C_9DC5
        for byte in own.beginning { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int(hash)
    }

    /// A row of the list: its number, time in milliseconds, level, category, message, fields, file, how it is
    /// shown, its place in the file, how many lines are folded, the colors of the message, and what tells its
    /// text from others.
    ///
    /// The fields that are `columns` come first.
    func value(columns: [String]) -> LogValue {
        let moment = moment.map { LogValue.moment($0) } ?? .null
        guard text != nil else {
            return [LogValue(number), moment, 7, nil, "", [], .string(file), 2, 0, 0, []]
        }
        // A line that continues is shown as it is.
        let record = isHead ? own.record : LineRecord()
        let message = isHead ? own.message : AnsiText(String(decoding: own.beginning, as: UTF8.self))
        let first = columns.compactMap { name in record.fields.first { $0.name == name } }
        let others = record.fields.prefix(LogRow.fieldLimit).filter { !columns.contains($0.name) }
        return [
            LogValue(number), moment, LogValue(TimeBins.place(of: level)),
            (record.category?.prefix(100)).logValue,
            LogValue(message.text.prefix(LogRow.messageLimit)),
            .list(first + others) { $0.value(upTo: LogRow.valueLimit, name: 100) }, .string(file),
            isHead ? 1 : 0, LogValue(offset), LogValue(folded), message.styleValues, LogValue(textMark),
        ]
    }
}

extension LineRecord.Field {
    /// The field for a page: its name, its value without colors, and whether that is a literal.
    func value(upTo limit: Int = .max, name nameLimit: Int = .max) -> LogValue {
        [
            LogValue(name.prefix(nameLimit)), LogValue(AnsiText(String(value.prefix(limit))).text),
            isLiteral ? 1 : 0,
        ]
    }
}

extension AnsiText {
    /// The first colors of the text, for a page.
    var styleValues: LogValue {
        .list(styles.prefix(200)) { [LogValue($0.start), LogValue($0.count), .string($0.classes)] }
    }
}

extension AnsiText {
    /// The message of a line, with the colors that the line has there.
    fileprivate init(messageOf record: LineRecord, in line: ArraySlice<UInt8>) {
        self.init(record.message)
        guard line.contains(.escape) else { return }
        // The message is the end of the line, or a part of it.
        let whole = AnsiText(String(decoding: line, as: UTF8.self))
        if let range = whole.text.place(of: record.message) {
            let start = whole.text[..<range.lowerBound].utf16.count
            take(whole.styles, from: start, count: whole.text[range].utf16.count)
        }
    }

    /// Takes the styles of some of another text.
    fileprivate mutating func take(_ other: [Style], from start: Int, count: Int) {
        let taken = other.compactMap { style -> Style? in
            var style = style
            let end = min(style.start + style.count, start + count)
            let begin = max(style.start, start)
            guard begin < end else { return nil }
            (style.start, style.count) = (begin - start, end - begin)
            return style
        }
        self = AnsiText(text: text, styles: taken)
    }
}

extension String {
    /// Where a text is in this one.
    fileprivate func place(of text: String) -> Range<String.Index>? {
        guard !text.isEmpty else { return nil }
        if hasSuffix(text) { return index(endIndex, offsetBy: -text.count)..<endIndex }
        return firstRange(of: text)
    }
}
