import CoreFixtures
import CHeartwood
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct DeadLetterFileTests {
    private static func entry(_ text: String, id: String = "") -> RemoteEntry {
        var entry = RemoteEntry(LogMessage("\(text)"))
        entry.id = id
        return entry
    }

    private static func lines(_ directory: TemporaryDirectory) throws -> [[UInt8]] {
        try ["rejected.1.ndjson", "rejected.ndjson"].filter { directory.names().contains($0) }
            .flatMap { try directory.read($0).split(separator: 0x0A).map { Array($0) } }
    }

    @Test(
        "The file of refused messages is bounded, the newest are there, and each that was removed is counted")
    func bounded() throws {
        let directory = try TemporaryDirectory()
        let place = try Directory(directory.path, for: .spool)
        let file = DeadLetterFile(in: place, limit: .kibibytes(16))
        var removed = 0
        for number in 0..<500 {
            removed += try file.append(
                Self.entry("letter \(number)"), reason: "400", key: "k", at: LogTimestamp(nanoseconds: 0))
            let size = try ["rejected.ndjson", "rejected.1.ndjson"].reduce(0) { sum, name in
                directory.names().contains(name) ? try sum + directory.read(name).count : sum
            }
            #expect(size <= 16_384)
        }
        let lines = try Self.lines(directory)
        #expect(String(decoding: lines.last ?? [], as: UTF8.self).contains("letter 499"))
        #expect(removed > 400 && removed + lines.count == 500)
        for line in lines {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line)) }
        }
    }

    @Test("Without a limit no refused message is ever removed") func unlimited() throws {
        let directory = try TemporaryDirectory()
        let place = try Directory(directory.path, for: .spool)
        let file = DeadLetterFile(in: place, limit: nil)
        for number in 0..<2000 {
            let removed = try file.append(
                Self.entry("letter \(number)"), reason: "400", key: "k", at: LogTimestamp(nanoseconds: 0))
            #expect(removed == 0)
        }
        #expect(try Self.lines(directory).count == 2000)
        #expect(!directory.names().contains("rejected.1.ndjson"))
    }

    @Test(
        "A line that a crash has left without its end is cut off, and the next one is whole",
        arguments: [1, 70_000])
    func torn(length: Int) throws {
        let directory = try TemporaryDirectory()
        let place = try Directory(directory.path, for: .spool)
        let file = DeadLetterFile(in: place, limit: nil)
        let time = LogTimestamp(nanoseconds: 0)
        #expect(throws: Never.self) {
            try file.append(Self.entry("first", id: "1"), reason: "400", key: "k", at: time)
        }
        let whole = try directory.read("rejected.ndjson")
        try directory.write("rejected.ndjson", whole + [UInt8](repeating: 0x7B, count: length))
        chmod(directory.path + "/rejected.ndjson", 0o600)
        #expect(DeadLetters.count("rejected.ndjson", in: place) == 1)
        #expect(throws: Never.self) {
            try file.append(Self.entry("second", id: "2"), reason: "400", key: "k", at: time)
        }
        let lines = try Self.lines(directory)
        #expect(lines.count == 2 && Array(whole.dropLast()) == lines[0])
        var letters = DeadLetters(in: place, payloadLimit: 1 << 20).iterator()
        #expect(letters.next()?.id == "1" && letters.next()?.id == "2" && letters.next() == nil)
    }

    /// Counts the waits for the disk, and fails them while told to.
    private final class Disk: DiskFaults {
        let waits = Locked(0)
        let nameWaits = Locked(0)
        let isFailing = Locked(false)
        func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? { nil }
        func change() -> Int32 { 0 }
        func synchronize() -> Int32 {
            waits.withLock { $0 += 1 }
            return isFailing.withLock { $0 } ? EIO : 0
        }
        func synchronizeNames() -> Int32 {
            nameWaits.withLock { $0 += 1 }
            return 0
        }
    }

    @Test("The disk has the refused messages before their store forgets them: once for all of an answer")
    func synchronized() throws {
        let directory = try TemporaryDirectory()
        let place = try Directory(directory.path, for: .spool, calls: FaultyKernel.calls)
        let file = DeadLetterFile(in: place, limit: .kibibytes(16))
        let time = LogTimestamp(nanoseconds: 0)
        let disk = Disk()
        try FaultyKernel.$faults.withValue(disk) {
            try file.synchronize()
            #expect(disk.waits.withLock { $0 } == 0)
            for number in 0..<5 {
                #expect(throws: Never.self) {
                    try file.append(Self.entry("\(number)"), reason: "400", key: "k", at: time)
                }
            }
            try file.synchronize()
            #expect(disk.waits.withLock { $0 } == 1)
            try file.synchronize()
            #expect(disk.waits.withLock { $0 } == 1)
            // The name of the new file as well, once.
            #expect(disk.nameWaits.withLock { $0 } == 1)
            // A file that becomes the older one is on the disk first.
            var removed = 0
            for number in 0..<200 where !directory.names().contains("rejected.1.ndjson") {
                removed += try file.append(Self.entry("\(number)"), reason: "400", key: "k", at: time)
            }
            #expect(directory.names().contains("rejected.1.ndjson") && removed == 0)
            #expect(disk.waits.withLock { $0 } == 2)
            try file.synchronize()
            #expect(disk.nameWaits.withLock { $0 } == 2)
            disk.isFailing.withLock { $0 = true }
            #expect(throws: Never.self) {
                try file.append(Self.entry("last"), reason: "400", key: "k", at: time)
            }
            #expect(throws: SystemFailure(.sync, EIO)) { try file.synchronize() }
        }
    }

    @Test("A refused message stays pending while the disk has not got its letter")
    func keptUntilSynchronized() throws {
        final class Host: DeliveryHost {
            var jobs: [UploadJob] = []
            var figures = HTTPStatistics()
            var uptime: Duration = .zero
            var wallTime: LogTimestamp { LogTimestamp(nanoseconds: 0) }
            func draw() -> Double { 0.5 }
            func wake(at time: Duration?) {}
            func start(_ job: UploadJob) { jobs.append(job) }
            func start(_ job: ReceiptJob) {}
            func refresh(_ hook: @escaping @Sendable () async -> Void) {}
            func report(_ report: DeliveryReport, lastError: String?) {}
            func publish(_ figures: HTTPStatistics, oldest: LogTimestamp?, isIdle: Bool) {
                self.figures = figures
            }
        }
        let directory = try TemporaryDirectory()
        let disk = Disk()
        try FaultyKernel.$faults.withValue(disk) {
            let host = Host()
            let settings = try SimulatedSettings.makeBare(spool: SpoolSettings(), neverDrops: false)
            let shell = DeliveryShell(
                try Spool(directory: directory.path, calls: FaultyKernel.calls), settings, host)
            func log(_ text: String) {
                _ = shell.append(
                    EntryCoder.encode(Self.entry(text)), time: host.wallTime, level: 4, mark: 0, points: 0)
                shell.save()
            }
            log("good")
            log("bad")
            shell.handle(.added(atFirstUse: false))
            func answer() {
                guard !host.jobs.isEmpty else { return }
                var (attempt, _) = host.jobs.removeFirst().prepared()
                attempt.answer = (
                    HTTPResponse(status: 200),
                    DeliveryVerdict(
                        items: attempt.entries.map { $0.text == "bad" ? .rejected("bad") : .delivered })
                )
                shell.finish(attempt)
            }
            disk.isFailing.withLock { $0 = true }
            answer()
            #expect(host.figures.rejected == 0 && host.figures.pending == 1 && host.figures.acknowledged == 1)
            disk.isFailing.withLock { $0 = false }
            for _ in 0..<10 where host.figures.rejected == 0 {
                log("good")
                shell.stored()
                host.uptime += .seconds(310)
                shell.wake()
                answer()
            }
            #expect(host.figures.rejected == 1)
            #expect(DeadLetters.count("rejected.ndjson", in: try #require(shell.store.directory)) == 2)
            shell.close()
        }
    }

    #if os(Linux)
    @Test("A line that the disk takes only in part is cut off again, and counts as failed") func fullDisk()
        async
    {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let place = try Directory(directory.path, for: .spool)
            let file = DeadLetterFile(in: place, limit: nil)
            let time = LogTimestamp(nanoseconds: 0)
            _ = try file.append(DeadLetterFileTests.entry("a"), reason: "r", key: "k", at: time)
            let size = try directory.read("rejected.ndjson").count
            // From here on no file may become larger than that and half a line.
            let cap = rlim_t(size + size / 2)
            var limit = rlimit(rlim_cur: cap, rlim_max: cap)
            setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit)
            #expect(throws: SystemFailure(.write, EFBIG)) {
                try file.append(DeadLetterFileTests.entry("b"), reason: "r", key: "k", at: time)
            }
            let left = try directory.read("rejected.ndjson").count
            exit(left == size ? 0 : 1)
        }
    }
    #endif

    @Test("The logger counts what the limit of the refused messages removes, and says so") func counted()
        async throws
    {
        /// A server that takes every second message.
        struct Half: RemoteEncoding {
            let contentType = "text/plain"
            func encode(_ batch: RemoteBatch) -> [UInt8] {
                Array(batch.entries.map(\.text).joined(separator: "\n").utf8)
            }
            func verdict(on response: HTTPResponse, for batch: RemoteBatch) -> DeliveryVerdict {
                DeliveryVerdict(
                    // By the message, not by its place: a batch may have any number of them.
                    items: batch.entries.map {
                        ($0.text.utf8.last ?? 0) % 2 == 0 ? .delivered : .rejected("odd")
                    })
            }
        }
        let bench = try HTTPBench(try LoopbackServer(), encoding: Half(), onDisk: true)
        let reports = Locked<[String]>([])
        bench.dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
        bench.logger.deadLetterLimit = .kibibytes(8)
        await bench.log(0..<1000)
        #expect(await bench.logger.deliver(timeout: .testLimit))
        let figures = bench.logger.httpStatistics
        #expect(figures.acknowledged == 500 && figures.rejected == 500)
        let spool = try Directory(bench.path(closing: true), for: .spool)
        let kept =
            DeadLetters.count("rejected.ndjson", in: spool)
            + DeadLetters.count("rejected.1.ndjson", in: spool)
        #expect(kept > 0 && figures.rejectedRemoved == 500 - kept)
        #expect(reports.withLock { $0.contains { $0.contains("deadLetterLimit") } })
    }
}

