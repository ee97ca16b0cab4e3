import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// What OTLP's schema and the semantic conventions say, quoted, and what is sent.
@Suite("OTLP, against its schema", .inTurn)
struct OTLPSchemaTests {
    /// `enum SeverityNumber` of opentelemetry-proto, `opentelemetry/proto/logs/v1/logs.proto`, word for word.
    private static let severityNumbers = """
        SEVERITY_NUMBER_UNSPECIFIED = 0;
        SEVERITY_NUMBER_TRACE  = 1;
        SEVERITY_NUMBER_TRACE2 = 2;
        SEVERITY_NUMBER_TRACE3 = 3;
        SEVERITY_NUMBER_TRACE4 = 4;
        SEVERITY_NUMBER_DEBUG  = 5;
        SEVERITY_NUMBER_DEBUG2 = 6;
        SEVERITY_NUMBER_DEBUG3 = 7;
        SEVERITY_NUMBER_DEBUG4 = 8;
        SEVERITY_NUMBER_INFO   = 9;
        SEVERITY_NUMBER_INFO2  = 10;
        SEVERITY_NUMBER_INFO3  = 11;
        SEVERITY_NUMBER_INFO4  = 12;
        SEVERITY_NUMBER_WARN   = 13;
        SEVERITY_NUMBER_WARN2  = 14;
        SEVERITY_NUMBER_WARN3  = 15;
        SEVERITY_NUMBER_WARN4  = 16;
        SEVERITY_NUMBER_ERROR  = 17;
        SEVERITY_NUMBER_ERROR2 = 18;
        SEVERITY_NUMBER_ERROR3 = 19;
        SEVERITY_NUMBER_ERROR4 = 20;
        SEVERITY_NUMBER_FATAL  = 21;
        SEVERITY_NUMBER_FATAL2 = 22;
        SEVERITY_NUMBER_FATAL3 = 23;
        SEVERITY_NUMBER_FATAL4 = 24;
        """

    /// The fields of `message LogRecord` there that this encoding may use, with the names that OTLP's JSON gives them.
    ///
    ///     fixed64 time_unix_nano = 1;
    ///     SeverityNumber severity_number = 2;
    ///     string severity_text = 3;
    ///     opentelemetry.proto.common.v1.AnyValue body = 5;
    ///     repeated opentelemetry.proto.common.v1.KeyValue attributes = 6;
    ///     uint32 dropped_attributes_count = 7;
    ///     fixed32 flags = 8;
    ///     bytes trace_id = 9;
    ///     bytes span_id = 10;
    ///     fixed64 observed_time_unix_nano = 11;
    ///     string event_name = 12;
    private static let recordFields: Set<String> = [
        "timeUnixNano", "severityNumber", "severityText", "body", "attributes", "droppedAttributesCount",
        "flags",
        "traceId", "spanId", "observedTimeUnixNano", "eventName",
    ]

    /// The fields of `message AnyValue`, of which a value has one at most.
    private static let valueFields: Set<String> = [
        "stringValue", "boolValue", "intValue", "doubleValue", "arrayValue", "kvlistValue", "bytesValue",
    ]

    private func schemaNumber(_ name: String) throws -> Int {
        let pattern = try Regex("SEVERITY_NUMBER_\(name) *= (\\d+);")
        let match = try #require(Self.severityNumbers.firstMatch(of: pattern))
        return try #require(match.output[1].substring.flatMap { Int($0) })
    }

    private func body(_ level: LogLevel = .info, _ device: LogMetadata = [:], _ fields: LogMetadata = [:])
        throws
        -> [String: Any]
    {
        var entry = RemoteEntry()
        (entry.id, entry.text, entry.severity, entry.levelName) = ("id", "x", level, level.name)
        entry.metadata = fields
        let batch = RemoteBatch(entries: [entry], key: "k", device: device)
        let bytes = OTLPEncoding(service: "shop").encode(batch)
        return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }

    private func record(_ body: [String: Any]) throws -> [String: Any] {
        let resource = try #require((body["resourceLogs"] as? [[String: Any]])?.first)
        let scope = try #require((resource["scopeLogs"] as? [[String: Any]])?.first)
        return try #require((scope["logRecords"] as? [[String: Any]])?.first)
    }

    @Test(
        "Each level has the number that the schema gives its name",
        arguments: zip(
            LogLevel.standardLevels, ["FATAL", "ERROR", "WARN", "INFO2", "INFO", "DEBUG", "TRACE"]))
    func severity(level: LogLevel, name: String) throws {
        let record = try record(try body(level))
        #expect(record["severityNumber"] as? Int == (try schemaNumber(name)))
        #expect(record["severityText"] as? String == level.name.uppercased())
    }

    @Test("A record has the schema's fields and no others, and each value is of one kind")
    func fields() throws {
        let all: LogMetadata = [
            "null": nil, "bool": true, "int": -1, "big": .unsigned(.max), "double": 1.5, "nan": .double(.nan),
            "list": .array([1, "a", [true]]), "object": ["a": ["b": 1]], "json": .json("{}"),
            "uuid": .uuid(UUID()),
            "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "span_id": "00f067aa0ba902b7", "trace_flags": 1,
        ]
        let record = try record(try body(.info, [:], all))
        #expect(Set(record.keys).isSubset(of: Self.recordFields), "\(record.keys)")
        // 64-bit numbers are strings, as the JSON form of protobuf has them; identifiers are hexadecimal.
        #expect(record["timeUnixNano"] is String && record["observedTimeUnixNano"] is String)
        #expect(
            record["traceId"] as? String == "4bf92f3577b34da6a3ce929d0e0e4736" && record["flags"] as? Int == 1
        )
        func check(_ value: Any) throws {
            let value = try #require(value as? [String: Any])
            #expect(value.count <= 1 && Set(value.keys).isSubset(of: Self.valueFields), "\(value)")
            if let list = value["arrayValue"] as? [String: Any] {
                for item in try #require(list["values"] as? [Any]) { try check(item) }
            }
            if let object = value["kvlistValue"] as? [String: Any] { try pairs(object["values"]) }
            if let number = value["intValue"] { #expect(number is String) }
        }
        func pairs(_ list: Any?) throws {
            for pair in try #require(list as? [[String: Any]]) {
                #expect(Set(pair.keys) == ["key", "value"])
                try check(try #require(pair["value"]))
            }
        }
        try check(try #require(record["body"]))
        try pairs(record["attributes"])
    }

    @Test("The resource's attributes have the names of the semantic conventions")
    func resource() throws {
        let device: LogMetadata = [
            "os": "Linux", "osVersion": "6.1", "hostName": "web1", "deviceName": "web1",
            "deviceModel": "x86_64",
            "appVersion": "1.2", "appBuild": 7, "uuid": "u", "userName": "ann",
        ]
        let body = try body(.info, device)
        let list = try #require(
            ((body["resourceLogs"] as? [[String: Any]])?.first?["resource"] as? [String: Any])?["attributes"]
                as? [[String: Any]])
        var attributes: [String: String] = [:]
        for pair in list {
            attributes[try #require(pair["key"] as? String)] =
                (pair["value"] as? [String: Any])?["stringValue"] as? String
        }
        #expect(
            attributes == [
                "service.name": "shop", "service.version": "1.2", "os.type": "linux", "os.name": "Linux",
                "os.version": "6.1", "host.name": "web1", "host.arch": "amd64", "app.build_id": "7",
                "app.installation.id": "u", "user.name": "ann",
            ])
        // What is no architecture is a model.
        let phone = String(
            decoding: OTLPEncoding(service: "s").encode(
                RemoteBatch(entries: [], key: "k", device: ["os": "iOS", "deviceModel": "iPhone17,1"])),
            as: UTF8.self)
        #expect(phone.contains("{\"key\":\"device.model.name\",\"value\":{\"stringValue\":\"iPhone17,1\"}}"))
        #expect(phone.contains("{\"key\":\"os.type\",\"value\":{\"stringValue\":\"darwin\"}}"))
    }
}
