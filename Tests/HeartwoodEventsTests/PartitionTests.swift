import Foundation
import HeartwoodEvents
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodHTTP

@Suite("Partitions and upload", .inTurn) struct PartitionTests {
    let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func append(_ numbers: Range<Int>, to store: EventStore) throws {
        let events = try AuditLog(store)
        for number in numbers {
            events.recordEvent(activity: "\(number)", data: String(repeating: "x", count: 1000))
        }
        #expect(store.flush())
    }

    private func delivered() throws -> [Int] {
        try fixture.delivered().compactMap { ($0["activity"] as? String).flatMap { Int($0) } }
    }

    // MARK: Configuration

    @Test("Metadata, user, prefix and error handler can be given; the prefix is events by default")
    func configuration() throws {
        let store = try fixture.store(isPaused: true)
        #expect(store.path == fixture.path + "/default/events")
        #expect(store.partitionSize == .mebibytes(256))
        let other = try fixture.store(user: "anna", prefix: "audit", isPaused: true)
        #expect(other.path == fixture.path + "/anna/audit")
        try AuditLog(other, metadata: ["a": "b"]).recordEvent(activity: "x")
        other.close()
        #expect(try fixture.stored(user: "anna", prefix: "audit").first?.text("a") == "b")
    }

    @Test("Without an error handler errors go to the diagnostics; nothing aborts")
    func noHandler() throws {
        let reports = Locked<[String]>([])
        fixture.dispatcher.diagnostics.handler = { report in reports.withLock { $0.append(report.text) } }
        fixture.dispatcher.diagnostics.interval = .zero
        let store = try EventStore(
            fixture.server.address, directory: fixture.path, dispatcher: fixture.dispatcher)
        store.close()
        let events = try AuditLog(store)
        events.recordEvent(activity: "too late")
        _ = events.beginScope(activity: "forgotten")
        let scope = events.beginScope(activity: "late scope")
        scope.record(read: Note(id: 1, text: ""))
        try scope.commit()
        for text in ["the store is closed", "was released without"] {
            #expect(Fixture.wait { reports.withLock { $0.contains { $0.contains(text) } } }, "\(text)")
        }
    }

    @Test("A prefix that is empty or has slashes is refused, and so is such a user")
    func prefixes() throws {
        let empty = #expect(throws: LogError.self) { try fixture.store(prefix: "") }
        #expect(empty?.description == "Audit partition prefix must not be empty")
        for name in ["a/b", "/", "\\", "a\\b", "..", ".", "a\0b"] {
            let error = #expect(throws: LogError.self) { try fixture.store(prefix: name) }
            #expect(error?.code == .setting && error?.description.contains("“\(name)”") == true)
            #expect(throws: LogError.self) { try fixture.store(user: name) }
        }
        #expect(throws: LogError.self) { try fixture.store(user: "") }
        _ = try fixture.store(user: "Zoë", prefix: "a.b c")
    }

    @Test("Metadata keys have 1 to 63 characters, differ from the schema's keys, and occur once")
    func metadata() throws {
        let store = try fixture.store(isPaused: true)
        let long = String(repeating: "k", count: 63)
        let good = try AuditLog(store, metadata: ["a": "", long: "x", "Event": "y", "ключ": "z"])
        for key in ["", long + "k", "_id", "timestamp", "activity", "event", "data"] {
            let error = #expect(throws: LogError.self) { try AuditLog(store, metadata: [key: "x"]) }
            #expect(error?.code == .invalidName && error?.description.contains("'\(key)'") == true)
            #expect(throws: LogError.self) { try good.updateMetadata([key: "x"]) }
        }
        let pairs: KeyValuePairs = ["a": "1", "b": "2", "a": "1"]
        #expect(throws: LogError.self) { try AuditLog(store, metadata: pairs) }
        good.recordEvent(activity: "kept")
        store.close()
        #expect(try fixture.stored().first?.text("Event") == "y")
    }

    // MARK: Partitions

    @Test(
        "A partition is a directory with a key for its name, below user and prefix, of the owner alone")
    func place() throws {
        let store = try fixture.store(user: "anna", prefix: "audit", isPaused: true)
        #expect(fixture.partitions(user: "anna", prefix: "audit").isEmpty)
        try append(0..<1, to: store)
        let name = try #require(fixture.partitions(user: "anna", prefix: "audit").first)
        #expect(EventID(name)?.description == name)
        let attributes = try FileManager.default.attributesOfItem(atPath: store.path + "/" + name)
        #expect(attributes[.posixPermissions] as? Int == 0o700)
    }

