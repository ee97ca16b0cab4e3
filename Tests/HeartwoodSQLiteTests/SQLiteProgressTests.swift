import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodSQLite

/// Promise 4: callers wait as long as a logger makes progress, and each row that SQLite has taken is a step.
@Suite(.inTurn) struct SQLiteProgressTests {
    private let fixture: Fixture
    init() throws { fixture = try Fixture() }

    /// How long a row takes, and how long callers wait without progress; a batch takes twice as long as that.
    private static let pace = Duration.milliseconds(20)
    private static let patience = Duration.milliseconds(500)
    private static let batch = 50

    @Test(
        "Promise 4: a batch that SQLite works at for longer than callers wait without progress loses nothing",
        .secondTier)
    func slowRows() throws {
        let logger = try fixture.add {
            $0.saveThreshold = Self.batch
            $0.backlogLimit = .kibibytes(4)
            $0.overflowPolicy = .block(upTo: Self.patience)
        }
        #expect(fixture.log(0..<1).isComplete)
        // A trigger keeps SQLite busy for each row.
        let other = try SQLiteConnection(fixture.path, 0x2, busyTimeout: .seconds(60))
        func work(_ count: Int) -> String {
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT \(count)) SELECT count(*) FROM n"
        }
        let sample = 100_000
        let time = try ContinuousClock().measure { _ = try other.number(work(sample)) }
        let count = max(1, Int(Double(sample) * (Self.pace / time)))
        try other.execute("CREATE TRIGGER busy AFTER INSERT ON messages BEGIN \(work(count)); END")
        #expect(fixture.log(1..<(1 + 3 * Self.batch)).isComplete)
        #expect(logger.statistics.dropped == 0)
        #expect(try fixture.texts() == (0..<(1 + 3 * Self.batch)).map(String.init))
    }
}
