import Heartwood

/// What the name of a log file says: which log the file belongs to, and which of its files it is.
///
/// A name is read without the end of an archive. The names of Heartwood, logrotate, log4j, logback, Python,
/// spdlog, glog, lumberjack, rotatelogs and multilog are known. Only names of logs have a value.
package struct RotatedName: Sendable, Equatable {
    /// A date or a number, and the numbers after it: of hours, or of several files of one date.
    package struct Mark: Sendable, Equatable {
        /// The seconds since 1970 when the date begins; nil where there is only a number.
        package var date: Int?
        /// How many seconds the date lasts.
        var span = 0
        package var numbers: [Int] = []

        var isEmpty: Bool { self == Mark() }
    }

    /// The name of the log while it is written: `shop.log` for all of its files.
    package private(set) var base: String
    /// What comes before `.log`.
    package private(set) var inner = Mark()
    /// What comes after `.log`.
    package private(set) var outer = Mark()
    /// What a name of Heartwood's default form says.
    let label: LogFileLabel?

    /// Whether it is the file that is written: nothing tells it from the log.
    package var isLive: Bool { inner.isEmpty && outer.isEmpty && label == nil }

    /// Reads a name; nil where it is not that of a log.
    package init?(_ name: String) {
        label = LogFileNaming.recognizeDefault(name)
        base = name
        if label != nil { return }
        let bytes = Array(name.utf8)
        if let moment = RotatedName.multilog(bytes[...]) {
            (base, outer) = ("current", moment)
            return
        }
        guard let end = RotatedName.logEnd(bytes), let mark = RotatedName.tail(bytes[end...]) else {
            return nil
        }
        outer = mark.mark
        var stem = bytes[..<end]
        guard stem.hasEnd(".log") else {
            base = String(decoding: stem, as: UTF8.self)
            return
        }
        stem.removeLast(4)
        (stem, inner) = RotatedName.split(stem)
        base = String(decoding: stem, as: UTF8.self) + ".log" + mark.severity
    }

    /// The name where a number in front of `.log` belongs to the log: `node.1.log` where there is no
    /// `node.log`.
    var withoutNumber: RotatedName {
        guard inner.date == nil, let number = inner.numbers.first, base.hasSuffix(".log") else { return self }
        var name = self
        name.base = "\(base.dropLast(4)).\(number).log"
        name.inner = Mark()
        return name
    }

    // MARK: Order

    /// What files of one log must have in common, so that their names say which is older.
    enum Kind: Int { case datedInside, numberedInside, dated, numbered, live }

    var kind: Kind {
        if inner.date != nil { return .datedInside }
        if !inner.isEmpty { return .numberedInside }
        if outer.date != nil { return .dated }
        return outer.isEmpty ? .live : .numbered
    }

    /// The date in the name, in seconds since 1970, and how long it lasts.
    var dates: Range<Int>? {
        let mark = outer.date == nil ? inner : outer
        return mark.date.map { $0..<$0 + mark.span }
    }

    /// Whether the file is older than another one of the same log and kind.
    ///
    /// Later dates are newer. A number alone counts the rotations since, so the higher one is older; a number
    /// after a date counts the files of that date, so the higher one is newer.
    package func isOlder(than other: RotatedName) -> Bool {
        if inner != other.inner { return inner.isOlder(than: other.inner) }
        return outer.isOlder(than: other.outer)
    }
}

extension RotatedName.Mark {
    fileprivate func isOlder(than other: Self) -> Bool {
        if isEmpty || other.isEmpty { return other.isEmpty && !isEmpty }
        switch (date, other.date) {
        case (nil, nil): return other.numbers.lexicographicallyPrecedes(numbers)
        case (let date?, let otherDate?) where date != otherDate: return date < otherDate
        case (.some, .some): return numbers.lexicographicallyPrecedes(other.numbers)
        default: return date != nil
        }
    }
}

// MARK: Reading

extension RotatedName {
    /// Logs whose names do not end in `.log`.
    private static let bare = ["current", "syslog", "messages"]
    /// What glog names its files after.
    private static let severities = [".INFO", ".WARNING", ".ERROR", ".FATAL"]

