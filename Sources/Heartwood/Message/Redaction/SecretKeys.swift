/// Names that say that a value is secret, and what follows such a name in a text.
final class SecretKeys: Sendable {
    static let standardNames = [
        "password", "passwd", "pwd", "passphrase", "pass", "secret", "token", "api key", "access key",
        "secret key", "private key", "signing key", "encryption key", "master key", "auth key", "account key",
        "shared key", "storage key", "subscription key", "service key", "session key", "functions key",
        "deploy key", "app key", "admin key", "webhook key", "license key", "authorization", "auth", "cookie",
        "session", "session id", "sessid", "sid", "csrf", "xsrf", "credential", "signature", "sig",
        "connection string", "conn str", "jwt", "otp", "cvv", "cvv2", "cvc", "ssn", "psk", "bindpw",
        "requirepass", "storepass", "keypass", "passcode", "code verifier", "device code", "saml response",
        "saml assertion", "code", "identified",
    ]

    static let standardExceptions = [
        "token type", "obsession", "possession", "page token", "next token", "continuation token",
        "sync token", "cancellation token", "mime type", "api key id", "access key id", "private key id",
        "public key", "signature algorithm", "cookie consent", "token bucket", "session code",
    ]

    /// Words of which one after the name says that the value is about the secret, and not the secret.
    private static let tails: Set<String> = [
        "count", "counts", "total", "num", "number", "size", "length", "len", "duration", "time", "timeout",
        "ttl", "age", "maxage", "expiry", "expires", "expired", "expiration", "exp", "expire", "at", "on",
        "type", "kind", "name", "names", "policy", "policies", "url", "uri", "endpoint", "path", "file",
        "dir",
        "format", "algorithm", "alg", "algo", "status", "state", "valid", "invalid", "required", "enabled",
        "disabled", "changed", "created", "updated", "modified", "rotated", "rotation", "hint", "limit",
        "limits", "min", "max", "minimum", "maximum", "version", "store", "manager", "service", "provider",
        "handler", "factory", "class", "index", "usage", "used", "budget", "rate", "remaining", "field",
        "label", "prefix", "suffix", "mode", "method", "attempts", "failures", "retries", "strength", "score",
        "consent", "domain", "samesite", "affinity", "window", "interval", "started", "ended", "closed",
        "opened", "per", "level", "reset", "scope", "scopes", "source", "ref", "arn", "cache", "pool",
        "supported", "present", "provided", "set", "missing", "exists", "verified", "verification", "ok",
        "user", "username", "ms", "seconds", "bytes", "config", "event", "error", "code", "reason",
        "resource", "location", "position", "offset", "change", "changes", "start", "end", "begin", "date",
        "rb", "py", "js", "stdin", "fd", "env", "prompt",
    ]

    /// Words of which one before the name says the same.
    private static let heads: Set<String> = [
        "has", "is", "no", "num", "max", "min", "total", "use", "uses", "with", "without", "require",
        "requires", "needs", "prompt", "completion", "input", "output", "show", "hide", "enable", "disable",
        "allow", "forgot", "change", "verify", "failed", "invalid", "missing", "expired", "public", "active",
    ]

    /// What is special about a name, and the value after it.
    struct Traits: OptionSet {
        let rawValue: UInt16

        /// Only a whole word counts, at the end of the key.
        static let whole = Traits(rawValue: 1)
        /// A word of prose: in a text, an equals sign or a quotation mark must follow.
        static let weak = Traits(rawValue: 2)
        /// What follows the name and a colon in a text is taken whatever it looks like.
        static let strong = Traits(rawValue: 4)
        /// A short number is how many there are, and no secret.
        static let counted = Traits(rawValue: 8)
        /// The value may have blanks: to the end of the line, or of the quotation.
        static let long = Traits(rawValue: 16)
        /// The value may be a path, and is no secret then.
        static let path = Traits(rawValue: 32)
        /// The header that has the name of a scheme in front of its value.
        static let header = Traits(rawValue: 64)
        static let session = Traits(rawValue: 128)
        /// Only a long value of letters and digits is a secret.
        static let random = Traits(rawValue: 256)
        /// SQL's IDENTIFIED BY.
        static let statement = Traits(rawValue: 512)

