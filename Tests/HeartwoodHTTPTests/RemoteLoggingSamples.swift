import Foundation
import Heartwood
import HeartwoodHTTP
import SuiteSupport
import Testing

/// The samples of `Docs/RemoteLogging.md`: compiled here, and compared with the page by the test below.
private enum RemoteLoggingSamples {
    static func first() throws {
        let remote = try HTTPLogger(
            "https://logs.example.com/ingest", settings: HTTPSettings(encoding: NDJSONEncoding()),
            spool: "/var/lib/app/spool")
        remote.decorators = [.bearer(named: "LOG_TOKEN", from: EnvironmentSecrets())]
        LogDispatcher.shared.add(remote, levels: .notice)
    }

    static func security() throws {
        let options = TransportOptions(
            caCertificateFile: "/etc/app/ca.pem", clientCertificateFile: "/etc/app/client.pem",
            clientKeyFile: "/etc/app/client.key")
        let secured = try HTTPLogger(
            "https://logs.example.com/",
            settings: HTTPSettings(transport: PlatformTransport(options: options)),
            spool: "/var/lib/app/spool")
        _ = secured
    }

    static func recipes(spool: String, key: Secret, secrets: any SecretProvider, options: TransportOptions)
        throws
    {
        let own = try HTTPLogger(
            "https://logs.example.com/in",
            settings: HTTPSettings(encoding: JSONArrayEncoding(wrappingKey: "root")), spool: spool)
        own.compressionLevel = 6
        own.decorators = [.signedWith(hmacKey: key)]

        let loki = try HTTPLogger(
            "https://loki.example.com",
            settings: HTTPSettings(
                encoding: LokiEncoding(labels: ["app": "shop", "env": "prod"], tenant: "team-a")),
            spool: spool)
        loki.compressionLevel = 6

        let search = try HTTPLogger(
            "https://search.example.com:9200",
            settings: HTTPSettings(encoding: ElasticsearchEncoding(index: "logs-shop-default")), spool: spool)
        search.decorators = [
            .header("Authorization", secret: "ELASTIC_KEY", from: secrets, prefix: "ApiKey ")
        ]

        let otlp = try HTTPLogger(
            "https://otel.example.com:4318",
            settings: HTTPSettings(
                encoding: OTLPEncoding(service: "shop", resource: ["deployment.environment": "prod"])),
            spool: spool)
        otlp.compressionLevel = 6

        let splunk = try HTTPLogger(
            "https://splunk.example.com:8088",
            settings: HTTPSettings(encoding: SplunkEncoding(source: "shop", index: "main")), spool: spool)
        splunk.decorators = [.splunkToken(try secrets.secret(named: "SPLUNK_TOKEN"))]

        let datadog = try HTTPLogger(
            "https://http-intake.logs.datadoghq.eu",
            settings: HTTPSettings(encoding: DatadogEncoding(service: "shop", tags: ["env:prod"])),
            spool: spool)
        datadog.decorators = [.datadogKey(try secrets.secret(named: "DD_API_KEY"))]
        datadog.compressionLevel = 6

        let journal = try HTTPLogger(
            "https://loghost.example.com:19532",
            settings: HTTPSettings(
                encoding: JournalEncoding(identifier: "shop"),
                transport: PlatformTransport(options: options)), spool: spool)
        _ = journal

        let beaver = try HTTPLogger(
            "https://api.swiftybeaver.com",
            settings: HTTPSettings(encoding: SwiftyBeaverEncoding(encryptionKey: key)), spool: spool)
        beaver.decorators = [.basicAuth(user: "app-id", password: try secrets.secret(named: "APP_SECRET"))]
        beaver.levelWeights = .swiftyBeaver
    }
}

private struct PlainLines: RemoteEncoding {
    let contentType = "text/plain; charset=utf-8"
    func encode(_ batch: RemoteBatch) -> [UInt8] {
        Array(batch.entries.map { $0.text + "\n" }.joined().utf8)
    }
}

@Suite(.inTurn) struct RemoteLoggingSamplesTests {
    @Test("Every sample of the page is compiled here") func samples() throws {
        func squeezed(_ text: String) -> String { text.filter { !$0.isWhitespace } }
        let here = URL(fileURLWithPath: #filePath)
        let page = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Docs/RemoteLogging.md")
        let source = squeezed(try String(contentsOf: here, encoding: .utf8))
        let parts = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```swift\n")
            .dropFirst()
        #expect(parts.count >= 10)
        for part in parts {
            let sample = part.components(separatedBy: "\n```")[0]
            #expect(source.contains(squeezed(sample)), "not compiled: \(sample)")
        }
    }
}
