import CHeartwood

/// Writes lines of text as a formatter would, without making a message of each.
///
/// What is in front of the text, and after it, is the same for all lines of a block that have the same level:
/// the formatter itself writes it once for each level. The time of a line that has one is written over it.
/// The result is byte for byte what the formatter would have written.
///
/// Not thread-safe: owned by whoever writes the lines.
package final class LineTemplate {
    /// What is made of a line.
    package enum Form: Sendable {
        /// Its bytes as they are.
        case raw
        /// Time, level and category, and the text, escaped; as `LineFormatter` does it.
        case line
        /// A JSON object; as `JSONLinesFormatter` does it, without place and thread.
        case json
    }

    private let form: Form
    private let formatter: LogFormatter?
    private let category: LogCategory
    private var moment = LogTimestamp(nanoseconds: 0)
    /// What is in front of the text, for each level, in `storage`.
    private let beginnings: UnsafeMutablePointer<UnsafeRawBufferPointer>
    private var storage: UnsafeMutableRawPointer?
    /// The moment that each of these has, in nanoseconds.
    private var moments = [7 of Int64](repeating: .min)
    /// Where the time is in them; nil where that was not asked, or cannot be told.
    private lazy var place = TimePlace { [unowned self] in beginning($0, at: $1) }
    /// The text up to the level, for the second that was written last.
    private var second: (number: Int64, text: [UInt8]) = (.min, [])
    /// How many lines were written: the number that JSON has of each.
    private var sequence: UInt64 = 0

    /// Makes a template for a formatter that is of this form; nil writes the text alone.
    package init(_ form: Form, formatter: LogFormatter?, category: LogCategory) {
        self.form = form
        self.formatter = formatter
        self.category = category
        let count = LogLevel.standardLevels.count
        beginnings = .allocate(capacity: count)
        beginnings.initialize(repeating: UnsafeRawBufferPointer(start: nil, count: 0), count: count)
    }

    deinit {
        beginnings.deallocate()
        storage?.deallocate()
    }

    /// Takes the time that all following lines have.
    package func begin(at moment: LogTimestamp) {
        guard form != .raw, moment != self.moment || storage == nil else { return }
        self.moment = moment
        var all = LogBuffer(capacity: 1024)
        var ends: [Int] = []
        for level in LogLevel.standardLevels {
            append(beginning: level, at: moment, to: &all)
            ends.append(all.count)
        }
        for index in moments.indices { moments[index] = moment.nanoseconds }
        storage?.deallocate()
        let copy = UnsafeMutableRawPointer.allocate(byteCount: all.count + 1, alignment: 16)
        all.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: copy, count: $0.count).copyMemory(from: $0)
        }
        storage = copy
        var start = 0
        for (index, end) in ends.enumerated() {
            beginnings[index] = UnsafeRawBufferPointer(start: copy + start, count: end - start)
            start = end
        }
    }

    /// Adds what is in front of the text.
    private func append(beginning level: LogLevel, at moment: LogTimestamp, to output: inout LogBuffer) {
        let start = output.count
        // The text `@` shows where texts belong: after it only the number follows.
        _ = formatter?.format(message(level, "@", [:], at: moment), into: &output)
        let end = output.withUnsafeBytes { $0[start...].lastIndex(of: UInt8(ascii: "@")) } ?? start
        output.truncate(to: end)
    }

    private func beginning(_ level: LogLevel, at moment: LogTimestamp) -> [UInt8] {
        var text = LogBuffer(capacity: 128)
        append(beginning: level, at: moment, to: &text)
        return text.withUnsafeBytes { Array($0) }
    }

    /// Writes a time over the one that the beginning of a level has; false where that is not possible.
    private func set(_ own: LogTimestamp, of level: Int) -> Bool {
        if moments[level] == own.nanoseconds { return true }
        guard let place, let base = beginnings[level].baseAddress else { return false }
        let (number, nanosecond) = CivilTime.split(own.nanoseconds)
        if number != second.number || place.digits == 0 {
            guard begin(second: number, own, place) else { return false }
        }
        let start = UnsafeMutableRawPointer(mutating: base)
        second.text.withUnsafeBytes {
            UnsafeMutableRawBufferPointer(start: start, count: place.shared)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<place.shared]))
        }
        if place.digits > 0 {
            hw_write_decimal(
                UInt64(nanosecond) / hw_power_of_ten(9 - Int32(place.digits)), Int32(place.digits),
                (start + place.fraction).assumingMemoryBound(to: UInt8.self))
        }
        moments[level] = own.nanoseconds
        return true
    }

    /// Sets the text to another second; within the same minute, only two digits change.
    private func begin(second number: Int64, _ own: LogTimestamp, _ place: TimePlace) -> Bool {
        let minute = number.dividedDown(by: 60)
        let rest = number - minute * 60
        if place.second > 0, minute == second.number.dividedDown(by: 60) {
            second.text[place.second] = 0x30 + UInt8(rest / 10)
            second.text[place.second + 1] = 0x30 + UInt8(rest % 10)
        } else {
            let text = beginning(.info, at: own)
            guard text.count == place.count else { return false }
            second.text = text
        }
        second.number = number
        return true
    }

    private func message(
        _ level: LogLevel, _ text: LogText, _ fields: LogMetadata, at own: LogTimestamp? = nil
    ) -> LogMessage {
        LogMessage(
            text, level: level, category: category, metadata: fields, timestamp: own ?? moment,
            sequence: sequence,
            file: "", function: "", line: 0)
    }

    /// Adds a line with a time of its own, or with that of the block, with a newline at its end.
    package func append(
        _ line: UnsafeRawBufferPointer, _ level: LogLevel, needsCare: Bool, hasQuote: Bool,
        at own: LogTimestamp?,
        to output: inout LogBuffer
    ) {
        guard form == .raw || set(own ?? moment, of: min(level.index, 6)) else {
            return append(LogText(utf8: line), level, fields: [:], at: own, to: &output)
        }
        append(line, level, needsCare: needsCare, hasQuote: hasQuote, to: &output)
    }

    /// Adds a line, with a newline at its end.
    ///
    /// `needsCare` says whether it has bytes that a formatter may not write as they are, `hasQuote` whether
    /// it has a quotation mark.
    package func append(
        _ line: UnsafeRawBufferPointer, _ level: LogLevel, needsCare: Bool, hasQuote: Bool,
        to output: inout LogBuffer
    ) {
        switch form {
        case .raw: output.append(line, between: UnsafeRawBufferPointer(start: nil, count: 0))
        case .line:
            let beginning = beginnings[min(level.index, 6)]
            if !needsCare { return output.append(line, between: beginning) }
            output.append(beginning)
            if LogBuffer.needsEscaping(line) { output.appendEscaped(line) } else { output.append(line) }
            output.append(UInt8(ascii: "\n"))
        case .json:
            output.append(beginnings[min(level.index, 6)])
            if needsCare || hasQuote {
                output.appendInsideOfJSON(line)
            } else {
                output.append(line)
            }
            output.append("\",\"seq\":" as StaticString)
            output.append(sequence)
            output.append("}\n" as StaticString)
            sequence += 1
        }
    }

    /// Adds a text that has fields or a time that differs from the block's, with a newline at its end.
    package func append(
        _ text: LogText, _ level: LogLevel, fields: LogMetadata, at own: LogTimestamp?,
        to output: inout LogBuffer
    ) {
        _ = formatter?.format(message(level, text, fields, at: own), into: &output)
        output.append(UInt8(ascii: "\n"))
        sequence += 1
    }

    /// Adds a line that has fields.
    package func append(
        _ line: UnsafeRawBufferPointer, _ level: LogLevel, fields: LogMetadata, to output: inout LogBuffer
    ) {
        if let formatter {
            _ = formatter.format(message(level, LogText(utf8: line), fields), into: &output)
        } else {
            output.append(line)
        }
        output.append(UInt8(ascii: "\n"))
        sequence += 1
    }
}

