import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct EncodingTests {
    private func entry(_ text: String = "hi", _ change: (inout RemoteEntry) -> Void = { _ in }) -> RemoteEntry
    {
        var entry = RemoteEntry()
        entry.id = "id-1"
        entry.time = LogTimestamp(nanoseconds: 1_700_000_000_000_000_001)
        entry.levelName = "error"
        entry.severity = .error
        entry.text = text
        entry.file = "App/Main.swift"
        entry.function = "run()"
        entry.line = 12
        entry.threadID = 7
        change(&entry)
        return entry
    }

    private func batch(_ entries: RemoteEntry...) -> RemoteBatch {
        RemoteBatch(entries: entries, key: "k", device: ["os": "Linux"])
    }

    private func text(_ encoding: some RemoteEncoding, _ batch: RemoteBatch) throws -> String {
        String(decoding: try encoding.encode(batch), as: UTF8.self)
    }

    private func object(_ encoding: some RemoteEncoding, _ batch: RemoteBatch) throws -> [String: Any] {
        let body = Data(try encoding.encode(batch))
        return try #require(try JSONSerialization.jsonObject(with: body) as? [String: Any])
    }

    private var rich: RemoteEntry {
        entry("took 3 ms\n\"quoted\" \u{1B}") {
            $0.category = "payments"
            $0.fields = [
                "ms": 3, "ratio": 0.5, "ok": true, "none": nil, "big": .unsigned(.max),
                "list": .array([1, "two"]),
                "nested": ["a": 1], "message": "clash",
            ]
            $0.metadata = ["request_id": "r-1", "ms": "hidden by the field"]
            $0.threadName = "main"
        }
    }

    // MARK: JSON

    @Test("A JSON array has an object per entry, typed, and each key once") func jsonArray() throws {
        let body = try text(JSONArrayEncoding(), batch(rich, entry()))
        let list = try #require(try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [[String: Any]])
        #expect(list.count == 2)
        let first = list[0]
        #expect(first["message"] as? String == rich.text)
        #expect(first["_message"] as? String == "clash")
        #expect(first["ms"] as? Int == 3 && first["ratio"] as? Double == 0.5 && first["ok"] as? Bool == true)
        #expect(first["request_id"] as? String == "r-1")
        #expect(first["time"] as? String == "2023-11-14T22:13:20.000000001Z")
        #expect(first["id"] as? String == "id-1" && first["line"] as? Int == 12)
        #expect(!body.contains("\n") && !body.contains("\u{1B}"))
    }

    @Test("With a key the array is wrapped, and the device may come along") func wrapped() throws {
        let plain = try text(JSONArrayEncoding(wrappingKey: "root"), batch(entry()))
        #expect(plain.hasPrefix("{\"root\":[{") && plain.hasSuffix("}]}"))
        let device = try object(JSONArrayEncoding(wrappingKey: "root", includesDevice: true), batch(entry()))
        #expect((device["device"] as? [String: String])?["os"] == "Linux")
    }

    @Test("NDJSON has one line per entry, whatever is in it") func ndjson() throws {
        let body = try text(NDJSONEncoding(), batch(rich, entry(), entry("\u{2028}\r\n")))
        #expect(body.split(separator: "\n", omittingEmptySubsequences: false).count == 4)
        for line in body.split(separator: "\n") {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
        }
    }

    // MARK: OTLP

    @Test("OTLP writes the vector of its specification: camel case, 64-bit numbers as strings") func otlp()
        throws
    {
        let body = try text(OTLPEncoding(service: "app"), RemoteBatch(entries: [entry()], key: "k"))
        #expect(
            body
                == #"{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"app"}}]},"#
                + #""scopeLogs":[{"scope":{"name":"heartwood"},"logRecords":[{"timeUnixNano":"1700000000000000001","#
                + #""observedTimeUnixNano":"1700000000000000001","severityNumber":17,"severityText":"ERROR","#
                + #""body":{"stringValue":"hi"},"attributes":[{"key":"code.file.path","value":{"stringValue":"#
                + #""App/Main.swift"}},{"key":"code.function.name","value":{"stringValue":"run()"}},"#
                + #"{"key":"code.line.number","value":{"intValue":"12"}},{"key":"thread.id","value":{"intValue":"7"}},"#
                + #"{"key":"log.record.uid","value":{"stringValue":"id-1"}}]}]}]}]}"#)
    }

    @Test("A trace's ids become the record's own, if they are ids") func traces() throws {
        let trace = String(repeating: "Ab", count: 16)
        let good = entry { $0.metadata = ["trace_id": .string(trace), "span_id": "00f067aa0ba902b7"] }
        let body = try text(OTLPEncoding(service: "app"), batch(good))
        #expect(body.contains("\"traceId\":\"\(trace.lowercased())\",\"spanId\":\"00f067aa0ba902b7\""))
        #expect(!body.contains("trace_id"))
        let bad = entry { $0.metadata = ["trace_id": "not one"] }
        #expect(try text(OTLPEncoding(service: "app"), batch(bad)).contains("trace_id"))
    }

    @Test(
        "OTLP's partial success counts what was thrown away, and never repeats",
        arguments: [
            (#"{}"#, 0), (#"{"partialSuccess":{}}"#, 0),
            (#"{"partialSuccess":{"rejectedLogRecords":"1"}}"#, 1),
            (#"{"partialSuccess":{"rejectedLogRecords":2,"errorMessage":"bad"}}"#, 2),
            (#"{"partialSuccess":{"rejectedLogRecords":"99"}}"#, 2),
            (#"{"partialSuccess":{"errorMessage":"hm"}}"#, 0),
            ("", 0), ("garbage", 0),
        ])
    func partialSuccess(body: String, rejected: Int) {
        let response = HTTPResponse(status: 200, body: Array(body.utf8))
        let verdict = OTLPEncoding(service: "a").verdict(on: response, for: batch(entry(), entry()))
        #expect(verdict.action == .deliver && verdict.rejected == rejected)
    }

    // MARK: Elasticsearch

    @Test("_bulk has an action and a document per entry, each on its line") func bulk() throws {
        let body = try text(ElasticsearchEncoding(index: "logs-app-default"), batch(rich, entry()))
        let lines = body.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 5 && lines[4].isEmpty)
        #expect(lines[0] == #"{"create":{"_index":"logs-app-default","_id":"id-1"}}"#)
        let document = try JSONSerialization.jsonObject(with: Data(lines[1].utf8)) as? [String: Any]
        #expect(document?["@timestamp"] as? String == "2023-11-14T22:13:20.000000001Z")
        #expect(document?["log.level"] as? String == "error")
        let labels = document?["labels"] as? [String: Any]
        #expect(labels?["message"] as? String == "clash")
        #expect(encodingPath.contains("items.*.error.reason"))
    }

    private var encodingPath: String { ElasticsearchEncoding(index: "i").defaultPath }

    @Test("No field of the program collides with the document's own, nor one with the beginning of another")
    func bulkCollisions() throws {
        let names = [
            "event", "log", "process", "process.thread", "@timestamp", "labels", "log.level.x", "a", "a.b",
            "a_b",
            "a.b.c", "", ".",
        ]
        let mine = entry("x") { entry in
            for name in names { entry.metadata[name] = .string(name) }
        }
        let body = try text(ElasticsearchEncoding(index: "i"), batch(mine))
        let line = try #require(body.split(separator: "\n").last)
        let document = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        /// As Elasticsearch reads names: a point is a step into an object, and a place is an object or a value.
        func check(_ object: [String: Any], _ path: [String], _ values: inout Set<[String]>) {
            for (key, value) in object {
                let place =
                    path + key.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                if let inner = value as? [String: Any] {
                    check(inner, place, &values)
                } else {
                    #expect(values.insert(place).inserted, "\(place)")
                }
            }
        }
        var values: Set<[String]> = []
        check(document, [], &values)
        for place in values {
            #expect(!place.contains(""), "\(place)")
            for length in 1..<max(2, place.count) where length < place.count {
                #expect(!values.contains(Array(place.prefix(length))), "\(place)")
            }
        }
        #expect((document["labels"] as? [String: Any])?.count == names.count)
    }

    @Test("The answer to _bulk is read entry by entry") func bulkAnswer() {
        let encoding = ElasticsearchEncoding(index: "i")
        let three = batch(entry(), entry(), entry())
        func verdict(_ body: String, cut: Bool = false) -> DeliveryVerdict {
            encoding.verdict(
                on: HTTPResponse(status: 200, body: Array(body.utf8), isBodyCut: cut), for: three)
        }
        #expect(verdict(#"{"errors":false}"#) == DeliveryVerdict(.deliver))
        let mixed = verdict(
            #"{"errors":true,"items":[{"create":{"status":201}},{"create":{"status":429}},"#
                + #"{"create":{"status":400,"error":{"type":"mapper_parsing_exception","reason":"field [x]"}}}]}"#
        )
        #expect(mixed.items == [.delivered, .retry, .rejected("400 mapper_parsing_exception: field [x]")])
        #expect(mixed.action == .retry)
        let repeated = verdict(
            #"{"errors":true,"items":[{"create":{"status":409}},{"create":{"status":409}},{"create":{"status":201}}]}"#
        )
        #expect(repeated.items == [.delivered, .delivered, .delivered] && repeated.action == .deliver)
        #expect(verdict(#"{"errors":true,"items":[]}"#).action == .retry)
        #expect(verdict("garbage").action == .retry)
        #expect(verdict(#"{"errors":true,"items":[{"crea"#, cut: true).action == .split)
    }

    // MARK: Loki

    @Test("Loki gets a stream per level, times as strings, and flat metadata") func loki() throws {
        let encoding = LokiEncoding(labels: ["app": "x", "bad-name": "y"], tenant: "t")
        let other = entry("two") { $0.levelName = "info" }
        let streams = try #require(
            try object(encoding, batch(rich, other, entry("three")))["streams"] as? [[String: Any]])
        #expect(streams.count == 2)
        #expect(streams[0]["stream"] as? [String: String] == ["level": "error", "app": "x", "bad_name": "y"])
        let values = try #require(streams[0]["values"] as? [[Any]])
        #expect(values.count == 2)
        #expect(values[0][0] as? String == "1700000000000000001")
        let metadata = try #require(values[0][2] as? [String: String])
        #expect(
            metadata["ms"] == "3" && metadata["category"] == "payments" && metadata["request_id"] == "r-1")
        #expect(encoding.headers(for: batch(entry()))["X-Scope-OrgID"] == "t")
    }

    @Test("What Loki answers with 400 is never taken for delivered; what is about its settings is held")
    func lokiAnswer() {
        func verdict(_ text: String) -> DeliveryVerdict {
            LokiEncoding(labels: [:]).verdict(
                on: HTTPResponse(status: 400, body: Array(text.utf8)), for: batch(entry(), entry()))
        }
        #expect(verdict("entry too far behind").action == .isolate)
        #expect(verdict("entry too far behind").note?.contains("too far behind") == true)
        #expect(verdict("").action == .isolate)
        let disallowed =
            "stream '{level=\"info\"}' includes structured metadata, but this feature is disallowed. Please see..."
        #expect(verdict(disallowed).action == .hold)
        #expect(verdict(disallowed).note?.contains("structuredMetadata: false") == true)
        #expect(
            LokiEncoding(labels: [:]).verdict(on: HTTPResponse(status: 204), for: batch(entry())).action
                == .deliver)
    }

    @Test(
        "Loki gets 128 fields for a line at most, and is told how many there were; without them lines are JSON"
    )
    func lokiFields() throws {
        let many = entry("many") { entry in
            (entry.category, entry.file, entry.threadName) = ("net", "App/Main.swift", "main")
            for number in 0..<205 { entry.metadata["field \(number)"] = .integer(Int64(number)) }
        }
        func values(_ encoding: LokiEncoding) throws -> [Any] {
            let streams = try object(encoding, batch(many))["streams"] as? [[String: Any]]
            return try #require((streams?.first?["values"] as? [[Any]])?.first)
        }
        let metadata = try #require(try values(LokiEncoding(labels: [:]))[2] as? [String: String])
        #expect(metadata.count == 128 && metadata["field_0"] == "0")
        let kept = metadata.keys.filter { $0.hasPrefix("field_") }.count
        #expect(kept > 110 && metadata["heartwood_dropped_fields"] == String(205 - kept))
        let plain = try values(LokiEncoding(labels: [:], structuredMetadata: false))
        #expect(plain.count == 2)
        let line = try JSONSerialization.jsonObject(with: Data(try #require(plain[1] as? String).utf8))
        let fields = try #require(line as? [String: Any])
        #expect(fields["message"] as? String == "many" && fields["field 204"] as? Int == 204)
    }

    @Test("Lines that Loki refuses are counted as rejected and set aside; the others arrive")
    func lokiRefuses()
        async throws
    {
        let server = try LoopbackServer { request in
            request.text.contains("record 3\"")
                ? .status(400, body: "total ignored: 1 out of 8") : .status(204)
        }
        let bench = try HTTPBench(server, encoding: LokiEncoding(labels: [:]), onDisk: true)
        await bench.log(0..<8)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        let figures = bench.logger.httpStatistics
        #expect(figures.acknowledged == 7 && figures.rejected == 1 && bench.balance)
        let letters = try bench.directory?.read("spool/rejected.ndjson") ?? []
        #expect(String(decoding: letters, as: UTF8.self).contains("record 3"))
    }

    // MARK: Splunk

    @Test("Splunk gets objects one after the other") func splunk() throws {
        let encoding = SplunkEncoding(host: "h", source: "app", index: "main")
        let lines = try text(encoding, batch(rich, entry())).split(separator: "\n")
        #expect(lines.count == 2)
        let first = try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: Any]
        #expect(first?["time"] as? Double == 1_700_000_000.0 && first?["sourcetype"] as? String == "_json")
        #expect((first?["event"] as? [String: Any])?["ms"] as? Int == 3)
        #expect(first?["fields"] as? [String: String] == ["level": "error", "category": "payments"])
        #expect(lines[0].contains("\"time\":1700000000.000,"))
    }

    @Test("Splunk's bad event is set aside, those before it are stored, those after it come again")
    func splunkAnswer() {
        func verdict(_ status: Int, _ body: String) -> DeliveryVerdict {
            SplunkEncoding().verdict(
                on: HTTPResponse(status: status, body: Array(body.utf8)),
                for: batch(entry(), entry(), entry()))
        }
        // A success is nothing to report.
        #expect(verdict(200, #"{"text":"Success","code":0}"#) == DeliveryVerdict(.deliver))
        #expect(
            verdict(400, #"{"text":"Invalid data format","code":6,"invalid-event-number":1}"#).items
                == [.delivered, .rejected("Invalid data format"), .retry])
        #expect(
            verdict(400, #"{"text":"Incorrect index","code":7,"invalid-event-number":0}"#).action == .hold)
        #expect(verdict(400, #"{"text":"bad","code":6,"invalid-event-number":9}"#).action == .isolate)
        #expect(verdict(400, "").action == .isolate)
        #expect(verdict(403, #"{"text":"Invalid token","code":4}"#).action == .authorize)
        #expect(verdict(503, #"{"text":"Server is busy","code":9}"#).action == .retry)
    }

    // MARK: Datadog

    @Test("Datadog gets its own names") func datadog() throws {
        let encoding = DatadogEncoding(service: "s", tags: ["env:dev", "v:1"], host: "h")
        let body = encoding.encode(batch(rich))
        let list = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [[String: Any]])
        #expect(list[0]["status"] as? String == "error" && list[0]["ddtags"] as? String == "env:dev,v:1")
        #expect(list[0]["date"] as? Int == 1_700_000_000_000 && list[0]["ddsource"] as? String == "swift")
    }

    // MARK: The journal

    @Test("The journal gets the bytes of its export format") func journal() {
        var entry = entry("line1\nline2") {
            $0.file = ""
            $0.threadID = 7
        }
        let expected =
            Array("__REALTIME_TIMESTAMP=1700000000000000\nMESSAGE\n".utf8) + [11, 0, 0, 0, 0, 0, 0, 0]
            + Array("line1\nline2\nPRIORITY=3\nSYSLOG_IDENTIFIER=app\nTID=7\nLOG_ID=id-1\n\n".utf8)
        #expect(JournalEncoding(identifier: "app").encode(batch(entry)) == expected)

        entry.metadata = LogMetadata((0..<502).map { ("N\($0)", .integer(Int64($0))) })
        let many = String(decoding: JournalEncoding(identifier: "app").encode(batch(entry)), as: UTF8.self)
        let dropped = entry.allFields.count - 500
        #expect(dropped > 0 && many.hasSuffix("\nHEARTWOOD_DROPPED_FIELDS=\(dropped)\n\n"))
    }

    @Test(
        "Names that the journal does not take are changed",
        arguments: [
            ("request_id", "REQUEST_ID"), ("9lives", "FIELD_9LIVES"), ("_trusted", "FIELD__TRUSTED"),
            ("é", "FIELD__"),
            ("", "FIELD_"), ("message", "FIELD_MESSAGE"), ("a=b\nc", "A_B_C"),
        ])
    func journalNames(name: String, field: String) {
        #expect(JournalFieldName.make(name) == field)
        #expect(JournalFieldName.make(String(repeating: "x", count: 100)).count == 64)
    }

    // MARK: SwiftyBeaver

    @Test(
        "SwiftyBeaver gets its 14 device keys, whatever is known, and levels and threads as its article has them"
    )
    func swiftyBeaverDevice() throws {
        let keys = [
            "os", "osVersion", "deviceName", "deviceModel", "hostName", "uuid", "firstStart", "lastStart",
            "starts", "userName", "firstAppVersion", "appVersion", "firstAppBuild", "appBuild",
        ]
        let record = DeviceRecord()
        let devices: [LogMetadata] = [
            [:], record.dictionary(.all, version: nil, build: nil, user: nil), ["os": "macOS", "starts": 3],
            record.dictionary(.all, version: "1.2", build: 7, user: "ann"),
        ]
        for device in devices {
            let entries = LogLevel.standardLevels.map { level in
                var entry = RemoteEntry()
                entry.severity = level
                return entry
            }
            let plain = SwiftyBeaverEncoding.plain(RemoteBatch(entries: entries, key: "k", device: device))
            let object = try #require(
                JSONSerialization.jsonObject(with: Data(plain)) as? [String: Any])
            let sent = try #require(object["device"] as? [String: Any])
            #expect(sent.keys.sorted() == keys.sorted())
            for key in keys {
                let isNumber = ["firstStart", "lastStart", "starts", "firstAppBuild", "appBuild"].contains(
                    key)
                #expect(isNumber ? sent[key] is NSNumber : sent[key] is String, "\(key)")
            }
            if device["os"] == "macOS" { #expect(sent["os"] as? String == "OSX") }
            let levels = (object["entries"] as? [[String: Any]])?.compactMap { $0["level"] as? Int }
            #expect(levels == [4, 4, 3, 2, 2, 1, 0])
        }
        let threads: [(String?, String?, String)] = [
            ("shop", "com.apple.main-thread", "main"), (nil, "com.apple.main-thread", "main"),
            ("worker", "shop.queue", "worker"), (nil, "shop.queue", "shop.queue"), (nil, nil, ""),
            (nil, "com.apple.root.default-qos.overcommit", ""),
        ]
        for (name, queue, expected) in threads {
            var entry = RemoteEntry()
            entry.threadName = name
            entry.queueLabel = queue
            let plain = SwiftyBeaverEncoding.plain(RemoteBatch(entries: [entry], key: "k"))
            #expect(String(decoding: plain, as: UTF8.self).contains("\"thread\":\"\(expected)\""))
        }
    }

    @Test("SwiftyBeaver's payload is the vector, then what openssl would have made") func swiftyBeaver()
        throws
    {
        let key = Secret("0123456789abcdefghijklmnopqrstuv")
        let encoding = try SwiftyBeaverEncoding(encryptionKey: key) { Array("ABCDEFGHIJKLMNOP".utf8) }
        let payload = try #require(try object(encoding, batch(entry()))["payload"] as? String)
        #expect(payload.hasPrefix("ABCDEFGHIJKLMNOP"))
        #expect(throws: LogError.self) { try SwiftyBeaverEncoding(encryptionKey: Secret("too short")) }
        let plain = try JSONSerialization.jsonObject(with: Data(SwiftyBeaverEncoding.plain(batch(entry()))))
        let entries = try #require((plain as? [String: Any])?["entries"] as? [[String: Any]])
        #expect(entries[0]["timestamp"] as? Double == 1_700_000_000.0)
        #expect(entries[0]["level"] as? Int == 4 && entries[0]["fileName"] as? String == "Main.swift")
        let device = (plain as? [String: Any])?["device"] as? [String: Any]
        #expect(device?["os"] as? String == "Linux" && device?.count == 14)
    }

    @Test("Two batches never have the same vector") func vectors() throws {
        let encoding = try SwiftyBeaverEncoding(encryptionKey: Secret("0123456789abcdefghijklmnopqrstuv"))
        let bodies = try Set((0..<50).map { _ in try encoding.encode(batch(entry())) })
        #expect(bodies.count == 50)
    }

    @Test(
        "The levels have the other systems' numbers",
        arguments: zip(
            LogLevel.standardLevels,
            [(21, 2, 4), (17, 3, 4), (13, 4, 3), (10, 5, 2), (9, 6, 2), (5, 7, 1), (1, 7, 0)]))
    func levels(level: LogLevel, numbers: (Int, Int, Int)) {
        #expect(LevelNumbers.otlp(level) == numbers.0)
        #expect(level.syslogSeverity == numbers.1)
        #expect(LevelNumbers.swiftyBeaver(level) == numbers.2)
    }
}

@Suite(.inTurn) struct EntryCoderTests {
    private var entry: RemoteEntry {
        var entry = RemoteEntry()
        entry.id = "x"
        entry.time = LogTimestamp(nanoseconds: -5)
        entry.levelName = "audit"
        entry.severity = .notice
        entry.category = "c"
        entry.text = "text ✓"
        entry.fields = [
            "a": nil, "b": true, "c": -3, "d": .unsigned(.max), "e": 1.5, "f": "s",
            "g": .timestamp(LogTimestamp(nanoseconds: 9)), "h": .uuid(UUID()), "i": .decimal("1.10"),
            "j": .json("{}"), "k": .array([1, [2]]), "l": ["m": ["n": "o"]],
        ]
        entry.metadata = ["z": "y"]
        entry.taskName = "t"
        entry.sequence = 77
        return entry
    }

    @Test("An entry comes back as it was") func roundTrip() {
        let entry = entry
        #expect(EntryCoder.decode(EntryCoder.encode(entry), id: "x") == entry)
    }

    @Test("Cut and changed bytes give nothing or another entry, and never a crash") func damage() {
        let bytes = EntryCoder.encode(entry)
        for length in 0..<bytes.count { #expect(EntryCoder.decode(Array(bytes[..<length]), id: "") == nil) }
        for index in bytes.indices {
            for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
                var changed = bytes
                changed[index] = value
                _ = EntryCoder.decode(changed, id: "")
            }
        }
    }

    @Test("Values that nest without end are cut") func deep() throws {
        var value: LogValue = 1
        for _ in 0..<500 { value = .array([value]) }
        var deep = RemoteEntry()
        deep.fields = ["v": value]
        let kept = try onSmallStack { EntryCoder.decode(EntryCoder.encode(deep), id: "") }
        #expect(kept?.fields["v"]?.description.contains("…[nested deeper than 64]") == true)
        // What is as deep as it may be comes back as it was.
        value = 1
        for _ in 0..<64 { value = .object(["a": value]) }
        var whole = RemoteEntry()
        whole.fields = ["v": value]
        #expect(EntryCoder.decode(EntryCoder.encode(whole), id: "")?.fields == ["v": value])
        for encoding in [OTLPEncoding(service: "a"), JSONArrayEncoding(), LokiEncoding(labels: [:])]
            as [any RemoteEncoding]
        {
            let body = try onSmallStack {
                try encoding.encode(RemoteBatch(entries: [deep], key: "k", device: [:]))
            }
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(body)) }
        }
        var bytes = EntryCoder.encode(RemoteEntry())
        bytes.removeLast(8)
        let nested: [UInt8] = [0x02, 1, 0, 65] + (0..<2000).flatMap { _ in [0x1B, 1, 0, 0, 0] as [UInt8] }
        withUnsafeBytes(of: UInt32(nested.count).littleEndian) { bytes += $0 }
        bytes += nested + [0, 0, 0, 0]
        #expect(try onSmallStack { EntryCoder.decode(bytes, id: "") } == nil)
    }

    @Test("An answer that is nested without end is one that is not understood")
    func deepAnswer() throws {
        for start in ["[", "{\"items\":[", "{\"partialSuccess\":{\"x\":", "{\"acks\":{\"1\":["] {
            let text = start + String(repeating: start.hasPrefix("[") ? "[" : "{\"a\":", count: 10_000)
            let response = HTTPResponse(status: 200, body: Array(text.utf8.prefix(HTTPResponse.bodyLimit)))
            let batch = RemoteBatch(entries: [RemoteEntry(), RemoteEntry()], key: "k", device: [:])
            let actions: [StatusAction] = try onSmallStack {
                [
                    OTLPEncoding(service: "a").verdict(on: response, for: batch).action,
                    ElasticsearchEncoding(index: "a").verdict(on: response, for: batch).action,
                    SplunkEncoding().verdict(on: response, for: batch).action,
                ]
            }
            #expect(actions == [.deliver, .retry, .deliver])
        }
    }
}
