import Heartwood
import HeartwoodServer
import Synchronization

/// Tells a page what changes, as server-sent events.
///
/// An event says how things are when it is written, not what has happened since the one before: a page that
/// is slow gets fewer events, and the numbers of the rows tell it how many it has not seen.
///
/// A browser opens six connections to one server, for all of its tabs together. So a few answers go on, and
/// each further one has what is new and ends: the browser asks again by itself, with the name of the last
/// event that it has.
struct ViewEvents {
    /// How many answers go on at a time.
    static let limit = 3
    /// After how many milliseconds a browser asks again: for an answer that ends, and for one that was cut.
    private static let (soon, later) = (250, 1000)
    /// How long to wait between two looks.
    private static let interval = Duration.milliseconds(80)
    /// How often something is sent that a client which has gone does not take.
    private static let heartbeat = 100

    let log: ViewLog
    let scan: LogScan
    /// The scan with the same filter but for the level.
    let levels: LogScan
    let tail: Int
    let columns: [String]
    /// The name of the last event that the page has.
    let known: String?

    /// Writes events until the page leaves, or, where there is no place, the one that says what is new.
    func run(_ stream: HTTPReplyStream, in places: ViewEventPlaces) {
        let isHeld = places.take()
        defer { if isHeld { places.leave() } }
        var head = "retry: \(isHeld ? ViewEvents.later : ViewEvents.soon)\n"
        var sent = known
        var silent = 0
        var front: [Int] = []
        repeat {
            scan.wake()
            levels.wake()
            let summary = scan.summary
            let counts = levels === scan ? summary : levels.summary
            let progress = log.store.progress
            let rows = summary.rows
            let shown = "\(rows.first) \(rows.end) \(summary.done) \(counts.done) \(counts.rows.end)"
            let state = "\(log.run) \(log.store.version) \(shown) \(log.isInputEnded)"
            if state != sent {
                sent = state
                silent = 0
                let now = log.store.frontVersion + [rows.end]
                let event = event(summary, counts.levels, progress, isGrown: front != now)
                if !stream.write(Array("\(head)id: \(state)\n".utf8) + event) { return }
                (head, front) = ("", now)
            } else {
                silent += 1
                if silent % ViewEvents.heartbeat == 0, !stream.write(Array(": here\n\n".utf8)) { return }
            }
        } while isHeld && stream.pause(ViewEvents.interval)
        if !isHeld, !head.isEmpty { stream.write(Array("\(head)\n".utf8)) }
    }

    private func event(
        _ summary: LogScan.Summary, _ levels: [Int], _ progress: LogStore.Progress, isGrown: Bool
    ) -> [UInt8] {
        let all = log.store.rows
        let isIndexed = progress.isComplete || progress.total == 0
        var event: LogMetadata = [
            "run": log.run, "first": summary.rows.first, "end": summary.rows.end, "done": summary.done,
            "levels": levels,
            "span": LogValue.list([summary.earliest, summary.latest].compactMap(\.self)) { .moment($0) },
            "lines": all.end - all.first,
            "bytes": progress.total + progress.came,
            "indexed": isIndexed ? 1 : Double(progress.done) / Double(progress.total),
            "files": log.store.files.present.count,
            "ended": log.isInputEnded,
            "damages": Array(progress.damages.prefix(20)),
        ]
        if tail > 0, isGrown {
            let rows = scan.rows(from: summary.rows.end - tail, count: tail, upTo: ShownLine.limit)
            event["rows"] = .list(rows) { $0.value(columns: columns) }
        }
        return Array("data: ".utf8) + LogValue.object(event).json + Array("\n\n".utf8)
    }
}

/// The places for answers with events that go on.
final class ViewEventPlaces: Sendable {
    // MARK: Atomics (any thread)

    /// A count and nothing else: no order with other memory is needed.
    private let count = Atomic<Int>(ViewEvents.limit)

    /// How many are free.
    var free: Int { max(0, count.load(ordering: .relaxed)) }

    /// Takes a place; returns false if all are taken.
    func take() -> Bool {
        if count.wrappingSubtract(1, ordering: .relaxed).newValue >= 0 { return true }
        leave()
        return false
    }

    /// Gives a place back.
    func leave() { count.wrappingAdd(1, ordering: .relaxed) }
}
