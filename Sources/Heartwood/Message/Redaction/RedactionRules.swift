/// Rules that remove secrets from all texts that a logger writes, whoever logged them.
///
/// ```swift
/// file.redaction = .standard
/// file.redaction = RedactionRules([.tokens(startingWith: "sk_live_")], replacement: .keyedHash(key))
/// ```
///
/// The rules apply to the text of a message, its fields, and numbers in JSON, but not to the names of files,
/// categories and threads. They are a safety net: mark values that you know to be secret at the call, with
/// ``LogPrivacy``.
public struct RedactionRules: Sendable {
    /// The rules.
    public var rules: [RedactionRule]
    /// How secrets are replaced.
    ///
    /// ``LogPrivacyPolicy/redact``, the default, writes `<card>` and so on; the others write a hash or the
    /// encrypted secret.
    public var replacement: LogPrivacyPolicy

    /// Makes a list of rules.
    ///
    /// - Parameters:
    ///   - rules: What the secrets look like. Where two find something at the same place, the first one
    ///     counts.
    ///   - replacement: What is written in their place; `reveal` leaves all as it is.
    public init(_ rules: [RedactionRule], replacement: LogPrivacyPolicy = .redact) {
        self.rules = rules
        self.replacement = replacement
    }

    /// Bearer tokens, card numbers and email addresses.
    public static let standard = RedactionRules([.bearerTokens, .cardNumbers, .emailAddresses])

    /// Returns a text without its secrets.
    public func redacted(_ text: String) -> String {
        var buffer = LogBuffer()
        buffer.redaction = self
        buffer.append(text)
        buffer.redactSecrets(from: 0)
        return buffer.text
    }

    /// Returns a value without its secrets; a value without secrets keeps its type.
    ///
    /// A number that is a secret, such as a card number, becomes a string with the replacement. JSON stays
    /// valid JSON. A text replaces anything nested deeper than ``LogValue/maximumDepth``.
    public func redacted(_ value: LogValue) -> LogValue { redacted(value, depth: 0) }

    private func redacted(_ value: LogValue, depth: Int) -> LogValue {
        if depth == LogValue.maximumDepth, value.isNested { return .cut }
        return switch value {
        case .null, .bool, .double, .date, .uuid: value
        case .string(let text): .string(redacted(text))
        case .integer(let number): redacted(digits: String(number)).map { .string($0) } ?? value
        case .unsigned(let number): redacted(digits: String(number)).map { .string($0) } ?? value
        case .decimal(let digits): redacted(digits: digits).map { .string($0) } ?? value
        case .json(let text): .json(redacted(json: text))
        case .array(let values): .array(values.map { redacted($0, depth: depth + 1) })
        case .object(let fields): .object(redacted(fields, depth: depth + 1))
        }
    }

    /// Returns fields without the secrets in their values.
    public func redacted(_ fields: LogMetadata) -> LogMetadata { redacted(fields, depth: 0) }

    private func redacted(_ fields: LogMetadata, depth: Int) -> LogMetadata {
        LogMetadata(fields.map { ($0.key, redacted($0.value, depth: depth)) })
    }

    /// A number's digits without its secrets; nil where it has none.
    private func redacted(digits: String) -> String? {
        let shown = redacted(digits)
        return shown == digits ? nil : shown
    }

    private func redacted(json: String) -> String {
        var buffer = LogBuffer()
        buffer.redaction = self
        buffer.append(json: .json(json))
        return buffer.text
    }

    /// Whether there is a secret in some UTF-8.
    func find(in bytes: UnsafeRawBufferPointer) -> Bool {
        replacement != .reveal && rules.contains { $0.find(bytes, 0) != nil }
    }

    /// All secrets in some UTF-8, in their order, none of which overlap.
    func secrets(in bytes: UnsafeRawBufferPointer) -> [(range: Range<Int>, rule: RedactionRule)] {
        var found: [(range: Range<Int>, rule: RedactionRule)] = []
        for rule in rules {
            var index = 0
            while index < bytes.count, let range = rule.find(bytes, index), !range.isEmpty,
                range.lowerBound >= index, range.upperBound <= bytes.count
            {
                if !found.contains(where: { $0.range.overlaps(range) }) { found.append((range, rule)) }
                index = range.upperBound
            }
        }
        return found.sorted { $0.range.lowerBound < $1.range.lowerBound }
    }

    fileprivate func append(
        _ secret: UnsafeRawBufferPointer, _ rule: RedactionRule, to output: inout LogBuffer
    ) {
        switch replacement {
        case .reveal: output.append(secret)
        case .redact:
            output.append(UInt8(ascii: "<"))
            output.append(rule.name)
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
        guard let redaction, redaction.replacement != .reveal else { return }
        let bytes = UnsafeRawBufferPointer(start: base + start, count: count - start)
        let secrets = redaction.secrets(in: bytes)
        if secrets.isEmpty { return }
        replaceEnd(from: start) { bytes, output in
            var index = 0
            for (range, rule) in secrets {
                output.append(UnsafeRawBufferPointer(rebasing: bytes[index..<range.lowerBound]))
                redaction.append(UnsafeRawBufferPointer(rebasing: bytes[range]), rule, to: &output)
                index = range.upperBound
            }
            output.append(UnsafeRawBufferPointer(rebasing: bytes[index...]))
        }
    }

    /// Whether there is a secret in the text from `start` on.
    @inline(__always)
    func isSecret(from start: Int) -> Bool {
        redaction != nil && isSecret(UnsafeRawBufferPointer(start: base + start, count: count - start))
    }

    /// Whether there is a secret in some UTF-8.
    func isSecret(_ bytes: UnsafeRawBufferPointer) -> Bool { redaction?.find(in: bytes) ?? false }
}
