import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Writing a whole buffer", .inTurn)
struct WholeWriteTests {
    /// Accepts what its script says: that many bytes at most, or an `errno`.
    private struct Target {
        enum Answer {
            case accepts(Int)
            case fails(Int32)
        }

        var script: [Answer]
        var bytes: [UInt8] = []
        var offsets: [Int] = []

        mutating func write(_ rest: UnsafeRawBufferPointer, _ offset: Int) throws(SystemFailure) -> Int {
            offsets.append(offset)
            switch script.isEmpty ? .accepts(.max) : script.removeFirst() {
            case .accepts(let limit):
                bytes += rest.prefix(limit)
                return min(limit, rest.count)
            case .fails(let number): throw SystemFailure(.write, number)
            }
        }
    }

    private let content = Array("The quick brown fox".utf8)

    private func write(
        _ target: inout Target, whenBlocked mayRetry: () -> Bool = { false }
    ) -> (written: Int, failure: SystemFailure?) {
        content.withUnsafeBytes { bytes in
            SystemCalls.writeWhole(bytes, whenBlocked: mayRetry) { rest, offset throws(SystemFailure) in
                try target.write(rest, offset)
            }
        }
    }

    @Test("Each piece continues where the one before has ended")
    func pieces() {
        var target = Target(script: [.accepts(3), .accepts(1), .accepts(10)])
        let outcome = write(&target)
        #expect(outcome.written == content.count && outcome.failure == nil)
        #expect(target.bytes == content)
        #expect(target.offsets == [0, 3, 4, 14])
    }

    @Test("A failure ends it, and says how much was written before", arguments: [ENOSPC, EPIPE, EAGAIN, EIO])
    func failure(number: Int32) {
        var target = Target(script: [.accepts(5), .fails(number)])
        let outcome = write(&target)
        #expect(outcome.written == 5)
        #expect(outcome.failure == SystemFailure(.write, number))
        #expect(target.bytes == Array(content[..<5]))
    }

    @Test("A blocked descriptor is tried again as often as the caller allows")
    func blocked() {
        var waits = 0
        var target = Target(script: [
            .accepts(2), .fails(EAGAIN), .fails(EAGAIN), .accepts(4), .fails(EAGAIN),
        ])
        let outcome = write(&target) {
            waits += 1
            return waits < 3
        }
        #expect(waits == 3)
        #expect(outcome.written == 6)
        #expect(outcome.failure?.number == EAGAIN)
        #expect(target.bytes == Array(content[..<6]))
    }

    @Test("A descriptor that accepts nothing and says no reason is a failure, not an endless loop")
    func nothing() {
        var target = Target(script: [.accepts(0)])
        let outcome = write(&target) { true }
        #expect(outcome.written == 0)
        #expect(outcome.failure == SystemFailure(.write, EIO))
    }

    @Test("Short and interrupted calls leave no gap in a file")
    func file() throws {
        let scratch = Scratch()
        let calls = Locked(0)
        let system = SystemCalls { call in
            guard call == .write else { return nil }
            let number = calls.withLock { count in
                count += 1
                return count
            }
            return number % 3 == 0 ? .fails(EINTR) : .short(4)
        }
        let directory = try Directory(scratch.path, calls: system)
        let file = try directory.create("whole", mode: 0o600)
        try content.withUnsafeBytes { try system.writeAll(file.number, $0) }
        #expect(try system.bytes(100, of: file.number, at: 0) == content)
        #expect(calls.withLock { $0 } == 7)
    }
}
