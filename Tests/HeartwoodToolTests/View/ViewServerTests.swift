import Foundation
import HeartwoodHTTP
import HeartwoodServer
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("The server of heartwood view", .inTurn)
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
        let page = String(decoding: ViewPage().bytes, as: UTF8.self)
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
        "Methods other than GET and HEAD are refused",
        arguments: ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get"])
    func refusesMethods(_ method: String) throws {
        let answer = try #require(RawClient.get("/\(token)/", port: view.port, method: method))
        #expect(answer.status == 405)
        #expect(answer.head.contains("Allow: GET, HEAD"))
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

    @Test("HEAD is answered as GET is, without the body")
    func answersHead() throws {
        let page = try #require(RawClient.get("/\(token)/", port: view.port))
        let head = try #require(RawClient.get("/\(token)/", port: view.port, method: "HEAD"))
        #expect(head.status == 200 && head.body.isEmpty && head.head == page.head)
        let lines = try #require(RawClient.get("/\(token)/api/lines", port: view.port, method: "HEAD"))
        #expect(lines.status == 200 && lines.body.isEmpty)
        #expect(RawClient.get("/wrong/", port: view.port, method: "HEAD")?.status == 403)
    }

    @Test("A few answers with events go on; others have what is new and end, and the browser asks again")
    func limitsEvents() async throws {
        #expect(await view.indexed())
        func begin(_ fields: String = "") throws -> (socket: Int32, event: String) {
            let socket = try #require(RawSocket.connect(port: view.port))
            RawSocket.send(
                "GET /\(token)/api/events?tail=9 HTTP/1.1\r\nHost: 127.0.0.1:\(view.port)\r\n\(fields)\r\n",
                on: socket)
            _ = RawSocket.read(socket) { $0.suffix(4) == [13, 10, 13, 10] }
            let event = RawSocket.read(socket) { $0.suffix(2) == [10, 10] }
            return (socket, String(decoding: event, as: UTF8.self))
        }
        var held = try (0..<ViewEvents.limit).map { _ in try begin() }
        defer { for answer in held { RawSocket.close(answer.socket) } }
        for answer in held { #expect(answer.event.contains("retry: 1000\nid: ")) }
        var id = ""
        for _ in 0..<9 {
            let answer = try #require(view.get("api/events?tail=9"))
            let match = try #require(answer.text.firstMatch(of: /^retry: 250\nid: (.*)\ndata: .*\n\n$/))
            #expect(match.0.contains("hello"))
            id = String(match.1)
        }
        // What the browser has is not sent again, and what is new is.
        func ask() -> String? {
            RawClient.get(
                "/\(token)/api/events?tail=9", port: view.port, fields: ["Last-Event-ID: \(id)"])?.text
        }
        #expect(ask() == "retry: 250\n\n")
        try view.append("2026-11-20 10:00:01.000Z info again\n", to: "a.log")
        #expect(await view.reaches { $0.store.rows.end - $0.store.rows.first == 2 })
        #expect(ask()?.contains("again") == true)
        // Those that go on are told at once, and the place of one that leaves is another's.
        // On a busy machine a sign of life comes first.
        let news = Array("again".utf8)
        for answer in held {
            let more = RawSocket.read(answer.socket) {
                $0.suffix(2) == [10, 10] && $0.firstRange(of: news) != nil
            }
            #expect(more.firstRange(of: news) != nil)
        }
        RawSocket.close(held.removeFirst().socket)
        try await eventually("another answer has the place") {
            let answer = try begin()
            held.append(answer)
            return answer.event.contains("retry: 1000\n")
        }
    }

    @Test(
        "Where all places have clients that may be here, others are told so, and get the place of one that leaves"
    )
    func limitsConnections() throws {
        var limits = HTTPServer.Limits()
        #expect(limits.connections == 64)
        limits.connections = 4
        let server = try HTTPServer(limits: limits) { _ in .text(200, "here") }
        defer { server.stop() }
        let open = try (0..<4).map { _ in
            let socket = try #require(RawSocket.connect(port: server.port))
            RawSocket.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n", on: socket)
            let answer = RawSocket.read(socket) { $0.firstRange(of: Array("here\n".utf8)) != nil }
            #expect(answer.starts(with: Array("HTTP/1.1 200".utf8)))
            return socket
        }
        let refused = RawClient.get("/", port: server.port)
        #expect(refused?.status == 503)
        #expect(refused?.text.contains("Too many connections") == true)
        // Who leaves says so, and the server has closed its side when the other one sees the end.
        RawSocket.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", on: open[0])
        _ = RawSocket.read(open[0]) { _ in false }
        for socket in open { RawSocket.close(socket) }
        #expect(RawClient.get("/", port: server.port)?.status == 200)
    }

    @Test(
        "Who makes room for a new connection is a stranger of the address with the most, and nobody who may be here"
    )
    func connectionTable() {
        var table = ConnectionTable(limit: 3)
        func admit(_ descriptor: Int32, _ peer: UInt8) -> ConnectionTable.Admission {
            table.admit(descriptor, from: [peer])
        }
        #expect(admit(1, 1) == .admit)
        #expect(admit(2, 2) == .admit)
        #expect(admit(3, 2) == .admit)
        #expect(admit(4, 1) == .replace(2))
        // 1, 4 of the first and 3 of the second address are left; 2 takes no place any more.
        table.trust(1)
        #expect(admit(5, 9) == .replace(3))
        table.remove(2)
        table.trust(4)
        table.trust(5)
        #expect(admit(6, 9) == .refuse)
        table.remove(4)
        #expect(admit(7, 9) == .admit)
        #expect(Set(table.descriptors) == [1, 3, 5, 7])
    }
}
