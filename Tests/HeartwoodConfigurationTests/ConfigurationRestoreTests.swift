import Foundation
import CoreFixtures
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodConfiguration

/// Configurations that are applied more than twice, and files that vanish more than once.
@Suite(.inTurn) struct ConfigurationRestoreTests {
    @Test(
        "A setting that is not given any more goes back to the program's own value, not to an earlier file's")
    func programValue() throws {
        let dispatcher = LogDispatcher.forTest()
        dispatcher.synchronousTimeout = .seconds(9)
        for seconds in [1, 2, 3] {
            let configuration: LogConfiguration = ["synchronousTimeout": "\(seconds)s"]
            try configuration.apply(to: dispatcher)
            #expect(dispatcher.synchronousTimeout == .seconds(seconds))
        }
        try LogConfiguration().apply(to: dispatcher)
        #expect(dispatcher.synchronousTimeout == .seconds(9))
        dispatcher.synchronousTimeout = .seconds(8)
        try (["synchronousTimeout": "1s"] as LogConfiguration).apply(to: dispatcher)
        try LogConfiguration().apply(to: dispatcher)
        #expect(dispatcher.synchronousTimeout == .seconds(8))
    }

    @Test("A file that vanishes again, after it was there as before, is reported again")
    func vanishesTwice() {
        let there = ConfigurationWatchState.Contents(main: [1])
        let gone = ConfigurationWatchState.Contents()
        var state = ConfigurationWatchState(applied: there)
        for _ in 0..<3 {
            #expect(state.see(gone) == .lookAgain)
            #expect(state.see(gone) == .missing)
            #expect(state.see(gone) == .wait)
            #expect(state.see(there) == .wait)
        }
    }
}
