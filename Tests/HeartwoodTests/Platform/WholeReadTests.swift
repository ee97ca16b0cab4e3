import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Reading a whole file", .inTurn)
struct WholeReadTests {
    private let scratch = Scratch()

    private func read(_ count: Int, limit: Int, _ calls: SystemCalls = SystemCalls()) throws -> [UInt8]? {
        let path = scratch.path + "/\(count)-\(limit)"
        try Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }).write(to: URL(filePath: path))
        let file = try Descriptor(try calls.openForReading(path), calls)
        return try calls.contents(of: file.number, limit: limit)
    }

    @Test(
        "The content is all there up to the limit, and nothing of it beyond",
        arguments: [
            (0, 100), (99, 100), (100, 100), (101, 100), (65_535, 65_536), (65_536, 65_536), (65_537, 65_536),
            (65_536, 1 << 20), (200_000, 1 << 20), (1 << 20, 1 << 20), (1 << 20 + 1, 1 << 20),
        ])
    func limits(count: Int, limit: Int) throws {
        let expected = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) }
        #expect(try read(count, limit: limit) == (count <= limit ? expected : nil))
    }

    @Test("An interrupted read is repeated, and one that fails is told")
    func failures() throws {
        let reads = Locked(0)
        let interrupted = SystemCalls { call in
            guard call == .read else { return nil }
            let number = reads.withLock { count in
                count += 1
                return count
            }
            return number % 2 == 1 ? .fails(EINTR) : nil
        }
        #expect(try read(100_000, limit: 1 << 20, interrupted)?.count == 100_000)
        #expect(throws: SystemFailure(.read, EIO)) {
            try read(10, limit: 100, SystemCalls { $0 == .read ? .fails(EIO) : nil })
        }
    }
}
