import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("The process that something belongs to", .inTurn)
struct ProcessOwnerTests {
    @Test("The child of a fork leaves it to the parent, once, also where no fork handlers run")
    func fork() async throws {
        await #expect(processExitsWith: .success) {
            alarm(60)
            var owner = ProcessOwner()
            guard owner.isHere, !owner.leaveParent() else { exit(1) }
            for isRaw in [false, true] {
                let child = isRaw ? forkWithoutHandlers() : forkProcess()
                if child == 0 {
                    if owner.isHere { _exit(2) }
                    if !owner.leaveParent() { _exit(3) }
                    if owner.leaveParent() { _exit(4) }
                    _exit(owner.isHere && owner == ProcessOwner() ? 0 : 5)
                }
                var status: Int32 = 0
                guard child > 0, waitpid(child, &status, 0) == child, status == 0 else { exit(6) }
                guard owner.isHere, !owner.leaveParent() else { exit(7) }
            }
            exit(0)
        }
    }

    @Test("Calls of another process, which a simulation makes, decide instead of the process that runs")
    func otherCalls() {
        let calls = SystemCalls()
        var owner = ProcessOwner(process: 1)
        #expect(!owner.isHere(calls))
        let isChild = owner.leaveParent(calls)
        #expect(isChild)
        #expect(owner.isHere(calls))
        let isChildAgain = owner.leaveParent(calls)
        #expect(!isChildAgain)
        #expect(owner == ProcessOwner(calls))
    }
}
