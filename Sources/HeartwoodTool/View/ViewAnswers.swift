import Heartwood
import HeartwoodHTTP
import HeartwoodServer

/// Answers the requests of the page.
struct ViewAnswers: Sendable {
    /// How many rows one answer has at most.
    private static let rowLimit = 500
    /// How much text one answer with rows has, about.
    private static let textLimit = 4 << 20

    private let log: ViewLog
    private let tickets: ViewTickets
    private let page = ViewPage()

    init(_ log: ViewLog, _ tickets: ViewTickets) {
        self.log = log
        self.tickets = tickets
    }

    func answer(_ head: HTTPRequestHead, _ gate: ViewGate) -> HTTPReply {
        guard let query = ViewQuery(head.target) else {
            return hardened(.text(400, "The address is not valid"))
        }
        // A ticket replaces the token, once.
        let ticket = query.path.count == 2 && query.path[0] == "open" ? tickets.redeem(query.path[1]) : nil
        let isPage = query.path.count == 1 || ticket != nil
        switch gate.refusal(of: head, token: ticket ?? query.path.first, isPage: isPage) {
        case .host?: return hardened(.text(403, "This server is known by another name"))
        case .origin?: return hardened(.text(403, "Requests from other sites are rejected"))
        case .token?:
            return hardened(
                .text(403, "The address has no token; copy the whole address that heartwood printed"))
        case nil: break
        }
        if let ticket {
            return hardened(HTTPReply(status: 303, headers: ["Location": "/\(ticket)/"]))
        }
        do {
            return hardened(try reply(query))
        } catch let error as UsageError {
            return hardened(problem(error.message))
        } catch {
            return hardened(problem("\(error)"))
        }
    }

    private func reply(_ query: ViewQuery) throws -> HTTPReply {
        if query.path.count == 1 {
            return HTTPReply(
                status: 200,
                headers: [
                    "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": page.policy,
                ], body: .bytes(page.bytes))
        }
        guard query.path.count == 3, query.path[1] == "api" else { return .text(404, "Not found") }
        switch query.path[2] {
        case "about": return about()
        case "rows": return try rows(query)
        case "record": return try record(query)
        case "histogram": return try histogram(query)
        case "next": return try next(query)
        case "seek": return try seek(query)
        case "command": return try command(query)
        case "lines": return try lines(query)
        case "events": return try events(query)
        default: return .text(404, "Not found")
        }
    }

    // MARK: Answers

    private func about() -> HTTPReply {
        json { json in
            json.object { json in
                json.key("title")
                json.text(log.title)
                json.key("paths")
                json.list { json in for path in log.paths { json.text(path) } }
                json.key("files")
                json.list { json in for name in log.store.parts.names.suffix(1000) { json.text(name) } }
            }
        }
    }

    private func rows(_ query: ViewQuery) throws -> HTTPReply {
        let scan = try log.scans.scan(ViewFilter(query))
        let count = min(max(0, query.integer("count") ?? 100), ViewAnswers.rowLimit)
        let rows = scan.rows(from: query.integer("from") ?? 0, count: count)
        let summary = scan.summary.rows
        return json { json in
            json.object { json in
                json.key("first")
                json.integer(summary.first)
                json.key("end")
                json.integer(summary.end)
                json.key("rows")
                json.list { json in
                    var size = 0
                    for row in rows where size < ViewAnswers.textLimit {
                        size += row.text?.count ?? 0
                        RowEncoder.write(row, to: &json)
                    }
                }
            }
        }
    }

    private func record(_ query: ViewQuery) throws -> HTTPReply {
        let scan = try log.scans.scan(ViewFilter(query))
        guard let number = query.integer("n"), let row = scan.rows(from: number, count: 1).first,
            row.number == number
        else { return .text(404, "No such row") }
        return json { RowEncoder.writeWhole(row, numberInAll: scan.numberInAll(of: row), to: &$0) }
    }

    private func seek(_ query: ViewQuery) throws -> HTTPReply {
        let scan = try log.scans.scan(ViewFilter(query))
        guard let time = query.nanoseconds("t") else { return .text(400, "No time") }
        return answer(scan.first(from: time))
    }

