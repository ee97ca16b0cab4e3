import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite(
    "No memory", .disabled(if: Load.isSanitized, "a sanitizer needs address space without end"), .inTurn)
struct NoMemoryTests {
    /// Allows this process no more address space than it has, and so much.
    private static func limit(toMore bytes: Int) {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").first.flatMap { Int($0) } ?? 0
        let size = rlim_t(pages * Int(getpagesize()) + bytes)
        var limit = rlimit(rlim_cur: size, rlim_max: size)
        setrlimit(__rlimit_resource_t(UInt32(RLIMIT_AS.rawValue)), &limit)
    }

    @Test("A ring that finds no memory is made smaller, which is reported, and logging works")
    func smallerRing() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let reports = Locked(0)
            let memory = MemoryLogger()
            // The threads, and what is used for the first time.
            let first = LogDispatcher(ringCapacity: .kibibytes(64))
            first.add(memory)
            logInfo("warm", to: first)
            first.removeAll()
            Self.limit(toMore: 24 << 20)
            let dispatcher = LogDispatcher(ringCapacity: .mebibytes(64))
            dispatcher.diagnostics.handler = { _ in reports.withLock { $0 += 1 } }
            if dispatcher.ring.capacity >= 64 << 20 { _exit(1) }
            if dispatcher.diagnostics.totals[.setting] != 1 { _exit(2) }
            dispatcher.add(memory)
            for index in 0..<100 { logInfo("message \(index)", to: dispatcher) }
            if !dispatcher.flush(timeout: .testLimit).isComplete { _exit(3) }
            _exit(memory.statistics.delivered == 101 ? 7 : 4)
        }
    }

    @Test("A journal that cannot be left for lack of memory stays, which is reported, and logging goes on")
    func journalStays() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let path = NSTemporaryDirectory() + "heartwood-no-memory-\(getpid())"
            defer { try? FileManager.default.removeItem(atPath: path) }
            let dispatcher = LogDispatcher(ringCapacity: .mebibytes(64), journal: .file(path))
            dispatcher.diagnostics.handler = { _ in }
            let memory = MemoryLogger()
            dispatcher.add(memory)
            logInfo("warm", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            guard case .active = dispatcher.journalStatus else { _exit(1) }
            Self.limit(toMore: 24 << 20)
            dispatcher.journal = nil
            guard case .active = dispatcher.journalStatus else { _exit(2) }
            if dispatcher.diagnostics.totals[.setting, default: 0] == 0 { _exit(3) }
            for index in 0..<100 { logInfo("message \(index)", to: dispatcher) }
            if !dispatcher.flush(timeout: .testLimit).isComplete { _exit(4) }
            _exit(memory.statistics.delivered == 101 ? 7 : 5)
        }
    }

    @Test("The memory that a program was loaded with is given out once")
    func reserve() async {
        await #expect(processExitsWith: .exitCode(7)) {
            guard let memory = MemoryMap.reserve(68 * 1024), MemoryMap.reserve(4096) == nil else { _exit(1) }
            if MemoryMap.reserve(1 << 20) != nil { _exit(2) }
            let bytes = UnsafeRawBufferPointer(start: memory, count: 68 * 1024)
            _exit(bytes.allSatisfy { $0 == 0 } ? 7 : 3)
        }
    }
}
