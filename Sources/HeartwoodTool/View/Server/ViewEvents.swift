import Heartwood
import HeartwoodServer

/// Tells a page what changes, as server-sent events.
///
/// An event says how things are when it is written, not what has happened since the one before: a page that
/// is slow gets fewer events, and the numbers of the rows tell it how many it has not seen.
struct ViewEvents {
    /// How long to wait between two looks.
    private static let interval = Duration.milliseconds(80)
    /// How often something is sent that a client which has gone does not take.
    private static let heartbeat = 100

    private let log: ViewLog
    private let scan: LogScan
    private let tail: Int
    private let columns: [String]

    init(_ log: ViewLog, _ scan: LogScan, tail: Int, columns: [String]) {
        self.log = log
        self.scan = scan
        self.tail = tail
        self.columns = columns
    }

    func run(_ stream: HTTPReplyStream) {
        var sent: String?
        var silent = 0
        var front: [Int] = []
        repeat {
            scan.wake()
            let summary = scan.summary
            let progress = log.store.progress
            let state = "\(log.store.version) \(summary.rows.first) \(summary.rows.end) \(summary.done)"
            if state != sent {
                sent = state
                silent = 0
                let now = log.store.frontVersion + [summary.rows.end]
                if !stream.write(event(summary, progress, isGrown: front != now)) { return }
                front = now
            } else {
                silent += 1
                if silent % ViewEvents.heartbeat == 0, !stream.write(Array(": here\n\n".utf8)) { return }
            }
        } while stream.pause(ViewEvents.interval)
    }

    private func event(_ summary: LogScan.Summary, _ progress: LogStore.Progress, isGrown: Bool) -> [UInt8] {
        let all = log.store.rows
        var json = ViewJSON()
        json.object { json in
            json.key("run")
            json.text(log.run)
            json.key("first")
            json.integer(summary.rows.first)
            json.key("end")
            json.integer(summary.rows.end)
            json.key("done")
            json.number(summary.done)
            json.key("levels")
            json.list { json in for count in summary.levels { json.integer(count) } }
            json.key("span")
            json.list { json in
                for moment in [summary.earliest, summary.latest] {
                    if let moment { json.moment(moment) }
                }
            }
            json.key("lines")
            json.integer(all.end - all.first)
            json.key("bytes")
            json.integer(progress.total + progress.came)
            json.key("indexed")
            json.number(
                progress.isComplete || progress.total == 0
                    ? 1 : Double(progress.done) / Double(progress.total))
            json.key("files")
            json.integer(log.store.files.present.count)
            json.key("ended")
            json.flag(log.isInputEnded)
            json.key("damages")
            json.list { json in for damage in progress.damages.prefix(20) { json.text(damage) } }
            if tail > 0, isGrown {
                json.key("rows")
                json.list { json in
                    let end = summary.rows.end
                    for row in scan.rows(from: end - tail, count: tail, upTo: LogRow.headLimit) {
                        row.write(columns: columns, to: &json)
                    }
                }
            }
        }
        return Array("data: ".utf8) + json.bytes + Array("\n\n".utf8)
    }
}
