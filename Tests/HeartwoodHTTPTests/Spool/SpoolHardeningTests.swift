#if os(Linux)
import CHeartwood
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// What is planted in a spool's directory, or damaged there, ends no program, hangs none, and reaches no other file.
@Suite(.inTurn) struct SpoolHardeningTests {
    private static let time = LogTimestamp(nanoseconds: 1_700_000_000_000_000_000)

    /// Writes a file that only its owner can read.
    private static func plant(_ name: String, _ content: [UInt8], in directory: TemporaryDirectory) throws {
        try directory.write(name, content)
        chmod(directory.path + "/" + name, 0o600)
    }

    /// Stores three records and sends everything, twice, as two processes would; false when one of those that were
    /// taken does not arrive, or there is no end.
    private static func works(_ directory: TemporaryDirectory) throws -> Bool {
        for run in 0..<2 {
            let spool = try Spool(directory: directory.path)
            var taken: [String] = []
            for number in 0..<3 {
                let text = "new \(run) \(number)"
                if spool.append(Array(text.utf8), time: time, level: 4) { taken.append(text) }
            }
            guard spool.save() else { return false }
            _ = (spool.oldestTime, spool.bytes, spool.counters)
            spool.settings.maximumAge = .seconds(365 * 86_400 * 200)
            spool.expire()
            var sent: [String] = []
            var rounds = 0
            while let piece = spool.nextPiece(maximumCount: 10, maximumBytes: 1 << 20) {
                sent += piece.records.map { String(decoding: $0.payload, as: UTF8.self) }
                spool.complete(piece, done: piece.records.map(\.id))
                rounds += 1
                if rounds > 10_000 { return false }
            }
            _ = spool.drainErrors()
            spool.close()
            guard Set(taken).isSubset(of: sent) else { return false }
        }
        return true
    }

    static let names: [String] = {
        let numbers = ["1", "18446744073709551615", "18446744073709551614", "9223372036854775808"]
        let middle = ["4611686018427387904", "4611686018427387905", "1099511627777", "281474976710657", "0"]
        func padded(_ text: String) -> String { String(repeating: "0", count: 20 - text.count) + text }
        var names = (numbers + middle).map { padded($0) + ".seg" }
        for first in numbers + middle {
            for last in numbers + middle {
                for count in ["0", "1", "9223372036854775807", "18446744073709551615", "-1", "+5", ""] {
                    names.append("\(padded(first))-\(padded(last))-\(count).seg")
                }
            }
        }
        return names
    }()

