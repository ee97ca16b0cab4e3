import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// A logger that is removed and added again goes on as before.
@Suite(.inTurn) struct ReattachmentTests {
    @Test("After a removal and a second adding, refused messages are kept in rejected.ndjson as before")
    func deadLetters() async throws {
        let server = try LoopbackServer { $0.text.contains("record 5\"") ? .status(413) : .ok }
        let bench = try HTTPBench(server, onDisk: true)
        await bench.log(0..<3)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        await bench.dispatcher.remove(bench.logger)
        bench.dispatcher.add(bench.logger)
        await bench.log(3..<8)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        #expect(bench.logger.httpStatistics.rejected == 1 && bench.balance)
        let letters = String(
            decoding: try bench.directory?.read("spool/rejected.ndjson") ?? [], as: UTF8.self)
        #expect(letters.contains("record 5"))
    }

    @Test("A delay of saving holds for each batch, not for the first alone") func saveDelay() async throws {
        let bench = try HTTPBench(try LoopbackServer(), onDisk: true)
        bench.logger.isPaused = true
        bench.logger.saveDelay = .seconds(5)
        for round in 0..<3 {
            await bench.log(round..<round + 1)
            #expect(await !bench.logger.isSettledInTurn())
            bench.clock.advance(by: .seconds(5))
            await bench.settle()
            #expect(await bench.logger.isSettledInTurn(), "round \(round)")
        }
    }

    @Test("Steady logging does not put a save off: its delay counts from the first message that waits")
    func steadyLogging() async throws {
        let bench = try HTTPBench(try LoopbackServer(), onDisk: true)
        bench.logger.isPaused = true
        bench.logger.saveDelay = .seconds(5)
        for number in 0..<5 {
            await bench.log(number..<number + 1)
            bench.clock.advance(by: .seconds(1))
        }
        await bench.settle()
        #expect(await bench.logger.isSettledInTurn())
    }

    @Test("With the defaults, a program that ends right after its last call has sent it, once")
    func endOfProgram() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path
        let server = try LoopbackServer(then: .ok.delayed(by: .milliseconds(100)))
        let address = server.address
        await #expect(processExitsWith: .exitCode(0)) {
            [path = path as String, address = address as String] in
            LogDispatcher.shared.add(try HTTPLogger(address, spool: path + "/spool"))
            for number in 0..<3 { logInfo("record \(number)") }
            exit(0)
        }
        #expect(server.stored.count == 1)
        #expect(try Spool(directory: path + "/spool").pending == 0)
    }

    @Test(
        "At the end of a process the longer of two waits holds: that of a flush, or that of the exit",
        arguments: [(60, 0), (0, 60)])
    func longerWait(ofFlush: Int, ofExit: Int) async throws {
        let server = try LoopbackServer(then: .ok.delayed(by: .milliseconds(100)))
        let address = server.address
        await #expect(processExitsWith: .exitCode(0)) {
            [address = address as String, ofFlush = ofFlush as Int, ofExit = ofExit as Int] in
            let logger = try HTTPLogger(address)
            logger.flushWait = .seconds(ofFlush)
            logger.exitWait = .seconds(ofExit)
            LogDispatcher.shared.add(logger)
            for number in 0..<3 { logInfo("record \(number)") }
            exit(0)
        }
        #expect(server.stored.count == 1)
    }
}
