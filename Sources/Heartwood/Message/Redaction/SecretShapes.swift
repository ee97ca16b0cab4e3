/// Finds secrets by what they look like.
enum SecretShapes {
    /// The characters that a token is made of.
    enum Alphabet: Sendable {
        case hexadecimal, alphanumeric, capitals, words, token, path

        func contains(_ byte: UInt8) -> Bool {
            if byte.isAlphanumeric {
                return switch self {
                case .hexadecimal: byte.isHexadecimal
                case .capitals: !byte.isLetter || byte.isCapital
                default: true
                }
            }
            return switch self {
            case .hexadecimal, .alphanumeric, .capitals: false
            case .words: byte == .hyphen || byte == .underscore
            case .token:
                [.hyphen, .period, .underscore, UInt8(ascii: "~"), .plus, .slash, .equals].contains(byte)
            case .path: byte == .slash
            }
        }
    }

    // MARK: Tokens of services

    /// What the tokens of a service begin with, and how many characters of which kind follow.
    private struct Service {
        let prefix: String
        let alphabet: Alphabet
        let length: ClosedRange<Int>
        /// Whether there must be a digit and a letter, as the prefix is an ordinary text, too.
        let isMixed: Bool

        init(_ prefix: String, _ alphabet: Alphabet, _ length: ClosedRange<Int>, isMixed: Bool = false) {
            (self.prefix, self.alphabet, self.length, self.isMixed) = (prefix, alphabet, length, isMixed)
        }
    }

    private static let services: [Service] =
        ["AKIA", "ASIA", "ABIA", "ACCA"].map { Service($0, .capitals, 16...16) }
        + ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map { Service($0, .alphanumeric, 30...255) }
        + [
            "glpat-", "gldt-", "glrt-", "glft-", "glsoat-", "glcbt-", "glptt-", "glagent-", "glimt-",
            "gloas-", "GR1348941",
        ].map { Service($0, .token, 20...320) }
        + ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xoxe.", "xapp-"]
        .map { Service($0, .token, 10...400, isMixed: true) }
        + ["sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_", "whsec_"]
        .map { Service($0, .token, 10...255) }
        + ["sk-proj-", "sk-ant-", "sk-svcacct-", "sk-admin-", "sk-or-"].map { Service($0, .words, 20...255) }
        + ["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"].map { Service($0, .hexadecimal, 32...32) }
        + ["sq0csp-", "sq0atp-", "sq0idp-"].map { Service($0, .words, 22...64) }
        + ["dop_v1_", "doo_v1_", "dor_v1_"].map { Service($0, .hexadecimal, 64...64) }
        + ["hvs.", "hvb.", "hvr."].map { Service($0, .words, 20...400, isMixed: true) }
        + ["pscale_tkn_", "pscale_pw_", "pscale_oauth_"].map { Service($0, .token, 20...64) }
        + ["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."].map {
            Service($0, .token, 32...64)
        }
        + ["glsa_", "glc_"].map { Service($0, .token, 30...400) }
        + ["sntrys_", "sntryu_"].map { Service($0, .token, 40...400) }
        + [
            Service("github_pat_", .words, 22...255), Service("AIza", .words, 35...35),
            Service("ya29.", .token, 20...400), Service("GOCSPX-", .words, 28...28),
            Service("1//0", .words, 40...200, isMixed: true),
            Service("hooks.slack.com/services/", .path, 20...100),
            Service("hooks.slack.com/workflows/", .path, 20...100),
            Service("discord.com/api/webhooks/", .token, 40...120),
            Service("discordapp.com/api/webhooks/", .token, 40...120),
            Service("xkeysib-", .words, 40...120),
            Service("sk-", .alphanumeric, 32...128, isMixed: true),
            Service("SG.", .token, 60...80), Service("npm_", .alphanumeric, 36...36),
            Service("pypi-AgEI", .words, 50...1000), Service("hf_", .alphanumeric, 30...40),
            Service("api_org_", .alphanumeric, 30...40), Service("EAAA", .words, 56...70, isMixed: true),
            Service("SK", .hexadecimal, 32...32), Service("key-", .hexadecimal, 32...32),
            Service("dapi", .hexadecimal, 32...32), Service("sl.", .words, 60...400, isMixed: true),
            Service("ATATT3", .token, 50...400), Service("NRAK-", .capitals, 27...27),
            Service("NRII-", .words, 32...32), Service("lin_api_", .alphanumeric, 32...64),
            Service("PMAK-", .words, 24...80), Service("AGE-SECRET-KEY-1", .capitals, 58...58),
            Service("pul-", .hexadecimal, 40...40), Service("HRKU-", .words, 36...80),
            Service("rubygems_", .hexadecimal, 48...48), Service("figd_", .words, 32...64),
            Service("sgp_", .words, 40...80), Service("ntn_", .alphanumeric, 40...60),
            Service("r8_", .alphanumeric, 37...40), Service("gsk_", .alphanumeric, 40...60),
            Service("xai-", .alphanumeric, 70...90), Service("pplx-", .alphanumeric, 40...60),
            Service("AKCp", .alphanumeric, 60...80), Service("dckr_pat_", .words, 27...40),
            Service("CFPAT-", .words, 40...48), Service("LTAI", .alphanumeric, 16...24, isMixed: true),
            Service("nfp_", .alphanumeric, 36...48), Service("tvly-", .words, 28...48),
            Service("shippo_live_", .hexadecimal, 40...40), Service("duffel_live_", .words, 43...43),
            Service("EZAK", .alphanumeric, 54...54), Service("rdme_", .alphanumeric, 70...70),
            Service("fio-u-", .token, 64...64), Service("sk_", .alphanumeric, 40...64, isMixed: true),
        ]

