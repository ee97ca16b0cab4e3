import Heartwood
@testable import HeartwoodHTTP
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@Suite(.inTurn) struct RequestDecoratorTests {
    private func request(_ body: String = "") throws -> HTTPRequest {
        HTTPRequest(endpoint: try HTTPEndpoint("https://example.com/in"), body: Array(body.utf8))
    }

    @Test("Decorators compose in their order, and the last to set a field wins") func order() throws {
        let all = RequestDecorator.all([.header("X-A", "1"), .header("x-a", "2"), .userAgent("me")])
        let made = try all.then(.header("X-B", "3"))(try request())
        #expect(made.headers == ["x-a": "2", "User-Agent": "me", "X-B": "3"])
    }

    @Test("Basic and Bearer credentials are made as RFC 7617 and 6750 say") func credentials() throws {
        let basic = try RequestDecorator.basicAuth(user: "Aladdin", password: Secret("open sesame"))(
            try request())
        #expect(basic.headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        let bearer = try RequestDecorator.bearer(Secret("mF_9.B5f"))(try request())
        #expect(bearer.headers["Authorization"] == "Bearer mF_9.B5f")
    }

    @Test("A request that is printed shows neither credentials nor the body") func printing() throws {
        let secret = "hunter2-very-secret"
        let made = try RequestDecorator.all([
            .bearer(Secret(secret)), .header("DD-API-KEY", secret), .header("X-Mine", secret),
        ])(try request("body " + secret))
        #expect(!"\(made)".contains(secret))
        #expect(!"\(Secret(secret))".contains(secret))
        var dumped = ""
        dump(Secret(secret), to: &dumped)
        #expect(!dumped.contains(secret) && !dumped.contains("104"))
    }

    @Test("A provider is asked for each request") func provider() throws {
        final class Rotating: SecretProvider {
            let count = Locked(0)
            func secret(named name: String) throws -> Secret {
                Secret(
                    name
                        + String(
                            count.withLock {
                                $0 += 1; return $0
                            }))
            }
        }
        let decorator = RequestDecorator.bearer(named: "t", from: Rotating())
        #expect(try decorator(try request()).headers["Authorization"] == "Bearer t1")
        #expect(try decorator(try request()).headers["Authorization"] == "Bearer t2")
    }

    @Test("HMAC-SHA256 agrees with RFC 4231, case 2") func signature() throws {
        let made = try RequestDecorator.signedWith(hmacKey: Secret("Jefe"))(
            try request("what do ya want for nothing?"))
        #expect(
            made.headers["X-Signature-256"]
                == "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    }

    @Test("gzip packs what is worth it, and says so") func gzip() throws {
        let long = String(repeating: "a line of a log, and ", count: 500)
        let packed = try RequestDecorator.gzip()(try request(long))
        #expect(packed.headers["Content-Encoding"] == "gzip")
        #expect(packed.body.count < 300)
        #expect(packed.body.starts(with: [0x1F, 0x8B]))
        #expect(try RequestDecorator.gzip()(packed) == packed)
        let short = try request("short")
        #expect(try RequestDecorator.gzip()(short) == short)
    }

    @Test(
        "Base64 agrees with RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64(text: String, encoded: String) {
        #expect(Base64.encode(Array(text.utf8)) == encoded)
    }

    @Test("AES-256-CBC agrees with openssl") func encryption() throws {
        let key = Secret("0123456789abcdefghijklmnopqrstuv")
        let text = try AESCBC.encrypt(Array("hello".utf8), key: key, vector: Array("ABCDEFGHIJKLMNOP".utf8))
        #expect(Base64.encode(text) == "pZnWNpZ9MmbG5B06SlhzkQ==")
        #expect(throws: LogError.self) { try AESCBC.encrypt([], key: Secret("short"), vector: []) }
    }
}

@Suite(.inTurn) struct HTTPEndpointTests {
    @Test(
        "Plain addresses are taken apart",
        arguments: [
            ("https://example.com", "example.com", 443, "/", "https://example.com/"),
            ("HTTP://LocalHost:8080/a/b?c=d", "localhost", 8080, "/a/b?c=d", "http://localhost:8080/a/b?c=d"),
            ("https://[::1]:9/x", "::1", 9, "/x", "https://[::1]:9/x"),
            ("https://a.b?q", "a.b", 443, "/?q", "https://a.b/?q"),
        ])
    func parts(address: String, host: String, port: Int, path: String, text: String) throws {
        let endpoint = try HTTPEndpoint(address)
        #expect(endpoint.host == host && endpoint.port == port && endpoint.path == path)
        #expect(endpoint.description == text)
    }

    @Test(
        "Everything that two readers could understand differently is refused",
        arguments: [
            "", "example.com", "ftp://a", "https://", "https://a b", "https://a\\b", "https://u:p@a",
            "https://a#f",
            "https://a:0", "https://a:65536", "https://a:x", "https://ä.de", "https://[::1", "https://[zz]",
            "https://-a", "https://a/\r\nX: y", "https://a:", "https://a%00b",
        ])
    func refused(address: String) {
        #expect(throws: LogError.self) { try HTTPEndpoint(address) }
    }

    @Test("A password in a refused address is not repeated") func password() {
        let error = #expect(throws: LogError.self) { try HTTPEndpoint("https://user:hunter2@a") }
        #expect(error.map { !"\($0)".contains("hunter2") } == true)
    }

    @Test(
        "Loopback is told from lookalikes",
        arguments: [
            ("localhost", true), ("127.0.0.1", true), ("127.9.9.9", true), ("[::1]", true),
            ("127.0.0.1.evil.com", false),
            ("localhost.evil.com", false), ("127.1", false), ("10.0.0.1", false), ("127.0.0.256", false),
        ])
    func loopback(host: String, expected: Bool) throws {
        #expect(try HTTPEndpoint("http://\(host)/").isLoopback == expected)
    }
}
