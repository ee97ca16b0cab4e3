import Heartwood
import HeartwoodReading

/// A row that a page shows: a line, or a record where lines are folded.
struct LogRow: Sendable {
    /// How much of a message the list shows.
    private static let messageLimit = 2000
    /// How many fields of a row the list shows, and how much of each.
    private static let fieldLimit = 16
    private static let valueLimit = 300
    /// How much of a line is read for the list.
    static let headLimit = 1 << 20

    /// Its number.
    let number: Int
    /// Its place among the lines of its block.
    let line: Int
    /// The name of its file.
    let file: String
    /// Its text; nil where the file is gone.
    let text: ArraySlice<UInt8>?
    /// Where it is in the file's text.
    let offset: Int
    /// The level of the line that it goes with, where it says none itself.
    let level: LogLevel?
    /// The time of the line that it goes with, where it says none itself.
    let moment: Int64?
    /// Whether it says a time or a level itself.
    let isHead: Bool
    /// How many lines of the record are folded under it.
    let folded: Int

    private static let reader = LineReader()

    /// Takes a line of a block; an index that the block does not have is a line whose file is gone.
    init(
        _ number: Int, _ line: Int, _ text: BlockText, _ block: LogBlock, file: (Int) -> String,
        folded: Int = 0, limit: Int = .max
    ) {
        (self.number, self.line, self.folded) = (number, line, folded)
        let place = line < text.lines.count ? text.lines[line] : nil
        self.file = (place?.part ?? block.pieces.first?.part).map(file) ?? ""
        // A part is copied, so that the row does not keep all of a long line in memory.
        self.text = text[line].map { $0.count > limit ? Array($0.prefix(limit))[...] : $0 }
        offset = place?.offset ?? 0
        guard self.text != nil else {
            (level, moment, isHead) = (nil, nil, false)
            return
        }
        let record = BlockSurvey().record(of: line, in: text, block)
        (level, moment) = (record.level, record.moment)
        isHead = block.facts.heads.contains(line) && (level != nil || moment != nil)
    }

    // MARK: For the page

    /// Tells the line from others of its time, in every run of the server: FNV-1a of its beginning.
    var textMark: Int {
        var hash: UInt32 = 0x811C_9DC5
        for byte in (text ?? []).prefix(LogRow.headLimit) { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return Int(hash)
    }

    /// What it says, without terminal colors, and the colors of its message.
    func content(limit: Int) -> (record: LineRecord, message: AnsiText) {
        let line = (text ?? []).prefix(limit)
        var record = line.withUnsafeBytes { bytes in
            if let plain = AnsiText.stripped(bytes) {
                return plain.withUnsafeBytes { LogRow.reader.record(of: $0) }
            }
            return LogRow.reader.record(of: bytes)
        }
        var message = AnsiText(record.message)
        if line.contains(0x1B) {
            // The message is the end of the line, or a part of it.
            let whole = AnsiText(String(decoding: line, as: UTF8.self))
            if let range = whole.text.place(of: record.message) {
                let start = whole.text[..<range.lowerBound].utf16.count
                let count = whole.text[range].utf16.count
                message = AnsiText(record.message)
                message.take(whole.styles, from: start, count: count)
            }
        }
        record.message = message.text
        return (record, message)
    }

    /// A row of the list: its number, time in milliseconds, level, category, message, fields, file, how it is
    /// shown, its place in the file, how many lines are folded, the colors of the message, and what tells its
    /// text from others.
    ///
    /// The fields that are `columns` come first.
    func write(columns: [String], to json: inout ViewJSON) {
        json.list { json in
            json.integer(number)
            if let moment { json.moment(moment) } else { json.null() }
            json.integer(text == nil ? 7 : TimeBins.place(of: level))
            guard text != nil else {
                json.null()
                json.text("")
                json.list { _ in }
                json.text(file)
                json.integer(2)
                json.integer(0)
                json.integer(0)
                json.list { _ in }
                return
            }
            let (record, message) = isHead ? content(limit: LogRow.headLimit) : tail()
            if isHead, let category = record.category {
                json.text(String(category.prefix(100)))
            } else {
                json.null()
            }
            json.text(String(message.text.prefix(LogRow.messageLimit)))
            json.list { json in
                let fields = isHead ? record.fields : []
                let first = columns.compactMap { name in fields.first { $0.name == name } }
                let others = fields.prefix(LogRow.fieldLimit).filter { !columns.contains($0.name) }
                for field in first + others {
                    json.list { json in
                        json.text(String(field.name.prefix(100)))
                        json.text(AnsiText(String(field.value.prefix(LogRow.valueLimit))).text)
                        json.integer(field.isLiteral ? 1 : 0)
                    }
                }
            }
            json.text(file)
            json.integer(isHead ? 1 : 0)
            json.integer(offset)
            json.integer(folded)
            LogRow.write(message.styles, to: &json)
            json.integer(textMark)
        }
    }

    /// A line without time and level, as it is.
    private func tail() -> (LineRecord, AnsiText) {
        (LineRecord(), AnsiText(String(decoding: (text ?? []).prefix(LogRow.headLimit), as: UTF8.self)))
    }

    static func write(_ styles: [AnsiText.Style], to json: inout ViewJSON) {
        json.list { json in
            for style in styles.prefix(200) {
                json.list { json in
                    json.integer(style.start)
                    json.integer(style.count)
                    json.text(style.classes)
                }
            }
        }
    }
}

extension AnsiText {
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
