/// Names of the bytes of ASCII that texts are taken apart at; `UInt8(ascii:)` says letters and digits.
extension UInt8 {
    @_transparent package static var tab: UInt8 { 0x09 }
    @_transparent package static var newline: UInt8 { 0x0A }
    @_transparent package static var carriageReturn: UInt8 { 0x0D }
    @_transparent package static var escape: UInt8 { 0x1B }
    @_transparent package static var space: UInt8 { 0x20 }
    @_transparent package static var quote: UInt8 { 0x22 }
    @_transparent package static var numberSign: UInt8 { 0x23 }
    @_transparent package static var dollar: UInt8 { 0x24 }
    @_transparent package static var percent: UInt8 { 0x25 }
    @_transparent package static var ampersand: UInt8 { 0x26 }
    @_transparent package static var apostrophe: UInt8 { 0x27 }
    @_transparent package static var openParenthesis: UInt8 { 0x28 }
    @_transparent package static var closeParenthesis: UInt8 { 0x29 }
    @_transparent package static var asterisk: UInt8 { 0x2A }
    @_transparent package static var plus: UInt8 { 0x2B }
    @_transparent package static var comma: UInt8 { 0x2C }
    @_transparent package static var hyphen: UInt8 { 0x2D }
    @_transparent package static var period: UInt8 { 0x2E }
    @_transparent package static var slash: UInt8 { 0x2F }
    @_transparent package static var colon: UInt8 { 0x3A }
    @_transparent package static var semicolon: UInt8 { 0x3B }
    @_transparent package static var less: UInt8 { 0x3C }
    @_transparent package static var equals: UInt8 { 0x3D }
    @_transparent package static var greater: UInt8 { 0x3E }
    @_transparent package static var questionMark: UInt8 { 0x3F }
    @_transparent package static var at: UInt8 { 0x40 }
    @_transparent package static var openBracket: UInt8 { 0x5B }
    @_transparent package static var backslash: UInt8 { 0x5C }
    @_transparent package static var closeBracket: UInt8 { 0x5D }
    @_transparent package static var underscore: UInt8 { 0x5F }
    @_transparent package static var backtick: UInt8 { 0x60 }
    @_transparent package static var openBrace: UInt8 { 0x7B }
    @_transparent package static var bar: UInt8 { 0x7C }
    @_transparent package static var closeBrace: UInt8 { 0x7D }

    /// A digit of ASCII.
    @_transparent package var isDigit: Bool { self &- 0x30 < 10 }

    /// A capital letter of ASCII.
    @_transparent package var isCapital: Bool { self &- 0x41 < 26 }

    /// A letter of ASCII.
    @_transparent package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// A letter or digit of ASCII.
    @_transparent package var isAlphanumeric: Bool { isDigit || isLetter }

    /// A letter or digit of ASCII, an underscore, or a part of any other character.
    @_transparent package var isWord: Bool { isAlphanumeric || self == 0x5F || self >= 0x80 }

    /// A hexadecimal digit.
    @_transparent package var isHexadecimal: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }

    /// A blank, a tab, or the end of a line.
    @_transparent package var isBlank: Bool { self == 0x20 || self &- 0x09 < 5 }

    /// The letter of ASCII in lower case; anything else as it is.
    @_transparent package var lowercased: UInt8 { isCapital ? self | 0x20 : self }
}
