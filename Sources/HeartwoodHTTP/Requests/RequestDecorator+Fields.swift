public import Heartwood

extension RequestDecorator {
    /// Sets a header field.
    public static func header(_ name: String, _ value: String) -> RequestDecorator {
        RequestDecorator { $0.with(header: name, value) }
    }

    /// Sets a header field to a secret, which is asked for at each attempt, after `prefix`.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - secret: The name under which the provider knows the secret.
    ///   - provider: Where the secret comes from; if it throws, the sending is held.
    ///   - prefix: Text in front of the secret, `Bearer ` for instance; none unless given.
    /// - Returns: the decorator.
    public static func header(
        _ name: String, secret: String, from provider: any SecretProvider, prefix: String = ""
    ) -> RequestDecorator {
        RequestDecorator(secret: secret, from: provider) { request, value in
            let isUsable = value.withBytes { $0.allSatisfy { $0 >= 0x20 && $0 != 0x7F } }
            guard isUsable else {
                throw LogError(
                    .secret, "the secret has a line break or another control character in it; write it again",
                    place: provider.file(of: secret) ?? secret)
            }
            return request.with(header: name, prefix + value.revealed())
        }
    }

    /// Says which program is sending.
    package static func userAgent(_ name: String) -> RequestDecorator { header("User-Agent", name) }

    /// Logs in with a name and a password (HTTP Basic).
    public static func basicAuth(user: String, password: Secret) -> RequestDecorator {
        RequestDecorator { $0.with(header: "Authorization", basic(user, password)) }
    }

    /// Logs in with a name and a password that is asked for at each attempt.
    ///
    /// - Parameters:
    ///   - user: The name.
    ///   - name: The name under which the provider knows the password.
    ///   - provider: Where the password comes from; if it throws, the sending is held.
    /// - Returns: the decorator.
    public static func basicAuth(
        user: String, passwordNamed name: String, from provider: any SecretProvider
    ) -> RequestDecorator {
        RequestDecorator(secret: name, from: provider) { $0.with(header: "Authorization", basic(user, $1)) }
    }

    /// Shows a token (`Authorization: Bearer …`).
    public static func bearer(_ token: Secret) -> RequestDecorator {
        RequestDecorator { $0.with(header: "Authorization", "Bearer " + token.revealed()) }
    }

    /// Shows a token that is asked for at each attempt.
    public static func bearer(named name: String, from provider: any SecretProvider) -> RequestDecorator {
        header("Authorization", secret: name, from: provider, prefix: "Bearer ")
    }

    private static func basic(_ user: String, _ password: Secret) -> String {
        let pair = Array(user.utf8) + [UInt8(ascii: ":")] + password.withBytes { Array($0) }
        return "Basic " + Base64.encode(pair)
    }
}
