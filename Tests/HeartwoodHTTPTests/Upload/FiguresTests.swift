import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// What the statistics of a logger say over several requests, after failures and for servers that confirm later.
@Suite(.inTurn) struct FiguresTests {
    @Test("The bytes on the wire are those of all requests, repeated ones included") func bytes() async throws
    {
        let bench = try HTTPBench(try LoopbackServer(answers: [.ok, .status(503)]))
        bench.logger.maximumMessagesPerRequest = 4
        await bench.log(0..<12)
        bench.logger.sendNow()
        await bench.settled(2)
        bench.clock.advance(by: .seconds(2))
        await bench.logger.figures { $0.acknowledged == 12 }
        let sent = bench.server.requests.map(\.body.count)
        #expect(sent.count == 4)
        #expect(bench.logger.httpStatistics.bytesOnWire == sent.reduce(0, +))
        #expect(bench.logger.statistics.bytes == sent.reduce(0, +))
    }

    @Test("The last error is shown until the server has taken something") func lastError() async throws {
        let bench = try HTTPBench(try LoopbackServer(answers: [.status(503)]))
        await bench.log(0..<3)
        bench.logger.sendNow()
        await bench.settled(1)
        #expect(bench.logger.httpStatistics.lastError == "503")
        bench.clock.advance(by: .seconds(2))
        await bench.logger.figures { $0.acknowledged == 3 }
        #expect(bench.logger.httpStatistics.lastError == nil)
    }

    @Test(
        "The oldest unsent age is that of the oldest message that is still pending", arguments: [false, true])
    func oldest(onDisk: Bool) async throws {
        let bench = try HTTPBench(try LoopbackServer(), onDisk: onDisk)
        bench.logger.isPaused = true
        bench.logger.maximumMessagesPerRequest = 1
        for number in 0..<3 {
            await bench.log(number..<number + 1)
            #expect(bench.logger.httpStatistics.oldestUnsentAge == .seconds(10 * number))
            bench.clock.advance(by: .seconds(10))
        }
        #expect(bench.logger.httpStatistics.oldestUnsentAge == .seconds(30))
        bench.logger.isPaused = false
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(bench.logger.httpStatistics.oldestUnsentAge == nil)
        await bench.log(3..<4)
        bench.clock.advance(by: .seconds(5))
        #expect(bench.logger.httpStatistics.oldestUnsentAge == .seconds(5))
    }

    @Test("What a server confirms later counts as acknowledged when it has confirmed it, and not before")
    func confirmed() async throws {
        let isIndexed = Locked(false)
        let server = try LoopbackServer { request in
            if request.path.hasSuffix("/ack") {
                return .status(200, body: #"{"acks":{"7":\#(isIndexed.withLock { $0 })}}"#)
            }
            return .status(200, body: #"{"text":"Success","code":0,"ackId":7}"#)
        }
        let channel = "0aeeac95-ac74-4aa9-b30d-6c4c0ac581ba"
        let bench = try HTTPBench(server, encoding: SplunkEncoding(channel: channel), onDisk: true)
        await bench.log(0..<3)
        bench.logger.sendNow()
        await bench.settled(1)
        bench.clock.advance(by: .seconds(1))
        #expect(await server.requests(reach: 2))
        #expect(bench.logger.httpStatistics.acknowledged == 0 && bench.logger.httpStatistics.pending == 3)
        isIndexed.withLock { $0 = true }
        // The answer to the first question sets the time of the next: 2 s later.
        var asked = 2
        while bench.logger.httpStatistics.acknowledged == 0, asked < 20 {
            await bench.settle()
            bench.clock.advance(by: .seconds(10))
            asked += 1
            _ = await server.requests(reach: 3, timeout: .seconds(1))
        }
        await bench.logger.figures { $0.acknowledged == 3 }
        #expect(bench.logger.httpStatistics.pending == 0 && bench.balance)
        #expect(server.requests.filter { !$0.path.hasSuffix("/ack") }.count == 1)
    }

    @Test("What a server says it has discarded counts as rejected, and only the rest as acknowledged")
    func discarded() async throws {
        let answer = #"{"partialSuccess":{"rejectedLogRecords":"1","errorMessage":"too old"}}"#
        let bench = try HTTPBench(
            try LoopbackServer(answers: [.status(200, body: answer)]), encoding: OTLPEncoding(service: "shop")
        )
        await bench.log(0..<3)
        bench.logger.sendNow()
        await bench.settled(1)
        await bench.logger.figures { $0.pending == 0 }
        #expect(bench.logger.httpStatistics.acknowledged == 2)
        #expect(bench.logger.httpStatistics.rejected == 1)
        #expect(bench.balance)
    }

    @Test("A message that is refused while all others must wait is set aside, and is not sent again")
    func refusedBesideWaiting() async throws {
        let items = [400, 429, 429].map { #"{"create":{"status":\#($0)}}"# }.joined(separator: ",")
        let server = try LoopbackServer(
            answers: [.status(200, body: #"{"errors":true,"items":[\#(items)]}"#)],
            then: .status(200, body: #"{"errors":false}"#))
        let bench = try HTTPBench(server, encoding: ElasticsearchEncoding(index: "logs"), onDisk: true)
        await bench.log(0..<3)
        bench.logger.sendNow()
        await bench.settled(1)
        #expect(bench.logger.httpStatistics.rejected == 1 && bench.logger.httpStatistics.pending == 2)
        bench.clock.advance(by: .seconds(2))
        await bench.settled(2)
        let again = try #require(server.requests.last).text
        #expect(!again.contains("record 0\"") && again.contains("record 1\"") && again.contains("record 2\""))
        #expect(bench.logger.httpStatistics.acknowledged == 2 && bench.balance)
    }

    /// Says of one message that it was delivered, however many there were.
    private struct OneItem: RemoteEncoding {
        private let array = JSONArrayEncoding()
        var contentType: String { array.contentType }
        func encode(_ batch: RemoteBatch) -> [UInt8] { array.encode(batch) }
        func verdict(on response: HTTPResponse, for batch: RemoteBatch) -> DeliveryVerdict {
            DeliveryVerdict(items: [.delivered])
        }
    }

    @Test("A verdict that does not name every message settles none of them")
    func incompleteVerdict() async throws {
        let bench = try HTTPBench(try LoopbackServer(), encoding: OneItem())
        await bench.log(0..<3)
        bench.logger.sendNow()
        await bench.settled(1)
        await bench.logger.figures { $0.retried == 1 }
        #expect(bench.logger.httpStatistics.acknowledged == 0)
        #expect(bench.logger.httpStatistics.pending == 3)
    }
}
