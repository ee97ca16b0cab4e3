extension LogBuffer {
    /// Adds a text that is JSON already, without its white space and its secrets; one that is not JSON
    /// after all, or is nested deeper than `LogValue.maximumDepth`, as a string.
    ///
    /// `depth` is how many lists and objects it is inside of.
    mutating func append(rawJSON text: String, isNumber: Bool = false, depth: Int = 0) {
        let text = redaction?.redacted(json: text) ?? text
        if !append(validJSON: text, isNumber: isNumber, depth: depth) { append(json: text) }
    }

    /// Adds a text that must be JSON, without its white space; false, with nothing added, when it is not.
    package mutating func append(validJSON text: String, isNumber: Bool = false, depth: Int = 0) -> Bool {
        let start = count
        var text = text
        let isValid = text.withUTF8 { bytes in
            var copy = JSONCopy(tokens: JSONTokens(UnsafeRawBufferPointer(bytes)))
            return (try? copy.all(to: &self, isNumber: isNumber, depth: depth)) != nil
        }
        if !isValid { truncate(to: start) }
        return isValid
    }

    /// Adds a decimal number; any other text as a string.
    mutating func append(rawNumber text: String) { append(rawJSON: text, isNumber: true) }
}

/// Checks JSON while it copies it, so that nothing gets into a line that breaks it.
///
/// Refused is also what readers understand differently: an object with a key twice. Half of a surrogate
/// pair becomes U+FFFD.
private struct JSONCopy {
    var tokens: JSONTokens

    mutating func all(to output: inout LogBuffer, isNumber: Bool, depth: Int) throws(JSONTokens.Fault) {
        if isNumber {
            output.append(tokens.slice(try tokens.number().range))
        } else {
            try value(to: &output, depth: depth)
            tokens.skipBlanks()
        }
        if tokens.next != nil { throw tokens.fault("more than one value") }
    }

    private mutating func take(_ byte: UInt8, to output: inout LogBuffer) -> Bool {
        tokens.skipBlanks()
        guard tokens.skip(byte) else { return false }
        output.append(byte)
        return true
    }

    private mutating func value(to output: inout LogBuffer, depth: Int) throws(JSONTokens.Fault) {
        tokens.skipBlanks()
        switch tokens.next {
        case UInt8(ascii: "{"): try list(0x7B, 0x7D, to: &output, depth: depth)
        case UInt8(ascii: "["): try list(0x5B, 0x5D, to: &output, depth: depth)
        case UInt8(ascii: "\""): _ = try string(to: &output)
        case let byte? where byte == UInt8(ascii: "-") || byte.isDigit:
            output.append(tokens.slice(try tokens.number().range))
        default:
            guard let word = tokens.word() else { throw tokens.fault("not a value") }
            output.append(tokens.slice(word))
        }
    }

    private mutating func list(
        _ open: UInt8, _ close: UInt8, to output: inout LogBuffer, depth: Int
    ) throws(JSONTokens.Fault) {
        guard depth < LogValue.maximumDepth, take(open, to: &output) else {
            throw tokens.fault("nested too deep")
        }
        if take(close, to: &output) { return }
        var keys: Set<[UInt8]> = []
        repeat {
            if open == UInt8(ascii: "{") {
                tokens.skipBlanks()
                // Without its escapes, so that two spellings of one key are found.
                var key: [UInt8] = []
                JSONTokens.unescape(tokens.slice(try string(to: &output)), into: &key)
                guard keys.insert(key).inserted, take(UInt8(ascii: ":"), to: &output) else {
                    throw tokens.fault("a key without a value, or twice")
                }
            }
            try value(to: &output, depth: depth + 1)
        } while take(UInt8(ascii: ","), to: &output)
        if !take(close, to: &output) { throw tokens.fault("a list without an end") }
    }

    /// Copies a string, and says where its inside is.
    private mutating func string(to output: inout LogBuffer) throws(JSONTokens.Fault) -> Range<Int> {
        let (inside, halves) = try tokens.string()
        output.append(UInt8(ascii: "\""))
        // What was not copied yet begins here.
        var start = inside.lowerBound
        for half in halves {
            output.appendInsideOfJSON(tokens.slice(start..<half), isEscaped: true)
            output.append("\\ufffd" as StaticString)
            start = half + 6
        }
        output.appendInsideOfJSON(tokens.slice(start..<inside.upperBound), isEscaped: true)
        output.append(UInt8(ascii: "\""))
        return inside
    }
}