    private func histogram(_ query: ViewQuery) throws -> HTTPReply {
        let scan = try log.scans.scan(ViewFilter(query))
        let pieces = min(max(1, query.integer("pieces") ?? 150), 1000)
        let (from, to) = (query.nanoseconds("from"), query.nanoseconds("to"))
        if let from, let to, from > to { return .text(400, "The range ends before it begins") }
        guard let span = log.store.span else { return json { $0.null() } }
        let (start, end) = (from ?? span.earliest, to ?? span.latest)
        guard start <= end else { return .text(400, "The range ends before it begins") }
        var wanted = TimeBins(from: start, to: end, pieces: pieces)
        var all = wanted
        scan.fill(&wanted)
        if !scan.filter.isEmpty { log.store.forEachFacts { all.add($0.bins) } }
        return json { json in
            json.object { json in
                json.key("from")
                json.moment(wanted.start)
                json.key("width")
                json.moment(wanted.width)
                json.key("span")
                json.list { json in
                    json.moment(span.earliest)
                    json.moment(span.latest)
                }
                json.key("bins")
                json.list { json in
                    for counts in wanted.counts {
                        json.list { json in for place in 0..<8 { json.integer(Int(counts[place])) } }
                    }
                }
                json.key("all")
                json.list { json in
                    for counts in scan.filter.isEmpty ? [] : all.counts {
                        json.integer((0..<8).reduce(0) { $0 + Int(counts[$1]) })
                    }
                }
            }
        }
    }

    private func next(_ query: ViewQuery) throws -> HTTPReply {
        let scan = try log.scans.scan(ViewFilter(query))
        let level = LogLevel(named: query["than"] ?? "error") ?? .error
        let row = scan.next(of: level, from: query.integer("from") ?? 0, isForward: query["step"] != "-1")
        return answer(row)
    }

    /// A row's number, or null.
    private func answer(_ row: Int?) -> HTTPReply {
        json { json in
            json.object { json in
                json.key("n")
                if let row { json.integer(row) } else { json.null() }
            }
        }
    }

    private func command(_ query: ViewQuery) throws -> HTTPReply {
        let filter = ViewFilter(query)
        _ = try log.scans.scan(filter)
        return json { json in
            json.object { json in
                json.key("command")
                json.text(filter.command(log.paths))
            }
        }
    }

    /// All lines that the filter wants, byte for byte.
    private func lines(_ query: ViewQuery) throws -> HTTPReply {
        let scan = try log.scans.scan(ViewFilter(query))
        return HTTPReply(
            status: 200,
            headers: [
                "Content-Type": "text/plain; charset=utf-8",
                "Content-Disposition": "attachment; filename=\"heartwood.log\"",
            ],
            body: .stream { stream in
                scan.finish()
                scan.forEachText { stream.write($0) }
            })
    }

    private func events(_ query: ViewQuery) throws -> HTTPReply {
        let scan = try log.scans.scan(ViewFilter(query))
        let tail = min(max(0, query.integer("tail") ?? 0), ViewAnswers.rowLimit)
        return HTTPReply(
            status: 200, headers: ["Content-Type": "text/event-stream"],
            body: .stream { ViewEvents(log, scan, tail: tail).run($0) })
    }

    // MARK: Forms

    private func json(_ body: (inout ViewJSON) -> Void) -> HTTPReply {
        var json = ViewJSON()
        body(&json)
        return HTTPReply(
            status: 200, headers: ["Content-Type": "application/json"], body: .bytes(json.bytes))
    }

    /// What is wrong with a filter, for the page to show.
    private func problem(_ text: String) -> HTTPReply {
        var reply = json { json in
            json.object { json in
                json.key("problem")
                json.text(text)
            }
        }
        reply.status = 400
        return reply
    }

    /// No cache keeps what logs say, no page frames it, and no browser guesses what it is.
    private func hardened(_ reply: HTTPReply) -> HTTPReply {
        var reply = reply
        reply.headers["Cache-Control"] = "no-store"
        reply.headers["X-Content-Type-Options"] = "nosniff"
        reply.headers["X-Frame-Options"] = "DENY"
        reply.headers["Referrer-Policy"] = "no-referrer"
        reply.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        reply.headers["Cross-Origin-Opener-Policy"] = "same-origin"
        if reply.headers["Content-Security-Policy"] == nil {
            reply.headers["Content-Security-Policy"] = "default-src 'none'; frame-ancestors 'none'; sandbox"
        }
        return reply
    }
}
