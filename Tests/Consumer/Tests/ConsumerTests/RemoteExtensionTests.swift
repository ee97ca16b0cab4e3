import Foundation
import Heartwood
import HeartwoodConfiguration
import HeartwoodEvents
import HeartwoodHTTP
import HeartwoodSQLite
import HeartwoodTestSupport
import Testing

struct PlainLines: RemoteEncoding {
    let contentType = "text/plain"
    var defaultPath: String { "/lines" }
    var limits: EncodingLimits { EncodingLimits(entries: 100, bytes: .kibibytes(64)) }
    var allowsGzip: Bool { false }
    var statusPolicy: StatusPolicy { .standard }
    func headers(for batch: RemoteBatch) -> HTTPHeaders { ["X-Count": "\(batch.entries.count)"] }
    func encode(_ batch: RemoteBatch) throws -> [UInt8] {
        Array(batch.entries.map { "\($0.levelName) \($0.text)" }.joined(separator: "\n").utf8)
    }
    func verdict(on response: HTTPResponse, for batch: RemoteBatch) -> DeliveryVerdict {
        DeliveryVerdict(statusPolicy.action(for: response.status))
    }
}

/// A transport that keeps what it is given, and fails at first.
final class KeepingTransport: HTTPTransport, Sendable {
    let requests = Reports()
    func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
        requests.add(
            "\(request.method) \(request.headers["X-Team"] ?? "") \(String(decoding: request.body, as: UTF8.self))"
        )
        if requests.all.count == 1 { throw HTTPTransportError(.cannotConnect, "not yet") }
        return HTTPResponse(status: 200, headers: ["X": "y"], body: Array("ok".utf8))
    }
}

struct Hurry: RetryPolicy {
    func decide(after failure: DeliveryFailure, random: Double) -> RetryDecision {
        failure.consecutiveFailures > 100 ? .reject : .retry(after: .milliseconds(1))
    }
}

struct Vault: SecretProvider {
    func secret(named name: String) throws -> Secret { Secret("secret of \(name)") }
}

final class AlwaysOnline: ConnectivityMonitor {
    func start(_ changed: @escaping @Sendable (Bool) -> Void) { changed(true) }
    func stop() {}
}

struct Purchase: EventObject {
    var id: Int
    var name: String
}

enum Field: String { case page, count }

@Suite("Remote delivery, events and configurations from outside of the package")
struct RemoteExtensionTests {
    @Test(
        "A custom encoding, transport, retry policy, decorator, secret provider and monitor deliver together"
    )
    func delivery() async throws {
        let transport = KeepingTransport()
        let logger = try HTTPLogger(
            "https://logs.example.org", settings: HTTPSettings(encoding: PlainLines(), transport: transport),
            connectivity: AlwaysOnline())
        logger.retryPolicy = Hurry()
        logger.decorators = [
            .header("X-Team", "core"), .bearer(named: "TOKEN", from: Vault()),
            RequestDecorator { $0.with(header: "X-Sent", "now") },
        ]
        let dispatcher = LogDispatcher()
        dispatcher.add(logger)
        logWarning("over the wire", to: dispatcher)
        #expect(await logger.deliver(timeout: .seconds(60)))
        dispatcher.removeAll()
        #expect(transport.requests.all.count >= 2)
        #expect(transport.requests.all.last == "POST core warning over the wire")
    }

    @Test("Typed events and objects are stored for delivery")
    func events() async throws {
        let path = FileManager.default.temporaryDirectory.path + "/heartwood-consumer-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let server = try LoopbackServer()
        defer { server.stop() }
        var settings = EventSettings()
        settings.upload.allowsInsecureHTTP = true
        let store = try EventStore(server.address, directory: path, settings: settings)
        let events = try EventLog<Field>(store)
        events.append {
            $0[.page] = "/home"
            $0[.count] = 3
        }
        let audit = try AuditLog(store, metadata: ["user": "anna"])
        let scope = audit.beginScope(activity: "purchase")
        scope.record(old: nil, new: Purchase(id: 1, name: "book"))
        try await scope.commit()
    }

    final class Pager: AbstractLogger, @unchecked Sendable {
        @Ordered var service = "none"
        let address: String
        init(name: String, address: String) {
            self.address = address
            super.init(name: name)
        }
    }

    @Test("Configurations make loggers and formatters of kinds that this package registers")
    func configuration() throws {
        LogConfiguration.register(
            LoggerKind("pager") { settings in
                let address = settings.required("address", .string)
                settings.bind("service", .string, to: \Pager.service)
                return { Pager(name: settings.name, address: address.value) }
            })
        LogConfiguration.register(FormatterKind("brackets") { _ in Brackets() })
        LogConfiguration.register(.http)
        LogConfiguration.register(.sqlite)
        let dispatcher = LogDispatcher()
        try LogConfiguration([
            "loggers": [
                "p": ["kind": "pager", "address": "a@example.org", "service": "s", "formatter": "brackets"]
            ]
        ]).apply(to: dispatcher)
        let pager = try #require(dispatcher.configuredLogger(named: "p") as? Pager)
        #expect(pager.service == "s" && pager.address == "a@example.org" && pager.formatter is Brackets)
        #expect(throws: LogConfigurationError.self) {
            try LogConfiguration(["loggers": ["p": ["kind": "pager"]]]).apply(to: dispatcher)
        }
    }
}
