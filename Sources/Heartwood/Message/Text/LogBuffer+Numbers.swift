import CHeartwood

extension LogBuffer {
    // MARK: Whole numbers

    /// Appends the decimal digits of an integer.
    @inline(__always)
    public mutating func append(_ value: some BinaryInteger) {
        if let value = Int64(exactly: value) {
            appendDecimal(value)
        } else if let value = UInt64(exactly: value) {
            appendDecimal(value)
        } else {
            append(String(value))
        }
    }

    package mutating func appendDecimal(_ value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        appendDecimal(value.magnitude)
    }

    package mutating func appendDecimal(_ value: UInt64) {
        append(upTo: 28) { Int(hw_write_integer(value, $0)) }
    }

    /// Adds the decimal digits of a number, with zeros in front up to `width` digits.
    @inline(__always)
    mutating func appendDecimal(_ value: Int, width: Int) {
        append(upTo: max(20, width)) { target in
            let magnitude = UInt64(max(0, value))
            let size = max(Int32(width), hw_decimal_size(magnitude))
            hw_write_decimal(magnitude, size, target)
            return Int(size)
        }
    }

    // MARK: Floating-point numbers

    /// Appends a number exactly as `Double.description` writes it: with the fewest digits that identify it.
    ///
    /// Nearly all numbers that people log have at most 15 digits, nine of them after the decimal point; these
    /// are written without a `String`.
    @inline(__always)
    public mutating func append(_ value: Double) {
        let start = count
        append(upTo: 32) { Int(hw_write_double(value, $0)) }
        if count == start { append(value.description) }
    }

    /// Appends a number exactly as `Float.description` writes it.
    public mutating func append(_ value: Float) { append(value.description) }

    // MARK: Formats

    mutating func append(_ value: EncodedValue, integer: Int64) {
        append(value, integer.magnitude, isNegative: integer < 0)
    }

    mutating func append(_ value: EncodedValue, unsigned: UInt64) {
        append(value, unsigned, isNegative: false)
    }

    private mutating func append(_ value: EncodedValue, _ magnitude: UInt64, isNegative: Bool) {
        let (format, begin) = (value.format, count)
        if isNegative { append(UInt8(ascii: "-")) }
        switch format.kind {
        case .padded:
            // Zeros go after the sign, other characters before it.
            let start = format.second == UInt8(ascii: "0") ? count : begin
            appendDecimal(magnitude)
            pad(from: start, to: Int(format.first) - (start - begin), with: format.second)
        case .hex: append("0x", String(magnitude, radix: 16), digits: Int(format.first))
        case .octal: append("0o", String(magnitude, radix: 8), digits: Int(format.first))
        case .binary: append("0b", String(magnitude, radix: 2), digits: Int(format.first))
        case .bytes where magnitude <= UInt64(Int.max): append(ByteCount(Int(magnitude)).description)
        default: appendDecimal(magnitude)
        }
    }

    private mutating func append(_ prefix: StaticString, _ text: String, digits: Int) {
        append(prefix)
        let start = count
        append(text)
        pad(from: start, to: digits, with: UInt8(ascii: "0"))
    }

    /// Moves what begins at `start` to the right until it is `width` bytes wide.
    private mutating func pad(from start: Int, to width: Int, with fill: UInt8) {
        let missing = width - (count - start)
        guard missing > 0 else { return }
        let size = count - start
        append(repeating: fill, count: missing)
        memmove(base + start + missing, base + start, size)
        memset(base + start, Int32(fill), missing)
    }

    mutating func append(_ value: EncodedValue, double: Double) {
        switch value.format.kind {
        case .fixed where double.isFinite: append(fixed: double, digits: Int(value.format.first))
        case .scientific where double.isFinite:
            append(printf: "%.*e", double, digits: Int(value.format.first))
        default: append(double)
        }
    }

    /// Adds a number with `digits` digits after the decimal point, correctly rounded.
    mutating func append(fixed value: Double, digits: Int) {
        append(printf: "%.*f", value, digits: digits)
    }

    /// The C library rounds correctly; the pattern is ours, never the user's.
    private mutating func append(printf pattern: String, _ value: Double, digits: Int) {
        let digits = min(digits, 30)
        append(upTo: 384) { target in
            target.withMemoryRebound(to: CChar.self, capacity: 384) { target in
                withVaList([Int32(digits), value]) { Int(vsnprintf(target, 384, pattern, $0)) }
            }
        }
    }
}
