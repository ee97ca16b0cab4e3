/// Compiles a pattern with names in braces, once, when a formatter is made.
struct PatternParser {
    private let pattern: String
    private let characters: [Character]
    private let zone: LogTimeZone
    private var elements: [PatternElement] = []

    static func elements(_ pattern: String, zone: LogTimeZone) throws(PatternError) -> [PatternElement] {
        var parser = PatternParser(pattern: pattern, zone: zone)
        try parser.parse()
        return parser.elements
    }

    private init(pattern: String, zone: LogTimeZone) {
        self.pattern = pattern
        self.zone = zone
        characters = Array(pattern)
    }

    private func failure(_ reason: String, at position: Int) -> PatternError {
        PatternError(pattern, at: position, reason)
    }

    private mutating func parse() throws(PatternError) {
        for piece in try BracedPiece.pieces(of: pattern) {
            switch piece {
            case .literal(let text): append(literal: Array(text.utf8))
            case .field(let name, let position, let options): try token(name, at: position, options)
            }
        }
        if elements.isEmpty { throw failure("The pattern is empty; use {message}, for example", at: 0) }
    }

    private mutating func append(literal bytes: [UInt8]) {
        if case .literal(let before)? = elements.last?.token {
            elements[elements.count - 1].token = .literal(before + bytes)
        } else {
            elements.append(PatternElement(token: .literal(bytes)))
        }
    }

    private mutating func token(_ name: String, at position: Int, _ options: Range<Int>?) throws(PatternError)
    {
        switch name {
        case "": throw failure("Empty braces; name a token, for example {message}", at: position)
        case "time": try time(zone, options)
        case "utc": try time(.utc, options)
        case "local": try time(.local, options)
        case "process": try constant(ProcessFacts.name, options)
        case "host": try constant(ProcessFacts.host, options)
        case "uptime": try add(.uptime(since: SystemClock().now()), options)
        default:
            if let known = PatternToken.named.first(where: { $0.name == name }) {
                try add(known.token, options)
            } else if name.hasPrefix("field.") {
                guard name.count > 6 else {
                    throw failure("Missing field name; use {field.order}, for example", at: position + 6)
                }
                try add(.field(Array(name.dropFirst(6).utf8)), options)
            } else {
                throw unknown(name, at: position)
            }
        }
    }

    private func unknown(_ name: String, at position: Int) -> PatternError {
        let others = ["time", "utc", "local", "process", "host", "uptime", "field.NAME"]
        let names = PatternToken.named.map(\.name) + others
        let advice =
            Spelling.nearest(to: name, among: names).map { "did you mean “\($0)”?" }
            ?? "there are " + names.sorted().joined(separator: ", ")
        return failure("Unknown token “\(name)” in the pattern; \(advice)", at: position)
    }

    private mutating func time(_ zone: LogTimeZone, _ options: Range<Int>?) throws(PatternError) {
        let layout =
            if let options {
                try DateLayout(String(characters[options]), in: pattern, at: options.lowerBound)
            } else {
                DateLayout.timestamp(zone)
            }
        elements.append(PatternElement(token: .time(DateText(layout, zone: zone))))
    }

    /// A text that is known now, shaped now.
    private mutating func constant(_ text: String, _ options: Range<Int>?) throws(PatternError) {
        var buffer = LogBuffer()
        buffer.appendEscaped(text)
        if let options { try shape(options).apply(to: &buffer, from: 0) }
        append(literal: buffer.withUnsafeBytes { Array($0) })
    }

    private mutating func add(_ token: PatternToken, _ options: Range<Int>?) throws(PatternError) {
        guard let options else { return elements.append(PatternElement(token: token)) }
        if token.isMark {
            throw failure("A color has no width; remove the colon", at: options.lowerBound - 1)
        }
        elements.append(PatternElement(token: token, shape: try shape(options)))
    }

    /// Reads `[[fill]<^>][minimum][.[-]maximum]`.
    private func shape(_ range: Range<Int>) throws(PatternError) -> FieldShape {
        var shape = FieldShape()
        var position = range.lowerBound
        if range.count >= 2, let alignment = PatternParser.alignment(characters[position + 1]) {
            let fill = characters[position]
            guard let byte = fill.asciiValue, (0x20..<0x7F).contains(byte) else {
                throw failure("The fill character must be ASCII, for example a space or a dot", at: position)
            }
            (shape.fill, shape.alignment) = (byte, alignment)
            position += 2
        } else if let alignment = characters[range].first.flatMap(PatternParser.alignment) {
            shape.alignment = alignment
            position += 1
        }
        if let minimum = try number(&position, range.upperBound) { shape.minimum = minimum }
        if position < range.upperBound, characters[position] == "." {
            position += 1
            if position < range.upperBound, characters[position] == "-" {
                shape.keepsEnd = true
                position += 1
            }
            let start = position
            guard let maximum = try number(&position, range.upperBound) else {
                throw failure("Missing maximum width; use {category:.20}, for example", at: position)
            }
            if maximum < shape.minimum {
                throw failure("The maximum width is less than the minimum width, \(shape.minimum)", at: start)
            }
            shape.maximum = maximum
        }
        if position < range.upperBound || range.isEmpty {
            throw failure("Invalid width; use 10, <10, >10, ^10, .20 or *>10.-20", at: position)
        }
        return shape
    }

    private static func alignment(_ character: Character) -> FieldShape.Alignment? {
        switch character {
        case "<": .left
        case ">": .right
        case "^": .center
        default: nil
        }
    }

    private func number(_ position: inout Int, _ end: Int) throws(PatternError) -> Int? {
        let start = position
        while position < end, let value = characters[position].wholeNumberValue, value < 10,
            characters[position].isASCII
        {
            position += 1
        }
        if position == start { return nil }
        guard let value = Int(String(characters[start..<position])), value <= FieldShape.widest else {
            throw failure("The maximum width is \(FieldShape.widest)", at: start)
        }
        return value
    }
}
