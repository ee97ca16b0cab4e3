import CHeartwood

/// A rule that finds secrets in a text.
public struct RedactionRule: Sendable {
    /// How a rule finds secrets.
    enum Way: Sendable {
        /// Looks through a whole text, and returns the first secret at or after an index.
        case search(@Sendable (UnsafeRawBufferPointer, Int) -> Range<Int>?)
        /// Looks where one of some texts begins, in any case of letters unless it must be exact; given are
        /// the place and which text.
        case anchored([[UInt8]], isExact: Bool, @Sendable (UnsafeRawBufferPointer, Int, Int) -> Range<Int>?)
        /// Looks where digits begin that may be a card's or an account's number.
        case numbers(@Sendable (UnsafeRawBufferPointer, Int) -> Range<Int>?)
        /// Looks at the names of fields, and at what follows such a name in a text.
        case keys(SecretKeys)
    }

    /// The replacement, which is written in angle brackets.
    package let name: String
    let way: Way

    /// Values under a name that says that they are secret, written as `<secret>`.
    ///
    /// Found are fields, members of JSON of any depth, `key=value` and `key: value` in texts, parameters of
    /// addresses, headers, and options of commands. See ``standardKeys`` for the names, and
    /// ``keys(_:except:)`` for others.
    public static let keys = keys(standardKeys)

    /// Values under some names, written as `<secret>`.
    ///
    /// - Parameters:
    ///   - names: Words such as `api key`, which is found in `api_key`, `X-Api-Key`, `apiKey` and `APIKEY`.
    ///     The end of a name must be the end of a word: `token` is in `authToken` and `tokens`, but not in
    ///     `tokenizer`.
    ///   - exceptions: Words with which such a key is harmless, such as `token type`;
    ///     ``standardExceptions`` unless given. Whatever is given, a key is harmless, too, where a word such
    ///     as `count`, `length`, `duration`, `url` or `name` follows the name, or `has`, `is` or `max`
    ///     comes before it.
    /// - Returns: The rule.
    public static func keys(
        _ names: [String], except exceptions: [String] = standardExceptions
    ) -> RedactionRule {
        RedactionRule(name: "secret", way: .keys(SecretKeys(names, except: exceptions)))
    }

    /// The names of ``keys``.
    public static let standardKeys = SecretKeys.standardNames

    /// The exceptions of ``keys``.
    public static let standardExceptions = SecretKeys.standardExceptions

    /// JSON Web Tokens, which begin with `eyJ`, written as `<token>`.
    public static let webTokens = RedactionRule(name: "token", way: SecretShapes.webTokens)

    /// Keys and tokens of well-known services, found by their prefixes and lengths; written as `<api-key>`.
    ///
    /// `Docs/Security.md` lists them.
    public static let apiKeys = RedactionRule(name: "api-key", way: SecretShapes.apiKeys)

    /// Private keys in the form of PEM, on one line or several, written as `<private-key>`.
    public static let privateKeys = RedactionRule(name: "private-key", way: SecretShapes.privateKeys)

    /// User and password in addresses, such as `postgres://user:password@host`, written as `<credentials>`.
    public static let urlCredentials = RedactionRule(name: "credentials", way: SecretShapes.urlCredentials)

    /// Card numbers, written as `<card>`.
    ///
    /// They are 13 to 19 digits with a known prefix and a correct check digit (Luhn), without separators or
    /// in groups with spaces or hyphens.
    ///
    /// About one in ten other numbers with such a prefix has a correct check digit by chance, and is
    /// replaced too.
    public static let cardNumbers = RedactionRule(name: "card", way: .numbers(SecretNumbers.card))

    /// Numbers of bank accounts (IBAN) with a correct check sum, written as `<iban>`.
    public static let bankAccounts = RedactionRule(name: "iban", way: .numbers(SecretNumbers.bankAccount))

    /// Numbers of persons, written as `<national-number>`; not in ``RedactionRules/standard``.
    ///
    /// Where a number has a check digit, it must be right. Of those without one, and of short ones, there
    /// are more false alarms: take the countries whose numbers you log.
    public static func nationalNumbers(of countries: Set<NationalNumber>) -> RedactionRule {
        let countries = NationalNumber.allCases.filter(countries.contains)
        return RedactionRule(
            name: "national-number",
            way: .search { bytes, start in
                SecretNumbers.national(countries, in: bytes, from: start)
            })
    }

    /// Email addresses, written as `<email>`.
    public static let emailAddresses = RedactionRule(name: "email", way: SecretShapes.emailAddresses)

    /// Bearer tokens, written as `<token>`: at least 8 characters with a digit, or 20 characters, after the
    /// word `Bearer` in any case.
    public static let bearerTokens = RedactionRule(name: "token", way: SecretShapes.bearerTokens)

    /// Tokens with a known prefix, such as `sk_live_`, followed by letters, digits and `-._~+/=`.
    public static func tokens(startingWith prefix: String, name: String = "token") -> RedactionRule {
        let prefix = Array(prefix.utf8)
        return RedactionRule(
            name: cleaned(name),
            way: .anchored([prefix], isExact: true) { bytes, place, _ in
                place..<bytes.end(of: .token, from: place + prefix.count)
            })
    }

