import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// What a request, a store and a server's patience hold at most.
@Suite(.inTurn) struct RequestLimitsTests {
    /// Lines, so many in a request.
    private struct FewLines: RemoteEncoding {
        let contentType = "text/plain"
        let limits: EncodingLimits
        func encode(_ batch: RemoteBatch) -> [UInt8] {
            Array(batch.entries.map(\.text).joined(separator: "\n").utf8)
        }
    }

    @Test("No request has more messages or bytes than its encoding allows, whatever the logger's own limits")
    func encodingLimits() async throws {
        for limits in [EncodingLimits(entries: 3), EncodingLimits(bytes: ByteCount(40))] {
            let bench = try HTTPBench(try LoopbackServer(), encoding: FewLines(limits: limits))
            bench.logger.maximumMessagesPerRequest = nil
            await bench.log(0..<10)
            #expect(await bench.logger.deliver(timeout: .testLimit))
            let bodies = bench.server.requests.map(\.text)
            let lines: [Substring] = bodies.flatMap { $0.split(separator: "\n") }
            #expect(lines.map { "\($0)" } == bench.texts(0..<10))
            #expect(bodies.allSatisfy { $0.split(separator: "\n").count <= limits.entries })
            #expect(bodies.allSatisfy { $0.utf8.count <= limits.bytes.bytes } && bodies.count >= 3)
        }
    }

    @Test("A message whose fields are too large for the store is sent without them, and says so")
    func largeFields() async throws {
        let bench = try HTTPBench(try LoopbackServer())
        let large = LogValue.string(String(repeating: "x", count: 1 << 20))
        Heartwood.log(
            "number \(7, as: "n")", level: .info, metadata: ["large": large], to: bench.dispatcher)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        let body = try #require(bench.server.requests.first?.text)
        #expect(body.contains("number 7") && body.contains("\"heartwood.dropped_fields\":true"))
        #expect(!body.contains("xxxx") && body.utf8.count < 10_000)
    }

    /// A logger whose first request, with three messages, has no answer yet.
    private func sending() async throws -> (HTTPBench, HeldTransport) {
        let transport = HeldTransport()
        let bench = try HTTPBench(try LoopbackServer(), onDisk: true, transport: transport)
        await bench.log(0..<3)
        bench.logger.sendNow()
        try #require(await bench.isSending())
        try #require(transport.waitForRequests(1))
        return (bench, transport)
    }

    @Test(
        "What is thrown away counts as dropped; what is on its way then, by the answer: taken or lost, and not sent again",
        arguments: [200, 503, 400, 413])
    func discarded(status: Int) async throws {
        let (bench, transport) = try await sending()
        await bench.log(3..<5)
        bench.logger.removeAllPending()
        await bench.settle()
        #expect(bench.logger.httpStatistics.pending == 3 && bench.logger.httpStatistics.dropped == 2)
        #expect(bench.balance)
        transport.answer(0, HTTPResponse(status: status))
        await bench.settled(1)
        let isTaken = status == 200
        #expect(bench.logger.httpStatistics.pending == 0)
        #expect(bench.logger.httpStatistics.dropped == (isTaken ? 2 : 5) && bench.balance)
        bench.clock.advance(by: .seconds(1))
        await bench.log(5..<6)
        bench.logger.sendNow()
        try #require(await bench.isSending())
        try #require(transport.waitForRequests(2))
        transport.answer(1, HTTPResponse(status: 200))
        await bench.logger.figures { $0.pending == 0 }
        let figures = bench.logger.httpStatistics
        #expect(figures.dropped == (isTaken ? 2 : 5) && figures.acknowledged == (isTaken ? 4 : 1))
        #expect(bench.balance)
        let body = String(decoding: transport.requests[1].body, as: UTF8.self)
        #expect(body.contains("record 5") && !body.contains("record 0") && !body.contains("record 4"))
    }

