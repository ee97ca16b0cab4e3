/// A date pattern in the letters of Unicode's TR 35, as far as a log needs them, compiled once.
///
/// `yyyy` `yy` year, `MM` `M` `MMM` (Nov) `MMMM` month, `dd` `d` day, `DDD` day of the year, `EEE` (Fri)
/// `EEEE` weekday, `HH` `H` hour of 24, `hh` `h` of 12 with `a` (AM), `mm` `m` minute, `ss` `s` second, `S`
/// to `SSSSSSSSS` its fraction (cut, not rounded), `Z` `xx` (+0100) `ZZZZZ` `XXX` (+01:00, Z for UTC) `xxx`
/// (+01:00) `z` (GMT, GMT+01:00) zone. Words are English. Text between apostrophes stands for itself, `''` is
/// an apostrophe, and so does all that is no letter.
struct DateLayout: Hashable, Sendable {
    enum Field: String, CaseIterable {
        case yyyy, yy, y, MMMM, MMM, MM, M, DDD, dd, d, EEEE, EEE, E, HH, H, hh, h, a, mm, m, ss, s
        case ZZZZZ, ZZZ, Z, XXX, xxx, xx, zzz, z
    }

    enum Piece: Hashable {
        case literal([UInt8])
        case field(Field)
        case fraction(Int)
    }

    let pieces: [Piece]

    /// Compiles a pattern.
    ///
    /// - Parameters:
    ///   - text: The pattern.
    ///   - whole: What `text` is a part of, for errors.
    ///   - offset: Where it begins there.
    ///   - literal: A letter to copy as it is, without apostrophes; nil for none.
    /// - Throws: ``PatternError``, which points at the character that is wrong.
    init(
        _ text: String, in whole: String? = nil, at offset: Int = 0, literal: Character? = nil
    ) throws(PatternError) {
        let characters = Array(text)
        let whole = whole ?? text
        var pieces: [Piece] = []
        var index = 0
        while index < characters.count {
            let character = characters[index]
            if character == "'" {
                let (literal, end) = try DateLayout.quoted(characters, at: index, whole, offset)
                pieces.append(.literal(Array(literal.utf8)))
                index = end
            } else if character.isLetter, character != literal {
                let run = characters[index...].prefix { $0 == character }.count
                let letters = String(repeating: character, count: run)
                if character == "S", run <= 9 {
                    pieces.append(.fraction(run))
                } else if let field = Field(rawValue: letters) {
                    pieces.append(.field(field))
                } else {
                    throw PatternError(
                        whole, at: offset + index, DateLayout.reason(letters, isKnown: character))
                }
                index += run
            } else {
                pieces.append(.literal(Array(String(character).utf8)))
                index += 1
            }
        }
        guard !pieces.isEmpty else {
            throw PatternError(
                whole, at: offset, "The date pattern is empty; use HH:mm:ss.SSS, for example")
        }
        self.pieces = pieces
    }

    /// `2026-11-20 10:20:30.123Z` for UTC, or with `+01:00` instead of the `Z`.
    static func timestamp(_ zone: LogTimeZone) -> DateLayout {
        DateLayout(pieces: [
            .field(.yyyy), .literal([0x2D]), .field(.MM), .literal([0x2D]), .field(.dd), .literal([0x20]),
            .field(.HH), .literal([0x3A]), .field(.mm), .literal([0x3A]), .field(.ss), .literal([0x2E]),
            .fraction(3), zone == .utc ? .literal([0x5A]) : .field(.xxx),
        ])
    }

    /// `10:20:30.123`.
    static let time = DateLayout(pieces: [
        .field(.HH), .literal([0x3A]), .field(.mm), .literal([0x3A]), .field(.ss), .literal([0x2E]),
        .fraction(3),
    ])

    private init(pieces: [Piece]) { self.pieces = pieces }

    private static func reason(_ letters: String, isKnown character: Character) -> String {
        let known = Field.allCases.map(\.rawValue).filter { $0.first == character }
        if character == "S" { return "A second has at most nine decimal places; use SSS" }
        if !known.isEmpty {
            return "Unsupported date field “\(letters)”; use one of \(known.joined(separator: ", "))"
        }
        return "Unknown letter “\(character)” in the date pattern; put literal text in apostrophes, like 'at'"
    }

