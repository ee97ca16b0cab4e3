import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct UnsentMessagesTests {
    @Test("After it is closed it has no messages, and a logger can have the directory") func close()
        async throws
    {
        let directory = try TemporaryDirectory()
        do {
            let bench = try HTTPBench(try LoopbackServer(then: .status(503)), directory: directory)
            await bench.log(0..<5)
        }
        let path = directory.path + "/spool"
        let unsent = try UnsentMessages(directory: path)
        #expect(unsent.count == 5)
        unsent.close()
        unsent.close()
        #expect(unsent.count == 0 && unsent.size == .zero && unsent.oldest == nil)
        #expect(unsent.removeAll() == 0 && unsent.drainErrors().isEmpty)
        unsent.forEach { _ in
            Issue.record("it has a message")
            return true
        }
        try unsent.export { _ in Issue.record("it has a message") }
        #expect(throws: LogError.self) { try unsent.resendRejected() }
        let again = try UnsentMessages(directory: path)
        #expect(again.count == 5)
    }

    @Test("After it is closed, those of an event store are there no more, either") func closeEvents() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/events"
        do {
            let store = try PartitionedSpool(existing: path)
            #expect(store.append(EntryCoder.encode(RemoteEntry()), time: SystemClock().now(), level: 4))
            store.close()
        }
        let unsent = try UnsentMessages(directory: path)
        #expect(unsent.isEventStore && unsent.count == 1)
        unsent.close()
        #expect(unsent.count == 0 && unsent.size == .zero && unsent.removeAll() == 0)
        #expect(throws: LogError.self) { try unsent.resendRejected() }
        #expect(try UnsentMessages(directory: path).count == 1)
    }

    @Test("What a logger could not send can be listed, exported and removed") func look() async throws {
        let directory = try TemporaryDirectory()
        do {
            let bench = try HTTPBench(try LoopbackServer(then: .status(503)), directory: directory)
            await bench.log(0..<500)
        }
        let path = directory.path + "/spool"
        do {
            let unsent = try UnsentMessages(directory: path)
            #expect(unsent.count == 500 && unsent.size > .zero && unsent.oldest != nil)
            #expect(throws: LogError.self) { try HTTPLogger("http://127.0.0.1:1", spool: path) }
            var bytes: [UInt8] = []
            try unsent.export { bytes += $0 }
            let texts = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
                (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["message"]
                    as? String
            }
            #expect(texts == (0..<500).map { "record \($0)" })
            struct Full: Error {}
            var calls = 0
            #expect(throws: Full.self) {
                try unsent.export { _ in
                    calls += 1
                    throw Full()
                }
            }
            #expect(calls == 1)
            #expect(unsent.removeAll() == 500)
        }
        #expect(try UnsentMessages(directory: path).count == 0)
        #expect(throws: LogError.self) { try UnsentMessages(directory: directory.path + "/none") }
    }

    @Test("A directory that is no store is refused, and nothing is made in it")
    func noStore() throws {
        let directory = try TemporaryDirectory(isFast: true)
        try directory.write("notes.txt", [1])
        let error = #expect(throws: LogError.self) { try UnsentMessages(directory: directory.path) }
        #expect(error?.message == "no store of unsent messages found")
        #expect(directory.names() == ["notes.txt"])
    }
}
