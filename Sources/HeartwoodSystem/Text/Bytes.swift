/// Names of the ASCII bytes that separate the parts of a text; letters and digits are `UInt8(ascii:)`.
extension UInt8 {
    @inlinable @inline(__always) package static var tab: UInt8 { 0x09 }
    @inlinable @inline(__always) package static var newline: UInt8 { 0x0A }
    @inlinable @inline(__always) package static var carriageReturn: UInt8 { 0x0D }
    @inlinable @inline(__always) package static var escape: UInt8 { 0x1B }
    @inlinable @inline(__always) package static var space: UInt8 { 0x20 }
    @inlinable @inline(__always) package static var quote: UInt8 { 0x22 }
    @inlinable @inline(__always) package static var numberSign: UInt8 { 0x23 }
    @inlinable @inline(__always) package static var dollar: UInt8 { 0x24 }
    @inlinable @inline(__always) package static var percent: UInt8 { 0x25 }
    @inlinable @inline(__always) package static var ampersand: UInt8 { 0x26 }
    @inlinable @inline(__always) package static var apostrophe: UInt8 { 0x27 }
    @inlinable @inline(__always) package static var openParenthesis: UInt8 { 0x28 }
    @inlinable @inline(__always) package static var closeParenthesis: UInt8 { 0x29 }
    @inlinable @inline(__always) package static var asterisk: UInt8 { 0x2A }
    @inlinable @inline(__always) package static var plus: UInt8 { 0x2B }
    @inlinable @inline(__always) package static var comma: UInt8 { 0x2C }
    @inlinable @inline(__always) package static var hyphen: UInt8 { 0x2D }
    @inlinable @inline(__always) package static var period: UInt8 { 0x2E }
    @inlinable @inline(__always) package static var slash: UInt8 { 0x2F }
    @inlinable @inline(__always) package static var colon: UInt8 { 0x3A }
    @inlinable @inline(__always) package static var semicolon: UInt8 { 0x3B }
    @inlinable @inline(__always) package static var less: UInt8 { 0x3C }
    @inlinable @inline(__always) package static var equals: UInt8 { 0x3D }
    @inlinable @inline(__always) package static var greater: UInt8 { 0x3E }
    @inlinable @inline(__always) package static var questionMark: UInt8 { 0x3F }
    @inlinable @inline(__always) package static var at: UInt8 { 0x40 }
    @inlinable @inline(__always) package static var openBracket: UInt8 { 0x5B }
    @inlinable @inline(__always) package static var backslash: UInt8 { 0x5C }
    @inlinable @inline(__always) package static var closeBracket: UInt8 { 0x5D }
    @inlinable @inline(__always) package static var underscore: UInt8 { 0x5F }
    @inlinable @inline(__always) package static var backtick: UInt8 { 0x60 }
    @inlinable @inline(__always) package static var openBrace: UInt8 { 0x7B }
    @inlinable @inline(__always) package static var bar: UInt8 { 0x7C }
    @inlinable @inline(__always) package static var closeBrace: UInt8 { 0x7D }

    /// A digit of ASCII.
    @inlinable @inline(__always) package var isDigit: Bool { self &- 0x30 < 10 }

    /// A capital letter of ASCII.
    @inlinable @inline(__always) package var isCapital: Bool { self &- 0x41 < 26 }

    /// A letter of ASCII.
    @inlinable @inline(__always) package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

    /// A letter or digit of ASCII.
    @inlinable @inline(__always) package var isAlphanumeric: Bool { isDigit || isLetter }

    /// A letter or digit of ASCII, an underscore, or a part of any other character.
    @inlinable @inline(__always) package var isWord: Bool { isAlphanumeric || self == 0x5F || self >= 0x80 }

    /// A hexadecimal digit.
    @inlinable @inline(__always) package var isHexadecimal: Bool { isDigit || (self | 0x20) &- 0x61 < 6 }

    /// A blank, a tab, or the end of a line.
    @inlinable @inline(__always) package var isBlank: Bool { self == 0x20 || self &- 0x09 < 5 }

    /// The letter of ASCII in lower case; anything else as it is.
    @inlinable @inline(__always) package var lowercased: UInt8 { isCapital ? self | 0x20 : self }
}
