package import Heartwood

/// Finds out how serious a line is, from the forms in which programs say it.
///
/// The first that applies counts:
/// 1. `<34>` at the beginning: a syslog priority.
/// 2. `E1120 10:20:30`: a letter and a date, as glog and Kubernetes write it.
/// 3. `level=warn`, `"level":"warn"`, `"level":40`, also `lvl`, `severity`, `loglevel` and `levelname`:
///    logfmt and JSON. In a line that begins with `{` nothing else is looked for.
/// 4. A word for a level, in capitals (`ERROR`), between brackets or bars (`[error]`, `|warn|`), before a
///    colon (`error:`), or right after the time that a line begins with (`2026-11-20 10:20:30 error …`).
///
/// It looks at the first 512 bytes of a line. Words in the middle of a sentence mean nothing: `no error
/// found`.
package struct LevelDetector {
    /// How far into a line it looks.
    package static let reach = 512

    private typealias Bytes = UnsafeRawBufferPointer

    /// The level that the line names, if it does.
    package static func level(of line: UnsafeRawBufferPointer) -> LogLevel? {
        guard let first = line.first else { return nil }
        if first == UInt8(ascii: "<"), let level = priority(line) { return level }
        if let level = googleLevel(line, first) ?? logcatLevel(line) { return level }
        return scan(UnsafeRawBufferPointer(rebasing: line.prefix(reach)), isJSON: first == UInt8(ascii: "{"))
    }

    /// The level that a text names by itself: `warn`, `ERROR`, `40`.
    package static func level(named text: UnsafeRawBufferPointer) -> LogLevel? {
        guard let first = text.first, text.count <= 9 else { return nil }
        if isDigit(first) {
            var number = 0
            for byte in text.prefix(4) {
                guard isDigit(byte) else { return nil }
                number = number * 10 + Int(byte - 0x30)
            }
            return numbered(number)
        }
        for byte in text where !isLetter(byte) { return nil }
        return word(text, 0, text.count, isMarked: true)
    }

    // MARK: Beginnings

    /// `<34>`: facility times eight and severity (RFC 3164, RFC 5424, and the kernel's and systemd's `<3>`).
    private static func priority(_ line: Bytes) -> LogLevel? {
        var number = 0
        var index = 1
        while index < min(line.count, 5), isDigit(line[index]) {
            number = number * 10 + Int(line[index] - 0x30)
            index += 1
        }
        guard (2...4).contains(index), index < line.count, line[index] == UInt8(ascii: ">"), number <= 191
        else {
            return nil
        }
        switch number & 7 {
        case 0...2: return .fatal
        case 3: return .error
        case 4: return .warning
        case 5: return .notice
        case 6: return .info
        default: return .debug
        }
    }

    /// `W1120 10:20:30.123456`.
    private static func googleLevel(_ line: Bytes, _ first: UInt8) -> LogLevel? {
        guard line.count > 6, line[5] == UInt8(ascii: " "), (1...4).allSatisfy({ isDigit(line[$0]) }),
            isDigit(line[6])
        else { return nil }
        switch first {
        case UInt8(ascii: "I"): return .info
        case UInt8(ascii: "W"): return .warning
        case UInt8(ascii: "E"): return .error
        case UInt8(ascii: "F"): return .fatal
        case UInt8(ascii: "D"): return .debug
        default: return nil
        }
    }

    /// The level of a line of Android's logcat: `E/Tag( 123): …`, `11-20 10:20:30.123  1234  1250 E Tag: …`,
    /// or `11-20 10:20:30.123 E/Tag( 123): …`.
    package static func logcatLevel(_ line: UnsafeRawBufferPointer) -> LogLevel? {
        guard line.count > 8 else { return nil }
        if line[1] == UInt8(ascii: "/") { return tagged(line, 0) }
        guard line[2] == UInt8(ascii: "-"), line[5] == 0x20, line[8] == UInt8(ascii: ":"), line.count > 20,
            line[14] == UInt8(ascii: ".")
        else { return nil }
        var index = 15
        while index < line.count, isDigit(line[index]) || line[index] == 0x20 { index += 1 }
        guard index + 2 < line.count, line[index - 1] == 0x20 else { return nil }
        if line[index + 1] == UInt8(ascii: "/") { return tagged(line, index) }
        return line[index + 1] == 0x20 ? letter(line[index]) : nil
    }

    /// `E/Tag( 123):`: only with the number, so that a path is not taken for it.
    private static func tagged(_ line: Bytes, _ start: Int) -> LogLevel? {
        var index = start + 2
        let end = min(line.count, start + 90)
        while index < end, line[index] != UInt8(ascii: "("), line[index] != UInt8(ascii: ":") { index += 1 }
        guard index > start + 2, index < end, line[index] == UInt8(ascii: "(") else { return nil }
        index += 1
        let digits = index
        while index < end, isDigit(line[index]) || line[index] == 0x20 { index += 1 }
        guard index > digits, index + 1 < end, line[index] == UInt8(ascii: ")"),
            line[index + 1] == UInt8(ascii: ":")
        else { return nil }
        return letter(line[start])
    }

    private static func letter(_ byte: UInt8) -> LogLevel? {
        switch byte {
        case UInt8(ascii: "V"): .verbose
        case UInt8(ascii: "D"): .debug
        case UInt8(ascii: "I"): .info
        case UInt8(ascii: "W"): .warning
        case UInt8(ascii: "E"): .error
        case UInt8(ascii: "F"), UInt8(ascii: "A"): .fatal
        default: nil
        }
    }

    // MARK: Words

    private static func scan(_ line: Bytes, isJSON: Bool) -> LogLevel? {
        var index = 0
        let count = line.count
        /// Whether only what a time consists of was met so far.
        var isBehindTime = true
        while index < count {
            let byte = line[index]
            if !isLetter(byte) {
                if isBehindTime, !isOfTime(byte) { isBehindTime = false }
                index += 1
                continue
            }
            let start = index
            var capitals = 0
            while index < count, isLetter(line[index]) {
                if line[index] & 0x20 == 0 { capitals += 1 }
                index += 1
            }
            let before = start > 0 ? line[start - 1] : 0x20
            let after = index < count ? line[index] : 0x20
            let length = index - start
            if length <= 2, isBehindTime, isDigit(before) { continue }  // the T and the Z of a time
            if after == UInt8(ascii: "=") || after == UInt8(ascii: "\""), isKey(line, start, length),
                let level = value(line, index)
            {
                return level
            }
            let isMarked =
                isBracketed(before, after) || after == UInt8(ascii: ":")
                || (isBehindTime && start > 0 && before == 0x20 && after == 0x20)
            isBehindTime = false
            if isJSON || !(isMarked || capitals == length) || length < 3 || length > 9 { continue }
            if isPartOfName(before, after) { continue }
            if let level = word(line, start, length, isMarked: isMarked) { return level }
        }
        return nil
    }

    /// Whether the letters are `level` or another name for it.
    private static func isKey(_ line: Bytes, _ start: Int, _ length: Int) -> Bool {
        switch packed(line, start, length) {
        case Word.level, Word.lvl, Word.severity, Word.loglevel: true
        case Word.levelnam: length == 9 && line[start + 8] | 0x20 == UInt8(ascii: "e")
        default: false
        }
    }

    /// The level after `level` and `=`, or `":` and a quote.
    private static func value(_ line: Bytes, _ position: Int) -> LogLevel? {
        var index = position
        while index < line.count, [0x22, 0x3A, 0x3D, 0x20].contains(line[index]) { index += 1 }
        let start = index
        if index < line.count, isDigit(line[index]) {
            var number = 0
            while index < line.count, isDigit(line[index]), number < 1000 {
                number = number * 10 + Int(line[index] - 0x30)
                index += 1
            }
            return numbered(number)
        }
        while index < line.count, isLetter(line[index]) { index += 1 }
        return word(line, start, index - start, isMarked: true)
    }

    /// The numbers of bunyan and pino, 10 to 60, and syslog's severities, 0 to 7.
    private static func numbered(_ number: Int) -> LogLevel? {
        switch number {
        case 0...2, 60: .fatal
        case 3, 50: .error
        case 4, 40: .warning
        case 5: .notice
        case 6, 30: .info
        case 7, 20: .debug
        case 10: .verbose
        default: nil
        }
    }

    /// Whether a word, wherever it is in a line, may be a level or the key of one.
    static func isOfInterest(_ line: UnsafeRawBufferPointer, _ start: Int, _ length: Int) -> Bool {
        guard length >= 3, length <= 9 else { return false }
        return isKey(line, start, length) || word(line, start, length, isMarked: true) != nil
    }

    private static func word(_ line: Bytes, _ start: Int, _ length: Int, isMarked: Bool) -> LogLevel? {
        switch packed(line, start, length) {
        case Word.fatal, Word.critical, Word.crit, Word.alert, Word.emerg, Word.panic: .fatal
        case Word.emergenc: length == 9 ? .fatal : nil
        case Word.error, Word.err, Word.severe: .error
        case Word.fail where isMarked: .error
        case Word.warn, Word.warning: .warning
        case Word.wrn where isMarked: .warning
        case Word.notice: .notice
        case Word.note where isMarked: .notice
        case Word.info: .info
        case Word.inf where isMarked: .info
        case Word.debug: .debug
        case Word.dbug where isMarked, Word.dbg where isMarked: .debug
        case Word.trace, Word.verbose: .verbose
        case Word.trce where isMarked, Word.trc where isMarked: .verbose
        default: nil
        }
    }

    /// The first eight letters, in lower case, in one number.
    @inline(__always)
    private static func packed(_ line: Bytes, _ start: Int, _ length: Int) -> UInt64 {
        var number: UInt64 = 0
        for offset in 0..<min(8, length) { number = number << 8 | UInt64(line[start + offset] | 0x20) }
        return number
    }

    // MARK: Bytes

    @inline(__always)
    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    @inline(__always)
    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    /// Digits and what is between them in a time, and the space and dash after it.
    private static func isOfTime(_ byte: UInt8) -> Bool {
        isDigit(byte) || " :.,-+/[]".utf8.contains(byte)
    }

    private static func isBracketed(_ before: UInt8, _ after: UInt8) -> Bool {
        switch after {
        case UInt8(ascii: "]"): before == UInt8(ascii: "[") || before == UInt8(ascii: ":")
        case UInt8(ascii: ")"): before == UInt8(ascii: "(")
        case UInt8(ascii: ">"): before == UInt8(ascii: "<")
        case UInt8(ascii: "|"): before == UInt8(ascii: "|")
        default: false
        }
    }

    /// Whether the letters are a part of something longer: `ERROR_CODE`, `/info`, `DEBUG2`, `x-warn`,
    /// `a.error`.
    private static func isPartOfName(_ before: UInt8, _ after: UInt8) -> Bool {
        isDigit(before) || isDigit(after) || before >= 0x80 || after >= 0x80
            || "_/.-@$\\".utf8.contains(before) || "_/@$\\-(".utf8.contains(after)
    }

    /// The words, packed as `packed` does it: constants, so that no line pays for looking whether they are
    /// there.
    private enum Word {
        static var level: UInt64 { 0x6C6576656C }  // level
        static var lvl: UInt64 { 0x6C766C }  // lvl
        static var severity: UInt64 { 0x7365766572697479 }  // severity
        static var loglevel: UInt64 { 0x6C6F676C6576656C }  // loglevel
        static var levelnam: UInt64 { 0x6C6576656C6E616D }  // levelnam
        static var fatal: UInt64 { 0x666174616C }  // fatal
        static var critical: UInt64 { 0x637269746963616C }  // critical
        static var crit: UInt64 { 0x63726974 }  // crit
        static var alert: UInt64 { 0x616C657274 }  // alert
        static var emerg: UInt64 { 0x656D657267 }  // emerg
        static var emergenc: UInt64 { 0x656D657267656E63 }  // emergenc
        static var panic: UInt64 { 0x70616E6963 }  // panic
        static var error: UInt64 { 0x6572726F72 }  // error
        static var err: UInt64 { 0x657272 }  // err
        static var severe: UInt64 { 0x736576657265 }  // severe
        static var fail: UInt64 { 0x6661696C }  // fail
        static var warn: UInt64 { 0x7761726E }  // warn
        static var warning: UInt64 { 0x7761726E696E67 }  // warning
        static var wrn: UInt64 { 0x77726E }  // wrn
        static var notice: UInt64 { 0x6E6F74696365 }  // notice
        static var note: UInt64 { 0x6E6F7465 }  // note
        static var info: UInt64 { 0x696E666F }  // info
        static var inf: UInt64 { 0x696E66 }  // inf
        static var debug: UInt64 { 0x6465627567 }  // debug
        static var dbug: UInt64 { 0x64627567 }  // dbug
        static var dbg: UInt64 { 0x646267 }  // dbg
        static var trace: UInt64 { 0x7472616365 }  // trace
        static var verbose: UInt64 { 0x766572626F7365 }  // verbose
        static var trce: UInt64 { 0x74726365 }  // trce
        static var trc: UInt64 { 0x747263 }  // trc
    }
}
