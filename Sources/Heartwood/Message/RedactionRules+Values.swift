extension RedactionRules {
    /// Returns a text without its secrets.
    public func redacted(_ text: String) -> String {
        var text = text
        let clear = text.withUTF8 { text -> String? in
            let text = UnsafeRawBufferPointer(text)
            let secrets = secrets(in: text)
            if secrets.isEmpty { return nil }
            var buffer = LogBuffer()
            append(text, without: secrets, to: &buffer)
            return buffer.text
        }
        return clear ?? text
    }

    /// Returns a value without its secrets; a value without secrets keeps its type.
    ///
    /// A number that is a secret, such as a card number, becomes a string with the replacement. JSON stays
    /// valid JSON. A text replaces anything nested deeper than ``LogValue/maximumDepth``.
    public func redacted(_ value: LogValue) -> LogValue {
        value.mapped(redacted(scalar:)) { hidden($0, under: $1) }
    }

    private func redacted(scalar value: LogValue) -> LogValue {
        switch value {
        case .string(let text): .string(redacted(text))
        case .integer(let number): redacted(digits: String(number)).map { .string($0) } ?? value
        case .unsigned(let number): redacted(digits: String(number)).map { .string($0) } ?? value
        case .decimal(let digits): redacted(digits: digits).map { .string($0) } ?? value
        case .json(let text): .json(redacted(json: text))
        default: value
        }
    }

    /// Returns fields without the secrets in their values, and without the values under names that are
    /// secret.
    public func redacted(_ fields: LogMetadata) -> LogMetadata {
        var result = LogMetadata()
        for (key, value) in fields {
            result.appendUnchecked(key, hidden(value, under: key) ?? redacted(value))
        }
        return result
    }

    /// What replaces a value whose name is secret; nil where it is not, or where there is no value.
    func hidden(_ value: @autoclosure () -> LogValue, under key: String) -> LogValue? {
        var key = key
        guard let hiding = key.withUTF8({ hiding(UnsafeRawBufferPointer($0)) }) else { return nil }
        let value = value()
        if hiding.name.traits.contains(.weak), value.isNested { return nil }
        var isNumber = false
        switch value {
        case .null, .bool, .string(""): return nil
        case .integer, .unsigned, .double, .decimal: isNumber = true
        default: break
        }
        var text = LogBuffer()
        text.append(value: value)
        func replaced(_ text: UnsafeRawBufferPointer) -> LogValue? {
            if !hiding.name.isSecret(text, isNumber: isNumber) { return nil }
            var shown = LogBuffer()
            append(text, hiding.rule, to: &shown)
            return .string(shown.text)
        }
        return text.withUnsafeBytes { SeenText($0)?.bytes.withUnsafeBytes(replaced) ?? replaced($0) }
    }

    /// A number's digits without its secrets; nil where it has none.
    private func redacted(digits: String) -> String? {
        let shown = redacted(digits)
        return shown == digits ? nil : shown
    }

    /// A text of JSON without its secrets; it stays JSON.
    func redacted(json: String) -> String {
        var buffer = LogBuffer()
        var json = json
        var found: [Int] = []
        json.withUTF8 { append(UnsafeRawBufferPointer($0), to: &buffer, &found) }
        return buffer.text
    }

    /// Adds a text without some secrets.
    func append(
        _ bytes: UnsafeRawBufferPointer, without secrets: [RedactionPlan.Secret], to output: inout LogBuffer
    ) {
        var index = 0
        for secret in secrets {
            output.append(UnsafeRawBufferPointer(rebasing: bytes[index..<secret.range.lowerBound]))
            append(bytes, only: secret, to: &output)
            index = secret.range.upperBound
        }
        output.append(UnsafeRawBufferPointer(rebasing: bytes[index...]))
    }

    /// Adds what replaces a secret of a text.
    func append(
        _ bytes: UnsafeRawBufferPointer, only secret: RedactionPlan.Secret, to output: inout LogBuffer
    ) {
        appendMark(secret.marks, to: &output)
        if let seen = secret.seen {
            seen.withUnsafeBytes { append($0, secret.rule, to: &output) }
        } else {
            append(UnsafeRawBufferPointer(rebasing: bytes[secret.range]), secret.rule, to: &output)
        }
        appendMark(secret.marks, to: &output)
    }

    private func appendMark(_ backslashes: Int?, to output: inout LogBuffer) {
        guard let backslashes else { return }
        output.append(repeating: .backslash, count: backslashes)
        output.append(UInt8(ascii: "\""))
    }

    /// Adds what replaces a secret.
    func append(_ secret: UnsafeRawBufferPointer, _ rule: Int, to output: inout LogBuffer) {
        switch replacement {
        case .reveal: output.append(secret)
        case .redact:
            output.append(UInt8(ascii: "<"))
            output.append(rules[rule].name)
            output.append(UInt8(ascii: ">"))
        case .hash: output.appendHash(of: secret)
        case .keyedHash(let key): key.append(Array(secret), .hash, to: &output)
        case .encrypt(let key): key.append(Array(secret), .encryption, to: &output)
        }
    }
}

extension LogBuffer {
    /// Takes the secrets out of the text from `start` on, which is plain text, if its logger asks for that.
    @inline(__always)
    mutating func redactSecrets(from start: Int) {
        if redaction != nil { redactSecretsNow(from: start) }
    }

    @inline(never)
    private mutating func redactSecretsNow(from start: Int) {
        guard let redaction else { return }
        let secrets = redaction.secrets(in: UnsafeRawBufferPointer(start: base + start, count: count - start))
        if secrets.isEmpty { return }
        replaceEnd(from: start) { redaction.append($0, without: secrets, to: &$1) }
    }

    /// Whether the text from `start` on is not clear at first sight.
    func mayHaveSecret(from start: Int) -> Bool {
        redaction.map { !$0.isClear(UnsafeRawBufferPointer(start: base + start, count: count - start)) }
            ?? false
    }

    /// A value of an object, or what replaces it.
    @inline(never)
    func shown(_ value: LogValue, under key: String) -> LogValue {
        redaction?.hidden(value, under: key) ?? value
    }

    /// What replaces a value that is shown but for its name; nil where its name is no secret's.
    @inline(__always)
    func hidden(_ value: EncodedValue) -> String? {
        redaction == nil || value.name == nil ? nil : hiddenByName(value)
    }

    @inline(never)
    private func hiddenByName(_ value: EncodedValue) -> String? {
        guard let redaction, let name = value.name,
            case .string(let text)? = redaction.hidden(
                value.decoded, under: String(decoding: name, as: UTF8.self))
        else { return nil }
        return text
    }

    /// Whether there is a secret in the text from `start` on.
    @inline(__always)
    func isSecret(from start: Int) -> Bool {
        guard let redaction else { return false }
        return !redaction.secrets(in: UnsafeRawBufferPointer(start: base + start, count: count - start))
            .isEmpty
    }
}