    /// Telegram's bots: a number before the colon; Terraform's: fourteen characters before the dot.
    private static let inner: [Service] = [
        Service(":AA", .words, 33...33), Service(".atlasv1.", .token, 60...70),
    ]

    static let apiKeys: RedactionRule.Way = {
        let all = services + inner
        return .anchored(all.map { Array($0.prefix.utf8) }, isExact: true) { bytes, place, number in
            let service = all[number]
            let tail = place + service.prefix.utf8.count
            var end = bytes.end(of: service.alphabet, from: tail, limit: service.length.upperBound + 1)
            if end < bytes.count, bytes[end].isWord, service.length.lowerBound == service.length.upperBound {
                return nil
            }
            // A full stop or a slash at the end does not belong to the token.
            while end > tail, bytes[end - 1] == .period || bytes[end - 1] == .slash { end -= 1 }
            guard service.length.contains(end - tail) else { return nil }
            let text = bytes[tail..<end]
            if service.isMixed, !(text.contains(where: \.isDigit) && text.contains(where: \.isLetter)) {
                return nil
            }
            if number < services.count {
                guard bytes.beginsWord(at: place) else { return nil }
                // The address of a service tells nothing.
                return (service.prefix.last == "/" ? tail : place)..<end
            }
            let isBot = number == services.count
            var start = place
            while start > 0, isBot ? bytes[start - 1].isDigit : bytes[start - 1].isAlphanumeric { start -= 1 }
            let isKnown =
                isBot
                ? (8...10).contains(place - start)
                : place - start == 14
            return isKnown ? start..<end : nil
        }
    }()

    // MARK: Tokens of any issuer

    static let webTokens = RedactionRule.Way.anchored([Array("eyJ".utf8)], isExact: true) { bytes, place, _ in
        // Not inside of another token: what is looked at may be long.
        guard bytes.beginsWord(at: place),
            place == 0 || !Alphabet.words.contains(bytes[place - 1])
                || bytes.escapeEnds(at: place)
        else { return nil }
        var end = bytes.end(of: .words, from: place)
        guard end - place >= 12 else { return nil }
        var parts = 1
        while parts < 5, end < bytes.count, bytes[end] == .period {
            let next = bytes.end(of: .words, from: end + 1)
            // The second of five may be empty, and so may the last of three.
            if next == end + 1, parts == 1, !(next < bytes.count && bytes[next] == .period) { break }
            parts += 1
            end = next
        }
        guard parts >= 2, end - place >= 24 else { return nil }
        if bytes[end - 1] == .period, parts != 3 { end -= 1 }
        return place..<end
    }

    /// What follows the word `Bearer`, and SMTP's commands that log in.
    static let bearerTokens: RedactionRule.Way = {
        let words = ["bearer", "auth plain ", "auth login "].map { Array($0.utf8) }
        return .anchored(words, isExact: false) { bytes, place, number in
            var start = place + words[number].count
            while start < bytes.count,
                bytes[start] == .space || bytes[start] == .tab || bytes[start] == .colon
            {
                start += 1
            }
            guard number > 0 || start > place + words[0].count, bytes.beginsWord(at: place) else {
                return nil
            }
            let end = bytes.end(of: .token, from: start)
            let hasDigit = bytes[start..<end].contains(where: \.isDigit)
            return end - start >= (hasDigit ? 8 : 20) ? start..<end : nil
        }
    }()

    // MARK: Keys

    /// The marks of PEM around a private key, and what its label ends with.
    static let (keyBegin, keyEnd) = (Array("-----BEGIN ".utf8), Array("-----END ".utf8))
    static let (keyLabel, keyDashes) = (Array("PRIVATE KEY".utf8), Array("-----".utf8))

    static let privateKeys = RedactionRule.Way.anchored([keyBegin], isExact: true) { bytes, place, _ in
        let label = place + keyBegin.count
        var end = label
        while end < bytes.count, bytes[end].isCapital || bytes[end].isDigit || bytes[end] == .space {
            end += 1
        }
        guard bytes.has("-----", at: end), end - label < 64,
            UnsafeRawBufferPointer(rebasing: bytes[label..<end])
                .firstRange(of: keyLabel, from: 0) != nil
        else { return nil }
        guard let last = bytes.firstRange(of: keyEnd, from: end) else { return place..<bytes.count }
        let close = bytes.firstRange(of: keyDashes, from: last.upperBound)
        return place..<(close?.upperBound ?? bytes.count)
    }

    // MARK: Addresses

