import HeartwoodTestSupport
import SuiteSupport
import Testing

/// All orders of the steps of callers, drain, logger and machine, on a ring of a few records.
@Suite(.inTurn) struct RingModelTests {
    typealias Scene = RingModel.Scene

    private static var scenes: [Scene] {
        var scenes = [
            Scene(producers: [1, 1, 1]), Scene(producers: [2, 1]), Scene(capacity: 1, producers: [1, 1]),
            Scene(producers: [1, 1], switches: true), Scene(producers: [1, 1], cuts: true),
            Scene(capacity: 1, producers: [2, 1], cuts: true),
            Scene(producers: [2, 1], takesAlone: true),
        ]
        // One thread explores them: a sanitizer has nothing to see.
        if !Load.isSanitized {
            scenes += [
                Scene(producers: [1, 1, 1], switches: true),
                Scene(producers: [1, 1, 1], takesAlone: true),
                Scene(producers: [1, 1], storesPages: true),
                Scene(producers: [1, 1], isInTwoPages: true, storesPages: true),
                Scene(producers: [1, 1], switches: true, cuts: true),
            ]
        }
        if Tier.isFull, !Load.isSanitized { scenes.append(Scene(producers: [2, 1, 1])) }
        if Tier.isLong {
            scenes += [
                Scene(capacity: 3, producers: [2, 2, 1]), Scene(producers: [2, 1, 1], switches: true),
                Scene(producers: [2, 1], storesPages: true),
                Scene(producers: [2, 1], isInTwoPages: true, storesPages: true),
                Scene(producers: [1, 1, 1], cuts: true),
                Scene(producers: [2, 1], switches: true, cuts: true),
            ]
        }
        return scenes
    }

    @Test(
        "Promise 10: every message is kept once, in every order of steps and wherever the process ends",
        arguments: scenes)
    func everyOrder(scene: Scene) {
        let (states, failure) = RingModel.explore(scene)
        #expect(failure == nil && states > 100)
    }

    @Test(
        "The model finds a step that is made at the wrong place, or left out",
        arguments: RingModel.Fault.allCases)
    func faults(fault: RingModel.Fault) {
        var scene = Scene(producers: [1, 1, 1], fault: fault)
        switch fault {
        case .stampsWithoutPlace:
            scene = Scene(capacity: 1, producers: [2, 1], storesPages: true, fault: fault)
        case .stampsTwoPages:
            scene = Scene(producers: [1, 1], isInTwoPages: true, storesPages: true, fault: fault)
        case .trustsCopyOfCutFile, .waitsForWhatIsGone, .countsNothingGone, .dropsRestOfCutFile,
            .leavesCallsBehind:
            scene = Scene(producers: [1, 1], cuts: true, fault: fault)
        case .takesBesideOthers, .takesWithoutLock, .takesWhileLoggerRuns: scene.takesAlone = true
        case .opensBeforeUnpublished: scene = Scene(producers: [1, 1], switches: true, fault: fault)
        default: break
        }
        #expect(RingModel.explore(scene).failure != nil)
    }
}
