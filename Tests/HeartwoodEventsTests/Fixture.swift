import Foundation
import Heartwood
import HeartwoodEvents
import HeartwoodTestSupport
import Testing

@testable import HeartwoodHTTP

/// A directory, a collector and a dispatcher of a test's own.
final class Fixture: Sendable {
    let path: String
    let server: LoopbackServer
    let dispatcher = LogDispatcher(ringCapacity: .mebibytes(1))
    /// What the error handler got.
    let errors = Locked<[String]>([])

    init(answers: [LoopbackAnswer] = [], then rest: LoopbackAnswer = .ok) throws {
        path = FileManager.default.temporaryDirectory.path + "/heartwood-events-" + UUID().uuidString
        server = try LoopbackServer(answers: answers, then: rest)
        dispatcher.diagnostics.handler = { _ in }
    }

    deinit {
        dispatcher.removeAll()
        try? FileManager.default.removeItem(atPath: path)
    }

    /// A store that sends nothing until it is asked, unless it is not paused; each read is an event, unless they fold.
    func store(
        user: String = "default", prefix: String = "events", partitionSize: ByteCount = .mebibytes(256),
        settings: SpoolSettings? = nil, isPaused: Bool = false, foldsReads: Bool = false,
        clock: any LogClock = SystemClock()
    ) throws -> EventStore {
        var first = EventSettings(user: user, prefix: prefix)
        first.partitionSize = partitionSize
        if let settings { first.upload.spoolSettings = settings }
        first.errorHandler = { [errors] error in errors.withLock { $0.append("\(error)") } }
        let store = try EventStore(
            server.address, directory: path, settings: first, dispatcher: dispatcher, clock: clock)
        store.foldsReads = foldsReads
        store.uploader.isPaused = isPaused
        store.uploader.retryPolicy = StandardRetryPolicy(
            backoff: Backoff(initial: .milliseconds(2), maximum: .milliseconds(20)))
        return store
    }

    /// The events that the collector has taken, in their order.
    func delivered() throws -> [[String: Any]] {
        try server.stored.flatMap { request in
            try #require(JSONSerialization.jsonObject(with: Data(request.body)) as? [[String: Any]])
        }
    }

    /// The events in the store's files, in their order; the store must be closed.
    func stored(user: String = "default", prefix: String = "events") throws -> [LogMetadata] {
        let root = "\(path)/\(user)/\(prefix)"
        var events: [LogMetadata] = []
        for partition in partitions(user: user, prefix: prefix) {
            try UnsentMessages(directory: root + "/" + partition).forEach {
                events.append($0.metadata)
                return true
            }
        }
        return events
    }

    /// The names of the partitions, the oldest first.
    func partitions(user: String = "default", prefix: String = "events") -> [String] {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(user)/\(prefix)")
        return (names ?? []).filter { $0.count == 24 }.sorted()
    }

    /// Returns when the condition holds, or after 30 s without it.
    @discardableResult
    static func wait(until condition: () throws -> Bool) rethrows -> Bool {
        for _ in 0..<3000 {
            if try condition() { return true }
            usleep(10_000)
        }
        return false
    }
}

extension EventStore {
    /// How many attempts were started, once everything that was recorded and asked for so far is handled; one that the
    /// server has not seen yet counts, too.
    func attempts() -> Int {
        let done = Semaphore()
        let attempts = Locked(0)
        uploader.performInOrder { [uploader] in
            let count = uploader.httpStatistics.requests + (uploader.runtime.shell.isBusy ? 1 : 0)
            attempts.withLock { $0 = count }
            done.signal()
        }
        #expect(done.wait(upTo: .seconds(60)))
        return attempts.withLock { $0 }
    }
}

/// JSON with its keys sorted, so that texts can be compared but for the order of keys.
func canonical(_ json: String) throws -> String {
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8), options: .fragmentsAllowed)
    let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes, .fragmentsAllowed]
    return String(
        decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
}

extension LogMetadata {
    /// A field's text, or nil.
    func text(_ key: String) -> String? { if case .string(let text)? = self[key] { text } else { nil } }
}

/// What many tests record.
struct Person: EventObject, Equatable {
    enum CodingKeys: String, CodingKey {
        case id = "_id"
        case partition = "_partition"
        case employeeID = "employeeId"
        case name
        case userID = "userId"
    }
    var id: String
    var partition = ""
    var employeeID: Int
    var name: String
    var userID: String?

    init(_ id: String, _ employeeID: Int, _ name: String) {
        self.id = id
        self.employeeID = employeeID
        self.name = name
    }
}

/// An object of any size.
struct Note: EventObject {
    var id: Int
    var text: String
}
