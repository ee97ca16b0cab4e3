#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// What may be between the parentheses of `\(…)`. The forms without options are the fast ones.

extension LogText.StringInterpolation {
    // MARK: Options, which go before their value

    @inlinable
    mutating func put(name: StaticString?, _ privacy: LogPrivacy, _ format: ValueFormat? = nil) {
        if let name, name.hasPointerRepresentation {
            put(name: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        }
        if privacy != .public { put(.privacy, privacy.rawValue) }
        if let format {
            put(.format, format.kind.rawValue)
            reserve(2)
            cursor.write(format.first, at: 0)
            cursor.write(format.second, at: 1)
            cursor += 2
        }
    }

    /// Puts a name; what is beyond 65,535 bytes of it is cut.
    @inlinable @inline(__always)
    mutating func put(name: UnsafeRawBufferPointer) {
        let count = min(name.count, Int(UInt16.max))
        reserve(3 + count)
        cursor.write(PieceTag.name.rawValue, at: 0)
        cursor.write(UInt16(truncatingIfNeeded: count), at: 1)
        if let base = name.baseAddress { (cursor + 3).copyMemory(from: base, byteCount: count) }
        cursor += 3 + count
    }

    /// Puts the replacement of a sensitive value, without reading the value.
    @usableFromInline
    mutating func putSensitive() { put(.string, LogPrivacyPolicy.sensitiveText) }

    // MARK: Whole numbers

    /// Adds an integer.
    @inlinable
    public mutating func appendInterpolation(_ value: Int) { put(.integer, Int64(value)) }

    /// Adds an integer of any width.
    ///
    /// - Parameter value: The integer. One that needs more than 64 bits is kept as decimal digits.
    @inlinable
    public mutating func appendInterpolation<T: FixedWidthInteger>(_ value: T) {
        if let signed = Int64(exactly: value) {
            put(.integer, signed)
        } else if let unsigned = UInt64(exactly: value) {
            put(.unsigned, unsigned)
        } else {
            put(.decimal, String(value))
        }
    }

    /// Adds an integer with a name, a privacy or a format: `\(ms, as: "ms", format: .hex)`.
    ///
    /// - Parameters:
    ///   - value: The integer. One that needs more than 64 bits is kept as decimal digits.
    ///   - name: The name of the field in structured formats, as JSON; nil unless given. It must be a
    ///     literal.
    ///   - privacy: Who may see the value; `public` unless given.
    ///   - format: How it is written as text; nil, the default, writes plain decimal digits.
    @inlinable
    public mutating func appendInterpolation<T: FixedWidthInteger>(
        _ value: T, as name: StaticString? = nil, privacy: LogPrivacy = .public, format: IntegerFormat? = nil
    ) {
        put(name: name, privacy, format?.code)
        if privacy == .sensitive { putSensitive() } else { appendInterpolation(value) }
    }

    // MARK: Floating-point numbers

    /// Adds a floating-point number, which is written with the fewest digits that identify it.
    @inlinable
    public mutating func appendInterpolation(_ value: Double) { put(.double, value) }

    /// Adds a floating-point number, which is written with the fewest digits that identify it.
    @inlinable
    public mutating func appendInterpolation(_ value: Float) { put(.float, value) }

    /// Adds a floating-point number with a name, a privacy or a format: `\(ms, as: "ms", format: .fixed(2))`.
    ///
    /// Without a format, it is written with the fewest digits that identify it.
    /// The options are those of an integer.
    @inlinable
    public mutating func appendInterpolation(
        _ value: Double, as name: StaticString? = nil, privacy: LogPrivacy = .public,
        format: FloatFormat? = nil
    ) {
        put(name: name, privacy, format?.code)
        if privacy == .sensitive { putSensitive() } else { put(.double, value) }
    }

    /// Adds a floating-point number with a name, a privacy or a format: `\(ms, as: "ms", format: .fixed(2))`.
    ///
    /// Without a format, it is written with the fewest digits that identify it.
    /// The options are those of an integer.
    @inlinable
    public mutating func appendInterpolation(
        _ value: Float, as name: StaticString? = nil, privacy: LogPrivacy = .public,
        format: FloatFormat? = nil
    ) {
        put(name: name, privacy, format?.code)
        if privacy == .sensitive { putSensitive() } else { put(.float, value) }
    }

    // MARK: Booleans

    /// Adds a Boolean as `true` or `false`.
    @inlinable
    public mutating func appendInterpolation(_ value: Bool) { put(.bool, UInt8(value ? 1 : 0)) }

    /// Adds a Boolean as `true` or `false`, with a name or a privacy.
    ///
    /// The options are those of an integer.
    @inlinable
    public mutating func appendInterpolation(
        _ value: Bool, as name: StaticString? = nil, privacy: LogPrivacy = .public
    ) {
        put(name: name, privacy)
        if privacy == .sensitive { putSensitive() } else { appendInterpolation(value) }
    }

    /// Adds a Boolean as `1` or `0`; fields keep the Boolean.
    package mutating func append(digitOf value: Bool) {
        put(name: nil, .public, ValueFormat(.binary, 1, 0))
        appendInterpolation(value)
    }

    // MARK: Text

    /// Adds a string.
    @inlinable
    public mutating func appendInterpolation(_ value: String) { put(.string, value) }

    /// Adds a string with a name or a privacy: `\(email, as: "email", privacy: .private)`.
    ///
    /// The options are those of an integer.
    @inlinable
    public mutating func appendInterpolation(
        _ value: String, as name: StaticString? = nil, privacy: LogPrivacy = .public
    ) {
        put(name: name, privacy)
        if privacy == .sensitive { putSensitive() } else { put(.string, value) }
    }

    /// Adds a substring.
    ///
    /// The options are those of an integer.
    @inlinable
    public mutating func appendInterpolation(
        _ value: Substring, as name: StaticString? = nil, privacy: LogPrivacy = .public
    ) {
        put(name: name, privacy)
        if privacy == .sensitive {
            putSensitive()
        } else {
            var value = value
            value.withUTF8 { put(.string, UnsafeRawBufferPointer($0)) }
        }
    }

    /// Adds a character.
    ///
    /// The options are those of an integer.
    @inlinable
    public mutating func appendInterpolation(
        _ value: Character, as name: StaticString? = nil, privacy: LogPrivacy = .public
    ) {
        appendInterpolation(String(value), as: name, privacy: privacy)
    }

    /// Adds a string that is known when the program is compiled, such as `#function`.
    ///
    /// The options are those of an integer.
    @inlinable
    public mutating func appendInterpolation(
        _ value: StaticString, as name: StaticString? = nil, privacy: LogPrivacy = .public
    ) {
        put(name: name, privacy)
        if privacy == .sensitive {
            putSensitive()
        } else {
            value.withUTF8Buffer { put(.string, UnsafeRawBufferPointer($0)) }
        }
    }

    // MARK: Dates and identifiers

    /// Adds a date, of any year.
    ///
    /// The text is not that of a `String`, which has neither fractions of a second nor a form that machines
    /// sort. Years beyond 0 to 9999 have a sign and at least six digits, as in `+010000-01-01T00:00:00.000Z`.
    /// A date that is not a number, infinite or 146 billion years away is `nan`, `inf` or `-inf`, and
    /// `null` as a field of JSON.
    ///
    /// Without a format, it is written as ``DateFormat/iso8601``.
    /// The options are those of an integer.
    public mutating func appendInterpolation(
        _ value: Date, as name: StaticString? = nil, privacy: LogPrivacy = .public, format: DateFormat? = nil
    ) {
        put(name: name, privacy, format?.code)
        if privacy == .sensitive { putSensitive() } else { put(.date, value.timeIntervalSinceReferenceDate) }
    }

    /// Adds a time stamp, with a precision of a nanosecond.
    ///
    /// Without a format, it is written as ``DateFormat/iso8601``.
    /// The options are those of an integer.
    public mutating func appendInterpolation(
        _ value: LogTimestamp, as name: StaticString? = nil, privacy: LogPrivacy = .public,
        format: DateFormat? = nil
    ) {
        put(name: name, privacy, format?.code)
        if privacy == .sensitive { putSensitive() } else { put(.timestamp, value.nanoseconds) }
    }

    /// Adds a UUID.
    ///
    /// The options are those of an integer.
    public mutating func appendInterpolation(
        _ value: UUID, as name: StaticString? = nil, privacy: LogPrivacy = .public
    ) {
        put(name: name, privacy)
        if privacy == .sensitive {
            putSensitive()
        } else {
            withUnsafeBytes(of: value.uuid) { bytes in
                reserve(17)
                cursor.write(PieceTag.uuid.rawValue, at: 0)
                if let base = bytes.baseAddress { (cursor + 1).copyMemory(from: base, byteCount: 16) }
                cursor += 17
            }
        }
    }

    /// Adds a decimal number, which keeps all its digits.
    ///
    /// The options are those of an integer.
    public mutating func appendInterpolation(
        _ value: Decimal, as name: StaticString? = nil, privacy: LogPrivacy = .public
    ) {
        put(name: name, privacy)
        if privacy == .sensitive { putSensitive() } else { put(value.logValue) }
    }

    /// Adds a URL as text.
    ///
    /// The user name, the password and the query are kept: use `privacy` if they are secret.
    /// The options are those of an integer.
    public mutating func appendInterpolation(
        _ value: URL, as name: StaticString? = nil, privacy: LogPrivacy = .public
    ) {
        put(name: name, privacy)
        if privacy == .sensitive { putSensitive() } else { put(.string, value.absoluteString) }
    }

    /// Adds a ``LogValue``, such as a value of a field, with its type.
    ///
    /// The options are those of an integer.
    public mutating func appendInterpolation(
        _ value: LogValue, as name: StaticString? = nil, privacy: LogPrivacy = .public
    ) {
        put(name: name, privacy)
        if privacy == .sensitive { putSensitive() } else { put(value) }
    }
}

extension LogText.StringInterpolation {
    // MARK: Anything else, described at once on the caller's thread

