/// Rules that remove secrets from all texts that a logger writes, whoever logged them.
///
/// ```swift
/// file.redaction = .standard
/// file.redaction = RedactionRules([.tokens(startingWith: "sk_live_")], replacement: .keyedHash(key))
/// ```
///
/// The rules apply to the text of a message, its fields, and numbers in JSON, but not to the names of
/// files, categories and threads. They are a safety net: mark values that you know to be secret at the
/// call, with ``LogPrivacy``.
public struct RedactionRules: Sendable {
    /// The rules.
    public var rules: [RedactionRule] {
        didSet { plan = RedactionPlan(rules) }
    }
    /// How secrets are replaced.
    ///
    /// ``LogPrivacyPolicy/redact``, the default, writes `<card>` and so on; the others write a hash or the
    /// encrypted secret. None of them tells how long a secret is, but for encryption: which of 64, 128, 256
    /// and so on it does not exceed.
    public var replacement: LogPrivacyPolicy
    private var plan: RedactionPlan

    /// Makes a list of rules.
    ///
    /// - Parameters:
    ///   - rules: What the secrets look like. Where what two of them find overlaps, it is one secret, with
    ///     the name of the rule that finds more of it, or of the first.
    ///   - replacement: What is written in their place; `reveal` leaves all as it is.
    public init(_ rules: [RedactionRule], replacement: LogPrivacyPolicy = .redact) {
        self.rules = rules
        self.replacement = replacement
        plan = RedactionPlan(rules)
    }

    /// Tokens, keys, passwords, cards, accounts and email addresses: all rules of ``RedactionRule`` but
    /// ``RedactionRule/nationalNumbers(of:)``.
    public static let standard = RedactionRules([
        .bearerTokens, .webTokens, .apiKeys, .privateKeys, .urlCredentials, .keys, .cardNumbers,
        .bankAccounts,
        .emailAddresses,
    ])

    /// The rules that settings and commands name; `nationalNumbers` are those of all countries.
    package static let named: [(name: String, rules: [RedactionRule])] = [
        ("standard", standard.rules), ("keys", [.keys]), ("bearerTokens", [.bearerTokens]),
        ("webTokens", [.webTokens]), ("apiKeys", [.apiKeys]), ("privateKeys", [.privateKeys]),
        ("urlCredentials", [.urlCredentials]), ("cardNumbers", [.cardNumbers]),
        ("bankAccounts", [.bankAccounts]), ("emailAddresses", [.emailAddresses]),
        ("nationalNumbers", [.nationalNumbers(of: Set(NationalNumber.allCases))]),
    ]

    /// How the values of a name are hidden; nil where they are not.
    func hiding(_ key: UnsafeRawBufferPointer) -> RedactionPlan.Hiding? {
        if replacement == .reveal { return nil }
        return SeenText(key)?.bytes.withUnsafeBytes(plan.hiding) ?? plan.hiding(key)
    }

    /// Whether it is clear at first sight that there is no secret in some UTF-8.
    func isClear(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var look = RedactionPlan.Look()
        return replacement == .reveal || plan.nextSuspect(in: bytes, from: 0, &look) == bytes.count
    }

    /// The next place, from `start` on, at which there may be a secret; the end of the text if none is left.
    func nextSuspect(
        in bytes: UnsafeRawBufferPointer, from start: Int, _ look: inout RedactionPlan.Look
    ) -> Int {
        replacement == .reveal ? bytes.count : plan.nextSuspect(in: bytes, from: start, &look)
    }

    /// All secrets in some UTF-8, in their order, none of which overlap.
    func secrets(in bytes: UnsafeRawBufferPointer) -> [RedactionPlan.Secret] {
        secrets(in: bytes, seen: replacement == .reveal ? nil : SeenText(bytes))
    }

    /// The same, given the visible text; nil if all is visible.
    func secrets(in bytes: UnsafeRawBufferPointer, seen: SeenText?) -> [RedactionPlan.Secret] {
        if replacement == .reveal { return [] }
        guard let seen else { return plan.secrets(in: bytes) }
        var found = secrets(in: seen) + unseenSecrets(of: seen, in: bytes)
        // A backspace does not remove a character before another one is written over it.
        if bytes.contains(0x08) { found += plan.secrets(in: bytes) }
        return RedactionPlan.merged(found)
    }

    /// The secrets in the visible text.
    private func secrets(in seen: SeenText) -> [RedactionPlan.Secret] {
        seen.bytes.withUnsafeBytes { plan.secrets(in: $0) }.map { secret in
            var secret = secret
            secret.seen = Array(seen.bytes[secret.range])
            secret.range = seen.place(of: secret.range)
            return secret
        }
    }

    /// The secrets in invisible sequences, such as the address of a link.
    func unseenSecrets(of seen: SeenText, in bytes: UnsafeRawBufferPointer) -> [RedactionPlan.Secret] {
        seen.unseen.filter { $0.count > 12 }.flatMap { place in
            plan.secrets(in: UnsafeRawBufferPointer(rebasing: bytes[place])).map { secret in
                var secret = secret
                secret.range =
                    secret.range.lowerBound + place.lowerBound..<secret.range.upperBound + place.lowerBound
                return secret
            }
        }
    }
}
