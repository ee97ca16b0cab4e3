#if os(Linux)
import Foundation
import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct PeerTests {
    @Test("systemd-journal-remote stores what was sent, field by field") func journal() async throws {
        guard let remote = RealProgram.find("/usr/lib/systemd/systemd-journal-remote"),
            let journalctl = RealProgram.find("journalctl")
        else { return }
        let directory = try TemporaryDirectory()
        let port = RealProgram.freePort()
        let file = directory.path + "/out.journal"
        let server = try RealProgram(
            remote, ["--listen-http=127.0.0.1:\(port)", "--output=\(file)", "--split-mode=none"],
            in: directory.path, listeningOn: port)
        let dispatcher = LogDispatcher()
        let logger = try HTTPLogger(
            "http://127.0.0.1:\(port)",
            settings: HTTPSettings(encoding: JournalEncoding(identifier: "peer-test")))
        dispatcher.add(logger)
        for number in 0..<20 {
            Heartwood.log(
                "line one of \(number, as: "number")\nline two \u{1B}[0m €", level: .warning,
                metadata: ["request_id": "r-\(number)"], to: dispatcher)
        }
        #expect(await logger.deliver(timeout: .testLimit))
        #expect(logger.httpStatistics.acknowledged == 20)
        server.stop()
        let output = try #require(
            try RealProgram.output(journalctl, ["--file", file, "-o", "json", "--no-pager"]))
        let entries = try output.split(separator: "\n").compactMap {
            try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
        try #require(entries.count == 20)
        for (number, entry) in entries.enumerated() {
            #expect(Self.text(entry["MESSAGE"]) == "line one of \(number)\nline two \u{1B}[0m €")
            #expect(
                entry["NUMBER"] as? String == "\(number)" && entry["REQUEST_ID"] as? String == "r-\(number)")
            #expect(
                entry["PRIORITY"] as? String == "4" && entry["SYSLOG_IDENTIFIER"] as? String == "peer-test")
            #expect((entry["CODE_FILE"] as? String)?.hasSuffix("PeerTests.swift") == true)
        }
    }

    /// journalctl writes a value with control characters as a list of bytes.
    private static func text(_ value: Any?) -> String? {
        if let text = value as? String { return text }
        return (value as? [Int]).map { String(decoding: $0.map { UInt8($0) }, as: UTF8.self) }
    }

    @Test("Opentelemetry-proto understands what OTLP's encoding writes") func openTelemetry() throws {
        let python = ProcessInfo.processInfo.environment["HEARTWOOD_PYTHON"] ?? "/usr/bin/python3"
        let probe =
            "from google.protobuf import json_format; "
            + "from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest"
        guard try RealProgram.output(python, ["-c", probe]) != nil else {
            return print(
                "skipped: opentelemetry-proto is not installed (name a Python that has it: HEARTWOOD_PYTHON)")
        }
        var entry = RemoteEntry(
            LogMessage(
                "took \(12.5, as: "ms") \(UInt64.max, as: "big") \(true, as: "ok")", level: .error,
                metadata: [
                    "list": .array([1, "two", nil]), "object": ["a": ["b": 0.5]],
                    "trace_id": "0af7651916cd43dd8448eb211c80319c", "span_id": "b7ad6b7169203331",
                ]))
        entry.fields["nan"] = .double(.nan)
        let body = OTLPEncoding(service: "peer").encode(
            RemoteBatch(entries: [entry, entry], key: "k", device: ["os": "Linux"]))
        let script =
            probe
                + """

                import sys
                r = json_format.Parse(sys.stdin.read(), ExportLogsServiceRequest())
                s = r.resource_logs[0].scope_logs[0]
                l = s.log_records[0]
                a = {x.key: x.value for x in l.attributes}
                print(len(s.log_records), l.severity_number, l.body.string_value, a["ms"].double_value, a["big"].string_value,
                      a["ok"].bool_value, a["list"].array_value.values[1].string_value,
                      a["object"].kvlist_value.values[0].value.kvlist_value.values[0].value.double_value,
                      len(l.trace_id), len(l.span_id), r.resource_logs[0].resource.attributes[0].value.string_value)
                """
        let output = try #require(try RealProgram.output(python, ["-c", script], input: body))
        // The Python package reads ids as Base64, of which 32 and 16 characters give 24 and 12 bytes.
        #expect(
            output
                == "2 17 took 12.5 18446744073709551615 true 12.5 18446744073709551615 True two 0.5 24 12 peer\n"
        )
    }

    @Test("Openssl decrypts SwiftyBeaver's payload") func openssl() throws {
        guard let openssl = RealProgram.find("openssl") else { return }
        let key = "0123456789abcdefghijklmnopqrstuv"
        let batch = RemoteBatch(
            entries: [RemoteEntry(LogMessage("secret € text", level: .info))], key: "k",
            device: ["os": "Linux"])
        let body = try SwiftyBeaverEncoding(encryptionKey: Secret(key)).encode(batch)
        let object = try JSONSerialization.jsonObject(with: Data(body)) as? [String: String]
        let payload = try #require(object?["payload"])
        let vector = Hexadecimal.encode(payload.utf8.prefix(16))
        let plain = try RealProgram.output(
            openssl,
            ["enc", "-d", "-aes-256-cbc", "-A", "-a", "-K", Hexadecimal.encode(key.utf8), "-iv", vector],
            input: Array(payload.dropFirst(16).utf8))
        #expect(plain == String(decoding: SwiftyBeaverEncoding.plain(batch), as: UTF8.self))
    }
}
#endif
