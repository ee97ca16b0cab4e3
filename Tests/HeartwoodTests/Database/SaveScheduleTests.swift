import SuiteSupport
import Testing

@testable import Heartwood

@Suite("When a database logger saves and deletes", .inTurn)
struct SaveScheduleTests {
    /// What has happened, moment by moment, and what is due then.
    struct Step: Sendable, CustomTestStringConvertible {
        enum Event: Sendable { case messages(Int), saved, failed, deleted, nothing }
        let at: Int
        let event: Event
        let action: SaveSchedule.Action
        let due: Int?
        var testDescription: String { "\(event) at \(at) s" }

        init(_ at: Int, _ event: Event, _ action: SaveSchedule.Action, due: Int?) {
            (self.at, self.event, self.action, self.due) = (at, event, action, due)
        }
    }

    struct Scene: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let settings: DatabaseSettings
        let steps: [Step]

        init(_ name: String, _ steps: [Step], _ change: (inout DatabaseSettings) -> Void = { _ in }) {
            testDescription = name
            var settings = DatabaseSettings()
            change(&settings)
            (self.settings, self.steps) = (settings, steps)
        }
    }

    static let scenes: [Scene] = [
        Scene(
            "the 500th message is saved with the others, and the first save deletes",
            [
                Step(0, .nothing, .nothing, due: 300), Step(1, .messages(499), .nothing, due: 61),
                Step(2, .messages(1), .saveAndDelete, due: 61), Step(2, .saved, .nothing, due: 300),
                Step(2, .deleted, .nothing, due: 302),
            ]),
        Scene(
            "the oldest message is saved when it is 60 s old, whatever came after it",
            [
                Step(10, .deleted, .nothing, due: 310), Step(10, .messages(1), .nothing, due: 70),
                Step(69, .messages(1), .nothing, due: 70), Step(70, .nothing, .save, due: 70),
                Step(70, .saved, .nothing, due: 310), Step(80, .messages(1), .nothing, due: 140),
            ]),
        Scene(
            "old messages are deleted every 5 min, with a save where one is due",
            [
                Step(299, .nothing, .nothing, due: 300), Step(300, .nothing, .delete, due: 300),
                Step(301, .deleted, .nothing, due: 601), Step(600, .messages(500), .save, due: 601),
                Step(601, .nothing, .saveAndDelete, due: 601),
            ]),
        Scene(
            "no number makes it save when the threshold is off",
            [
                Step(0, .deleted, .nothing, due: 300), Step(0, .messages(100_000), .nothing, due: 60),
                Step(60, .nothing, .save, due: 60),
            ], { $0.saveThreshold = 0 }),
        Scene(
            "no time makes it save when the interval is off",
            [
                Step(0, .deleted, .nothing, due: 300), Step(0, .messages(499), .nothing, due: 300),
                Step(299, .nothing, .nothing, due: 300), Step(299, .messages(1), .save, due: 300),
            ], { $0.saveInterval = nil }),
        Scene(
            "nothing is ever deleted when the age is off",
            [Step(1000, .nothing, .nothing, due: nil), Step(1000, .messages(500), .save, due: 1060)],
            {
                $0.maximumAge = nil
                $0.deletesOnEverySave = true
            }),
        Scene(
            "without an interval only saves delete, where they are to",
            [
                Step(1000, .nothing, .nothing, due: nil),
                Step(1000, .messages(500), .saveAndDelete, due: 1060),
                Step(1001, .deleted, .saveAndDelete, due: 1060),
            ],
            {
                $0.deleteInterval = Duration.zero
                $0.deletesOnEverySave = true
            }),
        Scene(
            "without both nothing deletes", [Step(1000, .messages(500), .save, due: 1060)],
            { $0.deleteInterval = nil }),
        Scene(
            "a save that fails is tried again after 1, 2, 4 … 30 s, whatever comes meanwhile",
            [
                Step(0, .deleted, .nothing, due: 300), Step(0, .messages(500), .save, due: 60),
                Step(0, .failed, .nothing, due: 1), Step(0, .messages(5000), .nothing, due: 1),
                Step(1, .nothing, .save, due: 1), Step(1, .failed, .nothing, due: 3),
                Step(3, .failed, .nothing, due: 7), Step(7, .failed, .nothing, due: 15),
                Step(15, .failed, .nothing, due: 31), Step(31, .failed, .nothing, due: 61),
                Step(61, .failed, .nothing, due: 91), Step(90, .nothing, .nothing, due: 91),
                Step(91, .nothing, .save, due: 91), Step(91, .saved, .nothing, due: 300),
                Step(92, .messages(1), .nothing, due: 152),
            ]),
        Scene(
            "one message that could not be saved is tried again even with all limits off",
            [
                Step(0, .messages(1), .nothing, due: nil), Step(0, .failed, .nothing, due: 1),
                Step(1, .nothing, .save, due: 1),
            ],
            {
                $0.saveThreshold = 0
                $0.saveInterval = nil
                $0.maximumAge = Duration.zero
            }),
    ]

    @Test("The table of its decisions", arguments: scenes)
    func table(_ scene: Scene) {
        var schedule = SaveSchedule(at: .zero)
        schedule.settings = scene.settings
        for step in scene.steps {
            let now = Duration.seconds(step.at)
            switch step.event {
            case .messages(let count): for _ in 0..<count { schedule.noteBuffered(at: now) }
            case .saved: schedule.noteSaved()
            case .failed: schedule.noteSaveFailed(at: now)
            case .deleted: schedule.noteDeleted(at: now)
            case .nothing: break
            }
            #expect(schedule.action(at: now) == step.action, "\(step.testDescription)")
            #expect(schedule.due == step.due.map { .seconds($0) }, "\(step.testDescription)")
        }
    }

    @Test("Settings that change are looked at anew with what waits already")
    func changes() {
        var schedule = SaveSchedule(at: .zero)
        schedule.noteDeleted(at: .zero)
        for _ in 0..<10 { schedule.noteBuffered(at: .seconds(5)) }
        #expect(schedule.action(at: .seconds(6)) == .nothing)
        schedule.settings.saveThreshold = 10
        #expect(schedule.action(at: .seconds(6)) == .save)
        schedule.settings.saveThreshold = 11
        schedule.settings.saveInterval = .seconds(1)
        #expect(schedule.action(at: .seconds(6)) == .save)
        schedule.settings.saveInterval = .seconds(2)
        #expect(schedule.action(at: .seconds(6)) == .nothing)
        #expect(schedule.due == .seconds(7))
    }
}
