import SuiteSupport
import Testing

/// All orders of the steps of a work queue's callers, its thread and the system.
@Suite("The work queue's thread", .inTurn) struct WorkQueueModelTests {
    typealias Scene = WorkQueueModel.Scene

    @Test("Each block is called once, in its order, and the thread is there as long as it is wanted")
    func everyOrder() {
        var scenes = [
            Scene(), Scene(callers: [2, 1], keeps: false), Scene(callers: [2], refusals: 3, helps: false),
            Scene(callers: [1, 1], ends: false), Scene(callers: [2, 1], refusals: 3),
        ]
        if Tier.isFull { scenes.append(Scene(callers: [2, 2, 1], refusals: 3)) }
        for scene in scenes {
            let (failure, count) = WorkQueueModel.explore(scene)
            #expect(failure == nil)
            #expect(count > 500)
        }
    }

    @Test("The model finds each mistake", arguments: WorkQueueModel.Fault.allCases)
    func faults(fault: WorkQueueModel.Fault) {
        let scenes = [Scene(), Scene(ends: false)]
        #expect(scenes.contains { WorkQueueModel.explore($0, fault).failure != nil })
    }
}
