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
}
#endif
