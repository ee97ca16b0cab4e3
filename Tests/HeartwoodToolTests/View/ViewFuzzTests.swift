import Foundation
import HeartwoodHTTP
import HeartwoodServer
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("Requests of all kinds to heartwood view", .inTurn)
struct ViewFuzzTests {
    private static let endpoints = [
        "about", "rows", "record", "histogram", "next", "seek", "command", "locate", "facets", "nothing",
    ]
    private static let names = [
        "from", "to", "count", "n", "t", "pieces", "step", "than", "tail", "offset", "file", "notfile", "q",
        "re", "cs", "not", "level", "category", "where", "since", "until", "fold", "hl", "hlre", "cols",
        "columns", "format", "mark",
    ]
    private static let values = [
        "9223372036854775807", "-9223372036854775808", "9223372036854775806", "-9223372036854775807",
        "9223372036854775808", "99999999999999999999999", "4611686018427387904", "2147483648", "-2147483649",
        "0", "-1", "1", "-3", "500", "+5", "1e9", "NaN", "inf", "", "-", "%00", "%ff", "%", "%e2%82", "a%0Ab",
        "error", "fatal", "error,debug", "none", ",", "loud", "info", "2026-11-20", "2026-11-20T10:00:01Z",
        "9999-12-31T23:59:59Z", "1h", "-1h", "99999999999999999d", "ms%3E5", "ms%3D1+or+ms%3D2", "%22a",
        "%22a%3Db%22%3D1", "%3D", "user~", "line", "(", "(a%2B)%2B$", "%5B", ".*", "csv", "json", "a.log",
        "b.log", "../a.log", "%F0%9F%8C%B3", "+", "*",
    ]

    @Test(
        "No request ends the process, and each has an answer that can be read",
        arguments: 0..<Tier.amount(3, full: 12))
    func survives(seed: Int) async throws {
        let lines = (0..<400).map {
            "2026-11-20 10:00:\(10 + $0 % 50).000Z \($0 % 7 == 0 ? "error" : "info") line ms=\($0)\n"
                + ($0 % 40 == 0 ? "  at trace\n" : "")
        }
        let odd =
            "1677-09-21T00:12:44Z info first\n2262-04-11T23:47:16Z error last\n{\"time\":9e300,\"a\":1}\n"
        let view = try ViewFixture([
            ("a.log", Array(lines.joined().utf8)), ("b.log", Array(odd.utf8)),
        ])
        #expect(await view.indexed())
        try view.append("2026-11-20 11:00:00.000Z error came\n", to: "a.log")
        #expect(await view.reaches { $0.store.rows.end >= 1 })
        let answers = ViewAnswers(
            log: view.log, tickets: ViewTickets(token: ViewFixture.token), places: ViewEventPlaces())
        let gate = ViewGate(token: ViewFixture.token, address: "127.0.0.1", port: 80)
        var random = SeededGenerator(seed: UInt64(seed))
        for _ in 0..<250 {
            var target = "/\(ViewFixture.token)/api/" + (Self.endpoints.randomElement(using: &random) ?? "")
            for place in 0..<Int.random(in: 0...4, using: &random) {
                let name = Self.names.randomElement(using: &random) ?? ""
                let value = Self.values.randomElement(using: &random) ?? ""
                target += (place == 0 ? "?" : "&") + name + "=" + value
            }
            let head = try HTTPRequestHead(
                parsing: Array("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:80".utf8))
            let reply = answers.answer(head, gate)
            #expect([200, 400, 404].contains(reply.status), "\(target)")
            guard case .bytes(let bytes) = reply.body, reply.headers["Content-Type"] == "application/json"
            else { continue }
            #expect(throws: Never.self, "\(target)") {
                try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            }
        }
    }

    @Test(
        "A number that no sum can hold is as good as the largest one that there is",
        arguments: [
            ("rows?from=9223372036854775807&count=500", 200), ("record?n=9223372036854775807", 404),
            ("next?from=9223372036854775807&step=1", 200), ("next?from=-9223372036854775808&step=-1", 200),
            ("rows?from=-9223372036854775808&count=9223372036854775807", 200),
            ("rows?from=99999999999999999999999", 400), ("rows?count=many", 400), ("record?n=", 404),
            ("seek?t=soon", 400), ("histogram?pieces=1.5", 400),
        ])
    func extremes(_ target: String, _ status: Int) async throws {
        let view = try ViewFixture([("a.log", Array("2026-11-20 10:00:00.000Z info hello\n".utf8))])
        #expect(await view.indexed())
        for query in ["", "&q=hello"] {
            let answer = try #require(view.get("api/" + target + query))
            #expect(answer.status == status, "\(answer.text)")
        }
        #expect(view.get("api/about")?.status == 200)
    }
}
