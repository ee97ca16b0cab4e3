#if os(Linux)
import Foundation
import Heartwood
import HeartwoodConfiguration
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// Own authority, client certificate and pinned key, from code, from a configuration and from the command line, against nginx.
@Suite("TLS settings, against a real server", .inTurn)
struct SecureSettingsTests {
    private static let wrongPin = "sha256//" + Base64.encode([UInt8](repeating: 1, count: 32))

    fileprivate static func send(_ address: String, _ options: TransportOptions) async throws
        -> HTTPTransportError.Reason?
    {
        try await send(address, by: CurlTransport(options: options))
    }

    private static func send(_ address: String, by transport: CurlTransport) async throws
        -> HTTPTransportError.Reason?
    {
        let request = HTTPRequest(
            endpoint: try HTTPEndpoint(address), body: Array("[]".utf8), timeout: .seconds(30))
        do throws(HTTPTransportError) {
            let response = try await transport.send(request)
            #expect(response.status == 200, "\(response.text)")
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("A missing or foreign client certificate is told as such, whatever form the server's refusal has")
    func clientCertificate() async throws {
        guard let front = try SecureFront() else { return }
        defer { front.stop() }
        var options = TransportOptions(caCertificateFile: front.file("ca.crt"))
        #expect(try await Self.send(front.address, options) == nil)
        #expect(try await Self.send(front.strictAddress, options) == .clientCertificateNeeded)
        options.clientCertificateFile = front.file("stranger.crt")
        options.clientKeyFile = front.file("stranger.key")
        #expect(try await Self.send(front.strictAddress, options) == .clientCertificateNeeded)
        options.clientCertificateFile = front.file("client.crt")
        options.clientKeyFile = front.file("client.key")
        #expect(try await Self.send(front.strictAddress, options) == nil)
        let plain = front.address.replacingOccurrences(of: "https", with: "http")
        #expect(try await Self.send(plain, options) == .secureProtocol)
    }

    @Test("With an authority of its own, a client does not trust those of the system")
    func onlyOwnAuthority() async throws {
        guard let unshare = RealProgram.find("unshare"), let front = try SecureFront() else { return }
        defer { front.stop() }
        let (place, authority) = (front.file("authorities"), front.file("ca.crt"))
        let script =
            "mkdir '\(place)' && cp '\(authority)' '\(place)/ca.pem' && cp '\(place)/ca.pem' '\(place)/ca-certificates.crt' && openssl rehash '\(place)'"
        try #require(try RealProgram.output("/bin/bash", ["-c", script]) != nil)
        let mount = "mount --bind '\(place)' /etc/ssl/certs"
        let probe = try await RealProgram.run(unshare, ["--mount", "sh", "-ec", mount])
        guard probe.code == 0 else {
            return print("skipped: the system's authorities cannot be replaced: \(probe.output)")
        }
        let line = """
            \(mount); HEARTWOOD_FRONT='\(front.address)' HEARTWOOD_OTHER='\(front.file("other.crt"))' \
            exec "$0" --testing-library swift-testing --filter SystemAuthorityTests
            """
        let executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let outcome = try await RealProgram.run(unshare, ["--mount", "bash", "-c", line, executable])
        #expect(outcome.code == 0, "\(outcome.output)")
        #expect(outcome.output.contains("Test run with 1 test"), "\(outcome.output)")
    }

    @Test("An answer of 400 by the server itself stays an answer")
    func ordinaryRefusal() {
        func refusal(_ status: Int, _ text: String) -> HTTPTransportError? {
            HTTPResponse(status: status, body: Array(text.utf8)).refusalOfConnection
        }
        let page =
            "<center><h1>400 Bad Request</h1></center><center>No required SSL certificate was sent</center>"
        #expect(refusal(400, page)?.reason == .clientCertificateNeeded)
        #expect(refusal(200, page) == nil)
        #expect(refusal(400, "no such field") == nil && refusal(400, "") == nil)
        #expect(refusal(400, page + String(repeating: " ", count: 5000)) == nil)
    }

    @Test(
        "A message that a missing client certificate keeps here is neither rejected nor lost, and told once")
    func held() async throws {
        guard let front = try SecureFront() else { return }
        defer { front.stop() }
        let reports = Locked<[String]>([])
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
        let options = TransportOptions(caCertificateFile: front.file("ca.crt"))
        let logger = try HTTPLogger(
            front.strictAddress, settings: HTTPSettings(transport: CurlTransport(options: options)))
        logger.flushWait = .zero
        dispatcher.add(logger)
        for number in 0..<10 { logError("kept \(number)", to: dispatcher) }
        await logger.figures { $0.lastError?.contains("client certificate") == true }
        for _ in 0..<3 { logger.sendNow() }
        await dispatcher.flush(timeout: .testLimit)
        #expect(logger.httpStatistics.pending == 10 && logger.httpStatistics.rejected == 0)
        #expect(
            reports.withLock { $0.contains { $0.contains("requires a client certificate") } }, "\(reports)")
        #expect(front.server.stored.isEmpty)
        dispatcher.removeAll()
    }

    @Test("An authority's file that goes away is told by its name, and costs no message")
    func missingAuthority() async throws {
        guard let front = try SecureFront() else { return }
        defer { front.stop() }
        let copy = try TemporaryDirectory()
        let file = copy.path + "/ca.crt"
        try FileManager.default.copyItem(atPath: front.file("ca.crt"), toPath: file)
        let options = try TransportOptions(caCertificateFile: file).checked()
        try FileManager.default.removeItem(atPath: file)
        #expect(try await Self.send(front.address, options) == .credentialUnusable)
        let error = #expect(throws: LogError.self) { try options.checked() }
        #expect("\(try #require(error))".contains("cannot read the CA certificate"))
        let other = TransportOptions(caCertificateFile: front.file("other.crt"))
        #expect(try await Self.send(front.address, other) == .certificateUntrusted)
    }

    @Test("A transport that has connected uses the authority that its file names at the next connection")
    func changedAuthority() async throws {
        guard let front = try SecureFront() else { return }
        defer { front.stop() }
        let transport = CurlTransport(options: TransportOptions(caCertificateFile: front.file("ca.crt")))
        #expect(try await Self.send(front.address, by: transport) == nil)
        try front.changeAuthority()
        // For a moment, a process of nginx from before can take connections, too.
        try await eventually("the server has its new certificate, and is trusted") {
            try await Self.send(front.address, by: transport) == nil
        }
    }

    @Test("A client certificate that is exchanged is used at the next request, on another connection")
    func changedClientCertificate() async throws {
        guard let front = try SecureFront() else { return }
        defer { front.stop() }
        let place = try TemporaryDirectory()
        for name in ["crt", "key"] { symlink(front.file("localhost." + name), place.path + "/" + name) }
        let transport = CurlTransport(
            options: TransportOptions(
                caCertificateFile: front.file("ca.crt"), clientCertificateFile: place.path + "/crt",
                clientKeyFile: place.path + "/key"))
        let request = HTTPRequest(
            endpoint: try HTTPEndpoint(front.namedAddress), body: Array("[]".utf8), timeout: .seconds(30))
        for _ in 0..<3 { #expect(try await transport.send(request).status == 403) }
        for name in ["crt", "key"] {
            symlink(front.file("client." + name), place.path + "/new")
            rename(place.path + "/new", place.path + "/" + name)
        }
        for _ in 0..<3 { #expect(try await transport.send(request).status == 200) }
    }

    /// What a file of a certificate can be for a moment.
    enum Moment: String, Sendable, CaseIterable { case missing, empty, half, foreign }

    @Test(
        "A certificate's file that is wrong for a moment costs no message, no restart and one report",
        arguments: Moment.allCases, ["ca.crt", "client.crt", "client.key"])
    func wrongForAMoment(moment: Moment, name: String) async throws {
        guard let front = try SecureFront() else { return }
        defer { front.stop() }
        // As Kubernetes mounts it: the directory is exchanged by one link.
        let volume = try TemporaryDirectory()
        let files = FileManager.default
        for (folder, names) in [("good", ["ca.crt", "client.crt", "client.key"]), ("bad", [])] {
            try files.createDirectory(
                atPath: volume.path + "/" + folder, withIntermediateDirectories: false)
            for name in names {
                try files.copyItem(atPath: front.file(name), toPath: volume.path + "/\(folder)/\(name)")
            }
        }
        for other in ["ca.crt", "client.crt", "client.key"] where other != name {
            try files.copyItem(atPath: front.file(other), toPath: volume.path + "/bad/" + other)
        }
        let bad = volume.path + "/bad/" + name
        let good = try volume.read("good/" + name)
        switch moment {
        case .missing: break
        case .empty: try volume.write("bad/" + name, [])
        case .half: try volume.write("bad/" + name, Array(good.prefix(good.count / 2)))
        case .foreign:
            let foreign = name == "ca.crt" ? "other.crt" : name == "client.crt" ? "stranger.crt" : "other.key"
            try files.copyItem(atPath: front.file(foreign), toPath: bad)
        }
        symlink("bad", volume.path + "/..data")
        for name in ["ca.crt", "client.crt", "client.key"] {
            symlink("..data/" + name, volume.path + "/" + name)
        }

        let clock = ManualClock()
        let dispatcher = LogDispatcher(clock: clock)
        let reports = Locked<[String]>([])
        dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
        let options = TransportOptions(
            caCertificateFile: volume.path + "/ca.crt", clientCertificateFile: volume.path + "/client.crt",
            clientKeyFile: volume.path + "/client.key")
        let logger = try HTTPLogger(
            front.strictAddress, settings: HTTPSettings(transport: CurlTransport(options: options)),
            clock: clock)
        logger.flushWait = .zero
        dispatcher.add(logger)
        for number in 0..<10 { logInfo("kept \(number)", to: dispatcher) }
        logger.sendNow()
        await logger.figures { $0.lastError != nil }
        clock.advance(by: .seconds(60))
        await dispatcher.flush(timeout: .testLimit)
        #expect(logger.httpStatistics.pending == 10 && logger.httpStatistics.requests == 1)
        #expect(reports.withLock { $0.count } == 1, "\(reports.withLock { $0 })")

        symlink("good", volume.path + "/..new")
        rename(volume.path + "/..new", volume.path + "/..data")
        clock.advance(by: CredentialWatch.pause)
        await logger.figures { $0.pending == 0 }
        #expect(logger.httpStatistics.acknowledged == 10 && logger.httpStatistics.rejected == 0)
        #expect(reports.withLock { $0.count } == 1, "\(reports.withLock { $0 })")
        dispatcher.removeAll()
    }

    // MARK: Configuration

    @Test("A configuration sets authority, client certificate and pin")
    func configuration() async throws {
        guard let front = try SecureFront() else { return }
        defer { front.stop() }
        LogConfiguration.register(.http)
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        func apply(_ settings: [String: LogSetting]) throws -> HTTPLogger {
            var configuration: LogConfiguration = [
                "loggers": [
                    "remote": [
                        "kind": "http", "url": "\(front.strictAddress)", "encoding": "ndjson",
                        "flushWait": "0s",
                    ]
                ]
            ]
            for (name, value) in settings { configuration["loggers", "remote", name] = value }
            try configuration.apply(to: dispatcher)
            return try #require(dispatcher.configuredLogger(named: "remote") as? HTTPLogger)
        }
        var settings: [String: LogSetting] = [
            "caCertificateFile": "\(front.file("ca.crt"))",
            "clientCertificateFile": "\(front.file("client.crt"))",
            "clientKeyFile": "\(front.file("client.key"))", "pinnedPublicKeys": ["\(front.pin)"],
        ]
        let logger = try apply(settings)
        logError("delivered", to: dispatcher)
        #expect(await logger.deliver(timeout: .testLimit))
        #expect(front.server.stored.count == 1)
        dispatcher.removeAll()

        settings["pinnedPublicKeys"] = ["\(Self.wrongPin)"]
        let pinned = try apply(settings)
        logError("kept", to: dispatcher)
        await pinned.figures { $0.lastError?.contains("publicKeyNotPinned") == true }
        #expect(pinned.httpStatistics.pending == 1)
        dispatcher.removeAll()
        #expect(front.server.stored.count == 1)

        let mistakes: [([String: LogSetting], String)] = [
            (["caCertificateFile": "/does/not/exist"], "cannot read the CA certificate"),
            (["pinnedPublicKeys": ["sha1//x"]], "sha256//"),
            (["clientKeyFile": "\(front.file("client.key"))"], "no certificate"),
        ]
        for (settings, words) in mistakes {
            let error = #expect(throws: (any Error).self) { try apply(settings) }
            #expect("\(try #require(error))".contains(words))
        }
    }

    // MARK: Command line

    private static let tool = Bundle.main.bundleURL.appendingPathComponent("heartwood").path

    private func run(_ arguments: [String], input: String = "") async throws -> (code: Int32, error: String) {
        let directory = try TemporaryDirectory()
        try directory.write("input", Array(input.utf8))
        let process = try ChildProcess(
            Self.tool, arguments, in: directory.path, environment: ["SWIFT_BACKTRACE": "enable=no"],
            input: .file(directory.path + "/input"), error: .file(directory.path + "/error"))
        let code = await process.ended().code
        return (code, String(decoding: try directory.read("error"), as: UTF8.self))
    }

    @Test("pipe and spool take authority, client certificate and pin, and name what is missing")
    func commandLine() async throws {
        guard FileManager.default.isExecutableFile(atPath: Self.tool) else {
            return print("skipped: the tool is not built")
        }
        guard let front = try SecureFront() else { return }
        defer { front.stop() }
        let client = [
            "--client-cert", front.file("client.crt"), "--client-key", front.file("client.key"),
        ]
        let all = ["--ca-file", front.file("ca.crt"), "--pin", front.pin] + client
        let sent = try await run(
            ["pipe", "--http", front.strictAddress, "--encoding", "ndjson"] + all, input: "one\ntwo\n")
        #expect(sent.code == 0, "\(sent.error)")
        #expect(front.server.stored.count == 1)

        // What pipe could not send for want of a certificate is in the spool, and spool sends it with one.
        let directory = try TemporaryDirectory()
        let spool = directory.path + "/spool"
        let kept = try await run(
            ["pipe", "--http", front.strictAddress, "--ca-file", front.file("ca.crt"), "--spool", spool],
            input: "three\nfour\n")
        #expect(kept.error.contains("2 wait for the next run"), "\(kept.error)")
        #expect(kept.error.contains("requires a client certificate"), "\(kept.error)")
        let failures = [
            (["--ca-file", front.file("ca.crt")], "requires a client certificate"),
            (["--ca-file", front.file("other.crt")] + client, "certificateUntrusted"),
            (client, "certificateUntrusted"),
            (["--ca-file", front.file("ca.crt"), "--pin", Self.wrongPin] + client, "publicKeyNotPinned"),
            (["--ca-file", "/does/not/exist"], "cannot read the CA certificate"),
            (["--client-key", front.file("client.key")], "no certificate"),
        ]
        for (options, words) in failures {
            let failed = try await run(
                ["spool", "--send", front.strictAddress, "--patience", "1s"] + options + [spool])
            #expect(failed.code == 1 && failed.error.contains(words), "\(failed.code) \(failed.error)")
        }
        let resent = try await run(["spool", "--send", front.strictAddress] + all + [spool])
        #expect(resent.code == 0 && resent.error.contains("2 messages delivered"), "\(resent.error)")
        #expect(front.server.stored.count == 2)
    }
}

/// What a client trusts where the system's only authority is that of a server; run by ``SecureSettingsTests``.
@Suite(
    .enabled(
        if: ProcessInfo.processInfo.environment["HEARTWOOD_FRONT"] != nil,
        "run by SecureSettingsTests, with other authorities"), .inTurn)
struct SystemAuthorityTests {
    @Test("The system's authorities hold, unless the client names its own") func authorities() async throws {
        let environment = ProcessInfo.processInfo.environment
        let address = try #require(environment["HEARTWOOD_FRONT"])
        #expect(try await SecureSettingsTests.send(address, TransportOptions()) == nil)
        let other = TransportOptions(caCertificateFile: environment["HEARTWOOD_OTHER"])
        #expect(try await SecureSettingsTests.send(address, other) == .certificateUntrusted)
    }
}
#endif
