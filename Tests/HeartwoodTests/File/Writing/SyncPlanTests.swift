import SuiteSupport
import Testing

@testable import Heartwood

/// When written bytes are put on the disk, case by case.
@Suite(.inTurn) struct SyncPlanTests {
    private func isDue(
        _ plan: inout SyncPlan, _ policy: LogSyncPolicy, isUrgent: Bool, at uptime: Duration
    ) -> Bool {
        plan.isDue(policy, isUrgent: isUrgent, at: uptime)
    }

    struct Case: Sendable {
        var policy: LogSyncPolicy
        var isUrgent = false
        /// Seconds from the first write to the question.
        var age: Double
        var isDue: Bool
        var delay: Double?
    }

    static let cases = [
        Case(policy: .never, isUrgent: true, age: 1000, isDue: false),
        Case(policy: .everyBatch, age: 0, isDue: true),
        Case(policy: .levels(.error), age: 1000, isDue: false),
        Case(policy: .levels(.error), isUrgent: true, age: 0, isDue: true),
        Case(policy: .interval(.seconds(5)), age: 0, isDue: false, delay: 5),
        Case(policy: .interval(.seconds(5)), age: 4.5, isDue: false, delay: 0.5),
        Case(policy: .interval(.seconds(5)), age: 5, isDue: true, delay: 0.01),
        Case(policy: .interval(.seconds(5)), age: 9, isDue: true, delay: 0.01),
        Case(policy: .interval(.seconds(5)), isUrgent: true, age: 0, isDue: true, delay: 5),
    ]

    @Test("Written bytes are synchronized when the policy says so", arguments: cases)
    func due(_ given: Case) {
        var plan = SyncPlan()
        let due1 = isDue(&plan, given.policy, isUrgent: true, at: .seconds(100))
        #expect(!due1, "nothing was written")
        #expect(plan.delay(given.policy, at: .seconds(100)) == nil)
        plan.noteWrite(at: .seconds(100))
        plan.noteWrite(at: .seconds(100 + given.age))
        let now = Duration.seconds(100) + .seconds(given.age)
        #expect(plan.delay(given.policy, at: now) == given.delay.map { .seconds($0) })
        let due2 = isDue(&plan, given.policy, isUrgent: given.isUrgent, at: now)
        #expect(due2 == given.isDue)
        plan.noteSynced()
        let due3 = isDue(&plan, given.policy, isUrgent: true, at: now + .seconds(1000))
        #expect(!due3)
    }

    @Test("What was written under the policy to never synchronize is not synchronized under a later one")
    func neverForgets() {
        var plan = SyncPlan()
        plan.noteWrite(at: .zero)
        let due4 = isDue(&plan, .never, isUrgent: true, at: .seconds(1))
        #expect(!due4)
        let due5 = isDue(&plan, .everyBatch, isUrgent: true, at: .seconds(1))
        #expect(!due5)
    }

    @Test("After a failure the interval begins again, and only if something was written")
    func failure() {
        var plan = SyncPlan()
        plan.noteFailure(at: .seconds(3))
        #expect(plan.delay(.interval(.seconds(5)), at: .seconds(3)) == nil)
        plan.noteWrite(at: .zero)
        plan.noteFailure(at: .seconds(10))
        let due6 = isDue(&plan, .interval(.seconds(5)), isUrgent: false, at: .seconds(14))
        #expect(!due6)
        #expect(plan.delay(.interval(.seconds(5)), at: .seconds(14)) == .seconds(1))
        let due7 = isDue(&plan, .interval(.seconds(5)), isUrgent: false, at: .seconds(15))
        #expect(due7)
    }

    @Test("Finished files are synchronized oldest first, names until they are")
    func files() {
        var plan = SyncPlan()
        plan.noteFileSynced()
        #expect(plan.files.isEmpty && !plan.hasNames)
        plan.noteName()
        plan.noteFinished("a") { [] }
        plan.noteFinished("b") { [] }
        plan.noteFileSynced()
        #expect(plan.files == ["b"] && plan.hasNames)
        plan.noteNamesSynced()
        #expect(plan.files == ["b"] && !plan.hasNames)
    }

    @Test(
        "Of more than 1,024 finished files those that are gone are forgotten, and of the others the newest 512 stay"
    )
    func manyFiles() {
        var plan = SyncPlan()
        var looks = 0
        for number in 0..<1024 {
            plan.noteFinished("\(number)") {
                looks += 1; return []
            }
        }
        #expect(plan.files.count == 1024 && looks == 0)
        plan.noteFinished("1024") {
            Set((0...1024).lazy.filter { $0 % 4 != 0 || $0 == 1024 }.map(String.init))
        }
        #expect(plan.files.count == 512 && plan.files.last == "1024")
        #expect(plan.files.allSatisfy { Int($0).map { $0 % 4 != 0 || $0 == 1024 } ?? false })
    }
}