extension LogBuffer {
    /// Adds a beginning, a line and a newline.
    @inline(__always)
    fileprivate mutating func append(
        _ line: UnsafeRawBufferPointer, between beginning: UnsafeRawBufferPointer
    ) {
        reserve(beginning.count + line.count + 1)
        append(beginning)
        append(line)
        append(UInt8(ascii: "\n"))
    }
}

/// Where the time is in what a formatter writes in front of a text.
private struct TimePlace {
    /// How long all of it is.
    let count: Int
    /// How much of it is the same for all levels, and has the time.
    let shared: Int
    /// Where the digits of the fraction are, and how many; 0 for none.
    private(set) var fraction = 0
    private(set) var digits = 0
    /// Where the second is, in two digits; 0 where that is not known.
    private(set) var second = 0

    /// Finds it in the beginnings of several moments; nil where it is not of one length, or after the level.
    init?(_ beginning: (LogLevel, LogTimestamp) -> [UInt8]) {
        func at(_ second: Int64, _ nanosecond: Int64, _ level: LogLevel = .info) -> [UInt8] {
            beginning(level, LogTimestamp(nanoseconds: second * 1_000_000_000 + nanosecond))
        }
        // In different years, and in winter and summer.
        let winter = at(978_000_000, 111_111_111)
        let summer = at(1_782_345_678, 222_222_222)
        let other = at(1_782_345_678, 222_222_222, .error)
        count = summer.count
        shared = zip(summer, other).prefix { $0 == $1 }.count
        guard winter.count == count, winter[shared...] == summer[shared...] else { return nil }
        let next = at(1_782_345_678, 333_333_333)
        let round = at(1_782_345_678, 100_000_000)
        guard next.count == count, round.count == count else { return }
        let changed = summer.indices.filter { summer[$0] != next[$0] }
        guard let first = changed.first, let last = changed.last, last - first < 9, last < shared else {
            return
        }
        (fraction, digits) = (first, last - first + 1)
        let later = at(1_782_345_600 + 11, 0)
        let earlier = at(1_782_345_600 + 20, 0)
        let seconds = later.indices.filter { later[$0] != earlier[$0] }
        guard seconds.count == 2, seconds[1] == seconds[0] + 1, seconds[1] < shared else { return }
        second = seconds[0]
    }
}