    /// The text between apostrophes, and the index after it.
    private static func quoted(
        _ characters: [Character], at start: Int, _ whole: String, _ offset: Int
    ) throws(PatternError) -> (String, Int) {
        if start + 1 < characters.count, characters[start + 1] == "'" { return ("'", start + 2) }
        var text = ""
        var index = start + 1
        while index < characters.count {
            if characters[index] != "'" {
                text.append(characters[index])
                index += 1
            } else if index + 1 < characters.count, characters[index + 1] == "'" {
                text.append("'")
                index += 2
            } else {
                return (text, index + 1)
            }
        }
        throw PatternError(
            whole, at: offset + start,
            "Unmatched apostrophe; add the closing one, or write '' for an apostrophe")
    }

    /// Adds a date; `holes` takes where the digits of the fraction belong, which are left zero.
    func append(_ time: CivilTime, offset: Int, to output: inout LogBuffer, holes: inout [(Int, Int)]) {
        let start = output.count
        for piece in pieces {
            switch piece {
            case .literal(let text): output.append(text)
            case .fraction(let digits):
                holes.append((output.count - start, digits))
                output.append(repeating: UInt8(ascii: "0"), count: digits)
            case .field(let field): output.append(field, time, offset)
            }
        }
    }
}

extension LogBuffer {
    static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
    ]

    fileprivate mutating func append(_ field: DateLayout.Field, _ time: CivilTime, _ offset: Int) {
        switch field {
        case .yyyy:
            if time.year < 0 { append(UInt8(ascii: "-")) }
            appendDecimal(abs(time.year), width: 4)
        case .yy: appendDecimal(((time.year % 100) + 100) % 100, width: 2)
        case .y: append(time.year)
        case .MMMM: append(LogBuffer.months[time.month - 1])
        case .MMM: append(String(LogBuffer.months[time.month - 1].prefix(3)))
        case .MM: appendDecimal(time.month, width: 2)
        case .M: append(time.month)
        case .DDD: appendDecimal(time.dayOfYear, width: 3)
        case .dd: appendDecimal(time.day, width: 2)
        case .d: append(time.day)
        case .EEEE: append(LogBuffer.weekdays[time.weekday])
        case .EEE, .E: append(String(LogBuffer.weekdays[time.weekday].prefix(3)))
        case .HH: appendDecimal(time.hour, width: 2)
        case .H: append(time.hour)
        case .hh: appendDecimal((time.hour + 11) % 12 + 1, width: 2)
        case .h: append((time.hour + 11) % 12 + 1)
        case .a: append(time.hour < 12 ? "AM" as StaticString : "PM")
        case .mm: appendDecimal(time.minute, width: 2)
        case .m: append(time.minute)
        case .ss: appendDecimal(time.second, width: 2)
        case .s: append(time.second)
        case .Z, .ZZZ, .xx: append(zone: offset, colon: false)
        case .xxx: append(zone: offset, colon: true)
        case .ZZZZZ, .XXX:
            if offset == 0 { append(UInt8(ascii: "Z")) } else { append(zone: offset, colon: true) }
        case .z, .zzz:
            append("GMT" as StaticString)
            if offset != 0 { append(zone: offset, colon: true) }
        }
    }

    /// Adds `+01:00` or `+0100`.
    mutating func append(zone offset: Int, colon: Bool) {
        append(UInt8(ascii: offset < 0 ? "-" : "+"))
        appendDecimal(abs(offset) / 3600, width: 2)
        if colon { append(UInt8(ascii: ":")) }
        appendDecimal(abs(offset) / 60 % 60, width: 2)
    }
}

extension CivilTime {
    /// 0 for Sunday to 6 for Saturday.
    var weekday: Int { ((CivilTime.days(year, month, day) + 4) % 7 + 7) % 7 }

    /// 1 for the first of January.
    var dayOfYear: Int { CivilTime.days(year, month, day) - CivilTime.days(year, 1, 1) + 1 }
}
