import Heartwood

/// Reads JSON (RFC 8259) and records the location of every value.
///
/// Strict, but for one thing: a byte-order mark at the beginning is skipped. A name that occurs twice in an
/// object is an error, since readers disagree about which of the two counts. Tables and lists may be 64 deep.
struct JSONSettingReader {
    static let depthLimit = 64

    private typealias Failure = JSONTokens.Fault

    private let text: SettingText
    private var tokens: JSONTokens
    private var duplicates: [LogConfigurationError.Problem] = []

    /// Reads a whole file.
    ///
    /// - Throws: the first mistake in the syntax, or all names that occur twice.
    static func read(_ bytes: [UInt8], source: String) throws(LogConfigurationError) -> LogSetting {
        let text = SettingText(bytes, source: source)
        return try bytes.withUnsafeBufferPointer { (bytes) throws(LogConfigurationError) in
            let start = bytes.starts(with: SettingText.byteOrderMark) ? SettingText.byteOrderMark.count : 0
            var reader = JSONSettingReader(
                text: text, tokens: JSONTokens(UnsafeRawBufferPointer(bytes), at: start))
            return try reader.readAll()
        }
    }

    private mutating func readAll() throws(LogConfigurationError) -> LogSetting {
        if let invalid = text.firstInvalidByte {
            throw LogConfigurationError(
                text.place(of: invalid), "invalid UTF-8; save the file as UTF-8")
        }
        do throws(Failure) {
            tokens.skipBlanks()
            if next == nil { throw tokens.fault("the file is empty; an empty configuration is {}") }
            let setting = try value(depth: 0)
            tokens.skipBlanks()
            if next != nil { throw tokens.fault("unexpected data after the end of the document") }
            if !duplicates.isEmpty { throw Failure(offset: -1, text: "") }
            return setting
        } catch {
            if error.offset < 0 { throw LogConfigurationError(duplicates) }
            throw LogConfigurationError(text.place(of: error.offset), error.text)
        }
    }

    private var next: UInt8? { tokens.next }

    // MARK: Values

    private mutating func value(depth: Int) throws(Failure) -> LogSetting {
        let place = text.place(of: tokens.index)
        switch next {
        case UInt8(ascii: "{"): return try object(place, depth: depth)
        case UInt8(ascii: "["): return try list(place, depth: depth)
        case UInt8(ascii: "\""): return LogSetting(.string(try string()), at: place)
        case let byte? where byte == .hyphen || byte.isDigit:
            return LogSetting(try number(), at: place)
        case UInt8(ascii: "'"):
            throw tokens.fault("strings must be in double quotes")
        case UInt8(ascii: "/"):
            throw tokens.fault("JSON has no comments; use a key that starts with “//”")
        case nil: throw tokens.fault("expected a value, found the end of the file")
        default: return LogSetting(try word(), at: place)
        }
    }

    private mutating func word() throws(Failure) -> LogSetting.Content {
        let rest = tokens.bytes[tokens.index...]
        let word = String(
            decoding: rest.prefix { !" ,:{}[]\"\n\r\t".utf8.contains($0) }, as: UTF8.self)
        switch word {
        case "true", "false", "null":
            _ = tokens.word()
            return word == "null" ? .null : .bool(word == "true")
        case "": throw tokens.fault("expected a value, found \(tokens.shownNext)")
        default:
            throw tokens.fault(
                "“\(word)” is not a valid value; "
                    + "use true, false, null, a number or a string in double quotes")
        }
    }

    private mutating func object(_ place: LogSettingLocation, depth: Int) throws(Failure) -> LogSetting {
        try enter(UInt8(ascii: "{"), depth)
        var members: [LogSetting.Member] = []
        var lines: [String: Int] = [:]
        tokens.skipBlanks()
        if tokens.skip(UInt8(ascii: "}")) {
            return LogSetting(.object([]), at: place)
        }
        while true {
            tokens.skipBlanks()
            let start = tokens.index
            guard next == UInt8(ascii: "\"") else {
                let isEnd = next == UInt8(ascii: "}")
                throw tokens.fault(
                    isEnd
                        ? "trailing comma in an object"
                        : next == UInt8(ascii: "/")
                            ? "JSON has no comments; use a key that starts with “//”"
                            : "expected a key in double quotes, found \(tokens.shownNext)")
            }
            let key = try string()
            let keyPlace = text.place(of: start)
            tokens.skipBlanks()
            guard tokens.skip(UInt8(ascii: ":")) else {
                throw tokens.fault("expected “:” after the key “\(key)”")
            }
            tokens.skipBlanks()
            let setting = try value(depth: depth + 1)
            if let first = lines[key] {
                duplicates.append(
                    LogConfigurationError.Problem(
                        place: keyPlace, path: "",
                        text:
                            "duplicate key “\(key)”, first used in line \(first);"
                            + " remove one of them"))
            } else {
                lines[key] = keyPlace.line ?? 0
                members.append(LogSetting.Member(key, at: keyPlace, setting))
            }
            if try isLast(of: "object", end: UInt8(ascii: "}")) {
                return LogSetting(.object(members), at: place)
            }
        }
    }

    private mutating func list(_ place: LogSettingLocation, depth: Int) throws(Failure) -> LogSetting {
        try enter(UInt8(ascii: "["), depth)
        var elements: [LogSetting] = []
        tokens.skipBlanks()
        if tokens.skip(UInt8(ascii: "]")) {
            return LogSetting(.list([]), at: place)
        }
        while true {
            tokens.skipBlanks()
            if next == UInt8(ascii: "]") {
                throw tokens.fault("trailing comma in a list")
            }
            elements.append(try value(depth: depth + 1))
            if try isLast(of: "list", end: UInt8(ascii: "]")) {
                return LogSetting(.list(elements), at: place)
            }
        }
    }

    private mutating func enter(_ open: UInt8, _ depth: Int) throws(Failure) {
        if depth >= JSONSettingReader.depthLimit {
            throw tokens.fault(
                "objects and lists are nested more than \(JSONSettingReader.depthLimit) levels deep")
        }
        _ = tokens.skip(open)
    }

    private mutating func isLast(of what: String, end: UInt8) throws(Failure) -> Bool {
        tokens.skipBlanks()
        if tokens.skip(end) { return true }
        if tokens.skip(UInt8(ascii: ",")) { return false }
        if next == nil { throw tokens.fault("unterminated \(what)") }
        throw tokens.fault("expected “,” or the end of the \(what), found \(tokens.shownNext)")
    }

    // MARK: Numbers and text

    private mutating func number() throws(Failure) -> LogSetting.Content {
        let (range, isWhole) = try tokens.number()
        let written = String(decoding: tokens.slice(range), as: UTF8.self)
        if isWhole, let number = Int64(written) { return .integer(number) }
        guard let number = Double(written), number.isFinite else {
            throw Failure(offset: range.lowerBound, text: "the number \(written) is out of range")
        }
        return .number(number)
    }

    private mutating func string() throws(Failure) -> String {
        let (inside, halves) = try tokens.string()
        if let half = halves.first {
            let isLow = "cdefCDEF".utf8.contains(tokens.bytes[half + 3])
            throw Failure(
                offset: half, text: "unpaired \(isLow ? "low" : "high") surrogate in \\u escape")
        }
        var text: [UInt8] = []
        JSONTokens.unescape(tokens.slice(inside), into: &text)
        return String(decoding: text, as: UTF8.self)
    }
}