    static let urlCredentials = RedactionRule.Way.anchored([Array("://".utf8)], isExact: true) {
        bytes, place, _ in credentials(bytes, place)
    }

    /// What is in front of the server in an address whose `://` is at a place.
    private static func credentials(_ bytes: UnsafeRawBufferPointer, _ place: Int) -> Range<Int>? {
        guard place > 0, bytes[place - 1].isAlphanumeric else { return nil }
        let start = place + 3
        var end = start
        /// Where the authority ends, if it is written as it should be.
        var authority: Int?
        var (at, lastAt, colon): (Int?, Int?, Int?)
        scan: while end < min(bytes.count, start + 1024) {
            switch bytes[end] {
            case 0...0x20, 0x22, 0x27, 0x3C, 0x3E, 0x5C, 0x60, 0x7F: break scan
            case .slash, .questionMark, .numberSign: authority = authority ?? end
            case .at:
                if authority == nil { at = end }
                lastAt = end
            case .colon: if authority == nil, at == nil { colon = colon ?? end }
            default: break
            }
            end += 1
        }
        if at == nil, let colon, let authority, let lastAt {
            // A slash in a password, unless what follows the colon is a port.
            let isPort = bytes[(colon + 1)..<authority].allSatisfy(\.isDigit)
            if !isPort, bytes[start] != .openBracket { at = lastAt }
        }
        guard let at, at > start, at + 1 < bytes.count, bytes[at + 1].isWord || bytes[at + 1] == .openBracket
        else {
            return nil
        }
        if let colon, colon < at {
            let password = bytes[(colon + 1)..<at]
            let isHidden = password.allSatisfy {
                [.asterisk, UInt8(ascii: "x"), UInt8(ascii: "X")].contains($0)
            }
            return password.isEmpty || isHidden ? nil : start..<at
        }
        // A token in the place of a user.
        return at - start >= 16 && bytes[start..<at].contains(where: \.isDigit) ? start..<at : nil
    }

    static let emailAddresses = RedactionRule.Way.anchored(
        ["@", "%40"].map { Array($0.utf8) }, isExact: true
    ) {
        bytes, at, form in
        var begin = at
        while begin > 0, at - begin < 128, isLocal(bytes[begin - 1]) || isApostrophe(bytes, begin - 1) {
            begin -= 1
        }
        if begin > 0, bytes[begin - 1] == .backslash {
            // What follows a backslash is a part of an escape.
            begin += begin + 5 <= at && bytes.escapeEnds(at: begin + 5) ? 5 : 1
        }
        while begin < at, bytes[begin] == .period || bytes[begin] == .percent { begin += 1 }
        if begin >= at { return nil }
        // What is in front of the server in an address is no mailbox, and the server stays.
        if bytes.has("git@", at: begin), at == begin + 3 { return nil }
        if bytes.has("://", at: begin - 3) { return credentials(bytes, begin - 3) }
        if begin > 0, bytes[begin - 1] == .colon || bytes[begin - 1] == .slash,
            let mark = addressMark(bytes, before: begin), let range = credentials(bytes, mark),
            range.upperBound == at
        {
            return range
        }
        // The domain ends after its last label that is a word.
        let domain = at + (form == 0 ? 1 : 3)
        var end = domain
        var labelStart = end
        var goodEnd: Int?
        var lastLabel = end
        while end <= bytes.count, end - domain < 256 {
            let isLabel =
                end < bytes.count && (bytes[end].isWord && bytes[end] != .underscore || bytes[end] == .hyphen)
            if isLabel {
                end += 1
                continue
            }
            if end == labelStart { break }
            if labelStart > domain, end - labelStart >= 2, !bytes[end - 1].isDigit {
                (goodEnd, lastLabel) = (end, labelStart)
            }
            guard end < bytes.count, bytes[end] == .period else { break }
            end += 1
            labelStart = end
        }
        guard let goodEnd, !fileEndings.contains(String(decoding: bytes[lastLabel..<goodEnd], as: UTF8.self))
        else { return nil }
        return begin..<goodEnd
    }

    /// Where `://` is in front of a place of the same address.
    private static func addressMark(_ bytes: UnsafeRawBufferPointer, before place: Int) -> Int? {
        var index = place - 1
        while index >= 0, place - index < 256, !bytes[index].isBlank {
            if bytes.has("://", at: index) { return index }
            index -= 1
        }
        return nil
    }

    /// What follows an `@` with such an ending is a unit of systemd, or a picture.
    private static let fileEndings: Set<String> = [
        "service", "socket", "target", "timer", "slice", "scope", "mount", "device", "png", "jpg", "jpeg",
        "gif", "svg",
        "webp", "js", "css", "local",
    ]

    /// Whether an apostrophe is inside of a name, as in O'Brien.
    private static func isApostrophe(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Bool {
        bytes[index] == .apostrophe && index > 0 && bytes[index - 1].isLetter && bytes[index + 1].isLetter
    }

    private static func isLocal(_ byte: UInt8) -> Bool {
        byte.isWord || byte == .period || byte == .hyphen || byte == .plus || byte == .percent
    }
}
