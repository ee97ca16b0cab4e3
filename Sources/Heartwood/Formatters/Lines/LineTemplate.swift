import CHeartwood

/// Writes lines of text as a formatter would, without making a message of each.
///
/// What is in front of the text, and after it, is the same for all lines of a block that have the same level:
/// the formatter itself writes it once for each level. Each message's number is put in, and a time of its own
/// is written over that of the block.
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
    /// What is around the text, for each level, in `storage`.
    private let frames: UnsafeMutablePointer<Frame>
    private var storage: UnsafeMutableRawPointer?
    /// Whether the formatter can be replaced by these: it writes the message's number after the text, if at
    /// all.
    private var hasFrames = true
    /// The moment that each of these has, in nanoseconds.
    private var moments = [7 of Int64](repeating: .min)
    /// Where the time is in them; nil where that was not asked, or cannot be told.
    private lazy var place = TimePlace { [unowned self] in around($0, at: $1) }
    /// The text up to the level, for the second that was written last.
    private var second: (number: Int64, text: [UInt8]) = (.min, [])
    /// How many lines were written: the number that each message has.
    private var sequence: UInt64 = 0

    /// Makes a template for a formatter that is of this form; nil writes the text alone.
    package init(_ form: Form, formatter: LogFormatter?, category: LogCategory) {
        self.form = form
        self.formatter = formatter
        self.category = category
        let count = LogLevel.standardLevels.count
        frames = .allocate(capacity: count)
        frames.initialize(repeating: Frame(), count: count)
    }

    deinit {
        frames.deallocate()
        storage?.deallocate()
    }

    /// Takes the time that all following lines have.
    package func begin(at moment: LogTimestamp) {
        guard form != .raw, moment != self.moment || storage == nil else { return }
        self.moment = moment
        let all = LogLevel.standardLevels.map { around($0, at: moment) }
        hasFrames = !all.contains { $0.needsFormatter }
        for index in moments.indices { moments[index] = moment.nanoseconds }
        storage?.deallocate()
        let size = all.reduce(1) { $0 + $1.beginning.count + $1.ending.count + $1.rest.count }
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        storage = copy.baseAddress
        var start = 0
        func keep(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
            let room = UnsafeMutableRawBufferPointer(rebasing: copy[start..<start + bytes.count])
            room.copyBytes(from: bytes)
            start += bytes.count
            return UnsafeRawBufferPointer(room)
        }
        for (index, around) in all.enumerated() {
            frames[index] = Frame(
                beginning: keep(around.beginning), ending: keep(around.ending), rest: keep(around.rest),
                hasNumber: around.hasNumber)
        }
    }

    /// What the formatter writes around the text of a level's message: it is found where two messages differ.
    private func around(_ level: LogLevel, at moment: LogTimestamp) -> Surroundings {
        func bytes(_ text: LogText, _ number: UInt64) -> [UInt8] {
            self.written(text, level, number, at: moment)
        }
        func difference(_ left: [UInt8], _ right: [UInt8]) -> Int? {
            zip(left, right).enumerated().first { $1.0 != $1.1 }?.offset
        }
        let written = bytes("@", 1)
        guard let text = difference(written, bytes("#", 1)) else { return Surroundings(needsFormatter: true) }
        let beginning = Array(written[..<text])
        var around = Surroundings(beginning: beginning, ending: Array(written[(text + 1)...]))
        if let number = difference(written, bytes("@", 2)), number > text {
            around.ending = Array(written[(text + 1)..<number])
            around.rest = Array(written[(number + 1)...])
            around.hasNumber = true
        }
        // Another message shows whether that is all.
        let digits = around.hasNumber ? Array("10".utf8) : []
        let assembled = beginning + Array("a b".utf8) + around.ending + digits + around.rest
        return assembled == bytes("a b", 10) ? around : Surroundings(needsFormatter: true)
    }

    private func written(
        _ text: LogText, _ level: LogLevel, _ number: UInt64, at moment: LogTimestamp
    ) -> [UInt8] {
        var output = LogBuffer(capacity: 128)
        _ = formatter?.format(message(level, text, [:], at: moment, number: number), into: &output)
        return output.withUnsafeBytes { Array($0) }
    }

    /// Writes a time over the one that the beginning of a level has; false where that is not possible.
    private func set(_ own: LogTimestamp, of level: Int) -> Bool {
        if moments[level] == own.nanoseconds { return true }
        guard let place, let base = frames[level].beginning.baseAddress else { return false }
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
            let text = written("@", .info, 1, at: own)
            let frame = frames[LogLevel.info.index]
            let rest = 1 + frame.ending.count + (frame.hasNumber ? 1 : 0) + frame.rest.count
            guard text.count == place.count + rest else { return false }
            second.text = Array(text[..<place.count])
        }
        second.number = number
        return true
    }

    private func message(
        _ level: LogLevel, _ text: LogText, _ fields: LogMetadata, at own: LogTimestamp? = nil,
        number: UInt64? = nil
    ) -> LogMessage {
        LogMessage(
            text, level: level, category: category, metadata: fields, timestamp: own ?? moment,
            sequence: number ?? sequence, file: "", function: "", line: 0)
    }

    /// Adds a line with a time of its own, or with that of the block, with a newline at its end.
    package func append(
        _ line: UnsafeRawBufferPointer, _ level: LogLevel, needsCare: Bool, hasQuote: Bool,
        at own: LogTimestamp?,
        to output: inout LogBuffer
    ) {
        guard form == .raw || hasFrames && set(own ?? moment, of: min(level.index, 6)) else {
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
        if form == .raw { return output.append(line, between: UnsafeRawBufferPointer(start: nil, count: 0)) }
        guard hasFrames else { return append(LogText(utf8: line), level, fields: [:], at: nil, to: &output) }
        let frame = frames[min(level.index, 6)]
        if form == .line, !needsCare, frame.ending.isEmpty {
            output.append(line, between: frame.beginning)
        } else {
            output.append(frame.beginning)
            if form == .json, needsCare || hasQuote {
                output.appendInsideOfJSON(line)
            } else if form == .line, needsCare, LogBuffer.needsEscaping(line) {
                output.appendEscaped(line)
            } else {
                output.append(line)
            }
            output.append(frame.ending)
            if frame.hasNumber { output.append(sequence) }
            output.append(frame.rest)
            output.append(UInt8(ascii: "\n"))
        }
        sequence += 1
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

/// What a formatter writes around a text; `rest` comes after the message's number.
private struct Surroundings {
    var beginning: [UInt8] = []
    var ending: [UInt8] = []
    var rest: [UInt8] = []
    var hasNumber = false
    /// Whether the formatter has to write each line, as the text or the number is not in one place, or the
    /// number is in front.
    var needsFormatter = false
}

/// The same in memory that stays where it is.
private struct Frame {
    var beginning = UnsafeRawBufferPointer(start: nil, count: 0)
    var ending = UnsafeRawBufferPointer(start: nil, count: 0)
    var rest = UnsafeRawBufferPointer(start: nil, count: 0)
    var hasNumber = false
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

    /// Finds it in the beginnings of several moments; nil where it is not of one length, or after the level
    /// or the text.
    init?(_ around: (LogLevel, LogTimestamp) -> Surroundings) {
        var endings: Set<[UInt8]> = []
        func at(_ second: Int64, _ nanosecond: Int64, _ level: LogLevel = .info) -> [UInt8] {
            let text = around(level, LogTimestamp(nanoseconds: second * 1_000_000_000 + nanosecond))
            if level == .info { endings.insert(text.ending + text.rest) }
            return text.beginning
        }
        // In different years, and in winter and summer.
        let winter = at(978_000_000, 111_111_111)
        let summer = at(1_782_345_678, 222_222_222)
        let other = at(1_782_345_678, 222_222_222, .error)
        count = summer.count
        shared = zip(summer, other).prefix { $0 == $1 }.count
        guard winter.count == count, winter[shared...] == summer[shared...],
            endings.count == 1
        else { return nil }
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
