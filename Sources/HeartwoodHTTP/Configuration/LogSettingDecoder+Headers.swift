import Heartwood
import HeartwoodConfiguration

extension LogSettingDecoder where Value == [RequestDecorator] {
    /// A table of fields: text, or a secret with the text in front of it,
    /// `{"prefix": "Token ", "secret": {"environment": "NAME"}}`.
    static var headers: LogSettingDecoder {
        LogSettingDecoder.object("headers") { settings in
            var decorators: [RequestDecorator] = []
            for member in settings.setting.members ?? [] where !member.key.hasPrefix("//") {
                if !isName(member.key) {
                    settings.problem("“\(member.key)” is not a valid header field name", at: member.key)
                }
                if let decorator = settings.optional(
                    member.key, LogSettingDecoder<RequestDecorator>.field(member.key))
                {
                    decorators.append(decorator)
                }
            }
            return decorators
        }
    }

    /// A token of RFC 9110.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { $0.isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }
}

extension LogSettingDecoder where Value == RequestDecorator {
    /// The value of one header field.
    fileprivate static func field(_ name: String) -> LogSettingDecoder {
        LogSettingDecoder.object("header field") { settings in
            let prefix = settings.optional("prefix", .string) ?? ""
            return settings.required("secret", .secret).content.map {
                .header(name, secret: $0.name, from: $0, prefix: prefix)
            }
        }.orText { text in
            guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == .tab }) else {
                throw LogError(.setting, "a header field must not contain line breaks or control characters")
            }
            return .header(name, text)
        }
    }

    /// `{"bearer": SECRET}`, or `{"user": "name", "password": SECRET}`.
    static var authorization: LogSettingDecoder {
        .object("authorization") { settings in
            let bearer = settings.optional("bearer", .secret)
            let user = settings.optional("user", .string)
            let password = settings.optional("password", .secret)
            if let bearer, user == nil, password == nil {
                return .bearer(named: bearer.name, from: bearer)
            }
            if let user, let password, bearer == nil {
                return .basicAuth(user: user, passwordNamed: password.name, from: password)
            }
            let given = Set((settings.setting.members ?? []).map(\.key))
            if given != ["bearer"], given != ["user", "password"] {
                settings.problem("use either “bearer”, or “user” and “password”")
            }
            return nil
        }
    }
}
