#if os(Linux)
import Foundation
import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// nginx with the fault kit's configuration, on ports of its own, and the kit's certificates.
///
/// One serves all tests; it ends with the process.
final class Nginx: @unchecked Sendable {  // constant once made
    static let shared: Nginx? = {
        let nginx = try? Nginx()
        atexit {
            Nginx.shared?.program.stop()
            if let path = Nginx.shared?.directory.path { try? FileManager.default.removeItem(atPath: path) }
        }
        return nginx
    }()

    let directory: TemporaryDirectory
    private let program: RealProgram
    private var ports: [Int: Int] = [:]

    private init?() throws {
        guard let nginx = RealProgram.find("nginx"), RealProgram.find("openssl") != nil,
            RealProgram.find("faketime") != nil,
            var text = try? String(contentsOfFile: RealProgram.kit + "/nginx-faults.conf", encoding: .utf8)
        else {
            print("skipped: nginx, openssl, faketime or the fault kit is missing")
            return nil
        }
        directory = try TemporaryDirectory()
        let wanted = [18080, 18099, 18098, 18443, 18444, 18445, 18446]
        for (port, free) in zip(wanted, RealProgram.freePorts(wanted.count)) {
            ports[port] = free
            text = text.replacingOccurrences(of: String(port), with: String(free))
        }
        for name in ["logs", "tmp"] {
            try FileManager.default.createDirectory(
                atPath: directory.path + "/" + name, withIntermediateDirectories: true)
        }
        try directory.write("nginx.conf", Array(text.utf8))
        _ = try RealProgram.output("/bin/bash", [RealProgram.kit + "/certs.sh", directory.path])
        program = try RealProgram(
            nginx, ["-p", directory.path, "-c", directory.path + "/nginx.conf"], in: directory.path,
            listeningOn: ports[18080] ?? 0)
    }

    func port(_ number: Int) -> Int { ports[number] ?? 0 }
    func file(_ name: String) -> String { directory.path + "/" + name }
}

