#if os(Linux)
import Foundation
import Heartwood
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

/// Proxies that the environment names.
@Suite(.inTurn) struct ProxyTests {
    @Test("A server on this machine is reached without the environment's proxy") func loopback() async throws
    {
        let server = try LoopbackServer()
        let address = server.address
        await #expect(processExitsWith: .exitCode(7)) { [address = address as String] in
            for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"] {
                setenv(name, "http://127.0.0.1:1", 1)
            }
            unsetenv("no_proxy")
            unsetenv("NO_PROXY")
            let response = try await CurlTransport().send(HTTPRequest(endpoint: HTTPEndpoint(address)))
            exit(response.status == 200 ? 7 : 1)
        }
        #expect(server.requests.count == 1)
    }

    /// What a proxy does with a request, and what is told of it.
    struct Case: Sendable, CustomTestStringConvertible {
        var answer: LoopbackAnswer
        var scheme = "https"
        var reason: HTTPTransportError.Reason
        var isTransient: Bool
        var words: String
        var testDescription: String { "\(scheme), \(words)" }
    }

    /// Sends a request through a proxy, prints the status, or whether the failure passes by itself and its words, and ends
    /// the process with 7.
    private static func send(by scheme: String, through proxy: String, timeout: Duration) async throws {
        for name in ["https_proxy", "http_proxy"] { setenv(name, proxy, 1) }
        for name in ["no_proxy", "NO_PROXY"] { unsetenv(name) }
        let request = HTTPRequest(
            endpoint: try HTTPEndpoint("\(scheme)://logs.example.invalid/in"),
            headers: ["Authorization": "Bearer secret", "User-Agent": "heartwood"], body: [1, 2, 3],
            timeout: timeout, allowsInsecureHTTP: true)
        do throws(HTTPTransportError) {
            print(try await CurlTransport().send(request).status)
        } catch {
            print("\(error.isTransient)|\(error)")
        }
        exit(7)
    }

    @Test(
        "What a proxy refuses is told with its address, and is no weather",
        arguments: [
            Case(
                answer: .status(407), reason: .proxyRefused, isTransient: false,
                words: "407 from the proxy 127.0.0.1:PORT (it wants a user name and a password"),
            Case(
                answer: .status(403), reason: .proxyRefused, isTransient: false,
                words: "403 from the proxy 127.0.0.1:PORT (it does not allow this address)"),
            Case(
                answer: .status(407), scheme: "http", reason: .proxyRefused, isTransient: false,
                words: "407 from the proxy 127.0.0.1:PORT"),
            Case(
                answer: .status(302), reason: .proxyRefused, isTransient: false,
                words: "302 from the proxy 127.0.0.1:PORT"),
            Case(
                answer: .status(503), reason: .cannotConnect, isTransient: true,
                words: "503 from the proxy 127.0.0.1:PORT"),
            Case(answer: .garbage, reason: .unusableAnswer, isTransient: true, words: "proxy"),
            Case(answer: .lost, reason: .connectionLost, isTransient: true, words: "proxy"),
            Case(
                answer: .silence, reason: .timedOut, isTransient: true, words: "(https_proxy names a proxy)"),
        ])
    func refusal(of sample: Case) async throws {
        let proxy = try LoopbackServer(then: sample.answer)
        let result = await #expect(
            processExitsWith: .exitCode(7), observing: [\.standardOutputContent]
        ) { [address = proxy.address as String, scheme = sample.scheme as String] in
            try await Self.send(by: scheme, through: address, timeout: .seconds(2))
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let words = sample.words.replacing("PORT", with: "\(proxy.port)")
        #expect(output.contains("\(sample.isTransient)|\(sample.reason.rawValue): "), "\(output)")
        #expect(output.contains(words), "\(output)")
        guard sample.scheme == "https", let request = proxy.requests.first else { return }
        #expect(request.method == "CONNECT")
        #expect(request.path == "logs.example.invalid:443")
        #expect(request.headers["authorization"] == nil && request.headers["user-agent"] == nil)
        #expect(request.body.isEmpty)
    }

    @Test("A proxy whose name has no address, or at which nobody listens, is named") func unknown()
        async throws
    {
        for (proxy, reason) in [
            ("http://proxy.example.invalid:3128", "cannotResolve"), ("http://127.0.0.1:1", "cannotConnect"),
        ] {
            let result = await #expect(
                processExitsWith: .exitCode(7), observing: [\.standardOutputContent]
            ) { [proxy = proxy as String] in
                try await Self.send(by: "https", through: proxy, timeout: .seconds(30))
            }
            let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
            #expect(output.hasPrefix("true|" + reason) && output.contains("proxy"), "\(output)")
        }
    }
}
#endif
