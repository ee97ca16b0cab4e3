import Foundation
import Heartwood
import HeartwoodEvents
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@Suite("Scopes and custom events", .inTurn) struct ScopeTests {
    let fixture: Fixture
    let clock = ManualClock()

    init() throws { fixture = try Fixture() }

    private func open(_ metadata: [String: String] = [:]) throws -> (EventStore, AuditLog) {
        let store = try fixture.store(isPaused: true, clock: clock)
        return (store, try AuditLog(store, metadata: metadata))
    }

    private func activities(_ store: EventStore) throws -> [String?] {
        store.close()
        return try fixture.stored().map { $0.text("activity") }
    }

    private func note(_ number: Int) -> Note { Note(id: number, text: "note \(number)") }

    @Test("When a commit completes, the figures have its events")
    func figuresAtCompletion() async throws {
        let fixture = try Fixture()
        let store = try fixture.store(isPaused: true)
        let log = try AuditLog(store)
        for round in 1...200 {
            let scope = log.beginScope(activity: "round \(round)")
            scope.record(read: Note(id: round, text: "x"))
            let pending = try await withCheckedThrowingContinuation { continuation in
                do {
                    try scope.commit { _ in
                        continuation.resume(returning: store.uploader.httpStatistics.pending)
                    }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
            guard pending == round else {
                Issue.record("\(pending) pending after \(round) commits")
                break
            }
        }
    }

    @Test("Scopes are numbered from 1 and active until they are committed or cancelled")
    func life() async throws {
        let (store, events) = try open()
        let first = events.beginScope(activity: "a")
        let second = events.beginScope(activity: "b")
        #expect(first.number == 1 && second.number == 2)
        #expect(first.isActive && second.isActive)
        try first.commit(completion: nil)
        #expect(!first.isActive && second.isActive)
        try second.cancel()
        #expect(!second.isActive)
        let third = events.beginScope(activity: "c")
        third.record(read: note(1))
        #expect(third.number == 3)
        try await third.commit()
        #expect(!third.isActive)
        #expect(try activities(store) == ["c"])
    }

    @Test("Ending a scope that has ended throws the documented error")
    func twice() async throws {
        let (_, events) = try open()
        let scope = events.beginScope(activity: "a")
        try await scope.commit()
        let text = "Cannot end event scope: scope '1' not in progress. Scope may have already been ended?"
        let first = #expect(throws: LogError.self) { try scope.commit { _ in } }
        let second = #expect(throws: LogError.self) { try scope.cancel() }
        let third = await #expect(throws: LogError.self) { try await scope.commit() }
        for error in [first, second, third] {
            #expect(error?.code == .scopeEnded && error?.description == text)
        }
    }

    @Test("A scope that is released without having been ended is cancelled, and the error handler told")
    func released() throws {
        let (store, events) = try open()
        do {
            let scope = events.beginScope(activity: "forgotten")
            scope.record(read: note(1))
        }
        #expect(try activities(store) == [])
        #expect(Fixture.wait { fixture.errors.withLock { $0.contains { $0.contains("forgotten") } } })
    }

    @Test(
        "Each event goes to every open scope, and the store has the scopes in the order of their commits"
    )
    func overlapping() throws {
        let (store, events) = try open()
        let outer = events.beginScope(activity: "outer")
        outer.record(read: note(1))
        let inner = events.beginScope(activity: "inner")
        let cancelled = events.beginScope(activity: "cancelled")
        inner.record(read: note(2))
        cancelled.record(read: note(3))
        try cancelled.cancel()
        outer.record(old: note(4), new: nil)
        try inner.commit()
        outer.record(read: note(5))
        try outer.commit()
        store.close()
        let read = try fixture.stored().map {
            let digits = ($0.text("data") ?? "").filter(\.isNumber)
            return
                "\($0.text("activity") ?? "") \($0.text("event") ?? "") \(digits.first.map(String.init) ?? "")"
        }
        #expect(
            read == [
                "inner read 2", "inner read 3", "inner write 4", "outer read 1", "outer read 2",
                "outer read 3",
                "outer write 4", "outer read 5",
            ])
    }

    @Test("A scope may outlive its log")
    func outliving() throws {
        let store = try fixture.store(isPaused: true)
        let scope = try AuditLog(store).beginScope(activity: "left over")
        scope.record(read: note(1))
        try scope.commit()
        #expect(try activities(store) == ["left over"])
    }

    @Test("Completions come in the order of the commits, when all is in the files, without any upload")
    func completions() throws {
        let (store, events) = try open()
        let order = Locked<[String]>([])
        let root = store.path
        for name in ["a", "empty", "b"] {
            let scope = events.beginScope(activity: name)
            if name != "empty" { for number in 0..<3 { scope.record(read: note(number)) } }
            try scope.commit { error in
                // The number of a segment's records is in the bytes, whoever has it open.
                let size = Self.segmentBytes(below: root)
                order.withLock { $0.append("\(name) \(error.map { "\($0)" } ?? "stored") \(size > 0)") }
            }
        }
        events.recordEvent(activity: "c") { error in order.withLock { $0.append("c \(error == nil)") } }
        #expect(Fixture.wait { order.withLock { $0.count == 4 } })
        #expect(order.withLock { $0 } == ["a stored true", "empty stored true", "b stored true", "c true"])
        #expect(store.attempts() == 0)
        #expect(try activities(store) == ["a", "a", "a", "b", "b", "b", "c"])
    }

    private static func segmentBytes(below root: String) -> Int {
        let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return files.filter { $0.hasSuffix(".seg") }.reduce(0) {
            $0 + ((try? Data(contentsOf: URL(fileURLWithPath: root + "/" + $1)).count) ?? 0)
        }
    }

    @Test("Nothing of a cancelled scope, however large, is in the directory or is ever sent")
    func cancelled() async throws {
        let (store, events) = try open()
        let scope = events.beginScope(activity: "secret")
        for number in 0..<2000 { scope.record(read: Note(id: number, text: "do not keep this")) }
        try scope.cancel()
        try await events.beginScope(activity: "empty").commit()
        #expect(store.flush())
        #expect(fixture.partitions().isEmpty)
        let files = FileManager.default.enumerator(atPath: fixture.path)?.compactMap { $0 as? String } ?? []
        for file in files {
            let content = try? Data(contentsOf: URL(fileURLWithPath: fixture.path + "/" + file))
            #expect(content?.range(of: Data("do not keep".utf8)) == nil, "\(file)")
        }
        store.uploader.isPaused = false
        #expect(await store.deliver(timeout: .testLimit))
        #expect(fixture.server.requests.isEmpty)
    }

    @Test("A custom event is stored at once, with no scope open or several, and belongs to none")
    func custom() throws {
        let (store, events) = try open(["user": "anna"])
        events.recordEvent(activity: "one", eventType: "login", data: "no JSON at all")
        let scope = events.beginScope(activity: "scope")
        scope.record(read: note(1))
        events.recordEvent(activity: "two")
        try scope.commit()
        store.close()
        let stored = try fixture.stored()
        #expect(stored.map { $0.text("activity") } == ["one", "two", "scope"])
        #expect(stored.map { "\($0["event"] ?? "?")" } == ["login", "nil", "read"])
        #expect(stored.map { $0.text("data") == nil } == [false, true, false])
        #expect(stored[0].text("data") == "no JSON at all")
        #expect(stored.allSatisfy { $0.text("user") == "anna" })
    }

    @Test(
        "New metadata replaces all of the old, from the next scope or event on; open scopes keep theirs"
    )
    func metadata() throws {
        let (store, events) = try open(["a": "1", "b": "1"])
        let scope = events.beginScope(activity: "scope")
        try events.updateMetadata(["b": "2", "c": "2"])
        scope.record(read: note(1))
        let next = events.beginScope(activity: "next")
        next.record(read: note(2))
        #expect(throws: LogError.self) { try events.updateMetadata(["data": "no"]) }
        events.recordEvent(activity: "custom")
        try events.updateMetadata([:])
        events.recordEvent(activity: "bare")
        try scope.commit()
        try next.commit()
        store.close()
        let extra = try fixture.stored().map { event in
            event.dropFirst(5).map { "\($0.key)\($0.value)" }.joined(separator: " ")
        }
        #expect(extra == ["b2 c2", "", "a1 b1", "a1 b1", "b2 c2"])
    }

    @Test("A store that cannot be opened later tells the error handler, and the completion")
    func openError() throws {
        let (store, events) = try open()
        #expect(store.flush())
        try FileManager.default.removeItem(atPath: store.path)
        try Data().write(to: URL(fileURLWithPath: store.path))
        let result = Locked<String?>(nil)
        events.recordEvent(activity: "a") { error in result.withLock { $0 = error.map { "\($0)" } ?? "nil" } }
        #expect(Fixture.wait { result.withLock { $0 != nil } })
        #expect(result.withLock { $0 }?.contains("Cannot open the spool's directory") == true)
        events.recordEvent(activity: "b")
        #expect(Fixture.wait { fixture.errors.withLock { $0.contains { $0.contains("Cannot open") } } })
    }

    @Test("An event has the time at which it was recorded")
    func times() throws {
        let (store, events) = try open()
        let scope = events.beginScope(activity: "a")
        scope.record(read: note(1))
        clock.advance(by: .milliseconds(1500))
        scope.record(read: note(2))
        clock.advance(by: .seconds(60))
        try scope.commit()
        store.close()
        #expect(
            try fixture.stored().map { $0.text("timestamp") } == [
                "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.500Z",
            ])
    }

    @Test("A transaction whose body throws records nothing, and the scope goes on")
    func throwing() throws {
        struct Failure: Error {}
        let (store, events) = try open()
        let scope = events.beginScope(activity: "a")
        #expect(throws: Failure.self) {
            try scope.transaction { changes in
                changes.record(old: nil, new: note(1))
                throw Failure()
            }
        }
        scope.record(old: nil, new: note(2))
        try scope.commit()
        store.close()
        let texts = try fixture.stored().compactMap { $0.text("data") }
        #expect(texts == [#"{"Note":{"insertions":[{"id":2,"text":"note 2"}]}}"#])
    }

    @Test("An ended scope records nothing, and whoever uses it is told; nothing aborts")
    func late() throws {
        let (store, events) = try open()
        let scope = events.beginScope(activity: "ended")
        let other = events.beginScope(activity: "other")
        try scope.commit()
        scope.record(read: note(1))
        try other.commit()
        #expect(try activities(store) == [])
        #expect(
            Fixture.wait {
                fixture.errors.withLock { $0.contains { $0.contains("scope '1' has already ended") } }
            })
    }

    @Test("Events reach other loggers as messages once they are stored, if that is wished, and only then")
    func messages() throws {
        let recording = RecordingLogger()
        fixture.dispatcher.add(recording)
        let (store, events) = try open(["user": "anna"])
        events.recordEvent(activity: "silent")
        #expect(store.flush())
        store.messageLevel = .notice
        let scope = events.beginScope(activity: "shown")
        scope.record(read: note(1))
        let cancelled = events.beginScope(activity: "cancelled")
        cancelled.record(read: note(2))
        try cancelled.cancel()
        try scope.commit()
        let visits = try EventLog<TypedEventTests.Visit>(store)
        visits.append { $0[.index] = 3 }
        #expect(Fixture.wait { recording.messages.count >= 3 })
        #expect(recording.messages.map(\.text) == ["shown: read", "shown: read", "event"])
        #expect(recording.messages.allSatisfy { $0.level == .notice && $0.category == .events })
        #expect(recording.messages.last?.metadata == ["index": 3])
        #expect(recording.messages.first?.metadata.text("user") == "anna")
        store.close()
        #expect(try fixture.stored().count == 4)
    }
}