        /// Those of some names; any other has what its form says.
        private static let known: [String: Traits] = [
            "pass": [.whole, .weak, .strong, .counted], "auth": [.whole, .weak, .counted],
            "sid": [.whole, .weak], "sig": [.whole, .weak], "code": [.whole, .weak, .random],
            "csrf": [], "xsrf": [], "pwd": [.strong, .path], "cookie": [.counted, .long],
            "authorization": [.counted, .long, .header], "connectionstring": [.counted, .long],
            "connstr": [.counted, .long], "identified": [.counted, .statement],
        ]

        init(rawValue: UInt16) { self.rawValue = rawValue }

        init(of name: String) {
            if let known = Traits.known[name] {
                self = known
                return
            }
            self = []
            let isPassword = name.hasPrefix("pass")
            if name.utf8.count <= 4 { insert(.whole) } else if !isPassword { insert(.counted) }
            if isPassword || name.hasSuffix("key") { insert(.strong) }
            if name.hasPrefix("sess") { insert(.session) }
        }
    }

    struct Name: Sendable {
        /// The words without what is between them.
        let letters: [UInt8]
        let traits: Traits

        /// Whether a value can be the secret that the name promises: neither a small number of things, nor
        /// too plain, nor a placeholder.
        func isSecret(_ value: UnsafeRawBufferPointer, isNumber: Bool) -> Bool {
            if isNumber, traits.contains(.counted), value.count < 6 { return false }
            if traits.contains(.random),
                value.count < 16 || !value.contains(where: \.isDigit) || !value.contains(where: \.isLetter)
            {
                return false
            }
            return !SecretKeys.saysNothing(value)
        }
    }

    private let exceptions: [[UInt8]]
    /// A word of each name, at which it is looked for.
    let anchors: [[UInt8]]
    /// The names with this word.
    private let names: [[Name]]
    /// Whether the word is the last one of all these names, so that a longer word is not looked at.
    private let areLast: [Bool]