    @Test("What was thrown away on its way, and then removed, is settled when the logger is added again")
    func discardedAndRemoved() async throws {
        let (bench, transport) = try await sending()
        bench.logger.removeAllPending()
        bench.dispatcher.remove(bench.logger, timeout: .zero)
        await bench.settle()
        transport.answer(0, HTTPResponse(status: 200))
        bench.dispatcher.add(bench.logger)
        await bench.settle()
        #expect(bench.logger.httpStatistics.pending == 0)
        await bench.log(3..<4)
        bench.logger.sendNow()
        try #require(await bench.isSending())
        try #require(transport.waitForRequests(2))
        transport.answer(1, HTTPResponse(status: 503))
        await bench.settled(1)
        // The server has not taken it: it is pending, and goes out again.
        #expect(bench.logger.httpStatistics.pending == 1)
        bench.clock.advance(by: .seconds(60))
        bench.logger.sendNow()
        try #require(await bench.isSending())
        try #require(transport.waitForRequests(3))
        transport.answer(2, HTTPResponse(status: 200))
        await bench.logger.figures { $0.pending == 0 }
        let bodies = transport.requests.dropFirst().map { String(decoding: $0.body, as: UTF8.self) }
        #expect(bodies.map { $0.contains("record 3") } == [true, true])
        #expect(!bodies.contains { $0.contains("record 0") })
        #expect(bench.balance)
    }

    @Test("A spool has no more files than the setting says; the oldest go, counted") func files() throws {
        let directory = try TemporaryDirectory(isFast: true)
        var settings = SpoolSettings()
        settings.segmentCount = 2
        settings.maximumFiles = 3
        let spool = try Spool(directory: directory.path, settings: settings)
        for number in 0..<12 {
            spool.append([UInt8(number)], time: LogTimestamp(nanoseconds: 1), level: 4)
            spool.save()
            #expect(directory.segments().count <= 3)
        }
        var left: [UInt8] = []
        spool.forEachPending { record in
            left += record.payload
            return true
        }
        #expect(left == [6, 7, 8, 9, 10, 11] && spool.counters.droppedFull == 6 && spool.pending == 6)
    }

    @Test("When the newest state of a spool is damaged, the one before it holds: little is sent twice")
    func cursor() throws {
        let directory = try TemporaryDirectory(isFast: true)
        do {
            let spool = try Spool(directory: directory.path)
            for number in 0..<4 {
                spool.append([UInt8(number)], time: LogTimestamp(nanoseconds: 1), level: 4)
            }
            spool.save()
            for _ in 0..<3 {
                let piece = try #require(spool.nextPiece(maximumCount: 1, maximumBytes: .max))
                spool.complete(piece, done: piece.records.map(\.id))
            }
        }
        var bytes = try directory.read("cursor")
        func generation(_ slot: Int) -> UInt8 { bytes[slot * SpoolCursor.slotSize + 8] }
        let newest = generation(0) > generation(1) ? 0 : 1
        for index in 0..<72 { bytes[newest * SpoolCursor.slotSize + index] ^= 0x55 }
        try directory.write("cursor", bytes)
        chmod(directory.path + "/cursor", 0o600)
        let spool = try Spool(directory: directory.path)
        #expect(spool.pending == 2)
        #expect(spool.drainErrors().isEmpty)
    }

    @Test("No more than eight pieces wait for their acknowledgements; one that comes makes room for the next")
    func unconfirmed() {
        var rules = DeliveryRules()
        rules.jitter = 0
        var engine = DeliveryEngine(rules)
        func at(_ seconds: Double, _ waiting: Int) -> DeliveryMoment {
            DeliveryMoment(now: .seconds(seconds), waiting: waiting, hasOpenBatch: true, random: 0.5)
        }
        func isSend(_ actions: [DeliveryAction]) -> Bool {
            actions.contains { if case .send = $0 { true } else { false } }
        }
        #expect(isSend(engine.handle(.added(atFirstUse: false), at(0, 100))))
        for number in 1...8 {
            let received = DeliveryAnswer(outcome: .received(receipt: "\(number)"), records: 10)
            _ = engine.handle(.answered(received), at(0, 100))
            #expect(isSend(engine.handle(.looked, at(0, 100))) == (number < 8))
        }
        #expect(!isSend(engine.handle(.sendNow, at(0.5, 100))))
        #expect(!isSend(engine.handle(.timer, at(1, 100))))
        _ = engine.handle(.acknowledged(["3"]), at(1.1, 100))
        #expect(isSend(engine.handle(.looked, at(1.1, 90))))
    }
}
