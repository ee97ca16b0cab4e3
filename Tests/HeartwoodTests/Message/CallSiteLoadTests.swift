import Foundation
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Many call sites", .inTurn)
struct CallSiteLoadTests {
    @Test("Registering call sites takes time in proportion to their number: 60,000 in seconds, not minutes")
    func linear() async {
        await #expect(processExitsWith: .success) {
            // Processor time: how busy the machine is does not count.
            let start = clock()
            for line in 1...60_000 {
                let id = CallSiteTable.id(file: #fileID, function: #function, line: UInt(line))
                precondition(CallSiteTable.id(file: #fileID, function: #function, line: UInt(line)) == id)
            }
            let sites = CallSiteTable.shared.sites
            precondition(sites.count >= 60_000)
            precondition(Set(sites.map(\.line)).count >= 60_000)
            precondition(clock() - start < (Load.isSanitized ? 240 : 60) * CLOCKS_PER_SEC)
        }
    }
}
