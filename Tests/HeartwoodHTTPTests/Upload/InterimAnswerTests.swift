#if os(Linux)
import Heartwood
import HeartwoodHTTP
import HeartwoodServer
import HeartwoodTestSupport
import SuiteSupport
import Testing

/// Answers that come in several parts.
@Suite(.inTurn) struct InterimAnswerTests {
    @Test("What an interim answer says does not count for the answer") func interim() async throws {
        let listener = try SocketListener { stream, _ in
            guard case .head = stream.readHead(limit: 65_536) else { return }
            stream.send("HTTP/1.1 103 Early Hints\r\nRetry-After: 900\r\nX-Kind: interim\r\n\r\n")
            stream.send("HTTP/1.1 503 Answer\r\nX-Kind: final\r\nContent-Length: 0\r\n\r\n")
        }
        let request = HTTPRequest(endpoint: try HTTPEndpoint("http://127.0.0.1:\(listener.port)/"))
        let response = try await CurlTransport().send(request)
        #expect(response.status == 503)
        #expect(response.headers["X-Kind"] == "final")
        #expect(response.headers["Retry-After"] == nil)
        listener.stop()
    }
}
#endif
