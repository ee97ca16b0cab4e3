import Heartwood

/// A change that is made to every request before it is sent; pure, so that decorators compose.
///
/// Later ones see what earlier ones did, and of two that set the same field the later wins. A decorator is
/// called for each attempt, so that what depends on the time or on a token that is renewed is always fresh.
///
/// ```swift
/// logger.decorators = [.bearer(named: "LOG_TOKEN", from: EnvironmentSecrets()), .header("X-Team", "core")]
/// logger.decorators.append(RequestDecorator { $0.with(header: "X-Sent-At", "\(Date.now)") })
/// ```
public struct RequestDecorator: Sendable {
    private let change: @Sendable (HTTPRequest) throws -> HTTPRequest
    /// The files that its secrets are read from.
    let files: [String]

    /// Takes a function that makes the changed request; it may be called on any thread, for each attempt.
    ///
    /// One that throws holds the sending back; nothing is lost by it.
    public init(_ change: @escaping @Sendable (HTTPRequest) throws -> HTTPRequest) {
        self.init(files: [], change)
    }

    private init(files: [String], _ change: @escaping @Sendable (HTTPRequest) throws -> HTTPRequest) {
        self.files = files
        self.change = change
    }

    /// Changes requests by a secret, which it asks for at each attempt.
    init(
        secret name: String, from provider: any SecretProvider,
        _ change: @escaping @Sendable (HTTPRequest, Secret) throws -> HTTPRequest
    ) {
        self.init(files: provider.file(of: name).map { [$0] } ?? []) {
            try change($0, provider.secret(named: name))
        }
    }

    /// The changed request.
    ///
    /// - Throws: what the function threw.
    public func callAsFunction(_ request: HTTPRequest) throws -> HTTPRequest { try change(request) }

    /// Both changes as one, this one first.
    public func then(_ next: RequestDecorator) -> RequestDecorator {
        RequestDecorator(files: files + next.files) { try next(self($0)) }
    }

    /// All the changes as one, in their order.
    package static func all(_ decorators: [RequestDecorator]) -> RequestDecorator {
        RequestDecorator(files: decorators.flatMap(\.files)) { request in
            try decorators.reduce(request) { try $1($0) }
        }
    }
}
