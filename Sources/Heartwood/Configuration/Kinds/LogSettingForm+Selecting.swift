extension LogSettingForm where Value == LogFilter {
    /// A table of `categories`, `exceptCategories` (patterns), `contexts` and `exceptContexts` (numbers): a message passes
    /// when all that are given let it pass.
    public static var filter: LogSettingForm {
        LogSettingForm.table("filter") { settings in
            var filters: [LogFilter] = []
            if let patterns = settings.optional("categories", LogSettingForm<String>.text.list) {
                filters.append(.any(of: patterns.map { .category($0) }))
            }
            if let patterns = settings.optional("exceptCategories", LogSettingForm<String>.text.list) {
                filters.append(!.any(of: patterns.map { .category($0) }))
            }
            let numbers = LogSettingForm<Int>.integer(Int.min...Int.max).list
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

extension LogSettingForm where Value == RedactionRules {
    /// `"standard"`, a list of rules, or a table of `rules` and `shownAs`.
    ///
    /// A rule is `"bearerTokens"`, `"cardNumbers"`, `"emailAddresses"`, `{"startingWith": "sk_live_"}` or
    /// `{"matching": "EXPRESSION", "name": "NAME"}`.
    public static var redaction: LogSettingForm {
        LogSettingForm("redaction", write: "standard, a list of rules, or a table of “rules” and “shownAs”") {
            setting, path, collector in
            if setting.members != nil {
                return LogSettingForm.table("redaction") { settings in
                    let rules = settings.optional("rules", .rules) ?? RedactionRules.standard.rules
                    let shownAs = settings.optional("shownAs", .privacy) ?? .redact
                    return RedactionRules(rules, shownAs: shownAs)
                }.read(setting, path, collector)
            }
            if setting.text == "standard" { return .standard }
            return LogSettingForm<[RedactionRule]>.rules.read(setting, path, collector).map {
                RedactionRules($0)
            }
        }
    }
}

extension LogSettingForm where Value == [RedactionRule] {
    fileprivate static var rules: LogSettingForm { LogSettingForm<RedactionRule>.rule.list }
}

extension LogSettingForm where Value == RedactionRule {
    fileprivate static var rule: LogSettingForm {
        LogSettingForm.choice([
            ("bearerTokens", .bearerTokens), ("cardNumbers", .cardNumbers),
            ("emailAddresses", .emailAddresses),
        ]).or(
            .table("rule") { settings in
                let prefix = settings.optional("startingWith", .text)
                let expression = settings.optional("matching", .text)
                let name = settings.optional("name", .text)
                if (prefix == nil) == (expression == nil) {
                    settings.problem("write either “startingWith” or “matching”")
                    return nil
                }
                if let prefix { return .tokens(startingWith: prefix, name: name ?? "token") }
                guard let expression else { return nil }
                return settings.check("matching") { try .matching(expression, name: name ?? "secret") }
            }, named: "rule", when: { $0.members != nil })
    }
}

extension LogSettingForm where Value == FlightRecorder {
    /// A table of what is held back, and for how long.
    static var flightRecorder: LogSettingForm {
        .table("flight recorder") { settings in
            FlightRecorder(
                holding: settings.optional("holding", .levels) ?? [.debug, .verbose],
                until: settings.optional("until", .levels) ?? .error,
                capacity: settings.optional("capacity", .integer(1...1_000_000)) ?? 500,
                memoryLimit: settings.optional("memoryLimit", .size) ?? .mebibytes(2),
                scope: settings.optional("field", .text).map { .field($0) } ?? .recording,
                announces: settings.optional("announces", .flag) ?? true)
        }
    }
}
