import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite("What is sent about the machine when nothing is said about that", .inTurn)
struct DeviceDefaultsTests {
    private static let encodings: [(name: String, encoding: any RemoteEncoding)] = [
        ("json", JSONArrayEncoding()),
        ("json with the device", JSONArrayEncoding(wrappingKey: "logs", includesDevice: true)),
        ("ndjson", NDJSONEncoding()), ("otlp", OTLPEncoding(service: "s")),
        ("loki", LokiEncoding(labels: ["job": "s"])),
        ("loki as JSON", LokiEncoding(labels: ["job": "s"], structuredMetadata: false)),
        ("elasticsearch", ElasticsearchEncoding(index: "s")), ("splunk", SplunkEncoding(source: "s")),
        ("datadog", DatadogEncoding(service: "s")), ("journal", JournalEncoding(identifier: "s")),
    ]

    /// Logs once through a logger with a spool, and gives what arrives and the identifier in the spool.
    private func sent(
        _ encoding: any RemoteEncoding, _ change: (HTTPLogger) -> Void = { _ in }
    ) async throws -> (text: String, headers: String, identifier: String) {
        let server = try LoopbackServer(then: .status(200, body: #"{"errors":false}"#))
        defer { server.stop() }
        let directory = try TemporaryDirectory()
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        let logger = try HTTPLogger(
            server.address, settings: HTTPSettings(encoding: encoding), spool: directory.path + "/spool")
        change(logger)
        dispatcher.add(logger)
        logError("x", to: dispatcher)
        #expect(await logger.deliver(timeout: .testLimit))
        dispatcher.removeAll()
        let record = try directory.read("spool/device.json")
        let identifier = try JSONDecoder().decode(DeviceRecord.self, from: Data(record)).uuid
        let request = try #require(server.stored.first)
        return (request.text, "\(request.headers)", identifier)
    }

    @Test(
        "Neither the host's name nor the installation's identifier is sent, with any encoding",
        arguments: encodings.map(\.name))
    func nothing(name: String) async throws {
        let encoding = try #require(Self.encodings.first { $0.name == name }).encoding
        let host = ProcessFacts.host
        let (text, headers, identifier) = try await sent(encoding)
        try #require(!host.isEmpty && identifier.count >= 32)
        for part in [text, headers] {
            #expect(!part.contains("\"\(host)\"") && !part.contains("=\(host)\n"), "\(part)")
            #expect(!part.lowercased().contains(identifier.lowercased()), "\(part)")
        }
    }

    @Test("Both are sent where the program asks for them, and by SwiftyBeaver's encoding")
    func asked() async throws {
        let host = ProcessFacts.host
        let (text, _, identifier) = try await sent(OTLPEncoding(service: "s")) { $0.deviceFacts = .all }
        #expect(text.contains("\"\(host)\"") && text.contains(identifier))
        let key = try SwiftyBeaverEncoding(encryptionKey: Secret("0123456789abcdefghijklmnopqrstuv"))
        let logger = try HTTPLogger("http://127.0.0.1:1/", settings: HTTPSettings(encoding: key))
        #expect(logger.deviceFacts == .all)
    }
}
