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
    /// A rule is `"bearerTokens"`, `"cardNumbers"`, `"emailAddresses"`, `{"startingWith": "sk_live_"}` or
    /// `{"matching": "EXPRESSION", "name": "NAME"}`.
    public static var redaction: LogSettingDecoder {
        LogSettingDecoder(
            "redaction", write: "standard, a list of rules, or an object with “rules” and “replacement”"
        ) {
            setting, path, collector in
            if setting.members != nil {
                return LogSettingDecoder.object("redaction") { settings in
                    let rules = settings.optional("rules", .rules) ?? RedactionRules.standard.rules
                    let replacement = settings.optional("replacement", .privacy) ?? .redact
                    return RedactionRules(rules, replacement: replacement)
                }.read(setting, path, collector)
            }
            if setting.string == "standard" { return .standard }
            return LogSettingDecoder<[RedactionRule]>.rules.read(setting, path, collector).map {
                RedactionRules($0)
            }
        }
    }
}

extension LogSettingDecoder where Value == [RedactionRule] {
    fileprivate static var rules: LogSettingDecoder { LogSettingDecoder<RedactionRule>.rule.list }
}

extension LogSettingDecoder where Value == RedactionRule {
    fileprivate static var rule: LogSettingDecoder {
        LogSettingDecoder.choice([
            ("bearerTokens", .bearerTokens), ("cardNumbers", .cardNumbers),
            ("emailAddresses", .emailAddresses),
        ]).or(
            .object("rule") { settings in
                let prefix = settings.optional("startingWith", .string)
                let expression = settings.optional("matching", .string)
                let name = settings.optional("name", .string)
                if (prefix == nil) == (expression == nil) {
                    settings.problem("use either “startingWith” or “matching”")
                    return nil
                }
                if let prefix { return .tokens(startingWith: prefix, name: name ?? "token") }
                guard let expression else { return nil }
                return settings.check("matching") { try .matching(expression, name: name ?? "secret") }
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
