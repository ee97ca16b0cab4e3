/// Writes lines of text as a formatter would, without making a message of each.
///
/// What is in front of the text, and after it, is the same for all lines of a block that have the same level:
/// the formatter itself writes it once for each level. The result is byte for byte what the formatter would
/// have written.
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
            let start = all.count
            // The text `@` shows where texts belong: after it only the number follows.
            _ = formatter?.format(message(level, "@", [:]), into: &all)
            let end = all.withUnsafeBytes { $0[start...].lastIndex(of: UInt8(ascii: "@")) } ?? start
            all.truncate(to: end)
            ends.append(end)
        }
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

    private func message(
        _ level: LogLevel, _ text: LogText, _ fields: LogMetadata, at own: LogTimestamp? = nil
    ) -> LogMessage {
        LogMessage(
            text, level: level, category: category, metadata: fields, timestamp: own ?? moment,
            sequence: sequence,
            file: "", function: "", line: 0)
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
