import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Forks in a busy program", .disabled(if: Load.isSanitized, "forks a process with threads"), .inTurn)
struct ForkStressTests {
    private static let children =
        !Tier.isLong ? 20 : 2000

    @Test("A child finds every lock open, whatever the other threads were doing")
    func locks() async {
        let count = Self.children
        await #expect(processExitsWith: .success) { [count = count as Int] in
            alarm(600)
            _ = LogDispatcher.shared  // installs the steps around a fork
            let locks = (0..<8).map { Locked($0) }
            let isOver = Locked(false)
            for thread in 0..<4 {
                Thread.detachNewThread {
                    var index = thread
                    while !isOver.withLock({ $0 }) {
                        // One lock inside of another, as everywhere, and always in this order.
                        locks[index % 4].withLock { outer in
                            locks[4 + index % 4].withLock { $0 += outer & 1 }
                            outer += 1
                        }
                        index += 1
                    }
                }
            }
            for _ in 0..<count {
                let child = forkProcess()
                if child == 0 {
                    alarm(30)
                    for lock in locks { lock.withLock { $0 += 1 } }
                    _exit(0)
                }
                var status: Int32 = 0
                waitpid(child, &status, 0)
                precondition(status == 0, "a child ended with \(status)")
            }
            isOver.withLock { $0 = true }
        }
    }

    @Test("Children of a program that logs, flushes and changes settings on all threads can log, and end")
    func busy() async throws {
        let count = Self.children
        let scratch = Scratch()
        await #expect(processExitsWith: .success) { [count = count as Int, path = scratch.path as String] in
            alarm(600)
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.handler = { _ in }
            let file = try FileLogger(directory: path, formatter: nil)
            let memory = MemoryLogger()
            dispatcher.add(file)
            dispatcher.add(memory)
            for index in 0..<100 {
                logError("warm \(index)", tag: index, metadata: ["a": 1], to: dispatcher)
                file.maximumFileSize = .mebibytes(10 + index)
            }
            dispatcher.flush(timeout: .testLimit)
            let isOver = Locked(false)
            for thread in 0..<3 {
                Thread.detachNewThread {
                    var index = 0
                    while !isOver.withLock({ $0 }) {
                        logInfo("thread \(thread) \(index)", tag: index, metadata: ["a": 1], to: dispatcher)
                        if index % 50 == 0 { logError("an error", to: dispatcher) }
                        if index % 200 == 0 { dispatcher.flush(timeout: .testLimit) }
                        file.maximumFileSize = .mebibytes(10 + index % 10)
                        _ = dispatcher.statistics
                        _ = dispatcher.diagnostics.totals
                        index += 1
                    }
                }
            }
            for _ in 0..<count {
                let child = forkProcess()
                if child == 0 {
                    alarm(30)
                    for index in 0..<5 { logError("child \(index)", tag: index, to: dispatcher) }
                    _ = dispatcher.statistics
                    _exit(0)
                }
                var status: Int32 = 0
                waitpid(child, &status, 0)
                precondition(status == 0, "a child ended with \(status)")
            }
            isOver.withLock { $0 = true }
            _exit(0)
        }
    }
}
