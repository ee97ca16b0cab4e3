public import Heartwood

extension LogSettingDecoder where Value == LogFilter {
    /// Decodes a filter: an object of `categories` and `exceptCategories` (patterns), `contexts` and
    /// `exceptContexts` (numbers).
    ///
    /// A message passes if it meets all given conditions.
    public static var filter: LogSettingDecoder {
        LogSettingDecoder.object("filter") { settings in
            var filters: [LogFilter] = []
            if let patterns = settings.optional("categories", LogSettingDecoder<String>.string.list) {
                filters.append(.any(of: patterns.map { .category($0) }))
            }
            if let patterns = settings.optional("exceptCategories", LogSettingDecoder<String>.string.list) {
                filters.append(!.any(of: patterns.map { .category($0) }))
            }
            let numbers = LogSettingDecoder<Int>.integer(Int.min...Int.max).list
            if let contexts = settings.optional("contexts", numbers) {
                filters.append(.contexts(Set(contexts)))
            }
            if let contexts = settings.optional("exceptContexts", numbers) {
                filters.append(.contexts(except: Set(contexts)))
            }
            return .all(of: filters)
        }
    }
}

extension LogSettingDecoder where Value == RedactionRules {
    /// Decodes redaction rules: `"standard"`, a list of rules, or an object of `rules` and `replacement`.
    ///
    /// A rule is `"standard"` for all of these, `"keys"`, `"bearerTokens"`, `"webTokens"`, `"apiKeys"`,
    /// `"privateKeys"`, `"urlCredentials"`, `"cardNumbers"`, `"bankAccounts"`, `"emailAddresses"`,
    /// `"nationalNumbers"`, `{"keys": NAMES, "except": NAMES}`, `{"nationalNumbers": ["us", "gb"]}`,
    /// `{"startingWith": "sk_live_"}` or `{"matching": "EXPRESSION", "name": "NAME"}`.
    public static var redaction: LogSettingDecoder {
        LogSettingDecoder(
            "redaction", write: "standard, a list of rules, or an object with “rules” and “replacement”"
        ) {
            setting, path, collector in
            let rules = LogSettingDecoder<[RedactionRule]>.rules.list
            if setting.members != nil {
                return LogSettingDecoder.object("redaction") { settings in
                    let rules = settings.optional("rules", rules)?.flatMap(\.self)
                    let replacement = settings.optional("replacement", .privacy) ?? .redact
                    return RedactionRules(rules ?? RedactionRules.standard.rules, replacement: replacement)
                }.read(setting, path, collector)
            }
            if setting.string == "standard" { return .standard }
            return rules.read(setting, path, collector).map { RedactionRules($0.flatMap(\.self)) }
        }
    }
}

extension LogSettingDecoder where Value == [RedactionRule] {
    /// One element of a list of rules, which may name several.
    fileprivate static var rules: LogSettingDecoder {
        LogSettingDecoder.choice(RedactionRules.named.map { ($0.name, $0.rules) }).or(
            .object("rule") { settings in
                let names = LogSettingDecoder<String>.string.list
                let keys = settings.optional("keys", names)
                let exceptions = settings.optional("except", names)
                let countries = settings.optional(
                    "nationalNumbers",
                    LogSettingDecoder<NationalNumber>.choice(
                        NationalNumber.allCases.map { ($0.rawValue, $0) }
                    ).list)
                let prefix = settings.optional("startingWith", .string)
                let expression = settings.optional("matching", .string)
                let name = settings.optional("name", .string)
                let given = [keys != nil, countries != nil, prefix != nil, expression != nil]
                guard given.count(where: { $0 }) == 1 else {
                    settings.problem("use one of “keys”, “nationalNumbers”, “startingWith” and “matching”")
                    return nil
                }
                if exceptions != nil, keys == nil { settings.problem("“except” belongs to “keys”") }
                if let keys {
                    return [.keys(keys, except: exceptions ?? RedactionRule.standardExceptions)]
                }
                if let countries { return [.nationalNumbers(of: Set(countries))] }
                if let prefix { return [.tokens(startingWith: prefix, name: name ?? "token")] }
                guard let expression else { return nil }
                return settings.check("matching") { [try .matching(expression, name: name ?? "secret")] }
            }, named: "rule", when: { $0.members != nil })
    }
}

extension LogSettingDecoder where Value == FlightRecorder {
    /// A table of what is held back, and for how long.
    static var flightRecorder: LogSettingDecoder {
        .object("flight recorder") { settings in
            let standard = FlightRecorder()
            return FlightRecorder(
                holding: settings.optional("holding", .levels) ?? standard.heldLevels,
                until: settings.optional("until", .levels) ?? standard.triggers,
                capacity: settings.optional("capacity", .integer(1...1_000_000)) ?? standard.capacity,
                memoryLimit: settings.optional("memoryLimit", .size) ?? standard.memoryLimit,
                scope: settings.optional("field", .string).map { .field($0) } ?? standard.scope,
                announces: settings.optional("announces", .bool) ?? standard.announces)
        }
    }
}