@Suite(.inTurn) struct NginxTests {
    private func reason(_ nginx: Nginx, _ port: Int, _ options: TransportOptions, host: String = "localhost")
        async throws
        -> HTTPTransportError.Reason?
    {
        let request = HTTPRequest(
            endpoint: try HTTPEndpoint("https://\(host):\(nginx.port(port))/"), body: [1],
            timeout: .seconds(10))
        do throws(HTTPTransportError) {
            let response = try await CurlTransport(options: options).send(request)
            #expect(response.status == 200)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("Each way in which TLS fails has its reason; a good certificate passes") func tls() async throws {
        guard let nginx = Nginx.shared else { return }
        let trusted = TransportOptions(caCertificateFile: nginx.file("ca.crt"))
        #expect(try await reason(nginx, 18443, trusted) == nil)
        #expect(try await reason(nginx, 18443, trusted, host: "127.0.0.1") == nil)
        #expect(try await reason(nginx, 18443, TransportOptions()) == .certificateUntrusted)
        #expect(try await reason(nginx, 18444, trusted) == .certificateExpired)
        #expect(try await reason(nginx, 18445, trusted) == .certificateForOtherHost)
        #expect(try await reason(nginx, 18080, trusted) == .secureProtocol)
        #expect(
            try await reason(nginx, 18443, TransportOptions(caCertificateFile: nginx.file("nginx.conf")))
                == .credentialUnusable)
        #expect(
            try await reason(nginx, 18443, TransportOptions(caCertificateFile: nginx.file("missing.crt")))
                == .credentialUnusable)
    }

    @Test("Pinned keys: the right one passes, another one is refused though the certificate is good")
    func pins() async throws {
        guard let nginx = Nginx.shared else { return }
        let hash = try RealProgram.output(
            "/bin/bash",
            [
                "-c",
                "openssl x509 -in \(nginx.file("localhost.crt")) -pubkey -noout | openssl pkey -pubin -outform der"
                    + " | openssl dgst -sha256 -binary | openssl base64",
            ])
        let pin = "sha256//" + (hash ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        var options = TransportOptions(caCertificateFile: nginx.file("ca.crt"), pinnedPublicKeys: [pin])
        #expect(try await reason(nginx, 18443, options) == nil)
        options.pinnedPublicKeys = ["sha256//" + Base64.encode([UInt8](repeating: 1, count: 32))]
        #expect(try await reason(nginx, 18443, options) == .publicKeyNotPinned)
    }

    @Test("A self-signed certificate and TLS 1.1 are refused") func weakServers() async throws {
        guard let openssl = RealProgram.find("openssl") else { return }
        let directory = try TemporaryDirectory()
        let made = try RealProgram.output(
            openssl,
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                "-addext",
                "subjectAltName=DNS:localhost", "-keyout", directory.path + "/key", "-out",
                directory.path + "/cert",
            ])
        try #require(made != nil)
        for (arguments, reason) in [
            ([], HTTPTransportError.Reason.certificateUntrusted),
            (["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], .secureProtocol),
        ] {
            let port = RealProgram.freePort()
            let server = try RealProgram(
                openssl,
                ["s_server", "-accept", "\(port)", "-cert", "cert", "-key", "key", "-www"] + arguments,
                in: directory.path, listeningOn: port)
            let request = HTTPRequest(endpoint: try HTTPEndpoint("https://localhost:\(port)/"), body: [1])
            let error = await #expect(throws: HTTPTransportError.self) {
                try await CurlTransport().send(request)
            }
            #expect(error?.reason == reason, "\(String(describing: error))")
            server.stop()
        }
    }

    @Test(
        "A server whose certificate is wrong gets nothing, costs no message, and is reported",
        arguments: [18444, 18445])
    func refusedServer(port: Int) async throws {
        guard let nginx = Nginx.shared else { return }
        let reports = Locked<[String]>([])
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
        let options = TransportOptions(caCertificateFile: nginx.file("ca.crt"))
        let logger = try HTTPLogger(
            "https://localhost:\(nginx.port(port))/",
            settings: HTTPSettings(transport: CurlTransport(options: options)))
        logger.flushWait = .zero
        dispatcher.add(logger)
        for number in 0..<5 { Heartwood.log("kept \(number)", level: .error, to: dispatcher) }
        await logger.figures { $0.lastError?.contains("certificate") == true }
        for _ in 0..<3 { logger.sendNow() }
        await dispatcher.flush(timeout: .testLimit)
        #expect(logger.httpStatistics.pending == 5 && logger.httpStatistics.rejected == 0)
        #expect(
            reports.withLock { $0.contains { $0.contains("rejects the requests because of their setup") } })
    }

    @Test("A client certificate is shown; without one nothing is lost") func clientCertificate() async throws
    {
        guard let nginx = Nginx.shared else { return }
        var options = TransportOptions(caCertificateFile: nginx.file("ca.crt"))
        let address = "https://localhost:\(nginx.port(18446))/"
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        let refused = try HTTPLogger(
            address, settings: HTTPSettings(transport: CurlTransport(options: options)))
        refused.flushWait = .zero
        dispatcher.add(refused)
        Heartwood.log("kept", level: .error, to: dispatcher)
        await refused.figures { $0.lastError != nil }
        #expect(refused.httpStatistics.pending == 1 && refused.httpStatistics.rejected == 0)
        await dispatcher.remove(refused)

        options.clientCertificateFile = nginx.file("client.crt")
        options.clientKeyFile = nginx.file("client.key")
        let accepted = try HTTPLogger(
            address, settings: HTTPSettings(transport: CurlTransport(options: options)))
        dispatcher.add(accepted)
        Heartwood.log("delivered", level: .error, to: dispatcher)
        #expect(await accepted.deliver(timeout: .testLimit))
    }

    @Test(
        "What nginx answers on its own is understood",
        arguments: [
            ("/ok", 200), ("/e500", 500), ("/e503", 503), ("/e401", 401), ("/e413", 413), ("/redir", 307),
            ("/redir301", 301), ("/deadup", 502),
        ])
    func statuses(path: String, status: Int) async throws {
        guard let nginx = Nginx.shared else { return }
        let request = HTTPRequest(
            endpoint: try HTTPEndpoint("http://127.0.0.1:\(nginx.port(18080))\(path)"),
            body: Array("a body of some length".utf8))
        #expect(try await CurlTransport().send(request).status == status)
    }

    @Test("Bodies arrive byte by byte, compressed ones too, and one connection carries them all")
    func bodies() async throws {
        guard let nginx = Nginx.shared else { return }
        let dispatcher = LogDispatcher()
        let logger = try HTTPLogger(
            "http://127.0.0.1:\(nginx.port(18080))/ok/bodies",
            settings: HTTPSettings(encoding: NDJSONEncoding()))
        logger.compressionLevel = 6
        logger.maximumMessagesPerRequest = 50
        dispatcher.add(logger)
        for number in 0..<500 { Heartwood.log("number \(number, as: "n")", level: .info, to: dispatcher) }
        #expect(await logger.deliver(timeout: .testLimit))
        await dispatcher.flush(timeout: .testLimit)
        var numbers: [Int] = []
        for name in nginx.directory.names("tmp").sorted() {
            let path = nginx.file("tmp/" + name)
            guard let text = try RealProgram.output("/bin/bash", ["-c", "gzip -dc \(path)"]) else { continue }
            for line in text.split(separator: "\n") {
                let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
                if let number = object?["n"] as? Int { numbers.append(number) }
            }
        }
        #expect(numbers == Array(0..<500))
        let log = String(decoding: try nginx.directory.read("logs/acc.log"), as: UTF8.self)
        let connections = log.split(separator: "\n").filter { $0.contains("\"u\":\"/ok/bodies\"") }.compactMap
        {
            line in
            try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        }
        #expect(Set(connections.compactMap { $0["conn"] as? Int }).count == 1)
        #expect(connections.allSatisfy { $0["ce"] as? String == "gzip" })
        #expect(Set(connections.compactMap { $0["key"] as? String }).count == connections.count)
    }
}
#endif
