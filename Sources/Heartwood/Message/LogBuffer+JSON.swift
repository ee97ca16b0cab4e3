import CHeartwood

extension LogBuffer {
    /// Appends a text as a JSON string, with quotation marks (RFC 8259, section 7).
    ///
    /// Also escaped are DEL, U+0080 to U+009F, U+2028 and U+2029, so that a line of JSON is a line
    /// everywhere, and what could hide text or turn it around: bidirectional controls, fillers, tags and
    /// characters without width, but not the joiners and the variation selectors.
    public mutating func append(json text: String) {
        text.withBytes { append(json: $0) }
    }

    /// Adds a member after others of an object, `,"key":"text"`.
    ///
    /// In one step for other modules, whose calls are not inlined.
    package mutating func append(member key: StaticString, _ text: String) {
        append(key: key)
        text.withBytes { append(json: $0) }
    }

    /// Adds `,"key":` for a key that needs no escape.
    package mutating func append(key: StaticString) {
        append(upTo: key.utf8CodeUnitCount + 4) { target in
            let size = key.utf8CodeUnitCount
            target[0] = UInt8(ascii: ",")
            target[1] = UInt8(ascii: "\"")
            memcpy(target + 2, key.utf8Start, size)
            target[size + 2] = UInt8(ascii: "\"")
            target[size + 3] = UInt8(ascii: ":")
            return size + 4
        }
    }

    /// Adds UTF-8 as a JSON string, quotes included.
    mutating func append(json bytes: UnsafeRawBufferPointer) {
        append(UInt8(ascii: "\""))
        let start = count
        append(bytes)
        redactSecrets(from: start)
        makeJSONSafe(from: start)
        append(UInt8(ascii: "\""))
    }

    /// Adds a text as the inside of a JSON string, without its quotes.
    mutating func append(insideOfJSON text: String) {
        let start = count
        append(text)
        makeJSONSafe(from: start)
    }

    /// Adds a text as a JSON string, whose inside is `bytes`; these are not used where secrets are taken out.
    @inline(__always)
    mutating func append(json text: @autoclosure () -> String, inside bytes: UnsafeRawBufferPointer) {
        if redaction != nil { return append(json: text()) }
        append(UInt8(ascii: "\""))
        append(bytes)
        append(UInt8(ascii: "\""))
    }

    /// Escapes the text from `start` on as the inside of a JSON string; what is not UTF-8 becomes U+FFFD.
    mutating func makeJSONSafe(from start: Int) {
        if hw_is_plain(base + start, count - start, 0x22) { return }
        replaceEnd(from: start) { $1.appendInsideOfJSON($0) }
    }

    /// Adds the inside of a JSON string; where it is one already (`isEscaped`), only what is unsafe in a line
    /// is changed.
    mutating func appendInsideOfJSON(_ bytes: UnsafeRawBufferPointer, isEscaped: Bool = false) {
        var index = 0
        let count = bytes.count
        while index < count {
            let byte = bytes[index]
            switch byte {
            case .quote where !isEscaped: append("\\\"" as StaticString)
            case .backslash where !isEscaped: append("\\\\" as StaticString)
            case 0x08: append("\\b" as StaticString)
            case 0x0C: append("\\f" as StaticString)
            case .newline: append("\\n" as StaticString)
            case .carriageReturn: append("\\r" as StaticString)
            case .tab: append("\\t" as StaticString)
            case 0..<0x20, 0x7F: append(unicode: UInt32(byte))
            case 0x80...:
                let length = bytes.sequenceLength(at: index)
                if length == 0 {
                    append(unicode: 0xFFFD)
                } else if let (code, length) = LogBuffer.hiddenCharacter(bytes, at: index) {
                    append(unicode: code)
                    index += length - 1
                } else {
                    append(UnsafeRawBufferPointer(rebasing: bytes[index..<index + length]))
                    index += length - 1
                }
            default: append(byte)
            }
            index += 1
        }
    }

    private mutating func append(unicode code: UInt32) {
        if code > 0xFFFF {
            append(unicode: 0xD800 + (code - 0x10000) >> 10)
            return append(unicode: 0xDC00 + (code & 0x3FF))
        }
        append("\\u" as StaticString)
        for shift in stride(from: UInt32(12), through: 0, by: -4) {
            append(Hexadecimal.digits[Int(code >> shift) & 15])
        }
    }

    /// Appends a value as JSON.
    ///
    /// Dates are strings as RFC 3339 has them, beyond the years 0 to 9999 with expanded years as ISO 8601 has
    /// them, and null where ``LogValue/date(_:)`` says. Numbers that JSON cannot say are strings. A string
    /// replaces anything nested deeper than ``LogValue/maximumDepth``.
    public mutating func append(json value: LogValue) { append(json: value, depth: 0) }

    private mutating func append(json value: LogValue, depth: Int) {
        if depth == LogValue.maximumDepth, value.isNested { return append(json: .cut, depth: 0) }
        switch value {
        case .null: append("null" as StaticString)
        case .bool(let value): append(value ? "true" as StaticString : "false")
        case .integer(let value): append(jsonNumber: value)
        case .unsigned(let value): append(jsonNumber: value)
        case .double(let value):
            if value.isFinite { append(value) } else { append(json: value.description) }
        case .string(let value): append(json: value)
        case .decimal(let value): append(rawNumber: value)
        case .json(let value): append(rawJSON: value, depth: depth)
        case .date(let date) where !date.hasDay: append("null" as StaticString)
        case .date, .timestamp, .uuid:
            append(UInt8(ascii: "\""))
            append(value: value)
            append(UInt8(ascii: "\""))
        case .array(let values):
            append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                append(json: value, depth: depth + 1)
            }
            append(UInt8(ascii: "]"))
        case .object(let fields):
            append(UInt8(ascii: "{"))
            for (index, (key, value)) in fields.enumerated() {
                if index > 0 { append(UInt8(ascii: ",")) }
                append(json: key)
                append(UInt8(ascii: ":"))
                append(json: shown(value, under: key), depth: depth + 1)
            }
            append(UInt8(ascii: "}"))
        }
    }

    /// Adds a whole number; one that is a secret, such as a card's, as a string that says so.
    private mutating func append(jsonNumber value: some FixedWidthInteger) {
        let start = count
        append(value)
        if isSecret(from: start) {
            replaceEnd(from: start) { [redaction] in
                $1.redaction = redaction
                $1.append(json: $0)
            }
        }
    }

    /// Adds a value as JSON straight from its bytes.
    mutating func append(json value: EncodedValue, privacy: LogPrivacyPolicy) {
        if !value.isShown(by: privacy) {
            append(UInt8(ascii: "\""))
            append(replacementOf: value, by: privacy)
            return append(UInt8(ascii: "\""))
        }
        switch value.tag {
        case .string: append(json: value.string)
        case .integer: append(jsonNumber: value.load(Int64.self))
        case .double where value.load(Double.self).isFinite: append(value.load(Double.self))
        default: append(json: value.decoded)
        }
    }
}
