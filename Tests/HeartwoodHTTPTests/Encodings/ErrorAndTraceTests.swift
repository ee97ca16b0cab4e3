import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite("Errors and traces in what is sent", .inTurn)
struct ErrorAndTraceTests {
    private struct Failure: Error { let cause: NSError }

    private func message(_ category: LogCategory = .default) throws -> LogMessage {
        let dispatcher = LogDispatcher()
        let recorder = RecordingLogger()
        dispatcher.add(recorder)
        let trace = LogTrace(traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        let cause = NSError(domain: "Net", code: 7, userInfo: [NSLocalizedDescriptionKey: "timed out"])
        withLogTrace(trace) {
            logError(
                "x", error: Failure(cause: cause), category: category, metadata: ["n": 1], to: dispatcher)
        }
        dispatcher.flush(timeout: .testLimit)
        return try #require(recorder.messages.first)
    }

    private func batch() throws -> RemoteBatch {
        var entry = RemoteEntry(try message())
        entry.id = "id-1"
        // Through the store, as before each sending.
        entry = try #require(EntryCoder.decode(EntryCoder.encode(entry), id: "id-1"))
        return RemoteBatch(entries: [entry], key: "k")
    }

    private func text(_ encoding: some RemoteEncoding) throws -> String {
        String(decoding: try encoding.encode(try batch()), as: UTF8.self)
    }

    @Test("OTLP has the trace in the record's own fields and the error as exception attributes")
    func otlp() throws {
        let text = try text(OTLPEncoding(service: "s"))
        #expect(
            text.contains(
                #""traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","flags":1}"#))
        for name in ["trace_id", "span_id", "trace_flags"] { #expect(!text.contains(name)) }
        #expect(text.contains(#"{"key":"exception.type","value":{"stringValue":"HeartwoodHTTPTests."#))
        #expect(text.contains(#"\nCaused by: "#) && text.contains("exception.message"))
        #expect(!text.contains(#""key":"error""#))
    }

    @Test("Elasticsearch has trace.id, span.id and error.*, and the other fields as labels")
    func elasticsearch() throws {
        let text = try text(ElasticsearchEncoding(index: "i"))
        #expect(text.contains(#""trace.id":"4bf92f3577b34da6a3ce929d0e0e4736","span.id":"00f067aa0ba902b7""#))
        #expect(text.contains(#""error.type":"HeartwoodHTTPTests."#))
        #expect(text.contains(#""labels":{"n":1}"#))
    }

    /// The names of an object's members, in their order, without those of objects inside.
    private func members(of json: some StringProtocol) -> [String] {
        var names: [String] = []
        var (depth, text, isText, isEscaped) = (0, "", false, false)
        for character in json {
            if isText {
                if !isEscaped, character == "\"" { isText = false } else { text.append(character) }
                isEscaped = !isEscaped && character == "\\"
                continue
            }
            switch character {
            case "\"": (isText, text) = (true, "")
            case "{", "[": depth += 1
            case "}", "]": depth -= 1
            case ":" where depth == 1: names.append(text)
            default: break
            }
        }
        return names
    }

    @Test("A document for Elasticsearch has the members of the ECS formatter, in their order")
    func ecsMembers() throws {
        let message = try message(LogCategory("shop"))
        let line = try #require(JSONLinesFormatter(.ecs(service: "s")).format(message))
        var entry = RemoteEntry(message)
        // The formatter writes the queue's label or the thread's number where there is no name.
        entry.threadName = "worker"
        let body = ElasticsearchEncoding(index: "i").encode(RemoteBatch(entries: [entry], key: "k"))
        let document = try #require(String(decoding: body, as: UTF8.self).split(separator: "\n").last)
        // The service is known to the formatter only.
        #expect(members(of: document) == members(of: line).filter { $0 != "service.name" })
        #expect(members(of: document).count == 17)
    }

    @Test("Datadog has the identifiers as decimal numbers of 64 bits")
    func datadog() throws {
        let text = try text(DatadogEncoding(service: "s"))
        #expect(
            text.contains(
                #""dd.trace_id":"\#(UInt64(0xa3ce_929d_0e0e_4736))","dd.span_id":"67667974448284343""#))
        #expect(text.contains(#""error.kind":"HeartwoodHTTPTests."#) && text.contains("error.stack"))
        #expect(!text.contains("span_id\":\"00f0") && !text.contains("trace_flags"))
    }

    @Test("JSON keeps the error as an object; Loki and the journal have flat names")
    func others() throws {
        let json = try text(NDJSONEncoding())
        #expect(json.contains(#""error":{"type":"HeartwoodHTTPTests."#))
        #expect(
            json.contains(#""underlying":[{"type":"NSError","#) || json.contains(#""underlying":[{"type":"#))
        #expect(json.contains(#""trace_id":"4bf92f3577b34da6a3ce929d0e0e4736""#))
        let loki = try text(LokiEncoding(labels: [:]))
        #expect(loki.contains(#""error_type":"HeartwoodHTTPTests."#) && loki.contains(#""trace_id":"4bf9"#))
        let journal = try text(JournalEncoding(identifier: "x"))
        #expect(journal.contains("\nERROR_TYPE=HeartwoodHTTPTests.") && journal.contains("\nTRACE_ID=4bf9"))
    }
}