    /// Where the name of the log ends, and what rotation has put after it begins.
    private static func logEnd(_ bytes: [UInt8]) -> Int? {
        if let last = bytes.indices.last(where: { bytes[...$0].hasEnd(".log") }) { return last + 1 }
        for name in bare where bytes.starts(with: name.utf8) { return name.utf8.count }
        return nil
    }

    /// Reads what rotation has put after the name of a log; nil where it is something else.
    private static func tail(_ bytes: ArraySlice<UInt8>) -> (mark: Mark, severity: String)? {
        if bytes.isEmpty { return (Mark(), "") }
        if let severity = severities.first(where: { bytes.starts(with: $0.utf8) }) {
            let rest = bytes.dropFirst(severity.utf8.count)
            return tail(rest).flatMap { $0.mark.date == nil ? nil : ($0.mark, severity) }
        }
        if bytes.elementsEqual(".old".utf8) || bytes.elementsEqual(".bak".utf8) {
            return (Mark(numbers: [1]), "")
        }
        guard let sign = bytes.first, ".-_".utf8.contains(sign) else { return nil }
        let rest = bytes.dropFirst()
        if let mark = dated(rest, isAfterLog: true) { return (mark, "") }
        guard sign != UInt8(ascii: "_"), let (number, after) = rest.number(), after.isEmpty else {
            return nil
        }
        return (Mark(numbers: [number]), "")
    }

    /// Splits what is before `.log` into the name of the program and what rotation has put after it.
    private static func split(_ stem: ArraySlice<UInt8>) -> (name: ArraySlice<UInt8>, mark: Mark) {
        for index in stem.indices where stem[index].isDigit {
            let last = index > stem.startIndex ? stem[index - 1] : nil
            guard last?.isDigit != true, let mark = dated(stem[index...], isAfterLog: false) else { continue }
            let hasSign = last.map { ".-_ ".utf8.contains($0) } ?? false
            return (stem[..<(hasSign ? index - 1 : index)], mark)
        }
        // Behind another sign, it is more often the number of a process than of a file.
        guard let sign = stem.lastIndex(of: UInt8(ascii: ".")), sign > stem.startIndex,
            let (number, after) = stem[(sign + 1)...].number(), after.isEmpty,
            String(number).utf8.count == stem.endIndex - sign - 1
        else { return (stem, Mark()) }
        return (stem[..<sign], Mark(numbers: [number]))
    }

    /// Reads a date and the numbers after it; nil where there is something else.
    private static func dated(_ bytes: ArraySlice<UInt8>, isAfterLog: Bool) -> Mark? {
        guard var (mark, rest) = (isAfterLog ? seconds(bytes) : nil) ?? date(bytes) else { return nil }
        // Before `.log`, six digits are more often a number than a month.
        if !isAfterLog, mark.span > 86_400, bytes.prefix(6).allSatisfy(\.isDigit) { return nil }
        while let sign = rest.first {
            if sign.isDigit, !mark.numbers.isEmpty { return nil }
            if !sign.isDigit {
                guard ".-_:T+ ".utf8.contains(sign) else {
                    return sign == UInt8(ascii: "Z") && rest.count == 1 ? mark : nil
                }
                rest.removeFirst()
            }
            guard let (number, after) = rest.number() else { return nil }
            mark.numbers.append(number)
            rest = after
        }
        return mark
    }

    /// Reads seconds or milliseconds since 1970, from 2001 to 2128.
    ///
    /// Before `.log`, such a number is more often that of a job.
    private static func seconds(_ bytes: ArraySlice<UInt8>) -> (Mark, ArraySlice<UInt8>)? {
        guard let (number, rest) = bytes.number(), day(bytes.prefix(8), [4, 2, 2]) == nil else { return nil }
        let digits = rest.startIndex - bytes.startIndex
        guard digits == 10 || digits == 13 else { return nil }
        let seconds = digits == 10 ? number : number / 1000
        guard readable.contains(seconds) else { return nil }
        return (Mark(date: seconds, numbers: digits == 10 ? [] : [number % 1000]), rest)
    }

    private static let readable = 1_000_000_000..<5_000_000_000

