import HeartwoodHTTP
import HeartwoodServer
import SuiteSupport
import Testing

@Suite("The head of an HTTP request", .inTurn)
struct HTTPRequestHeadTests {
    private func refusal(_ text: String) -> HTTPRequestHead.Refusal? {
        do throws(HTTPRequestHead.Refusal) {
            _ = try HTTPRequestHead(parsing: Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("A request is read with its fields, names without regard to case")
    func reads() throws {
        let head = try HTTPRequestHead(
            parsing: Array("GET /a?b=c HTTP/1.1\r\nhost: x\r\nACCEPT:  a \r\nAccept: b".utf8))
        #expect(head.method == "GET")
        #expect(head.target == "/a?b=c")
        #expect(head.headers["Host"] == "x")
        #expect(head.headers["accept"] == "a, b")
        #expect(head.isPersistent)
        let old = try HTTPRequestHead(parsing: Array("GET / HTTP/1.0".utf8))
        #expect(!old.isPersistent)
    }

    @Test(
        "What two programs could read differently is refused",
        arguments: [
            ("", .malformed), ("GET", .malformed), ("GET /", .malformed), ("GET  / HTTP/1.1", .malformed),
            ("GET /a b HTTP/1.1\r\nHost: x", .malformed), ("G(T / HTTP/1.1\r\nHost: x", .malformed),
            ("GET /\u{0} HTTP/1.1\r\nHost: x", .malformed), ("GET / HTTP/2\r\nHost: x", .version),
            ("GET / HTTP/1.1", .malformed), ("GET / HTTP/1.1\r\nHost: x\r\nHost: y", .malformed),
            ("GET / HTTP/1.1\r\nHost : x", .malformed), ("GET / HTTP/1.1\r\nHost: x\r\n folded", .malformed),
            ("GET / HTTP/1.1\r\nHost: x\nA: b", .malformed),
            ("GET / HTTP/1.1\r\nHost: x\r\nA: \u{0}", .malformed),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: +1", .malformed),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 1", .malformed),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999", .malformed),
            ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked", .malformed),
            ("GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked", .encoding),
        ] as [(String, HTTPRequestHead.Refusal)])
    func refuses(_ text: String, _ expected: HTTPRequestHead.Refusal) {
        #expect(refusal(text) == expected)
    }
}
