import Heartwood
import HeartwoodHTTP

/// How messages are sent to a server, by the options that `pipe` and `spool` share.
struct RemoteOptions {
    /// The forms that requests can have.
    private static let encodings = EncodingKind.all.filter { $0.make != nil }

    let url: String
    private(set) var encoding = RemoteOptions.encodings[0]
    let headers: [(name: String, value: String)]
    let isCompressed: Bool
    let tokenFile: String?
    let allowsInsecureHTTP: Bool
    private(set) var security = TransportOptions()
    let hasStructuredMetadata: Bool

    /// The options, without the one that names the server.
    static let options = [
        Option(
            "--encoding", value: "NAME",
            help:
                "The format of the requests: \(names.joined(separator: ", ")); \(names[0]), an array of "
                + "objects, by default."),
        Option(
            "--header", value: "NAME:VALUE", isRepeatable: true,
            help: "Adds a header field to each request. Other users can see the arguments of a process, so "
                + "put a secret in --token-file instead. May be given several times."),
        Option("--gzip", help: "Compresses the requests, where the encoding allows it."),
        Option(
            "--token-file", value: "FILE",
            help: "Sends the secret in FILE, which no other user may change: as a bearer token, or as splunk "
                + "and datadog require. The file is read again for each request."),
        Option("--insecure-http", help: "Allows unencrypted http:// to other machines."),
        Option(
            "--ca-file", value: "FILE", help: "Trusts the certificates in FILE (PEM) instead of the system's."
        ),
        Option("--client-cert", value: "FILE", help: "Shows the certificate in FILE (PEM) to the server."),
        Option(
            "--client-key", value: "FILE", help: "The private key of --client-cert, if it is in another file."
        ),
        Option(
            "--pin", value: "KEY", isRepeatable: true,
            help: "Accepts only a server with this public key: sha256// and the Base64 of its SHA-256. May "
                + "be given several times."),
        Option(
            "--loki-json",
            help: "For --encoding loki and servers without structured metadata: makes each line a JSON "
                + "object."),
    ]

    private static let names = encodings.map(\.name)
    /// What a program is called that was not given a name.
    static let defaultService = "pipe"

    /// Reads the options; nil where no server is named.
    ///
    /// - Parameters:
    ///   - arguments: The subcommand's.
    ///   - server: The option that names the server.
    /// - Throws: ``UsageError`` if they are not valid.
    init?(_ arguments: Arguments, server: String) throws {
        guard let url = arguments.value(server) else {
            for option in RemoteOptions.options where arguments.has(option.names[0]) {
                throw UsageError(
                    "\(option.names[0]) configures sending, but no destination is given; add \(server) URL")
            }
            return nil
        }
        self.url = url
        if let name = arguments.value("--encoding") {
            guard let encoding = RemoteOptions.encodings.first(where: { $0.name == name }) else {
                let near = Spelling.suggestion(Spelling.nearest(to: name, among: RemoteOptions.names))
                throw UsageError(
                    "--encoding: unknown encoding “\(name)”\(near); available: "
                        + RemoteOptions.names.joined(separator: ", "))
            }
            self.encoding = encoding
        }
        headers = try arguments.values("--header").map(RemoteOptions.header)
        isCompressed = arguments.has("--gzip")
        tokenFile = arguments.value("--token-file")
        allowsInsecureHTTP = arguments.has("--insecure-http")
        security.caCertificateFile = arguments.value("--ca-file")
        security.clientCertificateFile = arguments.value("--client-cert")
        security.clientKeyFile = arguments.value("--client-key")
        security.pinnedPublicKeys = arguments.values("--pin")
        hasStructuredMetadata = !arguments.has("--loki-json")
        if !hasStructuredMetadata, encoding.name != "loki" {
            throw UsageError("--loki-json is for --encoding loki")
        }
    }

    private static func header(_ text: String) throws -> (name: String, value: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw UsageError("--header expects a name and a value, such as 'X-Team: shop' (got “\(text)”)")
        }
        let name = String(parts[0])
        let value = String(parts[1].drop { $0 == " " || $0 == "\t" })
        if HTTPHeaders(dictionaryLiteral: (name, value)).firstUnusableName != nil {
            throw UsageError("--header: “\(text)” contains characters that headers must not contain")
        }
        if ["host", "content-length", "transfer-encoding"].contains(name.lowercased()) {
            throw UsageError("--header: \(name) is set automatically and cannot be changed")
        }
        return (name, value)
    }

    /// Makes the logger.
    ///
    /// - Parameters:
    ///   - service: What the server is told the program is called; nil for ``defaultService``.
    ///   - spool: Where unsent messages are stored; nil keeps them in memory.
    ///   - limits: The store's limits.
    /// - Returns: a logger that belongs to no dispatcher yet.
    /// - Throws: `LogError` where the address, the secret or the store cannot be used.
    func makeLogger(
        service: String?, spool: String?, limits: SpoolSettings = SpoolSettings()
    ) throws -> HTTPLogger {
        // What is wrong with it is told now, and not when the first request goes out.
        if let token {
            _ = try token(HTTPRequest(endpoint: HTTPEndpoint(url), body: [], timeout: .seconds(1)))
        }
        var settings = HTTPSettings(
            encoding: makeEncoding(service ?? RemoteOptions.defaultService), spoolSettings: limits,
            transport: PlatformTransport(options: try security.checked()),
            allowsInsecureHTTP: allowsInsecureHTTP)
        settings.maximumMessagesPerRequest = 1000
        settings.maximumMessageSize = .kibibytes(512)
        settings.flushWait = .zero
        settings.compressionLevel = isCompressed ? 6 : 0
        settings.decorators = (token.map { [$0] } ?? []) + headers.map { .header($0.name, $0.value) }
        return try HTTPLogger(url, settings: settings, spool: spool, name: "http")
    }

    private func makeEncoding(_ service: String) -> any RemoteEncoding {
        if hasStructuredMetadata, let make = encoding.make { return make(service) }
        return LokiEncoding(labels: ["job": service], structuredMetadata: hasStructuredMetadata)
    }

    private var token: RequestDecorator? { tokenFile.map { encoding.login($0, FileSecrets()) } }
}

/// Watches whether a server goes on taking messages.
struct DeliveryWatch {
    /// How long a server may accept nothing before waiting ends.
    static let patience = Duration.seconds(20)

    let logger: HTTPLogger
    private var taken = 0
    private var lastProgress = SystemClock().uptime()

    init(_ logger: HTTPLogger) { self.logger = logger }

    /// Whether the server has taken something in the last `patience`, or nothing waits for it.
    mutating func isAlive(patience: Duration = patience) -> Bool {
        let figures = logger.httpStatistics
        let now = SystemClock().uptime()
        if figures.acknowledged != taken || figures.pending == 0 {
            taken = figures.acknowledged
            lastProgress = now
        }
        return now - lastProgress < patience
    }

    /// Waits until the server has everything, as long as it takes something within `patience` now and then.
    ///
    /// - Returns: whether it has.
    mutating func deliver(patience: () -> Duration) -> Bool {
        lastProgress = SystemClock().uptime()
        while !logger.deliver(timeout: .seconds(1)) {
            if !isAlive(patience: patience()) { return false }
        }
        return true
    }
}
