import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodSQLite

@Suite("The SQLite logger passes the conformance check", .inTurn)
struct SQLiteConformanceTests {
    @Test("And the database has every message of each part, once and in order")
    func check() throws {
        let amount = 20_000
        let fixture = try Fixture()
        let paths = Locked<[String]>([])
        try LoggerConformance.check(messages: amount, memory: .amongOtherTests) {
            let path = fixture.folder + "/\(paths.withLock { $0.count }).sqlite"
            paths.withLock { $0.append(path) }
            return try SQLiteLogger(path: path)
        }
        // That part writes whole lines.
        let last = try fixture.texts(paths.withLock { $0[$0.count - 1] })
        let numbers = last.compactMap { $0.firstMatch(of: /message (\d+)$/).flatMap { Int($0.1) } }
        #expect(numbers == Array(0..<amount))
        let removal = try fixture.texts(paths.withLock { $0[1] })
        #expect(removal == ["before", "again"])
        let contents = try fixture.texts(paths.withLock { $0[3] })
        #expect(contents.contains("") && contents.contains { $0.utf8.count >= 1_048_576 || $0.contains("…") })
    }
}
