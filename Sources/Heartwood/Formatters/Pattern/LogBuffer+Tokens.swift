extension LogBuffer {
    /// Adds a name that comes from outside.
    mutating func append(safe bytes: UnsafeRawBufferPointer) {
        let start = count
        append(bytes)
        makeSafe(from: start, .escape)
    }

    /// Adds `00:01:02.345`; a time before the beginning is zero.
    mutating func append(uptime duration: Duration) {
        let milliseconds = Int(max(0, duration.nanoseconds) / 1_000_000)
        appendDecimal(milliseconds / 3_600_000, width: 2)
        append(UInt8(ascii: ":"))
        appendDecimal(milliseconds / 60_000 % 60, width: 2)
        append(UInt8(ascii: ":"))
        appendDecimal(milliseconds / 1000 % 60, width: 2)
        append(UInt8(ascii: "."))
        appendDecimal(milliseconds % 1000, width: 3)
    }

    /// Adds the first value of a name, in the text or beside it; nothing without one.
    mutating func append(fieldNamed name: [UInt8], of message: LogMessage, _ privacy: LogPrivacyPolicy) {
        for (bytes, policy) in [(message.storage.text, privacy), (message.storage.fields, .reveal)] {
            var reader = PieceReader(bytes)
            while let piece = reader.next() {
                guard case .value(let value) = piece, value.name?.elementsEqual(name) == true else {
                    continue
                }
                let start = count
                if value.isShown(by: policy), let hidden = hidden(value) {
                    append(hidden)
                } else {
                    append(field: value, privacy: policy)
                }
                return makeSafe(from: start, .escape)
            }
        }
    }

    /// Adds a field's value as a person reads it, as exact as it is; secrets in it are redacted.
    mutating func append(field value: EncodedValue, privacy: LogPrivacyPolicy) {
        if !value.isShown(by: privacy) { return append(replacementOf: value, by: privacy) }
        let start = count
        switch value.tag {
        case .string, .decimal, .json: append(value.string)
        case .integer: appendDecimal(value.load(Int64.self))
        case .double: append(value.load(Double.self))
        case .described: append(value.described.json)
        default: append(value: value.decoded)
        }
        redactSecrets(from: start)
    }

    /// Removes blanks and tabs at the end, as far as `start`.
    mutating func trimBlanks(downTo start: Int) {
        var end = count
        while end > start, base[end - 1] == .space || base[end - 1] == .tab { end -= 1 }
        truncate(to: end)
    }
}
