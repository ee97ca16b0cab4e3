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

    /// Adds a number with `digits` digits after the decimal point, correctly rounded.
    mutating func append(fixed value: Double, digits: Int) {
        append(printf: "%.*f", value, digits: digits)
    }

    /// The C library rounds correctly; the pattern is ours, never the user's.
    mutating func append(printf pattern: String, _ value: Double, digits: Int) {
        let digits = min(digits, 30)
        append(upTo: 384) { target in
            target.withMemoryRebound(to: CChar.self, capacity: 384) { target in
                withVaList([Int32(digits), value]) { Int(vsnprintf(target, 384, pattern, $0)) }
            }
        }
    }
}
