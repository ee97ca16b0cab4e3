import Foundation
import HeartwoodHTTP
import HeartwoodServer
import Testing

@testable import HeartwoodTool

@Suite("The server of heartwood view")
struct ViewServerTests {
    private let view: ViewFixture
    private let token = ViewFixture.token

    init() throws {
        view = try ViewFixture([("a.log", Array("2026-11-20 10:00:00.000Z info hello\n".utf8))])
    }

    @Test("The page is served with a policy that allows its one script, its one style, and this server only")
    func servesPage() throws {
        let answer = try #require(view.get(""))
        #expect(answer.status == 200)
        #expect(answer.text.contains("<title>heartwood view</title>"))
        let policy = try #require(
            answer.head.split(separator: "\r\n").first { $0.hasPrefix("Content-Security-Policy:") })
        #expect(policy.contains("default-src 'none'"))
        #expect(policy.contains("script-src 'sha256-") && policy.contains("style-src 'sha256-"))
        #expect(policy.contains("require-trusted-types-for 'script'"))
        #expect(!policy.contains("unsafe") && !policy.contains("*"))
        for field in [
            "X-Content-Type-Options: nosniff", "Cache-Control: no-store", "Referrer-Policy: no-referrer",
        ] {
            #expect(answer.head.contains(field))
        }
    }

    @Test("The page asks no other server for anything, and has no markup that is made of text")
    func pageIsClosed() {
        let page = String(decoding: PackageResources.page_html, as: UTF8.self)
        #expect(page.components(separatedBy: "<script>").count == 2)
        #expect(!page.contains("<script "))
        for word in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
        ] {
            #expect(!page.contains(word), "\(word)")
        }
        // The one address in it is the name space of SVG.
        #expect(
            page.components(separatedBy: "http").dropFirst().allSatisfy {
                $0.hasPrefix("://www.w3.org/2000/svg")
            })
    }

    @Test(
        "Methods other than GET are refused",
        arguments: ["POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "get"])
    func refusesMethods(_ method: String) throws {
        let answer = try #require(RawClient.get("/\(token)/", port: view.port, method: method))
        #expect(answer.status == 405)
        #expect(answer.head.contains("Allow: GET"))
    }

    @Test(
        "Without the token nothing is answered, whatever is asked for",
        arguments: [
            "/", "/api/rows", "/wrong/", "/0123456789abcdef0123456789abcdeF/api/rows",
            "/0123456789abcdef0123456789abcde/", "/0123456789abcdef0123456789abcdef0/", "/open/x",
        ])
    func refusesTokens(_ target: String) throws {
        let answer = try #require(RawClient.get(target, port: view.port))
        #expect(answer.status == 403)
        #expect(!answer.text.contains("hello") && !answer.text.contains(token))
    }

    @Test(
        "A host name that was pointed at this machine is refused, the token notwithstanding",
        arguments: [
            "evil.example", "evil.example:PORT", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:PORT",
        ])
    func refusesHosts(_ host: String) throws {
        let host = host.replacingOccurrences(of: "PORT", with: String(view.port))
        let answer = try #require(RawClient.get("/\(token)/api/rows", port: view.port, host: host))
        #expect(answer.status == 403)
        let good = try #require(
            RawClient.get("/\(token)/api/rows", port: view.port, host: "localhost:\(view.port)"))
        #expect(good.status == 200)
    }

    @Test(
        "Requests that a page of another site makes are refused",
        arguments: [
            "Origin: http://evil.example", "Origin: null", "Origin: http://127.0.0.1:1",
            "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site",
        ])
    func refusesOrigins(_ field: String) throws {
        let answer = try #require(RawClient.get("/\(token)/api/rows", port: view.port, fields: [field]))
        #expect(answer.status == 403)
        let own = ["Origin: http://127.0.0.1:\(view.port)", "Sec-Fetch-Site: same-origin"]
        #expect(RawClient.get("/\(token)/api/rows", port: view.port, fields: own)?.status == 200)
    }

    @Test("A link from elsewhere may open the page, and nothing else")
    func acceptsLinks() {
        let fields = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"]
        #expect(RawClient.get("/\(token)/", port: view.port, fields: fields)?.status == 200)
        #expect(RawClient.get("/\(token)/api/lines", port: view.port, fields: fields)?.status == 403)
        let framed = ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"]
        #expect(RawClient.get("/\(token)/", port: view.port, fields: framed)?.status == 403)
    }

    @Test("The address that the browser is started with leads to the page once")
    func ticketIsUsedOnce() throws {
        let address = view.server.ticketAddress()
        #expect(!address.contains(token))
        let target = "/" + address.split(separator: "/").dropFirst(2).joined(separator: "/")
        let first = try #require(RawClient.get(target, port: view.port))
        #expect(first.status == 303)
        #expect(first.head.contains("Location: /\(token)/"))
        #expect(RawClient.get(target, port: view.port)?.status == 403)
    }

    @Test(
        "Paths and parameters that make no sense are refused, and lead to no file",
        arguments: [
            ("../../../etc/passwd", 404), ("api/rows/../about", 404), ("%2e%2e/%2e%2e/etc/passwd", 404),
            ("api/nothing", 404), ("api/rows?q=%zz", 400), ("api/rows?level=loud", 400),
            ("api/rows?since=soon", 400), ("api/record?n=99999999", 404), ("api/histogram?from=9&to=1", 400),
            ("api/histogram?from=-9223372036854775808&to=9223372036854775807", 200),
            ("api/histogram?from=-9223372036854775807&pieces=1", 200),
            ("api/seek?t=9223372036854775807", 200),
            ("api/rows?from=-9223372036854775808&count=9223372036854775807", 200),
        ])
    func refusesPaths(_ target: String, _ status: Int) throws {
        let answer = try #require(view.get(target))
        #expect(answer.status == status, "\(answer.text)")
        #expect(!answer.text.contains("root:"))
    }

    @Test("Bodies, endless heads and what is not HTTP are refused, and the connection is closed")
    func refusesForms() throws {
        let host = "Host: 127.0.0.1:\(view.port)\r\n"
        let body = RawClient.send(
            "GET /\(token)/ HTTP/1.1\r\n\(host)Content-Length: 2\r\n\r\nhi", port: view.port)
        #expect(body?.status == 413)
        let long =
            "GET /\(token)/ HTTP/1.1\r\n\(host)X: " + String(repeating: "a", count: 20_000) + "\r\n\r\n"
        #expect(RawClient.send(long, port: view.port)?.status == 431)
        #expect(RawClient.send("hello\r\n\r\n", port: view.port)?.status == 400)
        #expect(RawClient.send("GET / HTTP/3\r\n\(host)\r\n", port: view.port)?.status == 505)
    }

    @Test("A server on all addresses takes numeric hosts, and no names of others")
    func gateOfAllAddresses() throws {
        let gate = ViewGate(token: token, address: "0.0.0.0", port: 80)
        func refusal(_ host: String) throws -> ViewGate.Refusal? {
            let head = try HTTPRequestHead(parsing: Array("GET / HTTP/1.1\r\nHost: \(host)".utf8))
            return gate.refusal(of: head, token: token, isPage: true)
        }
        #expect(try refusal("192.168.0.7:80") == nil)
        #expect(try refusal("[fe80::1]:80") == nil)
        #expect(try refusal("evil.example:80") == .host)
        #expect(try refusal("192.168.0.7") == .host)
    }

    @Test("More clients than the limit are turned away, and the others go on")
    func limitsConnections() async throws {
        let gate = HTTPServer.Limits()
        #expect(gate.connections == 64)
        let server = try HTTPServer { _ in .text(200, "here") }
        defer { server.stop() }
        var open: [Int32] = []
        for _ in 0..<80 { if let socket = RawSocket.connect(port: server.port) { open.append(socket) } }
        #expect(RawClient.get("/", port: server.port)?.status != 200)
        for socket in open { RawSocket.close(socket) }
        var answer: RawClient.Answer?
        for _ in 0..<200 where answer?.status != 200 {
            answer = RawClient.get("/", port: server.port)
            if answer?.status != 200 { try await Task.sleep(for: .milliseconds(20)) }
        }
        #expect(answer?.status == 200)
    }
}
