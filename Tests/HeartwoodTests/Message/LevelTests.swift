import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

@Suite("Levels and masks", .inTurn)
struct LevelTests {
    private static let audit = LogLevel(bit: 25, name: "level-audit", severity: .notice)
    private static let trace = LogLevel(bit: 31, name: "level-trace", severity: .verbose)

    @Test("A name is a threshold; a list is just its levels")
    func masks() {
        for (index, level) in LogLevel.standardLevels.enumerated() {
            let mask = LogLevelMask(atLeast: level)
            for (other, candidate) in LogLevel.standardLevels.enumerated() {
                #expect(mask.contains(candidate) == (other <= index))
            }
            #expect(mask.description == (level == .verbose ? "all" : level.name))
        }
        let odd: LogLevelMask = [.error, .debug]
        #expect(LogLevel.standardLevels.filter(odd.contains) == [.error, .debug])
        #expect("\(odd) \(LogLevelMask.off) \(LogLevelMask.all)" == "[error, debug] off all")
        #expect(LogLevelMask.warning.union([Self.audit]).contains(Self.audit))
        #expect(LogLevelMask.verbose.contains(Self.audit))
        #expect(LogLevelMask.all.subtracting([.info]).intersection(.info).contains(.info) == false)
        #expect(LogLevelMask.off.isEmpty)
    }

    @Test("A level of the user's own works in calls, masks, loggers and formatters like the others")
    func custom() {
        let dispatcher = LogDispatcher.forTest()
        let all = RecordingLogger(name: "all", formatter: LineFormatter())
        let audits = RecordingLogger(name: "audits")
        dispatcher.add(all)
        dispatcher.add(audits, levels: [Self.audit])
        log("seen", level: Self.audit, to: dispatcher)
        log("deep", level: Self.trace, to: dispatcher)
        logNotice("standard", to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(all.messages.map(\.level) == [Self.audit, Self.trace, .notice])
        #expect(audits.texts == ["seen"])
        #expect(all.lines.first?.contains(" level-audit ") == true)
        #expect(Self.audit.severity == .notice)
        #expect(LogLevelMask(atLeast: .notice).contains(Self.audit))
        #expect(!LogLevelMask(atLeast: .notice).contains(Self.trace))
        #expect(LogLevel(bit: 25, name: "level-audit", severity: .notice) == Self.audit)
    }

    @Test("A level is found by its name, in any case, and by the names that others use")
    func names() {
        let audit = Self.audit
        for level in LogLevel.standardLevels { #expect(LogLevel(named: level.name.uppercased()) == level) }
        #expect(LogLevel(named: "Level-Audit") == audit)
        #expect(LogLevel(named: "warn") == .warning)
        #expect(LogLevel(named: "trace") == .verbose)
        #expect(LogLevel(named: "critical") == .fatal)
        #expect(LogLevel(named: "nonsense") == nil)
    }

    @Test("A bit that is no free one, or that is taken, stops the program with a clear word")
    func misuse() async {
        await #expect(processExitsWith: .failure) { _ = LogLevel(bit: 6, name: "standard") }
        await #expect(processExitsWith: .failure) { _ = LogLevel(bit: 32, name: "too far") }
        await #expect(processExitsWith: .failure) {
            _ = LogLevel(bit: 9, name: "one")
            _ = LogLevel(bit: 9, name: "other")
        }
    }
}

@Suite("Categories", .inTurn)
struct CategoryTests {
    @Test("Two categories of one name are the same, and their levels count at once, in every dispatcher")
    func levels() {
        let name = "category-\(UUID())"
        let category = LogCategory(name)
        #expect(category == LogCategory(name))
        #expect(category.name == name)
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        category.levels = .warning
        #expect(LogCategory(name).levels == .warning)
        logInfo("no", category: category, to: dispatcher)
        logWarning("yes", category: category, to: dispatcher)
        logInfo("default", to: dispatcher)
        category.levels = .all
        logInfo("again", category: category, to: dispatcher)
        dispatcher.flush(timeout: .testLimit)
        #expect(logger.texts == ["yes", "default", "again"])
        #expect(logger.messages.map(\.category) == [category, .default, category])
    }

    @Test("Many threads may make and use the same categories")
    func concurrent() {
        let prefix = "category-\(UUID())"
        let dispatcher = LogDispatcher.forTest()
        let logger = RecordingLogger()
        dispatcher.add(logger)
        onThreads(8) { thread in
            for index in 0..<100 {
                logInfo("\(index)", category: LogCategory("\(prefix) \(index)"), to: dispatcher)
            }
        }
        dispatcher.flush(timeout: .testLimit)
        for message in logger.messages { #expect(message.category.name == "\(prefix) \(message.text)") }
        #expect(Set(logger.messages.map(\.category)).count == 100)
    }
}

@Suite("Call sites", .inTurn)
struct CallSiteTests {
    @Test("Every place has its number, the same from every thread, and is found again by it")
    func table() {
        let ids = Box<Set<[UInt32]>>([])
        onThreads(8) { _ in
            let own = (0..<1000).map {
                CallSiteTable.shared.id(file: "Sites/\($0 % 7).swift", function: "f", line: $0) ?? .max
            }
            ids.update { $0.insert(own) }
        }
        #expect(ids.value.count == 1)
        let sites = CallSiteTable.shared.sites
        for (line, id) in (ids.value.first ?? []).enumerated() where id != .max {
            #expect(sites[Int(id)].line == line)
            #expect(sites[Int(id)].file == "Sites/\(line % 7).swift")
        }
        #expect(sites.enumerated().allSatisfy { $0.offset == Int($0.element.id) })
    }

    @Test("The file's name stands without folders and ending")
    func names() {
        func name(_ file: String) -> String { CallSite(id: 0, file: file, function: "", line: 1).fileName }
        #expect(name("Module/File.swift") == "File")
        #expect(name("File+Topic.swift") == "File+Topic")
        #expect(name("a/b/c.d.swift") == "c.d")
        #expect(name("Module/.hidden") == ".hidden")
        #expect(name("") == "")
    }
}