    /// Adds any other value, as `String(describing:)` writes it.
    ///
    /// The value is described at once, on the caller's thread. An `Encodable` value that has a name is also
    /// kept as JSON, for structured formats. Of one that is nested deeper than ``LogValue/maximumDepth``, its
    /// type is described. A value whose type is known only while the program runs keeps
    /// that type if it is one of those above, such as an integer or a date.
    ///
    /// The options are those of an integer.
    @_disfavoredOverload
    public mutating func appendInterpolation<T>(
        _ value: T, as name: StaticString? = nil, privacy: LogPrivacy = .public
    ) {
        put(name: name, privacy)
        if privacy == .sensitive { putSensitive() } else { putAny(value, isField: name != nil) }
    }

    /// Adds the value of an optional, or `nil`.
    ///
    /// JSON contains `null` for nil.
    ///
    /// The options are those of an integer.
    public mutating func appendInterpolation<T>(
        _ value: T?, as name: StaticString? = nil, privacy: LogPrivacy = .public
    ) {
        put(name: name, privacy)
        switch value {
        case _ where privacy == .sensitive: putSensitive()
        case let value?: putAny(value, isField: name != nil)
        case nil: put(PieceTag.null)
        }
    }

    /// Adds the value of an optional, or a default text: `\(user, default: "anonymous")`.
    ///
    /// The options are those of an integer.
    public mutating func appendInterpolation<T>(
        _ value: T?, default text: String, as name: StaticString? = nil, privacy: LogPrivacy = .public
    ) {
        put(name: name, privacy)
        switch value {
        case _ where privacy == .sensitive: putSensitive()
        case let value?: putAny(value, isField: name != nil)
        case nil: put(.string, text)
        }
    }