    /// Reads a date, of which there are: 2026-11-20, 20261120, 2026_11_20, 2026.11.20, 11-20-2026,
    /// 20-11-2026, 2026-11, 202611.
    private static func date(_ bytes: ArraySlice<UInt8>) -> (Mark, ArraySlice<UInt8>)? {
        let digits = bytes.prefix { $0.isDigit }
        let rest = bytes[digits.endIndex...]
        switch digits.count {
        case 8, 10, 12, 14, 17:
            guard let start = day(digits.prefix(8), [4, 2, 2]) else { return nil }
            return (Mark(date: start, span: 86_400), bytes.dropFirst(8))
        case 6:
            guard let start = day(digits + "01".utf8, [4, 2, 2]) else { return nil }
            return (Mark(date: start, span: 31 * 86_400), rest)
        case 2, 4: return separated(bytes, yearFirst: digits.count == 4)
        default: return nil
        }
    }

    /// Reads a date whose parts have a sign between them.
    private static func separated(
        _ bytes: ArraySlice<UInt8>, yearFirst: Bool
    ) -> (Mark, ArraySlice<UInt8>)? {
        let parts = bytes.prefix(10).split(omittingEmptySubsequences: false) { ".-_".utf8.contains($0) }
        let next = bytes.dropFirst(10).first
        if parts.count == 3, next?.isDigit != true {
            let all = Array(parts.joined())
            let orders = yearFirst ? [[4, 2, 2]] : [[-2, -2, 4], [-2, 2, 4]]
            let widths = yearFirst ? [4, 2, 2] : [2, 2, 4]
            if parts.map(\.count) == widths, let start = orders.lazy.compactMap({ day(all[...], $0) }).first {
                return (Mark(date: start, span: 86_400), bytes.dropFirst(10))
            }
        }
        guard yearFirst, bytes.count == 7 || bytes.count > 7 && !bytes[bytes.startIndex + 7].isDigit,
            parts.count >= 2, parts[0].count == 4, parts[1].count == 2,
            let start = day((parts[0] + parts[1] + "01".utf8)[...], [4, 2, 2])
        else { return nil }
        return (Mark(date: start, span: 31 * 86_400), bytes.dropFirst(7))
    }

    /// When a day begins that eight digits give: year, month and day, or in the orders of log4j.
    private static func day(_ digits: ArraySlice<UInt8>, _ order: [Int]) -> Int? {
        var fields: [Int] = []
        var rest = digits
        for width in order {
            guard let (field, after) = rest.prefix(abs(width)).number(), after.isEmpty else { return nil }
            fields.append(field)
            rest = rest.dropFirst(abs(width))
        }
        if order == [-2, -2, 4] { fields = [fields[2], fields[0], fields[1]] }
        if order == [-2, 2, 4] { fields = [fields[2], fields[1], fields[0]] }
        let day = CivilTime(year: fields[0], month: fields[1], day: fields[2])
        return (1990...2100).contains(day.year) && day.isValid ? day.secondsSince1970 : nil
    }

    /// Reads the time in the name of a finished file of multilog: `@`, TAI64N, and how the file was finished.
    private static func multilog(_ bytes: ArraySlice<UInt8>) -> Mark? {
        guard bytes.count == 27, bytes.first == UInt8(ascii: "@"),
            bytes.hasEnd(".s") || bytes.hasEnd(".u"),
            let seconds = UInt64(String(decoding: bytes[1..<17], as: UTF8.self), radix: 16),
            let nanoseconds = UInt32(String(decoding: bytes[17..<25], as: UTF8.self), radix: 16),
            // TAI begins at 2^62, and was 10 seconds ahead in 1970.
            case let moment = Int(truncatingIfNeeded: seconds &- 1 << 62), readable.contains(moment - 10)
        else { return nil }
        return Mark(date: moment - 10, numbers: [Int(nanoseconds)])
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasEnd(_ text: StaticString) -> Bool {
        count >= text.utf8CodeUnitCount
            && suffix(text.utf8CodeUnitCount)
                .elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// The digits at the front as a number, which ends at the greatest one, and what is after them.
    fileprivate func number() -> (number: Int, rest: ArraySlice<UInt8>)? {
        let digits = prefix { $0.isDigit }
        guard !digits.isEmpty else { return nil }
        return (Int(String(decoding: digits, as: UTF8.self)) ?? .max, self[digits.endIndex...])
    }
}
