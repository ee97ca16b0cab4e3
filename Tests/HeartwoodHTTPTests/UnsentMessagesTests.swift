import Foundation
import Heartwood
import HeartwoodTestSupport
import Testing

@testable import HeartwoodHTTP

@Suite struct UnsentMessagesTests {
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
}
