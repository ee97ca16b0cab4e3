import Foundation
import Heartwood
import HeartwoodArchive
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// Details of encodings that a server notices: padded fractions, names that collide, names it would refuse.
@Suite(.inTurn) struct EncodingDetailTests {
    private func entry(_ time: Int64 = 0, _ fields: LogMetadata = [:]) -> RemoteEntry {
        var entry = RemoteEntry()
        entry.id = "id"
        entry.levelName = "info"
        entry.text = "text"
        entry.time = LogTimestamp(nanoseconds: time)
        entry.metadata = fields
        return entry
    }

    @Test(
        "Splunk's time has three digits of milliseconds",
        arguments: [
            (1_700_000_000_005_000_000, "1700000000.005"), (1_700_000_000_050_999_999, "1700000000.050"),
            (1_700_000_000_999_000_000, "1700000000.999"), (7_000_000, "0.007"), (-1, "0.000"),
        ] as [(Int64, String)])
    func splunkTime(time: Int64, text: String) throws {
        let body = SplunkEncoding().encode(RemoteBatch(entries: [entry(time)], key: ""))
        #expect(String(decoding: body, as: UTF8.self).hasPrefix("{\"time\":\(text),"))
    }

    @Test("Labels of Elasticsearch whose names become the same are all there") func elasticLabels() throws {
        let fields: LogMetadata = ["a.b": 1, "a_b": 2, "a..b": 3, ".": 4, "": 5]
        let body = ElasticsearchEncoding(index: "i").encode(
            RemoteBatch(entries: [entry(0, fields)], key: ""))
        let line = try #require(String(decoding: body, as: UTF8.self).split(separator: "\n").last)
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        let labels = try #require(object?["labels"] as? [String: Int])
        #expect(labels == ["a_b": 1, "_a_b": 2, "a__b": 3, "_": 4, "__": 5])
    }

    @Test(
        "Names of fields become names that Loki takes",
        arguments: [
            ("a", "a"), ("1st", "_1st"), ("9", "_9"), ("a-b.c", "a_b_c"), ("", "_"), ("größe", "gr__e"),
            ("_x", "_x"),
        ])
    func lokiLabel(name: String, label: String) {
        #expect(LokiEncoding.label(name) == label)
    }

    @Test("Splunk has confirmed what it answers with true, and nothing else")
    func splunkConfirms() {
        let encoding = SplunkEncoding(channel: "c")
        func confirmed(_ status: Int, _ body: String) -> [String]? {
            encoding.confirmed(in: HTTPResponse(status: status, body: Array(body.utf8)))?.sorted()
        }
        let answer = #"{"acks":{"1":true,"2":false,"3":true}}"#
        #expect(confirmed(200, answer) == ["1", "3"])
        #expect(confirmed(503, answer) == nil && confirmed(200, "no JSON") == nil)
        #expect(confirmed(200, #"{"acks":{}}"#) == [])
    }

    @Test("A body that is compressed already stays as it is, however much smaller it could become")
    func compressedTwice() throws {
        let request = HTTPRequest(
            endpoint: try HTTPEndpoint("https://a.example"), body: [UInt8](repeating: 0x61, count: 4 << 20))
        let once = try RequestDecorator.gzip()(request)
        #expect(once.headers["Content-Encoding"] == "gzip" && once.body.count > 1024)
        #expect(try GzipMember.compress(once.body, level: 9).count < once.body.count)
        let twice = try RequestDecorator.all([.gzip(), .gzip(level: 9)])(request)
        #expect(twice.body == once.body && twice.headers["Content-Encoding"] == "gzip")
    }
}
