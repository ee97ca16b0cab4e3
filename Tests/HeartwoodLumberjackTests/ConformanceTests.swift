import Foundation
import Heartwood
import HeartwoodLumberjack
import HeartwoodTestSupport
import SuiteSupport
import Testing

extension LumberjackTests {
    @Suite("Loggers of CocoaLumberjack's kind pass the conformance check", .inTurn)
    struct ConformanceTests {
        @Test("A logger of your own, through its adapter")
        func custom() throws {
            let keepers = Locked<[ObjectIdentifier: Keeper]>([:])
            try LoggerConformance.check(
                messages: 20_000, memory: .amongOtherTests,
                texts: { adapter in keepers.withLock { $0[ObjectIdentifier(adapter)]?.texts ?? [] } }
            ) { () -> AbstractLogger in
                let keeper = Keeper()
                keepers.withLock { $0[ObjectIdentifier(keeper.heartwoodLogger)] = keeper }
                return keeper.heartwoodLogger
            }
        }

        @Test("The file logger")
        func files() throws {
            let folder = Folder()
            var owners: [DDFileLogger] = []
            try LoggerConformance.check(messages: 20_000, memory: .amongOtherTests) { () -> AbstractLogger in
                let number = owners.count
                let manager = DDLogFileManagerDefault(logsDirectory: folder.path + "/\(number)")
                let logger = DDFileLogger(logFileManager: manager, completionQueue: nil)
                owners.append(logger)
                return logger.heartwoodLogger
            }
        }
    }
}
