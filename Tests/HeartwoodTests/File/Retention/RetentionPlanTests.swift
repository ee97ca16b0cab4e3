import Foundation
import SuiteSupport
import Testing

@testable import Heartwood

@Suite(.inTurn) struct RetentionPlanTests {
    private let now = moment("2026-06-01T12:00:00Z")

    /// Files named a, b, c …, oldest first, each an hour younger than the one before; the last an hour old.
    private func files(_ sizes: [Int], active: Bool = true) -> [RetentionPlan.File] {
        sizes.enumerated().map { index, size in
            let moment = now + .seconds(-3600 * Double(sizes.count - index))
            return RetentionPlan.File(
                name: String(UnicodeScalar(UInt8(97 + index))), label: LogFileLabel(createdAt: moment),
                size: size,
                modified: moment, isProtected: active && index == sizes.count - 1)
        }
    }

    private func names(_ plan: RetentionPlan, _ files: [RetentionPlan.File], incoming: Int = 0, new: Int = 0)
        -> String
    {
        let total = files.reduce(incoming) { $0 + $1.size }
        let removals = plan.removals(from: files, count: files.count + new, total: total, now: now)
        return removals.map(\.name).joined()
    }

    @Test(
        "The count is of all files, the active one included; the oldest go",
        arguments: [(0, ""), (5, ""), (4, ""), (3, "a"), (2, "ab"), (1, "abc")])
    func count(_ maximum: Int, _ expected: String) {
        #expect(names(RetentionPlan(maximumCount: maximum), files([1, 1, 1, 1])) == expected)
    }

    @Test(
        "The quota is of all files, the active one included",
        arguments: [
            (0, 0, ""), (100, 0, ""), (99, 0, "a"), (91, 0, "a"), (90, 0, "a"), (89, 0, "ab"), (70, 0, "ab"),
            (69, 0, "abc"), (40, 0, "abc"), (39, 0, "abc"), (1, 0, "abc"), (100, 1, "a"), (100, 11, "ab"),
        ])
    func quota(_ quota: Int, _ incoming: Int, _ expected: String) {
        #expect(names(RetentionPlan(quota: quota), files([10, 20, 30, 40]), incoming: incoming) == expected)
    }

    @Test("A big file does not make newer ones disappear, and goes itself before them")
    func bigFile() {
        #expect(names(RetentionPlan(quota: 100), files([90, 5, 5, 5])) == "a")
        #expect(names(RetentionPlan(quota: 100), files([5, 90, 5, 5])) == "a")
        #expect(names(RetentionPlan(quota: 99), files([5, 90, 5, 5])) == "ab")
    }

    @Test("Files that are in use, and files that are young enough, are passed over; the next oldest ones go")
    func passedOver() {
        var inUse = files([1, 1, 1, 1, 1])
        inUse[0].isProtected = true
        inUse[2].isProtected = true
        #expect(names(RetentionPlan(maximumCount: 3), inUse) == "bd")
        var young = files([1, 1, 1, 1])
        young[0].modified = now
        #expect(names(RetentionPlan(maximumAge: .seconds(9000)), young) == "b")
    }

    @Test("The active file is never removed, however large it is")
    func activeFile() {
        #expect(
            names(RetentionPlan(maximumCount: 1, quota: 1, maximumAge: .seconds(1)), files([5, 5, 500]))
                == "ab")
        #expect(names(RetentionPlan(quota: 1), files([5], active: true)) == "")
    }

    @Test(
        "Files go when their last line is too old",
        arguments: [(0.0, ""), (5.0, ""), (4.0, ""), (3.5, "a"), (1.5, "abc"), (0.001, "abc")]
            as [(Double, String)])
    func age(_ hours: Double, _ expected: String) {
        #expect(names(RetentionPlan(maximumAge: .seconds(3600 * hours)), files([1, 1, 1, 1])) == expected)
    }

    @Test("All limits hold together")
    func together() {
        let plan = RetentionPlan(maximumCount: 4, quota: 30, maximumAge: .seconds(3600 * 5.5))
        #expect(names(plan, files([1, 1, 1, 9, 9, 9])) == "ab")
        #expect(names(plan, files([1, 1, 1, 9, 9, 20])) == "abcd")
        #expect(names(plan, files([1, 1, 1, 9, 9, 9]), new: 1) == "abc")
    }

    @Test(
        "An age that no clock can be right about removes nothing",
        arguments: ["1970-01-01T00:00:00Z", "2000-12-31T23:59:59Z", "2036-01-01T00:00:00Z"])
    func incredible(_ date: String) {
        var files = files([1, 1, 1])
        files[0].modified = moment(date)
        #expect(names(RetentionPlan(maximumAge: .seconds(3600 * 2.5)), files) == "")
    }

    @Test("Nothing is too old while the wall clock is not believed")
    func distrusted() {
        let plan = RetentionPlan(maximumCount: 3, maximumAge: .seconds(1))
        #expect(plan.removals(from: files([1, 1, 1, 1]), count: 4, total: 4, now: nil).map(\.name) == ["a"])
    }

    @Test("Settings that contradict each other are told")
    func contradictions() {
        func count(_ plan: RetentionPlan, _ size: Int) -> Int {
            plan.contradictions(maximumFileSize: size).count
        }
        #expect(count(RetentionPlan(maximumCount: 5, quota: 50), 10) == 0)
        #expect(count(RetentionPlan(maximumCount: 6, quota: 50), 10) == 1)
        #expect(count(RetentionPlan(maximumCount: 0, quota: 50), 50) == 1)
        #expect(count(RetentionPlan(maximumCount: 1), 10) == 1)
        #expect(RetentionPlan(quota: 50).effectiveFileSize(50) == 25)
        #expect(RetentionPlan(quota: 50).effectiveFileSize(0) == 25)
        #expect(RetentionPlan(quota: 50).effectiveFileSize(49) == 49)
        #expect(RetentionPlan().effectiveFileSize(50) == 50)
    }
}