    @Test(
        "A partition that is full before a write is closed, and a new one is started; a scope is never divided"
    )
    func splitting() async throws {
        let store = try fixture.store(partitionSize: .kibibytes(32), isPaused: true)
        try append(0..<100, to: store)
        let first = fixture.partitions()
        #expect((3...5).contains(first.count))
        let events = try AuditLog(store)
        let scope = events.beginScope(activity: "100")
        for number in 0..<100 {
            scope.record(read: Note(id: number, text: String(repeating: "x", count: 1000)))
        }
        try await scope.commit()
        // The setting can be changed: the next write is the first to meet it.
        store.partitionSize = .kibibytes(1)
        try append(101..<104, to: store)
        #expect(fixture.partitions().starts(with: first))
        store.close()
        let path = store.path
        let contents = try fixture.partitions().map { name -> [String] in
            var activities: [String] = []
            try UnsentMessages(directory: path + "/" + name).forEach {
                activities.append($0.metadata.text("activity") ?? "")
                return true
            }
            return activities
        }
        #expect(contents.count { $0.contains("100") } == 1)
        #expect(contents.suffix(3) == [["101"], ["102"], ["103"]])
        let numbers: [Int] = contents.flatMap(\.self).compactMap { Int($0) }
        let expected: [Int] = Array(0..<100) + Array(repeating: 100, count: 100) + [101, 102, 103]
        #expect(numbers == expected)
    }

    @Test("What does not fit into the store is refused, never dropped, and nothing of it is stored")
    func full() async throws {
        var settings = SpoolSettings()
        settings.maximumBytes = .kibibytes(40)
        let store = try fixture.store(partitionSize: .kibibytes(8), settings: settings, isPaused: true)
        try append(0..<20, to: store)
        let events = try AuditLog(store)
        let scope = events.beginScope(activity: "too much")
        for number in 0..<40 {
            scope.record(read: Note(id: number, text: String(repeating: "x", count: 1000)))
        }
        let error = await #expect(throws: LogError.self) { try await scope.commit() }
        #expect(error?.code == .full)
        store.uploader.isPaused = false
        #expect(await store.deliver(timeout: .testLimit))
        #expect(try delivered() == Array(0..<20))
        try append(20..<21, to: store)
        #expect(await store.deliver(timeout: .testLimit))
        #expect(try delivered() == Array(0..<21))
        let figures = store.uploader.httpStatistics
        #expect(figures.stored == 21 && figures.acknowledged == 21 && figures.dropped == 0)
    }

    @Test("Two partitions are open at most; one that fills up meanwhile is sent in its turn")
    func twoOpen() async throws {
        let store = try fixture.store(partitionSize: .kibibytes(8), isPaused: true)
        try append(0..<60, to: store)
        #expect(fixture.partitions().count > 4)
        let open = Locked(0)
        store.uploader.store { partitions in
            open.withLock { $0 = (partitions as? PartitionedSpool)?.openSpools.count ?? 0 }
            return (0, {})
        }
        #expect(store.flush())
        #expect(open.withLock { $0 } == 2)
        let figures = store.uploader.httpStatistics
        #expect(figures.pending == 60 && figures.stored == 60 && figures.recovered == 0)
        store.uploader.isPaused = false
        #expect(await store.deliver(timeout: .testLimit))
        #expect(try delivered() == Array(0..<60))
        #expect(fixture.partitions().count <= 1)
        let end = store.uploader.httpStatistics
        #expect(end.stored == 60 && end.acknowledged == 60 && end.pending == 0 && end.recovered == 0)
    }

    @Test("What earlier runs have left is sent partition by partition, the oldest first, and deleted")
    func leftovers() async throws {
        for run in 0..<3 {
            let store = try fixture.store(partitionSize: .kibibytes(8), isPaused: true)
            try append(run * 20..<run * 20 + 20, to: store)
            store.close()
        }
        let other = try fixture.store(prefix: "other", isPaused: true)
        try append(1000..<1001, to: other)
        other.close()
        let left = fixture.partitions()
        #expect(left.count >= 6)
        let store = try fixture.store(partitionSize: .kibibytes(8), isPaused: true)
        try append(60..<70, to: store)
        store.uploader.isPaused = false
        #expect(await store.deliver(timeout: .testLimit))
        #expect(try delivered() == Array(0..<70))
        #expect(Set(fixture.partitions()).isDisjoint(with: left))
        // No request has events of two partitions, or of another prefix.
        #expect(fixture.server.stored.count >= left.count)
        store.close()
        #expect(fixture.partitions().isEmpty)
        #expect(fixture.partitions(prefix: "other").count == 1)
    }

