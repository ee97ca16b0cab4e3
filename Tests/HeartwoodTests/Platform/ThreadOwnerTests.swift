import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("The thread that owns something", .inTurn)
struct ThreadOwnerTests {
    private final class Owned: @unchecked Sendable {  // what the check is there to find out
        private var owner = ThreadOwner("a test")
        func enter() { owner.enter() }
    }

    @Test("The first thread that enters may enter again")
    func same() {
        let owned = Owned()
        for _ in 0..<3 { owned.enter() }
    }

    @Test("Another thread may make it, and only one may use it")
    func handedOver() {
        let owned = Owned()
        let done = DispatchSemaphore(value: 0)
        Thread {
            for _ in 0..<3 { owned.enter() }
            done.signal()
        }.start()
        done.wait()
    }

    #if DEBUG
    @Test("A debug build stops when a second thread enters")
    func other() async {
        await #expect(processExitsWith: .failure) {
            let owned = Owned()
            owned.enter()
            let done = DispatchSemaphore(value: 0)
            Thread {
                owned.enter()
                done.signal()
            }.start()
            done.wait()
            exit(0)
        }
    }
    #endif
}
