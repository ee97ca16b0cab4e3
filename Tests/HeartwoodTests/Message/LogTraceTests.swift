import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Traces", .inTurn)
struct LogTraceTests {
    private static let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("A traceparent is read as the recommendation says")
    func reading() throws {
        let trace = try #require(LogTrace(traceparent: Self.header))
        #expect(trace.traceID == "4bf92f3577b34da6a3ce929d0e0e4736" && trace.spanID == "00f067aa0ba902b7")
        #expect(trace.isSampled && trace.flags == 1 && trace.traceparent == Self.header)
        let unsampled = try #require(LogTrace(traceparent: Self.header.dropLast(2) + "00"))
        #expect(!unsampled.isSampled && unsampled.traceparent.hasSuffix("-00"))
        // A later version may say more, after a dash.
        let later = Self.header.replacingOccurrences(of: "00-4", with: "cc-4")
        #expect(LogTrace(traceparent: later)?.traceID == trace.traceID)
        #expect(LogTrace(traceparent: later + "-what-the-future-will-be-like")?.spanID == trace.spanID)
    }

    @Test(
        "What is not a traceparent is refused",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
            "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473é-00f067aa0ba902b7-01",
            "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
        ])
    func refusing(_ text: String) { #expect(LogTrace(traceparent: text) == nil) }

    @Test("Any bytes are read or refused; what is read is written back the same")
    func fuzz() {
        var generator = SeededGenerator(seed: 16)
        let letters = Array("0123456789abcdef-gG\u{0}é".unicodeScalars)
        var read = 0
        for _ in 0..<Tier.amount(20_000, full: 200_000) {
            var bytes = Array(Self.header.unicodeScalars)
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                let letter = letters.randomElement(using: &generator) ?? "0"
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(letter, at: place)
                default: bytes[place] = letter
                }
            }
            var text = ""
            text.unicodeScalars.append(contentsOf: bytes)
            guard let trace = LogTrace(traceparent: text) else { continue }
            read += 1
            #expect(trace.traceparent.dropFirst(2) == text.prefix(55).dropFirst(2))
            #expect(LogTrace(traceparent: trace.traceparent) == trace)
        }
        #expect(read > Tier.amount(800, full: 10_000))
    }

    @Test("Random traces and their spans are valid and different")
    func random() throws {
        var seen: Set<String> = []
        for _ in 0..<1_000 {
            let trace = LogTrace.random()
            let child = trace.child()
            #expect(LogTrace(traceparent: trace.traceparent) == trace)
            #expect(child.traceID == trace.traceID && child.spanID != trace.spanID)
            #expect(LogTrace(traceparent: child.traceparent) == child)
            #expect(seen.insert(trace.traceID).inserted)
        }
        #expect(!LogTrace.random(isSampled: false).isSampled)
    }

    @Test("Messages of a task and its children carry the trace, once, and the innermost one wins")
    func scopes() async throws {
        let dispatcher = LogDispatcher.forTest()
        let recorder = RecordingLogger()
        dispatcher.add(recorder)
        let trace = try #require(LogTrace(traceparent: Self.header))
        let child = trace.child()
        await withLogTrace(trace) {
            logInfo("outer", to: dispatcher)
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await Task.yield()
                    #expect(LogTrace.current == trace)
                    logInfo("in a task", to: dispatcher)
                }
            }
            withLogTrace(child) { logInfo("inner", metadata: ["span_id": "of the call"], to: dispatcher) }
            withLogTrace(child) { logInfo("child", to: dispatcher) }
            withLogTrace(nil) { logInfo("unchanged", to: dispatcher) }
        }
        logInfo("outside", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        #expect(LogTrace.current == nil)
        #expect(recorder.messages.map(\.trace) == [trace, trace, nil, child, trace, nil])
        for message in recorder.messages.dropLast() {
            #expect(message.metadata.count { $0.key == "trace_id" } == 1)
            #expect(message.metadata.count { $0.key == "span_id" } == 1)
        }
    }

    @Test("JSON has trace_id and span_id, ECS trace.id and span.id, each once")
    func formats() throws {
        let message = LogMessage(
            "x", metadata: LogTrace(traceparent: Self.header).map { $0.fields } ?? [:])
        let json = try #require(JSONLinesFormatter().format(message))
        #expect(json.contains(#""trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","span_id":"00f067aa0ba902b7""#))
        let ecs = try #require(JSONLinesFormatter(.ecs()).format(message))
        #expect(ecs.contains(#""trace.id":"4bf92f3577b34da6a3ce929d0e0e4736","span.id":"00f067aa0ba902b7""#))
        #expect(!ecs.contains("labels") && !ecs.contains("trace_id"))
        // What does not have the form of an identifier is an ordinary field.
        let odd = try #require(
            JSONLinesFormatter(.ecs()).format(LogMessage("x", metadata: ["trace_id": "abc", "a": 1])))
        #expect(odd.contains(#""labels":{"trace_id":"abc","a":1}"#) && !odd.contains("trace.id"))
    }
}
