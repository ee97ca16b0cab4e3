import Dispatch
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodArchive
@testable import HeartwoodReading
@testable import HeartwoodTool

@Suite("The text of archives, from any place", .inTurn)
struct ArchivedTextTests {
    private static let key = Secret(String(repeating: "a7", count: 32))

    /// Keys that are given once the gate is open.
    private struct SlowKey: SecretProvider {
        var gate = Gate(isOpen: true)
        func secret(named _: String) throws -> Secret {
            gate.pass()
            return ArchivedTextTests.key
        }
    }

    /// A text of 22 MiB in which no two places are alike.
    private static let text: [UInt8] = {
        let rest = Array((String(repeating: "x", count: 1000) + "\n").utf8)
        var text: [UInt8] = []
        for number in 0..<22_000 { text += Array("\(number) ".utf8) + rest }
        return text
    }()

    private static func isText(_ bytes: [UInt8], at offset: Int, _ count: Int) -> Bool {
        let expected = min(count, text.count - offset)
        return text.withUnsafeBytes { text in
            guard let start = text.baseAddress, bytes.count == expected else { return false }
            return memcmp(start + offset, bytes, expected) == 0
        }
    }

    /// The text as a file, in several members or frames.
    private static func archive(_ stage: ArchiveStage) throws -> [UInt8] {
        LogArchives.register()
        if stage == .encrypted {
            var encoder = try FrameEncoder(FrameCipher(key: key))
            let frames = try text.withUnsafeBytes { try encoder.encode(live: $0) }
            return frames + (try encoder.encode([], isLast: true))
        }
        var members: [UInt8] = []
        for part in [0..<3_000_000, 3_000_000..<17_000_000, 17_000_000..<text.count] {
            members += try GzipMember.compress(Array(text[part]), level: 1)
        }
        return members
    }

    @Test(
        "Each piece of an archive is that of its text, in whatever order they are asked for, and costs little",
        arguments: [ArchiveStage.gzip, .encrypted])
    func pieces(_ stage: ArchiveStage) throws {
        let path = FileManager.default.temporaryDirectory.path + "/heartwood-\(UUID().uuidString)"
        try Data(try Self.archive(stage)).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        let opened = Locked(0)
        let archive = ArchivedText {
            opened.withLock { $0 += 1 }
            return try LogFileSource(path: path, key: SlowKey())
        }
        let size = ArchivedText.pieceSize
        let count = (Self.text.count + size - 1) / size
        // Backward, as a search goes, forward, and here and there.
        let order = (0..<count).reversed() + (0..<count) + [20, 3, 41, 0, count - 1, 17, 16, 15]
        var passed = 0
        for index in order {
            let piece = try archive.piece(index) { number, bytes in
                passed += 1
                let isAlike = Self.isText(bytes, at: number * size, size)
                #expect(isAlike, "piece \(number)")
            }
            let isFound = piece.map { Self.isText($0, at: index * size, size) }
            #expect(isFound == true, "piece \(index)")
        }
        #expect(try archive.piece(count) { _, _ in } == nil)
        #expect(archive.damage == nil)
        // From the beginning for the end, and for each of the first pieces, in front of the first state that is
        // kept.
        #expect(opened.withLock { $0 } < 20)
        #expect(passed < 5 * order.count)
    }

    @Test("While a key is waited for, or an archive is read, other files are read, and new ones are added")
    func waitsForNoOther() throws {
        let directory = FileManager.default.temporaryDirectory.path + "/heartwood-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (plain, encrypted) = (directory + "/a.log", directory + "/b.log.hwe")
        try Data("plain\n".utf8).write(to: URL(fileURLWithPath: plain))
        try Data(try Self.archive(.encrypted)).write(to: URL(fileURLWithPath: encrypted))
        let gate = Gate()
        let files = LogFiles(key: SlowKey(gate: gate), redaction: nil) { [plain, encrypted] }
        let follower = try LogFollower(key: nil, list: files.list)
        files.note(follower.listed)
        let parts = follower.listed.map { files.add(path: $0.path, file: $0.file, beginning: []) }
        let (own, other) = (parts[0], parts[1])
        let late = DispatchQueue(label: "late")
        let found = Locked<Bool?>(nil)
        late.async {
            let bytes = files.bytes(of: other, at: 20_000_000, count: 1000)
            found.withLock { $0 = bytes.map { Self.isText($0, at: 20_000_000, 1000) } }
        }
        #expect(gate.waitForArrival(of: 1))
        #expect(files.bytes(of: own, at: 0, count: 6) == Array("plain\n".utf8))
        #expect(files.name(of: other) == "b.log.hwe" && files.present.count == 2)
        _ = files.add(path: plain, file: follower.listed[0].file, beginning: [])
        #expect(found.withLock { $0 } == nil)
        gate.open()
        late.sync {}
        #expect(found.withLock { $0 } == true)
    }
}