    /// Matches of a regular expression in Swift's syntax.
    ///
    /// A rule costs a few microseconds per text, and much more for some expressions.
    ///
    /// - Throws: ``LogError`` of code `setting` for a wrong expression.
    public static func matching(_ expression: String, name: String) throws -> RedactionRule {
        let expression = try TextExpression(expression)
        return RedactionRule(name: cleaned(name), way: .search { expression.firstRange(in: $0, from: $1) })
    }

    /// Matches of a custom function, which returns the first range of UTF-8 at or after an index, or nil.
    ///
    /// The function is called on the queues of loggers, by several at the same time.
    public static func custom(
        name: String, _ find: @escaping @Sendable (UnsafeRawBufferPointer, Int) -> Range<Int>?
    ) -> RedactionRule {
        RedactionRule(name: cleaned(name), way: .search(find))
    }

    /// ASCII letters, digits and hyphens: a name is written into JSON and the like as it is.
    private static func cleaned(_ name: String) -> String {
        let kept = name.utf8.filter { $0.isAlphanumeric || $0 == .hyphen }
        return kept.isEmpty ? "secret" : String(decoding: kept, as: UTF8.self)
    }
}

/// A country whose numbers of persons a rule finds.
public enum NationalNumber: String, CaseIterable, Sendable {
    /// Social Security numbers of the United States, `123-45-6789`.
    case unitedStates = "us"
    /// National Insurance numbers of the United Kingdom, `QQ123456C`.
    case unitedKingdom = "gb"
    /// Tax identification numbers of Germany: 11 digits with a check digit.
    case germany = "de"
    /// Numbers of the French social security: 15 digits with a check number.
    case france = "fr"
    /// Numbers of identity cards of Spain, and of foreigners: 8 digits and a check letter.
    case spain = "es"
    /// Italian tax codes: 16 letters and digits with a check letter.
    case italy = "it"
    /// Numbers of the Swiss social insurance, which begin with 756, with a check digit.
    case switzerland = "ch"
    /// Brazilian CPF numbers with separators, `123.456.789-09`, with two check digits.
    case brazil = "br"
}

extension UnsafeRawBufferPointer {
    /// Where a run of some characters that begins at an index ends.
    func end(of alphabet: SecretShapes.Alphabet, from start: Int, limit: Int = .max) -> Int {
        var end = start
        while end < count, end - start < limit, alphabet.contains(self[end]) { end += 1 }
        return end
    }

    /// Whether a word can begin at an index: after what is no letter or digit, or after an escape such as
    /// `\n`, `\u000a` and `%20`.
    func beginsWord(at index: Int) -> Bool {
        guard index > 0, self[index - 1].isAlphanumeric || self[index - 1] >= 0x80 else { return true }
        return escapeEnds(at: index)
    }

    /// Whether an escape of JSON or of an address ends in front of an index.
    func escapeEnds(at index: Int) -> Bool {
        if index >= 2, self[index - 2] == .backslash,
            [UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"), UInt8(ascii: "b"), UInt8(ascii: "f")]
                .contains(self[index - 1])
        {
            return true
        }
        if index >= 3, self[index - 3] == .percent, self[index - 1].isHexadecimal,
            self[index - 2].isHexadecimal
        {
            return true
        }
        return index >= 6 && self[index - 6] == .backslash && self[index - 5] == UInt8(ascii: "u")
            && self[(index - 4)..<index].allSatisfy(\.isHexadecimal)
    }

    /// The first place of some bytes, at or after an index.
    func firstRange(of other: [UInt8], from start: Int) -> Range<Int>? {
        guard let base = baseAddress, !other.isEmpty, start <= count,
            let found = hw_find(base + start, count - start, other, other.count)
        else { return nil }
        let place = base.distance(to: found)
        return place..<place + other.count
    }

    /// Whether some bytes are at an index.
    func has(_ other: StaticString, at index: Int, ignoresCase: Bool = false) -> Bool {
        let size = other.utf8CodeUnitCount
        guard let base = baseAddress, index >= 0, index + size <= count else { return false }
        if !ignoresCase { return memcmp(base + index, other.utf8Start, size) == 0 }
        return (0..<size).allSatisfy { self[index + $0].lowercased == other.utf8Start[$0].lowercased }
    }

    /// Where a list or an object ends that begins at a place; nil if it never does.
    ///
    /// - Parameters:
    ///   - start: Where it begins.
    ///   - marks: What a text in it begins with.
    ///   - close: Where such a text ends: its second mark.
    /// - Returns: The place after the last bracket.
    func endOfList(from start: Int, marks: [UInt8], close: (Int) -> Int?) -> Int? {
        var depth = 0
        var index = start
        while index < count {
            switch self[index] {
            case .openBrace, .openBracket: depth += 1
            case .closeBrace, .closeBracket:
                depth -= 1
                if depth == 0 { return index + 1 }
            case let byte where marks.contains(byte):
                guard let end = close(index) else { return nil }
                index = end
            default: break
            }
            index += 1
        }
        return nil
    }
}