extension HTTPBench {
    /// The spool's directory; with `closing` after the logger has freed it.
    fileprivate func path(closing: Bool) -> String {
        if closing { dispatcher.removeAll(timeout: .testLimit) }
        return (directory?.path ?? "") + "/spool"
    }
}

/// Refused messages that are stored again, in a logger's spool and in a store with partitions.
@Suite(.inTurn) struct ResendTests {
    enum Kind: CaseIterable { case spool, partitions }

    private let time = LogTimestamp(nanoseconds: 1_700_000_000_000_000_000)

    /// Leaves messages that wait, and refused ones, in two files.
    private func prepare(_ kind: Kind, waiting: Int, refused: Int) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory(isFast: true)
        try with(kind, directory) { store, _, place in
            for number in 0..<waiting {
                store.append(payload("waits \(number)"), time: time, level: 4, mark: 0)
            }
            store.save()
            // Of the limit's halves the older takes all but one letter.
            for number in 0..<refused {
                if number == refused - 1 {
                    try? place.replace("rejected.1.ndjson", with: "rejected.ndjson")
                }
                let letters = DeadLetterFile(in: place, limit: nil)
                _ = try letters.append(letter(number), reason: "400", key: "k", at: time)
            }
        }
        return directory
    }

    private func letter(_ number: Int) -> RemoteEntry {
        var entry = RemoteEntry(LogMessage("letter \(number)"))
        entry.id = "id-\(number)"
        entry.metadata = ["when": .timestamp(time), "number": .integer(Int64(number))]
        return entry
    }

    private func payload(_ text: String) -> [UInt8] { EntryCoder.encode(RemoteEntry(LogMessage("\(text)"))) }

    /// Opens the store as the next process does.
    private func with(
        _ kind: Kind, _ directory: TemporaryDirectory,
        _ body: (any UnsentStore, () throws -> (messages: Int, others: Int), Directory) throws -> Void
    ) throws {
        switch kind {
        case .spool:
            let spool = try Spool(directory: directory.path)
            try body(spool, { try spool.resendRejected() }, try #require(spool.directory))
            spool.close()
        case .partitions:
            let store = try PartitionedSpool(existing: directory.path)
            try body(store, { try store.resendRejected() }, try #require(store.directory))
            store.close()
        }
    }

    /// Sends everything that waits; returns the texts.
    private func drain(_ kind: Kind, _ directory: TemporaryDirectory) throws -> [RemoteEntry] {
        var entries: [RemoteEntry] = []
        try with(kind, directory) { store, _, _ in
            while let piece = store.nextPiece(maximumCount: 7, maximumBytes: .max) {
                entries += piece.records.compactMap { EntryCoder.decode($0.payload, id: "") }
                store.complete(piece, done: piece.records.map(\.id))
            }
            #expect(store.pending == 0)
        }
        return entries
    }

    private func letterFiles(_ directory: TemporaryDirectory) -> [String] {
        directory.names().filter { $0.hasPrefix("rejected") || $0.hasPrefix("resend") }
    }

    @Test(
        "Refused messages wait again after all others, in their order, each once and with the types of its values",
        arguments: Kind.allCases)
    func resends(kind: Kind) throws {
        let directory = try prepare(kind, waiting: 10, refused: 400)
        // One that was refused twice, since a crash came between the two.
        let older = try directory.read("rejected.1.ndjson")
        try directory.write(
            "rejected.ndjson",
            Array(older.prefix { $0 != 0x0A }) + [0x0A]
                + (try directory.read("rejected.ndjson")))
        chmod(directory.path + "/rejected.ndjson", 0o600)
        try with(kind, directory) { store, resend, _ in
            let found = try resend()
            #expect(found.messages == 400 && found.others == 0)
            #expect(store.pending == 410)
            let again = try resend()
            #expect(again.messages == 0 && again.others == 0)
        }
        #expect(letterFiles(directory).isEmpty)
        let entries = try drain(kind, directory)
        #expect(
            entries.map(\.text) == (0..<10).map { "waits \($0)" } + (0..<400).map { "letter \($0)" })
        #expect(entries.last?.metadata["when"] == .timestamp(time) && entries.last?.metadata["number"] == 399)
        #expect(try drain(kind, directory).isEmpty)
    }

    @Test("Lines that have no message in its stored form stay, and are counted", arguments: Kind.allCases)
    func others(kind: Kind) throws {
        let directory = try prepare(kind, waiting: 0, refused: 5)
        let old = #"{"rejected":"2026","reason":"400","key":"k","entry":{"message":"old","id":"x"}}"#
        let bad = #"{"rejected":"2026","entry":{"id":"y"},"stored":"AAAA"}"#
        for name in ["rejected.1.ndjson", "rejected.ndjson"] {
            try directory.write(name, Array((old + "\n" + bad + "\n").utf8) + (try directory.read(name)))
            chmod(directory.path + "/" + name, 0o600)
        }
        try with(kind, directory) { _, resend, _ in
            let found = try resend()
            #expect(found.messages == 5 && found.others == 4)
        }
        for name in ["rejected.1.ndjson", "rejected.ndjson"] {
            #expect(try directory.read(name) == Array((old + "\n" + bad + "\n").utf8))
        }
        #expect(try drain(kind, directory).map(\.text) == (0..<5).map { "letter \($0)" })
    }

    /// How far a process has come before it was killed.
    enum Step: CaseIterable { case marked, stored, firstFileRemoved, allRemoved }

    @Test(
        "Killed at any step, and started again, each refused message waits once",
        arguments: Kind.allCases, Step.allCases)
    func killed(kind: Kind, step: Step) throws {
        let directory = try prepare(kind, waiting: 3, refused: 20)
        let letters: [(String, [UInt8])] = try ["rejected.1.ndjson", "rejected.ndjson"].map {
            ($0, try directory.read($0))
        }
        var place = ""
        if step == .marked {
            place = kind == .spool ? "4" : "ffffffffffffffffffffff00"
        } else {
            let partitions = Set(directory.names())
            try with(kind, directory) { _, resend, _ in _ = try resend() }
            let new = directory.names().filter { !partitions.contains($0) && $0.count == 24 }
            place = kind == .spool ? "4" : try #require(new.first)
        }
        // What was on the disk at that step.
        for (name, content) in letters where step != .allRemoved {
            if step == .firstFileRemoved && name == "rejected.1.ndjson" { continue }
            try directory.write(name, content)
            chmod(directory.path + "/" + name, 0o600)
        }
        try directory.write("resend." + place, [])
        chmod(directory.path + "/resend." + place, 0o600)

        try with(kind, directory) { _, resend, _ in
            let found = try resend()
            #expect(found.messages == (step == .marked ? 20 : 0))
        }
        #expect(letterFiles(directory).isEmpty)
        let texts = try drain(kind, directory).map(\.text)
        #expect(texts == (0..<3).map { "waits \($0)" } + (0..<20).map { "letter \($0)" })
    }

    /// Fails each wait for the names of a directory.
    private final class UnconfirmedNames: DiskFaults {
        private let error: Int32
        init(_ error: Int32) { self.error = error }
        func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? { nil }
        func change() -> Int32 { 0 }
        /// Where there is no such call, files have none either.
        func synchronize() -> Int32 { error == EINVAL ? EINVAL : 0 }
        func synchronizeNames() -> Int32 { error }
    }

    @Test(
        "Where the disk does not confirm names, refused messages stay refused; where it never does, they go on",
        arguments: [EIO, EINVAL])
    func unconfirmedMark(error: Int32) throws {
        let directory = try prepare(.spool, waiting: 3, refused: 20)
        do {
            let spool = try Spool(directory: directory.path, calls: FaultyKernel.calls)
            let found = FaultyKernel.$faults.withValue(UnconfirmedNames(error)) {
                try? spool.resendRejected().messages
            }
            #expect(found == (error == EIO ? nil : 20))
            // One that takes the id at which the messages were to be stored.
            spool.append(payload("next"), time: time, level: 4)
            spool.save()
            spool.close()
        }
        try with(.spool, directory) { _, resend, _ in
            let found = try resend().messages
            #expect(found == (error == EIO ? 20 : 0))
        }
        #expect(letterFiles(directory).isEmpty)
        #expect(try drain(.spool, directory).count == 24)
    }

    /// Fails to read any file.
    private final class Unreadable: DiskFaults {
        private let error: Int32
        init(_ error: Int32) { self.error = error }
        func write(_ count: Int, inPlace: Bool) -> (written: Int, error: Int32)? { nil }
        func change() -> Int32 { 0 }
        func read() -> Int32 { error }
    }

    @Test(
        "A start that can read no file changes none: messages wait, and refused ones are not taken for stored",
        arguments: [EMFILE, EIO])
    func unreadableGroup(error: Int32) throws {
        let directory = try prepare(.spool, waiting: 3, refused: 20)
        // A process died while it stored them: its last file is not sealed.
        do {
            let spool = try Spool(directory: directory.path)
            let place = try #require(spool.directory)
            try ResendMark("4").make(in: place)
            let file = try place.create(SpoolSegment(firstID: 4).name)
            let header = SpoolSegment(firstID: 4).header(identity: spool.identity)
            var bytes = header
            let salt = SpoolSegment.salt(identity: spool.identity, firstID: 4)
            for id in UInt64(4)...6 {
                let record = SpoolRecord(id: id, time: time, level: 4, payload: payload("unfinished"))
                SpoolFrame.encode(record, salt: salt, continues: true, into: &bytes)
            }
            _ = file.append(bytes)
        }
        FaultyKernel.$faults.withValue(Unreadable(error)) {
            #expect(throws: LogError.self) { try Spool(directory: directory.path, calls: FaultyKernel.calls) }
        }
        try with(.spool, directory) { store, resend, _ in
            #expect(store.pending == 3)
            let found = try resend()
            #expect(found.messages == 20)
        }
        #expect(letterFiles(directory).isEmpty)
        let texts = try drain(.spool, directory).map(\.text)
        #expect(texts.count == 23, "\(texts)")
    }

    #if os(Linux)
    @Test("Where the disk is full nothing is stored again, and nothing removed", arguments: Kind.allCases)
    func fullDisk(kind: Kind) async throws {
        let directory = try prepare(kind, waiting: 3, refused: 200)
        let path = directory.path
        await #expect(processExitsWith: .success) {
            [path = path as String, kind = (kind == .spool) as Bool] in
            var limit = rlimit(rlim_cur: 16_384, rlim_max: 16_384)
            setrlimit(__rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue)), &limit)
            let unsent = try UnsentMessages(directory: path)
            #expect(unsent.isEventStore == !kind)
            #expect(throws: LogError.self) { try unsent.resendRejected() }
            exit(unsent.count == 3 ? 0 : 1)
        }
        try with(kind, directory) { _, resend, _ in
            let found = try resend()
            #expect(found.messages == 200)
        }
        #expect(try drain(kind, directory).count == 203)
    }
    #endif
}
