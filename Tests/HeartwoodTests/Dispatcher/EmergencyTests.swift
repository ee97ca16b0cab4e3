import CHeartwood
import Foundation
import Heartwood
import SuiteSupport
import Testing

/// Threat T11: what a signal handler may call.
@Suite(.inTurn) struct EmergencyTests {
    @Test("logEmergency writes its line from a signal handler that interrupted a call with locks held")
    func inHandler() async throws {
        let outcome = await #expect(processExitsWith: .exitCode(7), observing: [\.standardErrorContent]) {
            signal(SIGALRM) { _ in
                logEmergency("the end is near")
                _exit(7)
            }
            alarm(1)
            // Nearly always somewhere in the allocator, or in the dispatcher.
            let dispatcher = LogDispatcher()
            for number in 0... {
                logInfo("message \(number) \(String(repeating: "x", count: 100))", to: dispatcher)
            }
        }
        let error = String(decoding: outcome?.standardErrorContent ?? [], as: UTF8.self)
        #expect(error.split(separator: "\n").contains("the end is near"))
    }

    @Test(
        "logEmergency keeps errno, cuts what is longer than a pipe takes whole, and survives a reader that is gone"
    )
    func limits() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        errno = EILSEQ
        let long = [UInt8](repeating: 0x61, count: 5000)
        hw_emergency(ends[1], long, long.count)
        #expect(errno == EILSEQ)
        var bytes = [UInt8](repeating: 0, count: 8192)
        #expect(read(ends[0], &bytes, bytes.count) == 4096)
        #expect(bytes[..<4096].dropLast().allSatisfy { $0 == 0x61 } && bytes[4095] == 0x0A)
        close(ends[0])
        hw_emergency(ends[1], long, 3)
        #expect(errno == EILSEQ)
        close(ends[1])
    }
}