    @Test("No name of a planted file, empty or not, ends the program or keeps messages from being sent")
    func plantedNames() async {
        await #expect(processExitsWith: .success) {
            for (index, name) in Self.names.enumerated() {
                let directory = try TemporaryDirectory(isFast: true)
                if index % 2 == 0 { guard try Self.works(directory) else { exit(2) } }
                try Self.plant(name, index % 3 == 0 ? [] : [1, 2, 3], in: directory)
                guard try Self.works(directory) else {
                    print("failed: \(name)")
                    exit(3)
                }
            }
            // All of them at once.
            let directory = try TemporaryDirectory(isFast: true)
            for name in Self.names { try Self.plant(name, [], in: directory) }
            exit(try Self.works(directory) ? 0 : 4)
        }
    }

    @Test("No number in a cursor whose checksum holds ends the program or keeps messages from being sent")
    func plantedCursors() async {
        await #expect(processExitsWith: .success) {
            let extremes: [UInt64] = [
                0, 1, 1 << 48, 1 << 61, 1 << 62, 1 << 62 + 1, 1 << 63, .max - 32_000, .max - 1, .max,
            ]
            for acknowledged in extremes {
                for generation in extremes {
                    for width in [0, 1, 7, 32_000] as [UInt64] {
                        let last = width == 0 ? 0 : acknowledged &+ width
                        let piece = width > 1 && last > acknowledged ? last - 1...last : nil
                        let state = BatchState(
                            acknowledged: acknowledged, last: last, piece: piece,
                            done: [UInt8](repeating: 0, count: Int(width + 7) / 8))
                        guard let state else { continue }
                        let directory = try TemporaryDirectory(isFast: true)
                        guard try Self.works(directory) else { exit(2) }
                        let identity = Array(try directory.read("cursor")[16..<32])
                        var file = SpoolCursor(
                            generation: generation, identity: identity, state: state
                        ).encoded()
                        file += [UInt8](repeating: 0, count: SpoolCursor.slotSize - file.count)
                        try Self.plant("cursor", file + file, in: directory)
                        guard try Self.works(directory) else {
                            print("failed: \(acknowledged) \(generation) \(width)")
                            exit(3)
                        }
                    }
                }
            }
            exit(0)
        }
    }

    @Test("No id, length, time or level of a frame whose checksum holds ends the program")
    func plantedFrames() async {
        await #expect(processExitsWith: .success) {
            let ids: [UInt64] = [1, 2, 1 << 41, 1 << 48 + 1, 1 << 62, 1 << 62 + 1, .max - 1, .max]
            for id in ids {
                for (time, isSealed) in [(Int64.min, false), (.max, true), (0, false)] {
                    let directory = try TemporaryDirectory(isFast: true)
                    guard try Self.works(directory) else { exit(2) }
                    let identity = Array(try directory.read("cursor")[16..<32])
                    for first in [UInt64(20), 1 << 61] {
                        var segment = SpoolSegment(firstID: first)
                        var content = segment.header(identity: identity)
                        let salt = SpoolSegment.salt(identity: identity, firstID: first)
                        for number in [first, id] {
                            SpoolFrame.encode(
                                SpoolRecord(
                                    id: number, time: LogTimestamp(nanoseconds: time), level: 255,
                                    payload: [1, 2, 3]), salt: salt, continues: number != id, into: &content)
                        }
                        if isSealed {
                            segment.lastID = first + 5
                            segment.count = 2
                        }
                        try Self.plant(
                            isSealed ? segment.sealedName : segment.name, content, in: directory)
                    }
                    guard try Self.works(directory) else {
                        print("failed: \(id) \(time)")
                        exit(3)
                    }
                }
            }
            exit(0)
        }
    }

    @Test("A foreign file whose name claims the ids of a batch takes none of its messages away")
    func claimedIDs() throws {
        let directory = try TemporaryDirectory(isFast: true)
        var settings = SpoolSettings()
        settings.segmentCount = 10
        do {
            let spool = try Spool(directory: directory.path, settings: settings)
            for number in 0..<20 { spool.append([UInt8(number)], time: Self.time, level: 4) }
            let first = try #require(spool.nextPiece(maximumCount: 10, maximumBytes: .max))
            spool.complete(first, done: first.records.map(\.id))
            _ = try #require(spool.nextPiece(maximumCount: 10, maximumBytes: .max))
        }
        var foreign = SpoolSegment(firstID: 1)
        (foreign.lastID, foreign.count) = (1000, 1000)
        let content = foreign.header(identity: [UInt8](repeating: 1, count: 16))
        try Self.plant(foreign.sealedName, content, in: directory)
        let spool = try Spool(directory: directory.path, settings: settings)
        #expect(spool.pending == 10 && spool.plan.violation == nil)
        let piece = try #require(spool.nextPiece(maximumCount: 100, maximumBytes: .max))
        #expect(piece.records.map(\.payload) == (10..<20).map { [UInt8($0)] })
    }

    @Test("Files of the spool that overlap, since a person has put one back, end no program")
    func overlappingFiles() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory(isFast: true)
            guard try Self.works(directory) else { exit(2) }
            let identity = Array(try directory.read("cursor")[16..<32])
            for (first, ids) in [(UInt64(20), [UInt64(40), 60]), (30, [30, 50]), (35, [35, 70])] {
                var segment = SpoolSegment(firstID: first)
                var content = segment.header(identity: identity)
                let salt = SpoolSegment.salt(identity: identity, firstID: first)
                for id in ids {
                    let record = SpoolRecord(id: id, time: Self.time, level: 4, payload: [1])
                    SpoolFrame.encode(record, salt: salt, into: &content)
                }
                (segment.lastID, segment.count) = (ids.last, ids.count)
                try Self.plant(segment.sealedName, content, in: directory)
            }
            for probe in [true, false] {
                let spool = try Spool(directory: directory.path)
                for _ in 0..<5 {
                    let piece = spool.nextPiece(maximumCount: 1, maximumBytes: .max, probe: probe)
                    if let piece { spool.park(piece, isUnconfirmed: false) }
                }
            }
            guard try Self.works(directory) else { exit(3) }
        }
    }

    @Test(
        "Planted marks of messages that wait again, and a refused-messages file without any line end, end nothing"
    )
    func plantedLetters() async {
        await #expect(processExitsWith: .success) {
            for mark in [
                "", "abc", "0", "18446744073709551615", "18446744073709551616", "ffffffffffffffffffffffff",
            ] {
                let directory = try TemporaryDirectory(isFast: true)
                try Self.plant("resend." + mark, [], in: directory)
                try Self.plant("rejected.ndjson", Array("{\"stored\":".utf8), in: directory)
                guard try Self.works(directory), !directory.names().contains("resend." + mark) else {
                    exit(2)
                }
                let unsent = try UnsentMessages(directory: directory.path)
                guard try unsent.resendRejected().messages == 0 else { exit(3) }
            }
            exit(0)
        }
    }

    @Test("A refused-messages file of a terabyte of nothing holds up nothing", .secondTier)
    func sparseLetters() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory(isFast: true)
            try Self.plant("rejected.ndjson", [], in: directory)
            guard truncate(directory.path + "/rejected.ndjson", 1 << 40) == 0 else { exit(4) }
            let place = try Directory(directory.path, for: .spool)
            let file = DeadLetterFile(in: place, limit: nil)
            _ = try file.append(RemoteEntry(LogMessage("x")), reason: "r", key: "k", at: Self.time)
            exit(DeadLetters.count("rejected.ndjson", in: place) == 1 ? 0 : 6)
        }
    }

    @Test(
        "A partition's planted name, the greatest that there is, keeps no events from being stored and sent")
    func plantedPartitions() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory(isFast: true)
            for name in ["ffffffffffffffffffffffff", "ffffffffffffffffffffff00", "000000000000000000000000"] {
                mkdir(directory.path + "/" + name, 0o700)
                let file = directory.path + "/" + name + "/00000000000000000001-18446744073709551615-0.seg"
                close(open(file, O_CREAT | O_WRONLY, 0o600))
            }
            for run in 0..<3 {
                let store = try PartitionedSpool(existing: directory.path)
                guard store.append([UInt8(run)], time: Self.time, level: 4) else { exit(2) }
                guard store.save() else { exit(3) }
                if run == 1 {
                    var sent: [UInt8] = []
                    while let piece = store.nextPiece(maximumCount: 10, maximumBytes: 1 << 20) {
                        sent += piece.records.flatMap(\.payload)
                        store.complete(piece, done: piece.records.map(\.id))
                    }
                    guard sent.sorted() == [0, 1] else { exit(4) }
                }
                store.close()
            }
            exit(0)
        }
    }

    // MARK: Links

    @Test(
        "The lock of a spool may be no link and have no second name: then nothing is written",
        arguments: [true, false])
    func lock(isSymbolic: Bool) throws {
        let directory = try TemporaryDirectory(isFast: true)
        try Self.plant("target", Array("do not touch".utf8), in: directory)
        mkdir(directory.path + "/spool", 0o700)
        let lock = directory.path + "/spool/lock"
        #expect((isSymbolic ? symlink : link)(directory.path + "/target", lock) == 0)
        let error = #expect(throws: LogError.self) { try Spool(directory: directory.path + "/spool") }
        #expect(error?.code == .unsafe && error?.place == lock)
        #expect(try directory.read("target") == Array("do not touch".utf8))
        unlink(lock)
        mkfifo(lock, 0o600)
        #expect(throws: LogError.self) { try Spool(directory: directory.path + "/spool") }
    }

    @Test("A planted file whose name has an id that no spool comes to is set aside, and uses no ids up")
    func plantedID() throws {
        let directory = try TemporaryDirectory(isFast: true)
        #expect(try Self.works(directory))
        let name = SpoolSegment(firstID: SpoolSegment.largestUsualID + 1).name
        try Self.plant(name, [1, 2, 3], in: directory)
        let spool = try Spool(directory: directory.path)
        #expect(spool.append([1], time: Self.time, level: 4))
        let piece = spool.nextPiece(maximumCount: 1, maximumBytes: 1000)
        #expect(piece.map { $0.range.upperBound < 100 } == true)
        #expect(directory.names("quarantine").contains { $0.hasPrefix(name) })
    }

    @Test("A quarantine that is a link leads nowhere: nothing is written in the other directory")
    func quarantine() throws {
        let directory = try TemporaryDirectory(isFast: true)
        mkdir(directory.path + "/other", 0o700)
        do {
            let spool = try Spool(directory: directory.path + "/spool")
            for number in 0..<9 { spool.append(Array("record \(number)".utf8), time: Self.time, level: 4) }
            spool.save()
        }
        do { _ = try Spool(directory: directory.path + "/spool") }
        let names = directory.names("spool").filter { $0.hasSuffix(".seg") }
        let name = "spool/" + (try #require(names.first))
        var content = try directory.read(name)
        content[150] ^= 0xFF
        try Self.plant(name, content, in: directory)
        try Self.plant("spool/00000000000000000500-00000000000000000501-2.seg", [1], in: directory)
        #expect(symlink(directory.path + "/other", directory.path + "/spool/quarantine") == 0)
        let spool = try Spool(directory: directory.path + "/spool")
        var texts = 0
        while let piece = spool.nextPiece(maximumCount: 10, maximumBytes: .max) {
            texts += piece.records.count
            spool.complete(piece, done: piece.records.map(\.id))
        }
        #expect(texts == 8 && spool.pending == 0)
        #expect(directory.names("other").isEmpty)
    }

    @Test(
        "Files of the spool that have a second name are neither emptied nor written",
        arguments: [
            "cursor", "device.json", "device.tmp", "compact.tmp", "rejected.ndjson", "rejected.tmp",
            "rejected.1.ndjson", "00000000000000000001.seg",
            "00000000000000000001-00000000000000000002-2.seg",
        ])
    func hardLinks(name: String) throws {
        let directory = try TemporaryDirectory(isFast: true)
        let content = Array("do not touch\n".utf8)
        mkdir(directory.path + "/spool", 0o700)
        for isSymbolic in [false, true] {
            try Self.plant("target", content, in: directory)
            unlink(directory.path + "/spool/" + name)
            #expect(
                (isSymbolic ? symlink : link)(directory.path + "/target", directory.path + "/spool/" + name)
                    == 0)
            let spool = try Spool(directory: directory.path + "/spool")
            let place = try #require(spool.directory)
            _ = DeviceRecord.started(in: place, at: Self.time, version: "1", build: 1)
            _ = try? DeadLetterFile(in: place, limit: .kibibytes(1)).append(
                RemoteEntry(LogMessage("x")), reason: "r", key: "k", at: Self.time)
            try? DeadLetters(in: place, payloadLimit: 1 << 20).remove()
            spool.settings.segmentCount = 2
            for level in [6, 0, 6, 0] as [UInt8] { spool.append([1], time: Self.time, level: level) }
            spool.save()
            _ = spool.evict(below: 3)
            while let piece = spool.nextPiece(maximumCount: 10, maximumBytes: .max) {
                spool.complete(piece, done: piece.records.map(\.id))
            }
            spool.close()
            #expect(try directory.read("target") == content, "\(isSymbolic)")
        }
    }

    @Test("A path that is empty or has a zero byte is refused, and what is in front of the zero is not used")
    func zeroByte() throws {
        let directory = try TemporaryDirectory(isFast: true)
        for path in ["", directory.path + "/spool\0other"] {
            let error = #expect(throws: LogError.self) {
                try HTTPLogger("http://127.0.0.1:1/", spool: path)
            }
            #expect(error?.code == .setting)
            #expect(throws: LogError.self) { try UnsentMessages(directory: path) }
        }
        #expect(directory.names().isEmpty)
    }

    // MARK: The limit for files

    @Test(
        "The process's limit for files is a full disk to the spool, and does not end the process",
        arguments: [1, 8, 20])
    func fileSizeLimit(kibibytes: Int) async {
        await #expect(processExitsWith: .success) { [kibibytes = kibibytes as Int] in
            let directory = try TemporaryDirectory()
            let kind = __rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue))
            var limit = rlimit()
            getrlimit(kind, &limit)
            let before = limit.rlim_cur
            limit.rlim_cur = rlim_t(kibibytes << 10)
            setrlimit(kind, &limit)
            var settings = SpoolSettings()
            settings.segmentBytes = .kibibytes(64)
            let spool = try Spool(directory: directory.path, settings: settings)
            for number in 0..<1000 { spool.append(Array("record \(number)".utf8), time: Self.time, level: 4) }
            _ = spool.save()
            _ = DeviceRecord.started(in: spool.directory, at: Self.time, version: "1", build: 1)
            limit.rlim_cur = before
            setrlimit(kind, &limit)
            guard spool.save(), spool.pending == 1000 else { exit(2) }
            var count = 0
            while let piece = spool.nextPiece(maximumCount: 100, maximumBytes: .max) {
                count += piece.records.count
                spool.complete(piece, done: piece.records.map(\.id))
            }
            exit(count == 1000 ? 0 : 3)
        }
    }

    // MARK: Anything

    /// Makes one change, as damage or an attacker would.
    private static func damage(_ directory: TemporaryDirectory, _ random: inout SeededGenerator) throws {
        let files = directory.names().filter { $0 != "lock" && !$0.hasPrefix("quarantine") }
        guard let name = files.randomElement(using: &random) else { return }
        var content = try directory.read(name)
        switch Int.random(in: 0..<9, using: &random) {
        case 0 where !content.isEmpty:
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                content[Int.random(in: content.indices, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
        case 1: content.removeLast(Int.random(in: 0...content.count, using: &random))
        case 2: content += (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }
        case 3: content = [UInt8](repeating: 0, count: content.count)
        case 4:
            if let other = files.randomElement(using: &random) { content = try directory.read(other) }
        case 5:
            if let planted = names.randomElement(using: &random) {
                return try plant(planted, Bool.random(using: &random) ? content : [], in: directory)
            }
        case 6 where name.hasSuffix(".seg"):
            if let other = names.randomElement(using: &random) {
                rename(directory.path + "/" + name, directory.path + "/" + other)
                return
            }
        case 7:
            if let cursor = SpoolCursor.newest(in: (try? directory.read("cursor")) ?? []) {
                let id = UInt64.random(in: 0...64, using: &random)
                let state = BatchState(acknowledged: UInt64.max >> id)
                let slot = SpoolCursor(
                    generation: UInt64.max >> UInt64.random(in: 0...64, using: &random),
                    identity: cursor.identity, state: state
                ).encoded()
                return try plant("cursor", slot, in: directory)
            }
        default:
            let json = #"{"uuid":"","firstStart":1e9,"lastStart":0,"starts":\#(Int.max)}"#
            return try plant("device.json", Array(json.utf8), in: directory)
        }
        try plant(name, content, in: directory)
    }

    @Test("Whatever is done to the files of a spool, it opens, and what it takes afterwards is sent")
    func anything() async {
        await #expect(processExitsWith: .success) {
            let rounds = isLongRun ? 20_000 : 300
            for round in 0..<rounds {
                var random = SeededGenerator(seed: UInt64(round))
                let directory = try TemporaryDirectory(isFast: true)
                do {
                    let spool = try Spool(directory: directory.path)
                    spool.settings.segmentCount = 4
                    for number in 0..<15 {
                        spool.append(Array("old \(number)".utf8), time: Self.time, level: 4)
                    }
                    spool.save()
                    if let piece = spool.nextPiece(maximumCount: 6, maximumBytes: .max) {
                        spool.complete(piece, done: Array(piece.records.map(\.id).prefix(3)))
                    }
                    let place = spool.directory
                    _ = DeviceRecord.started(in: place, at: Self.time, version: "1", build: 1)
                    if let place {
                        let letters = DeadLetterFile(in: place, limit: .kibibytes(4))
                        for number in 0..<5 {
                            var entry = RemoteEntry(LogMessage("letter"))
                            entry.id = "\(number)"
                            _ = try? letters.append(entry, reason: "r", key: "k", at: Self.time)
                        }
                    }
                }
                for _ in 0..<Int.random(in: 1...5, using: &random) { try Self.damage(directory, &random) }
                do {
                    let unsent = try UnsentMessages(directory: directory.path)
                    unsent.forEach { _ in true }
                    if Bool.random(using: &random) { _ = try unsent.resendRejected() }
                } catch {
                    // A refusal is an answer, too.
                }
                if let place = try? Directory(directory.path, for: .spool) {
                    _ = DeviceRecord.started(in: place, at: Self.time, version: nil, build: nil)
                }
                guard try Self.works(directory) else {
                    print("failed: seed \(round)")
                    exit(2)
                }
            }
            exit(0)
        }
    }
}
#endif
