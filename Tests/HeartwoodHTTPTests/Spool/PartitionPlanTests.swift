import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// Which partitions are sent, written, passed by and closed, without a disk.
@Suite(.inTurn) struct PartitionPlanTests {
    /// A plan with closed partitions of an earlier run, each with one record.
    private func plan(_ names: [String]) -> PartitionPlan {
        var plan = PartitionPlan()
        for name in names {
            plan.count(SpoolCounters(recovered: 1))
            plan.close(name, bytes: 10, records: 1)
        }
        return plan
    }

    /// Opens the oldest closed partition, and sends it.
    private func sendOldest(_ plan: inout PartitionPlan) {
        let name = plan.oldestClosed
        let isOpen = plan.didOpen(true)
        plan.send(name)
        #expect(isOpen && plan.violation == nil)
    }

    @Test("What is closed is sent from the oldest on, and only what is written after that")
    func order() {
        var plan = plan(["1", "2"])
        plan.write(to: "3")
        for name in ["1", "2"] {
            #expect(plan.isClosedDue && plan.oldestClosed == name)
            sendOldest(&plan)
            #expect(plan.sender == name && plan.sendsOlder && !plan.isClosedDue)
            let empty = plan.removeEmpty { $0 == name }
            #expect(empty == [name])
        }
        #expect(plan.sender == "3" && !plan.sendsOlder && plan.names == ["3"])
    }

    @Test("Three are passed by at most when a closed one is opened; the oldest is sent again after that")
    func search() {
        var plan = plan((1...9).map(String.init))
        var count = 0
        while plan.maySearch {
            sendOldest(&plan)
            count += 1
        }
        #expect(count == PartitionPlan.widestSearch + 1 && plan.sender == "4")
        plan.write(to: "9a")
        plan.send(nil)
        #expect(plan.sender == "9a" && plan.open == ["1", "2", "3", "4", "9a"])
        plan.comeBack()
        #expect(plan.sender == "1" && plan.open == ["1", "2", "3", "4", "9a"])
        let empty = plan.removeEmpty { $0 == "1" || $0 == "3" }
        #expect(empty == ["1", "3"] && plan.sender == "2" && plan.names.first == "2")
        #expect(plan.violation == nil)
    }

    @Test("The oldest record is in the oldest partition, also after that was passed by")
    func oldest() {
        var plan = plan(["1", "2"])
        plan.write(to: "3")
        sendOldest(&plan)
        sendOldest(&plan)
        #expect(plan.oldest == "1")
        plan.comeBack()
        #expect(plan.sender == "1" && plan.oldest == "1")
    }

    @Test(
        "A full partition goes on being sent where it is the oldest with something left",
        arguments: [(closed: [], isEmpty: false, released: nil), (["1"], false, "2"), ([], true, "2")]
            as [(closed: [String], isEmpty: Bool, released: String?)])
    func release(closed: [String], isEmpty: Bool, released: String?) {
        var plan = plan(closed)
        plan.write(to: "2")
        let name = plan.releaseWritten(isEmpty: isEmpty)
        #expect(name == released && plan.written == nil && plan.sender == (released == nil ? "2" : nil))
    }

    @Test("A partition that cannot be opened is left out after ten attempts, and does not count as found")
    func failures() {
        var plan = plan(["1", "2"])
        var attempts = 1
        while !plan.didOpen(false) {
            #expect(plan.oldestClosed == "1" && plan.openFailures == attempts)
            attempts += 1
        }
        #expect(attempts == SpoolPlan.readAttempts && plan.oldestClosed == "2" && plan.openFailures == 0)
        #expect(plan.past.recovered == 1 && plan.held == (10, 1) && plan.violation == nil)
    }

    @Test("Counts outlive the store: what was left is found again, and is not counted twice")
    func counts() {
        var first = plan(["1"])
        first.count(SpoolCounters(appended: 2))
        first.end(pending: 3)
        #expect(first.names.isEmpty && first.held == (0, 0) && first.past.recovered == 1)
        var second = plan(["1", "2", "3"])
        second.goOn(from: first)
        #expect(second.past == SpoolCounters(appended: 2, recovered: 1))
    }
}