    @Test("Partitions keep their order though the clock was set back")
    func clockSetBack() throws {
        let clock = ManualClock()
        let store = try fixture.store(partitionSize: .kibibytes(1), isPaused: true, clock: clock)
        try append(0..<1, to: store)
        clock.setWall(LogTimestamp(nanoseconds: 1_000_000_000))
        try append(1..<3, to: store)
        store.close()
        #expect(fixture.partitions().count == 3)
        #expect(try fixture.stored().map { $0.text("activity") } == ["0", "1", "2"])
    }

    @Test("Several logs share a store, each with metadata and scopes of its own")
    func sharing() throws {
        let store = try fixture.store(isPaused: true)
        let first = try AuditLog(store, metadata: ["log": "1"])
        let second = try AuditLog(store, metadata: ["log": "2"])
        let a = first.beginScope(activity: "a")
        let b = second.beginScope(activity: "b")
        #expect(a.number == 1 && b.number == 1)
        a.record(read: Note(id: 1, text: ""))
        b.record(read: Note(id: 2, text: ""))
        try b.commit()
        try a.commit()
        store.close()
        #expect(
            try fixture.stored().map { "\($0.text("activity") ?? "")\($0.text("log") ?? "")" } == [
                "b2", "a1",
            ])
    }

    @Test("A test can set the partitions' size and the clock, and wait for storing and for the upload")
    func seams() async throws {
        let store = try fixture.store(isPaused: true, clock: ManualClock())
        store.partitionSize = .kibibytes(1)
        try append(0..<3, to: store)
        #expect(fixture.partitions().count == 3)
        #expect(store.uploader.httpStatistics.pending == 3)
        #expect(store.attempts() == 0)
        store.uploader.isPaused = false
        #expect(await store.deliver(timeout: .testLimit))
        #expect(try delivered() == [0, 1, 2])
    }

    @Test(
        "A server that refuses, fails and loses answers gets each event in the end, under keys that never change"
    )
    func badServer() async throws {
        let bad = try Fixture(answers: [
            .status(503), .lost, .status(500), .resetInAnswer, .refused, .ok, .lost, .status(429),
        ])
        let store = try bad.store(partitionSize: .kibibytes(16))
        store.uploader.maximumMessagesPerRequest = 10
        let events = try AuditLog(store)
        for number in 0..<100 {
            events.recordEvent(activity: "\(number)", data: String(repeating: "x", count: 1000))
        }
        #expect(await store.deliver(timeout: .testLimit))
        var seen: [String: String] = [:]
        var order: [Int] = []
        for request in bad.server.stored {
            let key = try #require(request.headers["Idempotency-Key"])
            if let known = seen[key] {
                #expect(known == request.text)
                continue
            }
            seen[key] = request.text
            order += try request.text.matches(of: /"activity":"(\d+)"/).map { try #require(Int($0.1)) }
        }
        #expect(order == Array(0..<100))
    }

    @Test("A partition in which damage was found is kept, after what is whole of it was sent")
    func damage() async throws {
        var store = try fixture.store(isPaused: true)
        try append(0..<10, to: store)
        store.close()
        let name = try #require(fixture.partitions().first)
        let files = try FileManager.default.contentsOfDirectory(atPath: store.path + "/" + name)
        let segment = store.path + "/" + name + "/" + (try #require(files.first { $0.hasSuffix(".seg") }))
        var bytes = try Data(contentsOf: URL(fileURLWithPath: segment))
        bytes[bytes.count / 2] ^= 0xFF
        try bytes.write(to: URL(fileURLWithPath: segment))
        store = try fixture.store()
        #expect(await store.deliver(timeout: .testLimit))
        #expect(try delivered().count == 9)
        #expect(store.uploader.httpStatistics.dropped == 1)
        #expect(fixture.partitions().isEmpty)
        #expect(FileManager.default.fileExists(atPath: store.path + "/" + name + ".damaged"))
    }

    @Test("A store that was closed refuses events; added again, its uploader takes them and goes on")
    func reopened() async throws {
        let store = try fixture.store(isPaused: true)
        try append(0..<5, to: store)
        store.close()
        #expect(store.uploader.httpStatistics.pending == 5)
        let events = try AuditLog(store)
        let scope = events.beginScope(activity: "5")
        scope.record(read: Note(id: 1, text: ""))
        let error = await #expect(throws: LogError.self) { try await scope.commit() }
        #expect(error?.description.contains("closed") == true)
        fixture.dispatcher.add(store.uploader, levels: .off)
        try append(6..<8, to: store)
        store.uploader.isPaused = false
        #expect(await store.deliver(timeout: .testLimit))
        #expect(try delivered() == [0, 1, 2, 3, 4, 6, 7])
        let figures = store.uploader.httpStatistics
        #expect(figures.stored == 7 && figures.acknowledged == 7 && figures.recovered == 0)
        #expect(figures.pending == 0)
    }
}
