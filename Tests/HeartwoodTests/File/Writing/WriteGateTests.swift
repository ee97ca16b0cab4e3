import CHeartwood
import SuiteSupport
import Testing

@testable import Heartwood

/// The decision whether records may be written now, case by case.
@Suite(.inTurn) struct WriteGateTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var maximumSize = 0
        var quota = 0
        var header = 0
        var most = Int.max
        var isFramed = false
        /// Where the records end; the first begins at 100.
        var ends: [Int] = [110, 120, 130]
        var size = 0
        var hasRecords = true
        var total: Int?
        var isTorn = false
        var cannotRoll = false
        var hasMadeRoom = false
        var answer: FilePlan.Step

        var testDescription: String { name }

        var given: FilePlan.Step {
            let gate = WriteGate(
                rolling: RollingPolicy(maximumSize: maximumSize), quota: quota, headerSize: header,
                mostRecords: most)
            // A slice that does not begin at 0, as it is in the middle of a batch.
            let all = [50, 100] + ends
            return gate.step(
                for: all[2...], from: 100,
                into: FilePlan.File(
                    size: size, hasRecords: hasRecords, needsHeader: false, isTorn: isTorn, isShared: false,
                    isFramed: isFramed, createdAt: LogTimestamp(nanoseconds: 0)),
                total: total ?? size, WriteGate.Attempt(cannotRoll: cannotRoll, hasMadeRoom: hasMadeRoom))
        }
    }

    private static let sealed = EncryptedFrame.overhead(of: 30)

    static let cases = [
        Case(name: "without limits all are written", answer: .write(records: 3, bytes: 30)),
        Case(name: "as many as one write may have", most: 2, answer: .write(records: 2, bytes: 20)),
        Case(name: "at least one in a write", most: 0, answer: .write(records: 1, bytes: 10)),
        Case(name: "nothing to write", ends: [], answer: .wait(because: EINVAL)),
        Case(
            name: "a part at the end is completed first, whatever the limits say", maximumSize: 100,
            quota: 100,
            size: 200, total: 300, isTorn: true, answer: .complete),

        Case(
            name: "up to the limit of the size", maximumSize: 100, size: 70,
            answer: .write(records: 3, bytes: 30)),
        Case(name: "one byte less room", maximumSize: 100, size: 71, answer: .write(records: 2, bytes: 20)),
        Case(
            name: "no room in the file: another one", maximumSize: 100, size: 91,
            answer: .roll),
        Case(name: "above the limit already", maximumSize: 100, size: 200, answer: .roll),
        Case(
            name: "a fresh file takes one record of any size", maximumSize: 5, hasRecords: false,
            answer: .write(records: 1, bytes: 10)),
        Case(
            name: "a fresh file with a header takes one record of any size", maximumSize: 12, size: 8,
            hasRecords: false, answer: .write(records: 1, bytes: 10)),
        Case(
            name: "no other file can be created: the open one grows", maximumSize: 100, size: 95,
            cannotRoll: true,
            answer: .write(records: 3, bytes: 30)),

        Case(name: "up to the quota", quota: 100, size: 20, total: 70, answer: .write(records: 3, bytes: 30)),
        Case(
            name: "one byte above the quota: make room", quota: 100, size: 20, total: 71,
            answer: .makeRoom(bytes: 30)),
        Case(
            name: "what fits after room was made", quota: 100, size: 20, total: 80, hasMadeRoom: true,
            answer: .write(records: 2, bytes: 20)),
        Case(
            name: "nothing fits: finish the file, so that it can be removed", quota: 100, size: 20, total: 95,
            hasMadeRoom: true, answer: .roll),
        Case(
            name: "nothing fits, and the file has no records to remove", quota: 100, size: 8,
            hasRecords: false,
            total: 95, hasMadeRoom: true, answer: .wait(because: EDQUOT)),
        Case(
            name: "nothing fits, and no other file can be created", quota: 100, size: 20, total: 95,
            cannotRoll: true, hasMadeRoom: true, answer: .wait(because: EDQUOT)),
        Case(name: "a record as large as the quota", quota: 10, total: 10, answer: .makeRoom(bytes: 30)),
        Case(name: "a record larger than the quota", quota: 9, total: 9, answer: .never(EDQUOT)),
        Case(
            name: "a record that leaves no room for the header", quota: 15, header: 6, total: 15,
            answer: .never(EDQUOT)),
        Case(
            name: "a record that leaves just room for it", quota: 15, header: 5, total: 15,
            answer: .makeRoom(bytes: 30)),
        Case(
            name: "the limit of the size comes before the quota", maximumSize: 100, quota: 100, size: 95,
            total: 95,
            answer: .roll),
        Case(
            name: "the quota counts what the limit of the size leaves", maximumSize: 40, quota: 100, size: 25,
            total: 95, answer: .makeRoom(bytes: 10)),

        Case(
            name: "a frame costs more than its records", isFramed: true,
            answer: .write(records: 3, bytes: 30 + sealed)),
        Case(
            name: "a frame that does not fit with its header and its seal", maximumSize: 100, isFramed: true,
            size: 70,
            answer: .write(records: (sealed <= 20 ? 1 : 0), bytes: 10 + sealed)),
    ]

    @Test("The gate writes, rolls, makes room, waits or gives up as the limits say", arguments: cases)
    func decides(_ given: Case) {
        if given.isFramed, given.maximumSize > 0, Self.sealed > 20 {
            #expect(given.given == .roll)
        } else {
            #expect(given.given == given.answer)
        }
    }

    @Test("A frame has no more records than fit into one piece, and at least one")
    func pieces() {
        let piece = EncryptedFrame.pieceSize
        var given = Case(
            name: "", isFramed: true, ends: [100 + piece - 1, 100 + piece, 100 + piece + 1],
            answer: .roll)
        #expect(given.given == .write(records: 2, bytes: piece + EncryptedFrame.overhead(of: piece)))
        given.ends = [100 + piece + 1, 100 + piece + 2]
        let large = piece + 1
        #expect(given.given == .write(records: 1, bytes: large + EncryptedFrame.overhead(of: large)))
    }
}