    /// Makes the names.
    init(_ names: [String], except exceptions: [String]) {
        var anchors: [[UInt8]] = []
        var groups: [[Name]] = []
        var areLast: [Bool] = []
        for name in names {
            let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }.map { Array($0.utf8) }
            guard
                let wanted = words.max(by: {
                    RedactionPlan.rarest(of: $0).rarity < RedactionPlan.rarest(of: $1).rarity
                })
            else { continue }
            let letters = Array(words.joined())
            let made = Name(letters: letters, traits: Traits(of: String(decoding: letters, as: UTF8.self)))
            if let group = anchors.firstIndex(of: wanted) {
                groups[group].append(made)
                areLast[group] = areLast[group] && wanted == words.last
            } else {
                anchors.append(wanted)
                groups.append([made])
                areLast.append(wanted == words.last)
            }
        }
        (self.anchors, self.names, self.areLast) = (anchors, groups, areLast)
        self.exceptions = exceptions.map { $0.lowercased().utf8.filter { $0.isWord && $0 != .underscore } }
            .filter { !$0.isEmpty }
    }

    // MARK: Names

    /// The name of an anchor's names that the name of a field has, without an exception.
    func name(in key: UnsafeRawBufferPointer, anchor: Int) -> Name? {
        let words = KeyWords(UnsafeRawBufferPointer(rebasing: key.suffix(SecretKeys.longestKey)))
        return names[anchor].first { isSecret(words, $0) }
    }

    private func isSecret(_ words: KeyWords, _ name: Name) -> Bool {
        guard let range = words.range(of: name.letters, isWhole: name.traits.contains(.whole)) else {
            return false
        }
        if name.traits.contains(.whole), range.upperBound + 1 < words.letters.count { return false }
        if range.count == words.letters.count { return true }
        if words.containsWord(SecretKeys.heads, in: 0..<range.lowerBound)
            || words.containsWord(SecretKeys.tails, in: range.upperBound..<words.letters.count)
        {
            return false
        }
        return !exceptions.contains { words.range(of: $0, isWhole: true) != nil }
    }

    /// The words of a key: `X-Api-Key`, `apiKey`.
    private struct KeyWords {
        /// The letters and digits in lower case, without what is between words.
        private(set) var letters: [UInt8] = []
        /// At which letters words begin, with a bit for each, and for the end.
        private var starts: UInt128 = 0

        init(_ key: UnsafeRawBufferPointer) {
            letters.reserveCapacity(key.count)
            var isInWord = false
            for index in key.indices {
                let byte = key[index]
                guard byte.isWord, byte != .underscore else {
                    isInWord = false
                    continue
                }
                // A capital begins a word after a small letter, and before one if it is the last of
                // several.
                let isHump =
                    byte.isCapital && index > 0
                    && (!key[index - 1].isCapital
                        || index + 1 < key.count && key[index + 1].isLetter && !key[index + 1].isCapital)
                if !isInWord || isHump { starts |= 1 << UInt128(letters.count) }
                isInWord = true
                letters.append(byte.lowercased)
            }
            starts |= 1 << UInt128(letters.count)
        }

        private func begins(_ index: Int) -> Bool { starts >> UInt128(index) & 1 != 0 }

        /// Where a name is that ends with a word, or with the `s` of a plural; if it is whole, it begins
        /// one as well.
        func range(of name: [UInt8], isWhole: Bool) -> Range<Int>? {
            guard name.count <= letters.count, let last = name.last else { return nil }
            var end = letters.count
            while end >= name.count {
                defer { end -= 1 }
                guard letters[end - 1] == last,
                    begins(end) || letters[end] == UInt8(ascii: "s") && begins(end + 1)
                else { continue }
                let start = end - name.count
                if isWhole, !begins(start) { continue }
                if letters[start..<end].elementsEqual(name) { return start..<end }
            }
            return nil
        }

        /// Whether the last word ends with a name.
        func end(with name: [UInt8]) -> Bool {
            letters.suffix(name.count).elementsEqual(name)
                || letters.last == UInt8(ascii: "s")
                    && letters.dropLast().suffix(name.count).elementsEqual(name)
        }

        func containsWord(_ words: Set<String>, in range: Range<Int>) -> Bool {
            var start = range.lowerBound
            while start < range.upperBound {
                var end = start + 1
                while end < letters.count, !begins(end) { end += 1 }
                if begins(start), words.contains(String(decoding: letters[start..<end], as: UTF8.self)) {
                    return true
                }
                start = end
            }
            return false
        }
    }

    /// How much of a key is looked at.
    private static let longestKey = 64
    /// How long a value with blanks may be.
    private static let longestValue = 16_384

    // MARK: Texts

    /// The value of the key that an anchor is in: where it is, and the quotation marks that a replacement
    /// needs there.
    ///
    /// `marks` is nil where it needs none; otherwise the number of backslashes before each.
    func value(
        in bytes: UnsafeRawBufferPointer, at place: Int, anchor: Int
    ) -> (range: Range<Int>, marks: Int?)? {
        guard let (key, follower) = key(in: bytes, at: place, anchor: anchor) else { return nil }
        let words = KeyWords(UnsafeRawBufferPointer(rebasing: bytes[key].suffix(SecretKeys.longestKey)))
        for name in names[anchor] {
            if name.traits.contains(.weak) && follower.kind == .colon
                || name.traits.contains(.statement) && follower.kind != .blank
            {
                continue
            }
            guard isSecret(words, name) else { continue }
            var reader = ValueReader(bytes: bytes, name: name, follower: follower)
            if follower.kind == .colon, !follower.isSpaced, !words.end(with: name.letters) { continue }
            return reader.read().map { ($0, reader.needsMarks ? follower.backslashes : nil) }
        }
        return nil
    }

    /// Whether a place of a text is in what may be a key, with a value after it.
    func mayBeKey(in bytes: UnsafeRawBufferPointer, at place: Int, anchor: Int) -> Bool {
        key(in: bytes, at: place, anchor: anchor) != nil
    }

    /// The key that an anchor is in, and what is between it and its value.
    private func key(
        in bytes: UnsafeRawBufferPointer, at place: Int, anchor: Int
    ) -> (key: Range<Int>, follower: Follower)? {
        if areLast[anchor], continues(bytes, place + anchors[anchor].count) { return nil }
        let (key, isOption) = SecretKeys.key(in: bytes, around: place)
        return Follower(bytes, key: key, isOption: isOption).map { (key, $0) }
    }

    /// Whether a word goes on at a place with more than the `s` of a plural, as in `tokenizer`.
    private func continues(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Bool {
        func continues(_ index: Int) -> Bool {
            index < bytes.count && bytes[index].isLetter
                && bytes[index].isCapital == bytes[index - 1].isCapital
        }
        guard continues(place) else { return false }
        return bytes[place].lowercased != UInt8(ascii: "s") || continues(place + 1)
    }

    /// The key that a place of a text is in, and whether hyphens are in front of it, as of an option.
    private static func key(in bytes: UnsafeRawBufferPointer, around place: Int) -> (
        Range<Int>, isOption: Bool
    ) {
        var start = place
        while start > 0, place - start < longestKey, isOfKey(bytes[start - 1]),
            !(bytes[start - 1].isAlphanumeric && bytes.escapeEnds(at: start))
        {
            start -= 1
        }
        var end = place
        while end < bytes.count, end - place < longestKey, isOfKey(bytes[end]) { end += 1 }
        let isOption = bytes[start] == .hyphen
        while start < place, bytes[start] == .hyphen || bytes[start] == .period { start += 1 }
        while end > place, bytes[end - 1] == .period || bytes[end - 1] == .hyphen { end -= 1 }
        return (start..<end, isOption)
    }

    private static func isOfKey(_ byte: UInt8) -> Bool {
        byte.isWord || byte == .hyphen || byte == .period
    }

    /// What is between a key and its value.
    private struct Follower {
        enum Kind { case equals, colon, blank, element }
        var kind = Kind.equals
        /// Where the value begins, after blanks.
        var start = 0
        /// Whether the key is in double quotation marks.
        var isQuoted = false
        /// How many backslashes are before each of the key's quotation marks.
        var backslashes = 0
        /// The quotation mark in front of the key, whose value may be inside of the same quotation.
        var opener: UInt8 = 0
        /// Whether a colon is followed by a blank.
        var isSpaced = true
        /// Whether the key is one of several between semicolons, or alone on a line, so that its value may
        /// have blanks.
        var isAlone = false

        init?(_ bytes: UnsafeRawBufferPointer, key: Range<Int>, isOption: Bool) {
            func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
            var index = key.upperBound
            var hasMarks = false
            // The end of a quotation, or of an index: "key", \"key\", 'key', [key], %22key%22.
            if byte(index) == .closeBracket { index += 1 }
            var backslash = index
            while byte(backslash) == .backslash { backslash += 1 }
            if [.quote, .apostrophe, .backtick].contains(byte(backslash)) {
                hasMarks = true
                isQuoted = byte(backslash) == .quote
                backslashes = backslash - index
                index = backslash + 1
                if byte(index) == .closeBracket { index += 1 }
            }
            let afterKey = index
            while byte(index) == .space || byte(index) == .tab { index += 1 }
            let first = key.lowerBound > 0 ? bytes[key.lowerBound - 1] : 0
            if !hasMarks, [.quote, .apostrophe, .backtick].contains(first) { opener = first }
            isAlone =
                first == .semicolon
                || (first == 0 || first == .newline) && index > afterKey && byte(index + 1) == .space
            switch byte(index) {
            case .equals where byte(index + 1) == .equals: return nil
            case .equals:
                index += byte(index + 1) == .greater ? 2 : 1
                kind = .equals
            case .colon where byte(index + 1) == .equals:
                index += 2
                kind = .equals
            case .colon:
                if byte(index + 1) == .colon || bytes.has("://", at: index) { return nil }
                // A colon without a blank is one of a key only where it cannot be one of a path or a time.
                index += 1
                isSpaced = byte(index).isBlank
                kind = hasMarks || first == .colon ? .equals : .colon
            case .percent where bytes.has("%3D", at: index, ignoresCase: true):
                index += 3
                kind = .equals
            case .greater where index == afterKey && Follower.isElement(bytes, before: key.lowerBound):
                index += 1
                kind = .element
            case 0x20...0x7E
            where index > afterKey && Follower.isElement(bytes, before: key.lowerBound)
                && Follower.tagEnd(bytes, index) != nil:
                index = (Follower.tagEnd(bytes, index) ?? index) + 1
                kind = .element
            case .apostrophe where index > afterKey: kind = .blank
            case UInt8(ascii: "B"), UInt8(ascii: "b"), UInt8(ascii: "F"), UInt8(ascii: "f"),
                UInt8(ascii: "v"), .comma:
                // BY '…' and FOR … = '…' of SQL; value: … of a list of names and values.
                guard let place = Follower.clause(bytes, index, isAfterBlank: index > afterKey) else {
                    if index > afterKey, isOption {
                        kind = .blank
                        break
                    }
                    return nil
                }
                index = place
                kind = .blank
            case _ where index > afterKey && isOption && byte(index) != .hyphen: kind = .blank
            default: return nil
            }
            if kind != .element, kind != .blank {
                while byte(index) == .space || byte(index) == .tab { index += 1 }
            }
            guard index < bytes.count else { return nil }
            start = index
        }

        /// Where a tag of XML with attributes ends.
        private static func tagEnd(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int? {
            bytes[start..<Swift.min(bytes.count, start + 200)].firstIndex { $0 == .greater || $0 == .less }
                .flatMap { bytes[$0] == .greater ? $0 : nil }
        }

        /// Where the value begins after words that belong to a key.
        private static func clause(
            _ bytes: UnsafeRawBufferPointer, _ start: Int, isAfterBlank: Bool
        ) -> Int? {
            func has(_ word: StaticString, _ index: Int) -> Bool {
                bytes.has(word, at: index, ignoresCase: true)
            }
            func mark(_ index: Int) -> Int? {
                index < bytes.count && (bytes[index] == .apostrophe || bytes[index] == .quote) ? index : nil
            }
            if isAfterBlank, has("by ", start) { return mark(start + 3) }
            if isAfterBlank, has("for ", start) {
                let line = bytes[start..<Swift.min(bytes.count, start + 200)]
                guard let sign = line.firstIndex(of: .equals), sign + 2 < bytes.count else { return nil }
                return bytes[sign + 1] == .space ? sign + 2 : sign + 1
            }
            var index = start
            if bytes[index] == .comma { index += 1 }
            while index < bytes.count, bytes[index] == .space || bytes[index] == .quote { index += 1 }
            guard index > start || isAfterBlank, has("value", index) else { return nil }
            index += 5
            while index < bytes.count, bytes[index] == .quote || bytes[index] == .apostrophe { index += 1 }
            guard index + 1 < bytes.count, bytes[index] == .colon || bytes[index] == .equals else {
                return nil
            }
            index += 1
            if bytes[index] == .space { index += 1 }
            return index < bytes.count && !bytes[index].isBlank ? index : nil
        }

        /// Whether `<` or `<space:` is in front of a place.
        private static func isElement(_ bytes: UnsafeRawBufferPointer, before place: Int) -> Bool {
            var index = place
            if index > 0, bytes[index - 1] == .colon {
                index -= 1
                while index > 0, SecretKeys.isOfKey(bytes[index - 1]) { index -= 1 }
            }
            return index > 0 && bytes[index - 1] == .less
        }
    }

    /// Reads the value that follows a key in a text.
    private struct ValueReader {
        let bytes: UnsafeRawBufferPointer
        let name: Name
        let follower: Follower
        /// Whether the value is a part of JSON that is no string, which the replacement must be.
        private(set) var needsMarks = false

        init(bytes: UnsafeRawBufferPointer, name: Name, follower: Follower) {
            (self.bytes, self.name, self.follower) = (bytes, name, follower)
        }

        private func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }

        mutating func read() -> Range<Int>? {
            var start = follower.start
            if follower.kind == .element {
                var end = start
                while end < bytes.count, bytes[end] != .less { end += 1 }
                guard byte(end + 1) == .slash else { return nil }
                return accept(start..<end, isQuoted: true)
            }
            // A text of PHP: string(7) "…"; one of Python: b'…', u'…'.
            if bytes.has("string(", at: start) {
                var end = start + 7
                while end - start < 20, byte(end).isDigit { end += 1 }
                if bytes.has(") ", at: end) { start = end + 2 }
            }
            if [UInt8(ascii: "b"), UInt8(ascii: "u"), UInt8(ascii: "B"), UInt8(ascii: "U")].contains(
                byte(start)), [.apostrophe, .quote].contains(byte(start + 1))
            {
                start += 1
            }
            if let range = quoted(from: argument(from: start) ?? start) {
                return accept(withoutScheme(range), isQuoted: true)
            }
            if byte(start) == .openBrace || byte(start) == .openBracket {
                if byte(start + 1) == byte(start) || follower.kind == .colon && follower.isSpaced
                    || name.traits.contains(.weak)
                {
                    return nil
                }
                let end = bytes.endOfList(from: start, marks: [0x22, 0x27]) { quoted(from: $0)?.upperBound }
                let list = start..<(end ?? bytes.count)
                if SecretKeys.saysNothing(UnsafeRawBufferPointer(rebasing: bytes[list])) { return nil }
                needsMarks = follower.isQuoted
                return list
            }
            let range = bare(from: start)
            needsMarks = follower.isQuoted
            return accept(withoutScheme(range), isQuoted: false)
        }

        /// The text that is given to a function, as in `PASSWORD('…')` and `cty.StringVal("…")`.
        private func argument(from start: Int) -> Int? {
            guard byte(start).isLetter else { return nil }
            var index = start
            while index - start < 32, byte(index).isWord || byte(index) == .period { index += 1 }
            return byte(index) == .openParenthesis && [.quote, .apostrophe].contains(byte(index + 1))
                ? index + 1 : nil
        }

        /// What is between quotation marks; to the end of the text where there is no second one.
        private func quoted(from start: Int) -> Range<Int>? {
            var open = start
            while byte(open) == .backslash { open += 1 }
            let mark = byte(open)
            guard mark == .quote || mark == .apostrophe || mark == .backtick else { return nil }
            let depth = open - start
            var index = open + 1
            var backslashes = 0
            while index < bytes.count {
                if bytes[index] == .backslash {
                    backslashes += 1
                } else {
                    let ends = depth == 0 ? backslashes % 2 == 0 : backslashes <= depth
                    if bytes[index] == mark, ends {
                        return (open + 1)..<(index - (depth == 0 ? 0 : backslashes))
                    }
                    // The quotation around this one ends.
                    if depth > 0, bytes[index] == .quote, backslashes < depth { return (open + 1)..<index }
                    backslashes = 0
                }
                index += 1
            }
            return (open + 1)..<bytes.count
        }

        /// A value without quotation marks.
        private func bare(from start: Int) -> Range<Int> {
            let hasBlanks =
                name.traits.contains(.long) && (byte(start).isAlphanumeric || byte(start) == .underscore)
                || name.traits.contains(.strong) && follower.isAlone
            var end = start
            if hasBlanks, isList(start) {
                // Parameters with commas, to the end of the line or of the quotation.
                while end < bytes.count, end - start < SecretKeys.longestValue, bytes[end] >= 0x20,
                    follower.opener == 0 || bytes[end] != follower.opener
                { end += 1 }
            } else {
                while end < bytes.count, end - start < SecretKeys.longestValue || !hasBlanks,
                    !isEnd(end, from: start, hasBlanks)
                { end += 1 }
            }
            while end > start, bytes[end - 1].isBlank { end -= 1 }
            if end - start > 1, bytes[end - 1] == .period { end -= 1 }
            return start..<end
        }

        /// Whether the name of a scheme begins at a place that several parameters follow.
        private func isList(_ start: Int) -> Bool {
            (["Digest ", "AWS4-", "OAuth ", "HMAC "] as [StaticString]).contains {
                bytes.has($0, at: start, ignoresCase: true)
            }
        }

        private func isEnd(_ index: Int, from start: Int, _ hasBlanks: Bool) -> Bool {
            let next = byte(index + 1)
            switch bytes[index] {
            case 0x00...0x08, 0x0A...0x1F: return true
            case .space, .tab:
                if !hasBlanks || next == .less { return true }
                // A header has a scheme and a value; a cookie continues after a semicolon.
                if name.traits.contains(.header) {
                    return bytes[start..<index].contains { $0 == .space || $0 == .tab }
                }
                return name.letters.count == 6 && isPlainCookie && bytes[index - 1] != .semicolon
            case .quote, .apostrophe, .backtick:
                return !hasBlanks || bytes[index] == follower.opener || follower.isAlone
            case .less, .greater: return true
            case .backslash:
                return next == .quote || next == .apostrophe || next == UInt8(ascii: "n")
                    || next == UInt8(ascii: "r") || next == UInt8(ascii: "t")
                    || next == .backslash
            case .comma:
                return next == 0 || next.isBlank || next == .quote || next == .apostrophe
                    || next == .closeBrace
                    || beginsPair(index + 1)
            case .semicolon where follower.isAlone && hasBlanks: return true
            case .semicolon, .bar:
                return !hasBlanks && (next == 0 || next.isBlank || next == .quote || beginsPair(index + 1))
            case .ampersand: return next == 0 || beginsPair(index + 1) || next == .space
            case .closeParenthesis, .closeBracket, .closeBrace:
                return next == 0 || next.isBlank
                    || [
                        .comma, .semicolon, .closeParenthesis, .closeBracket, .closeBrace, .quote,
                        .apostrophe, .period, .colon,
                    ].contains(next)
            default: return false
            }
        }

        /// Whether the header is `Cookie`, and not `Set-Cookie`, whose attributes have blanks.
        private var isPlainCookie: Bool {
            var index = follower.start
            while index > 0, !SecretKeys.isOfKey(bytes[index - 1]) { index -= 1 }
            return !(bytes.has("Set-Cookie", at: index - 10) || bytes.has("set-cookie", at: index - 10))
        }

        /// Whether `name=` or `name:` follows.
        private func beginsPair(_ start: Int) -> Bool {
            var index = start
            while index < bytes.count, index - start < 40, SecretKeys.isOfKey(bytes[index]) { index += 1 }
            return index > start && (byte(index) == .equals || byte(index) == .colon)
        }

        /// What follows the name of a scheme of HTTP, such as `Basic`.
        private func withoutScheme(_ range: Range<Int>) -> Range<Int> {
            guard name.letters.starts(with: Array("auth".utf8)) else { return range }
            var end = range.lowerBound
            while end < range.upperBound, bytes[end].isAlphanumeric || bytes[end] == .hyphen { end += 1 }
            let scheme = String(decoding: bytes[range.lowerBound..<end], as: UTF8.self).lowercased()
            guard SecretKeys.schemes.contains(scheme) else { return range }
            if end < range.upperBound, bytes[end] != .space { return range }
            while end < range.upperBound, bytes[end] == .space { end += 1 }
            if isList(range.lowerBound) { return end..<range.upperBound }
            var last = end
            while last < range.upperBound, !bytes[last].isBlank, bytes[last] != .comma { last += 1 }
            return end..<last
        }

        // MARK: What is no secret

        private func accept(_ range: Range<Int>, isQuoted: Bool) -> Range<Int>? {
            let value = UnsafeRawBufferPointer(rebasing: bytes[range])
            let isNumber = value.allSatisfy { $0.isDigit || $0 == .period }
            guard let first = value.first, name.isSecret(value, isNumber: isNumber), !isCode(value) else {
                return nil
            }
            if first == .colon, follower.kind != .colon,
                value.dropFirst().allSatisfy({ $0.isLetter || $0 == .underscore })
            {
                return nil
            }
            if name.traits.contains(.path), first == .slash { return nil }
            if !name.traits.contains(.strong), isPath(value) { return nil }
            // The number of a session lets nobody in.
            if name.traits.contains(.session), follower.kind == .colon, !isQuoted, isNumeral(value) {
                return nil
            }
            if name.traits.contains(.strong) || follower.kind != .colon || follower.isQuoted {
                if follower.kind == .colon, !isQuoted, !hasSign(value),
                    isFollowedByProse(range.upperBound) || !follower.isSpaced && value.count < 12
                {
                    return nil
                }
                return range
            }
            // After a colon, prose follows as often as a value.
            return hasSign(value) && value.count >= 4 || value.count >= 20 ? range : nil
        }

        /// Whether it is a path of small letters, such as prod/db/main and /etc/app/key.json.
        private func isPath(_ value: UnsafeRawBufferPointer) -> Bool {
            value.contains(.slash)
                && value.allSatisfy {
                    !$0.isCapital
                        && ($0.isAlphanumeric
                            || [.hyphen, .period, .slash, .colon, .underscore].contains($0))
                } && value.split(separator: .slash).allSatisfy { $0.count <= 24 }
        }

        /// Whether it is a number of 64 bits, or several with underscores.
        private func isNumeral(_ value: UnsafeRawBufferPointer) -> Bool {
            if value.count <= 18, value[0] == UInt8(ascii: "0"), value.count > 2,
                value[1] == UInt8(ascii: "x")
            {
                return value.dropFirst(2).allSatisfy(\.isHexadecimal)
            }
            return value.allSatisfy { $0.isDigit || $0 == .underscore }
        }

        /// Whether there is what a word does not have.
        private func hasSign(_ value: UnsafeRawBufferPointer) -> Bool {
            value.contains {
                !($0.isLetter || $0 >= 0x80 || $0 == .space || $0 == .hyphen || $0 == .period
                    || $0 == .underscore
                    || $0 == .slash
                    || $0 == .colon || $0 == .openParenthesis)
            }
        }

        private func isFollowedByProse(_ end: Int) -> Bool {
            byte(end) == .period && byte(end + 1) != 0
                || byte(end) == .space && (byte(end + 1).isLetter || byte(end + 1) == .openParenthesis)
        }

        /// A call, `name(`, or what Java writes for an object, `Name{…` and `Name@1a2b3c`.
        private func isCode(_ value: UnsafeRawBufferPointer) -> Bool {
            guard let first = value.first, first.isLetter else { return false }
            var index = 0
            while index < value.count,
                value[index].isWord || value[index] == .period || value[index] == .dollar
            {
                index += 1
            }
            guard index < value.count, index > 2 else { return false }
            if value[index] == .openParenthesis {
                return index + 1 == value.count || value.last == .closeParenthesis && index + 2 == value.count
            }
            if value[index] == .openBrace { return !name.traits.contains(.strong) && first.isCapital }
            guard value[index] == .at, (5...16).contains(value.count - index - 1) else { return false }
            return value[..<index].contains(.period) && value[(index + 1)...].allSatisfy(\.isHexadecimal)
        }
    }

    /// Whether a value is a word, a mask or a variable in the place of a secret.
    static func saysNothing(_ value: UnsafeRawBufferPointer) -> Bool {
        guard let first = value.first, let last = value.last else { return true }
        if value.count <= 18, value.allSatisfy({ $0.isLetter || placeholderMarks.contains($0) }) {
            var word = ""
            for byte in value where byte.isLetter {
                word.unicodeScalars.append(Unicode.Scalar(byte.lowercased))
            }
            if placeholders.contains(word) { return true }
        }
        let inside = value.dropFirst()
        switch first {
        case .less:
            return last == .greater
                && !inside.dropLast().contains { $0 == .less || $0 == .greater || $0.isBlank }
        case .dollar:
            return value.count > 1
                && (value[1] == .openBrace || inside.allSatisfy { $0.isCapital || $0 == .underscore })
        case .openBrace: return value.count > 1 && value[1] == .openBrace
        case .percent:
            return value.count == 2
                || value.count > 1 && (value[1] == .openBrace || value[1] == .openParenthesis)
        default: break
        }
        if value.count > 2 || first == .asterisk,
            value.allSatisfy({
                [
                    .asterisk, .period, UInt8(ascii: "x"), UInt8(ascii: "X"), .hyphen, .questionMark,
                    .numberSign,
                ].contains($0)
            })
        {
            return true
        }
        // The name of a variable, and the hash that an audit log of Vault has.
        if value.count >= 8, value.count(where: { $0 == .underscore }) > 1,
            value.allSatisfy({ $0.isCapital || $0 == .underscore })
        {
            return true
        }
        if value.has("hmac-sha256:", at: 0) { return true }
        // A mask of bullets, or an ellipsis.
        return value.has("\u{2022}", at: 0) || value.has("\u{2026}", at: 0)
    }

    private static let placeholderMarks: [UInt8] = Array("()[]{}<>-.? ".utf8)

    /// The names of schemes in headers of authorization.
    private static let schemes: Set<String> = [
        "basic", "bearer", "digest", "token", "negotiate", "ntlm", "apikey", "bot", "hmac", "key", "oauth",
        "aws4-hmac-sha256", "splunk", "sharedkey",
    ]

    private static let placeholders: Set<String> = [
        "", "null", "nil", "none", "undefined", "true", "false", "yes", "no", "on", "off", "redacted",
        "hidden", "masked",
        "filtered", "sensitivevalue", "knownafterapply", "private", "sensitive", "protected", "removed",
        "scrubbed", "empty", "unset", "missing",
        "required", "optional", "na",
        "string", "value", "str", "bool", "int", "type", "text", "invalid", "valid", "expired", "incorrect",
        "wrong", "failed", "ok", "disabled", "enabled", "changed",
    ]
}
