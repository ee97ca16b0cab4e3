/// Reads SwiftyBeaver's format strings: `$DHH:mm:ss.SSS$d $C$L$c $N.$F:$l - $M`.
///
/// `$L` level, `$M` text, `$T` thread, `$N` file without and `$n` with its ending, `$F` function, `$l` line,
/// `$D…$d` local and `$Z…$z` UTC date, `$U` uptime, `$C` … `$c` color, `$X` context, `$I` text alone, a
/// leading `$J` makes JSON lines. `$10L` fills up to ten characters in front of the text, `$-10L` after it;
/// nothing is cut. Blanks at the end of a line go. As there, an unknown letter stands for itself; unlike
/// there, digits without a letter and wrong date patterns are errors.
struct SwiftyBeaverFormat {
    private let format: String
    private let characters: [Character]
    private var elements: [PatternElement] = []

    static func elements(_ format: String) throws(PatternError) -> [PatternElement] {
        var reader = SwiftyBeaverFormat(format: format)
        try reader.read()
        return reader.elements
    }

    private init(format: String) {
        self.format = format
        characters = Array(format)
    }

    private mutating func literal(_ text: ArraySlice<Character>) throws(PatternError) {
        for index in text.indices {
            if text[index].unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" }) {
                throw PatternError(
                    format, at: index, "A format must not contain line breaks or control characters")
            }
        }
        if !text.isEmpty { elements.append(PatternElement(token: .literal(Array(String(text).utf8)))) }
    }

    /// Each phrase reaches from a dollar sign to the next.
    private mutating func read() throws(PatternError) {
        let first = characters.firstIndex(of: "$") ?? characters.count
        try literal(characters[..<first])
        var index = first
        while index < characters.count {
            let start = index + 1
            let end = characters[start...].firstIndex(of: "$") ?? characters.count
            try phrase(start..<end)
            index = end
        }
    }

    private mutating func phrase(_ range: Range<Int>) throws(PatternError) {
        if range.isEmpty { return }
        var position = range.lowerBound
        let shape = try padding(&position, range.upperBound)
        let rest = characters[(position + 1)..<range.upperBound]
        func text(_ token: PatternToken) -> PatternElement { PatternElement(token: token, shape: shape) }
        switch characters[position] {
        case "D": return try date(.local, rest)
        case "Z": return try date(.utc, rest)
        case "d", "z", "I": break
        case "L": elements.append(text(.upperLevel))
        case "M": elements.append(text(.message))
        case "T": elements.append(text(.thread))
        case "N": elements.append(text(.fileName))
        case "n": elements.append(text(.file))
        case "F": elements.append(text(.shortFunction))
        case "l": elements.append(text(.line))
        case "U": elements.append(text(.uptime(since: SystemClock().now())))
        case "X": elements.append(text(.contextIfAny))
        case "C": elements.append(PatternElement(token: .color))
        case "c": elements.append(PatternElement(token: .reset))
        default: return try literal(characters[range])
        }
        try literal(rest)
    }

    private mutating func date(_ zone: LogTimeZone, _ layout: ArraySlice<Character>) throws(PatternError) {
        let layout = try DateLayout(String(layout), in: format, at: layout.startIndex)
        elements.append(PatternElement(token: .time(DateText(layout, zone: zone))))
    }

    private func padding(_ position: inout Int, _ end: Int) throws(PatternError) -> FieldShape? {
        let start = position
        let isBehind = characters[position] == "-"
        if isBehind { position += 1 }
        let digits = characters[position..<end].prefix { $0.isASCII && $0.isNumber }
        if digits.isEmpty {
            position = start
            return nil
        }
        position += digits.count
        if position == end {
            throw PatternError(format, at: start, "The width must be followed by a letter, for example $10L")
        }
        guard let width = Int(String(digits)), width <= FieldShape.widest else {
            throw PatternError(format, at: start, "The maximum width is \(FieldShape.widest)")
        }
        return FieldShape(alignment: isBehind ? .left : .right, minimum: width)
    }
}

extension LogFormatter {
    /// Makes a formatter of one of SwiftyBeaver's format strings.
    ///
    /// ```swift
    /// console.formatter = try LogFormatter.swiftyBeaver("$DHH:mm:ss.SSS$d $C$L$c $N.$F:$l - $M")
    /// ```
    ///
    /// All tokens are understood, `$X` being the context's number; a leading `$J` gives objects with
    /// SwiftyBeaver's keys. Colors are those of ``ConsolePalette`` instead of emoji.
    ///
    /// - Throws: ``PatternError`` for digits without a letter and for wrong date patterns.
    public static func swiftyBeaver(
        _ format: String = "$DHH:mm:ss.SSS$d $C$L$c $N.$F:$l - $M", privacy: LogPrivacyPolicy = .redact
    ) throws(PatternError) -> LogFormatter {
        if format.hasPrefix("$J") {
            var options = JSONLinesFormatter.Options.swiftyBeaver
            options.privacy = privacy
            return JSONLinesFormatter(options)
        }
        var options = PatternFormatter.Options()
        (options.privacy, options.trimsEnd) = (privacy, true)
        return PatternFormatter(elements: try SwiftyBeaverFormat.elements(format), options)
    }
}
