import Heartwood
import HeartwoodLumberjack
import SuiteSupport
import Testing

extension LumberjackTests {
    @Suite("Levels and flags", .inTurn)
    struct LevelTests {
        @Test("Flags are single bits, and levels the masks of all that is more serious")
        func values() {
            let flags: [DDLogFlag] = [.error, .warning, .info, .debug, .verbose]
            #expect(flags.map(\.rawValue) == [1, 2, 4, 8, 16])
            let levels: [DDLogLevel] = [.off, .error, .warning, .info, .debug, .verbose, .all]
            #expect(levels.map(\.rawValue) == [0, 1, 3, 7, 15, 31, .max])
        }

        @Test("A level of any mask is made of its bits, and one with a name is that name")
        func masks() {
            let mixed = DDLogLevel(rawValue: 0b101)
            #expect(mixed?.rawValue == 0b101 && mixed != .info)
            #expect(DDLogLevel(rawValue: 3) == .warning && DDLogLevel(rawValue: .max) == .all)
            #expect(DDLogLevel.mask(7) == .info && Set([DDLogLevel.mask(7), .info]).count == 1)
            switch DDLogLevel(rawValue: 15) {
            case .debug: break
            default: Issue.record("15 is the level debug")
            }
        }

        @Test("A flag becomes the level of exactly its bits, or else that of its most detailed one")
        func conversion() {
            #expect(DDLogFlag.from(.warning) == [.error, .warning] && DDLogFlag(.error) == .error)
            let exact: [(DDLogFlag, DDLogLevel)] = [
                (.error, .error), ([.error, .warning], .warning), ([], .off),
                (DDLogFlag(rawValue: .max), .all),
            ]
            for (flag, level) in exact { #expect(flag.toLogLevel() == level) }
            let else_: [(DDLogFlag, DDLogLevel)] = [
                (.warning, .warning), (.info, .info), (.debug, .debug), (.verbose, .verbose),
                ([.error, .debug], .debug), (DDLogFlag(rawValue: 1 << 9), .off),
                (DDLogFlag(rawValue: 1 << 9 | 1), .error),
            ]
            for (flag, level) in else_ { #expect(flag.toLogLevel() == level) }
        }

        @Test("Flags are Heartwood's levels and back, its own two included")
        func heartwoodLevels() {
            let pairs: [(DDLogFlag, LogLevel)] = [
                (.error, .error), (.warning, .warning), (.info, .info), (.debug, .debug),
                (.verbose, .verbose),
            ]
            for (flag, level) in pairs {
                #expect(LogLevel(flag) == level && DDLogFlag(heartwoodLevel: level) == flag)
            }
            #expect(
                DDLogFlag(heartwoodLevel: .fatal) == .error && DDLogFlag(heartwoodLevel: .notice) == .info)
            for bit in 5...29 {
                let flag = DDLogFlag(rawValue: 1 << UInt(bit))
                #expect(LogLevel(flag).index == bit + 2 && DDLogFlag(heartwoodLevel: LogLevel(flag)) == flag)
            }
            #expect(LogLevel(DDLogFlag(rawValue: 1 << 40)) == .info)
            #expect(LogLevel([.error, .verbose]) == .error)
        }

        @Test("Levels are Heartwood's masks and back, with fatal among errors and notice among information")
        func heartwoodMasks() {
            for level in [
                DDLogLevel.off, .error, .warning, .info, .debug, .verbose, .all, .mask(5), .mask(1 << 6),
            ] {
                #expect(DDLogLevel(heartwoodMask: LogLevelMask(level)) == level)
            }
            #expect(LogLevelMask(.error).contains(.fatal) && !LogLevelMask(.error).contains(.warning))
            #expect(LogLevelMask(DDLogLevel.info).contains(.notice))
            #expect(!LogLevelMask(DDLogLevel.warning).contains(.notice))
            let own = LogLevel(DDLogFlag(rawValue: 1 << 26))
            #expect(LogLevelMask(DDLogLevel.all).rawValue & own.rawValue != 0)
            #expect(LogLevelMask(DDLogLevel.verbose).rawValue & own.rawValue == 0)
            #expect(LogLevelMask(DDLogLevel.info).rawValue & own.rawValue == 0)
        }
    }
}