    /// Puts a value of a type that is known only while the program runs.
    private mutating func putAny(_ value: Any, isField: Bool) {
        // Objects of numbers first: they can be asked for any type of number.
        if let number = LogValue(numberObject: value) {
            put(number)
        } else if let value = value as? Float {
            put(.float, value)
        } else if let value = LogValue(scalar: value) ?? value as? LogValue {
            put(value)
        } else if isField, let json = ValueDepth.json(of: value), json.first != .quote {
            put(.described, ValueDepth.description(of: value))
            json.withUnsafeBytes { appendString($0) }
        } else {
            // One that is a text in JSON, too, needs no second form.
            put(.string, ValueDepth.description(of: value))
        }
    }

    // MARK: Values of fields

    /// Puts a value; what is nested too deep is put as a text that says so.
    mutating func put(_ value: LogValue, depth: Int = 0) {
        guard value.isNested else { return put(scalar: value) }
        if depth == LogValue.maximumDepth { return putCut() }
        if case .array(let values) = value {
            put(.array, UInt32(truncatingIfNeeded: values.count))
            for value in values { put(value, depth: depth + 1) }
        } else if case .object(let fields) = value {
            put(.object, UInt32(truncatingIfNeeded: fields.count))
            for (key, value) in fields {
                var key = key
                key.withUTF8 { appendString(UnsafeRawBufferPointer($0)) }
                put(value, depth: depth + 1)
            }
        }
    }

    /// Separate, so that a level of the recursion above needs little stack.
    @inline(never)
    private mutating func put(scalar value: LogValue) {
        switch value {
        case .null, .array, .object: put(PieceTag.null)
        case .bool(let value): appendInterpolation(value)
        case .integer(let value): put(.integer, value)
        case .unsigned(let value): put(.unsigned, value)
        case .double(let value): put(.double, value)
        case .string(let value): put(.string, value)
        case .date(let value): put(.date, value.timeIntervalSinceReferenceDate)
        case .timestamp(let value): put(.timestamp, value.nanoseconds)
        case .uuid(let value): appendInterpolation(value)
        case .decimal(let value): put(.decimal, value)
        case .json(let value): put(.json, value)
        }
    }

    /// Puts the replacement of a value that is nested too deep; the thread's next message reports it.
    private mutating func putCut() {
        ThreadState.current.hasCutValue = true
        LogValue.cutText.withUTF8Buffer { put(.string, UnsafeRawBufferPointer($0)) }
    }

    /// Puts a length and the bytes, without a tag.
    mutating func appendString(_ bytes: UnsafeRawBufferPointer) {
        reserve(4 + bytes.count)
        cursor.write(UInt32(truncatingIfNeeded: bytes.count), at: 0)
        if let base = bytes.baseAddress { (cursor + 4).copyMemory(from: base, byteCount: bytes.count) }
        cursor += 4 + bytes.count
    }

    /// Puts the fields of a list: a name and a value each.
    mutating func put(_ metadata: LogMetadata) {
        for (key, value) in metadata {
            var key = key
            key.withUTF8 { put(name: UnsafeRawBufferPointer($0)) }
            put(value)
        }
    }
}
