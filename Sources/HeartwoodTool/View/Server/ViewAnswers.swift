import Heartwood
import HeartwoodHTTP
import HeartwoodServer

/// Answers the requests of the page.
struct ViewAnswers: Sendable {
    /// How many rows one answer has at most.
    private static let rowLimit = 500
    /// How much text one answer with rows has, about.
    private static let textLimit = 4 << 20
    /// How many columns, and texts to find, a request has at most.
    private static let columnLimit = 20
    /// How many blocks one answer searches at most.
    private static let blockLimit = 200

    let log: ViewLog
    let tickets: ViewTickets
    let places: ViewEventPlaces
    private let page = ViewPage()

    func answer(_ head: HTTPRequestHead, _ gate: ViewGate) -> HTTPReply { hardened(reply(head, gate)) }

    private func reply(_ head: HTTPRequestHead, _ gate: ViewGate) -> HTTPReply {
        guard let query = ViewQuery(head.target) else {
            return .text(400, "The address is not valid")
        }
        // A ticket replaces the token, once.
        let ticket = query.path.count == 2 && query.path[0] == "open" ? tickets.redeem(query.path[1]) : nil
        let isPage = query.path.count == 1 || ticket != nil
        switch gate.refusal(of: head, token: ticket ?? query.path.first, isPage: isPage) {
        case .host?: return .text(403, "This server is known by another name")
        case .origin?: return .text(403, "Requests from other sites are rejected")
        case .token?:
            return .text(403, "The address has no token; copy the whole address that heartwood printed")
        case nil: break
        }
        if let ticket { return HTTPReply(status: 303, headers: ["Location": "/\(ticket)/"]) }
        do {
            return try reply(query, head)
        } catch let error as UsageError {
            return problem(ViewAnswers.words(for: error))
        } catch {
            return problem("\(error)")
        }
    }

    private func reply(_ query: ViewQuery, _ head: HTTPRequestHead) throws -> HTTPReply {
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
        case "json": return try recordAsJSON(query)
        case "histogram": return try histogram(query)
        case "next": return try next(query)
        case "seek": return try seek(query)
        case "locate": return try locate(query)
        case "facets": return try facets(query)
        case "command": return try command(query)
        case "lines": return try lines(query)
        case "events": return try events(query, known: head.headers["Last-Event-ID"])
        default: return .text(404, "Not found")
        }
    }

    // MARK: Answers

    private func about() -> HTTPReply {
        json([
            "title": .string(log.title), "run": .string(log.run), "paths": .list(log.paths) { .string($0) },
            "files": .list(log.store.files.present.suffix(1000)) { .string($0.name) },
        ])
    }

    private func scan(_ query: ViewQuery) throws -> LogScan { try log.scans.scan(ViewFilter(query)) }

    /// The fields that are shown as columns.
    private func columns(_ query: ViewQuery) -> [String] {
        Array(query.all("col").filter { !$0.isEmpty }.prefix(ViewAnswers.columnLimit))
    }

    private func rows(_ query: ViewQuery) throws -> HTTPReply {
        let scan = try scan(query)
        let columns = columns(query)
        let count = min(max(0, try query.integer("count") ?? 100), ViewAnswers.rowLimit)
        let rows = scan.rows(
            from: try query.integer("from") ?? 0, count: count, upTo: ShownLine.limit)
        let summary = scan.rows
        var size = 0
        let shown = rows.prefix { row in
            defer { size += row.text?.count ?? 0 }
            return size < ViewAnswers.textLimit
        }
        return json([
            "run": .string(log.run), "first": LogValue(summary.first), "end": LogValue(summary.end),
            "rows": .list(shown) { $0.value(columns: columns) },
        ])
    }

    private func record(_ query: ViewQuery) throws -> HTTPReply {
        let scan = try scan(query)
        guard let row = try row(query, of: scan) else { return .text(404, "No such row") }
        return json(ViewRecord(row, scan).value)
    }

    /// The record that a row belongs to, for copying it.
    private func recordAsJSON(_ query: ViewQuery) throws -> HTTPReply {
        let (scan, all) = (try scan(query), try log.scans.scan(ViewFilter()))
        guard let row = try row(query, of: scan), let record = ViewRecord.json(of: row, scan, in: all)
        else { return .text(404, "No such row") }
        return HTTPReply(
            status: 200, headers: ["Content-Type": "application/json"], body: .bytes(record))
    }

    /// The row with the number that an address has.
    private func row(_ query: ViewQuery, of scan: LogScan) throws -> LogRow? {
        guard let number = try query.integer("n") else { return nil }
        return scan.rows(from: number, count: 1).first { $0.number == number }
    }

    private func seek(_ query: ViewQuery) throws -> HTTPReply {
        let scan = try scan(query)
        guard let time = try query.nanoseconds("t") else { return problem("The address has no time") }
        return answer(scan.first(from: time))
    }

    /// The row at a place of a file if it has the time that is asked for, or the first row of that time.
    ///
    /// With `exact`, as for a link, only the line itself: at its place or, as files are renamed, at another
    /// one with the same time and text.
    private func locate(_ query: ViewQuery) throws -> HTTPReply {
        let shown = try scan(query)
        let isExact = query["exact"] == "1"
        // A line that is folded is looked for by itself, and its record is the answer; with another filter,
        // its lines would have to be found first.
        var filter = shown.filter
        if isExact, filter.isEmpty { filter.isFolded = false }
        let scan = try log.scans.scan(filter)
        let (time, text) = (try query.nanoseconds("t"), try query.integer("text"))
        func isOfTime(_ row: LogRow) -> Bool {
            guard let time else { return true }
            // The page rounds to milliseconds, of nanoseconds in a number of JavaScript perhaps up.
            return row.moment.map {
                (-1_000_000...1_000_000).contains($0.subtractingReportingOverflow(time).partialValue)
            } == true
        }
        func isMeant(_ row: LogRow) -> Bool {
            isOfTime(row) && (!isExact || row.text != nil && (text == nil || row.textMark == text))
        }
        func number(of row: LogRow) -> Int? {
            if scan === shown { return row.number }
            return shown.row(of: log.store.files.parts(named: row.file), at: row.offset)
        }
        if let file = query["in"] {
            let offset = try query.integer("offset") ?? 0
            if let place = scan.row(of: log.store.files.parts(named: file), at: offset),
                let row = scan.rows(from: place, count: 1).first, isMeant(row),
                !isExact || row.offset == offset
            {
                return answer(number(of: row))
            }
        }
        guard isExact else { return answer(time.flatMap { scan.first(from: $0) }) }
        var next = time.flatMap { scan.first(from: max($0, .min + 1_000_000) - 1_000_000) }
        // Many lines may have the same time.
        for _ in 0..<40 {
            guard let from = next else { break }
            let rows = scan.rows(from: from, count: ViewAnswers.rowLimit)
            if let found = rows.first(where: isMeant) { return answer(number(of: found)) }
            next = rows.last.flatMap { isOfTime($0) ? $0.number + 1 : nil }
        }
        return answer(nil)
    }

    private func histogram(_ query: ViewQuery) throws -> HTTPReply {
        let scan = try scan(query)
        let pieces = min(max(1, try query.integer("pieces") ?? 150), 1000)
        let (from, to) = (try query.nanoseconds("from"), try query.nanoseconds("to"))
        if let from, let to, from > to { return problem("The range ends before it begins") }
        guard let span = log.store.span else { return json(.null) }
        let (start, end) = (from ?? span.earliest, to ?? span.latest)
        guard start <= end else { return problem("The range ends before it begins") }
        var wanted = TimeBins(from: start, to: end, pieces: pieces)
        var all = wanted
        let isExact = scan.fill(&wanted)
        if !scan.filter.isEmpty {
            log.store.forEachFacts { if !all.add($1.bins) { all.spread($1.bins) } }
        }
        return json([
            "from": .moment(wanted.start),
            "width": .double(Double(wanted.width) / 1e6),
            "exact": .bool(isExact),
            "span": [.moment(span.earliest), .moment(span.latest)],
            "bins": .list(wanted.counts) { counts in .list(counts.indices) { LogValue(counts[$0]) } },
            "all": .list(scan.filter.isEmpty ? [] : all.counts) { counts in
                LogValue(counts.indices.reduce(0) { $0 + Int(counts[$1]) })
            },
        ])
    }

    /// The next row of a level, or with one of some texts.
    private func next(_ query: ViewQuery) throws -> HTTPReply {
        let scan = try scan(query)
        let (from, isForward) = (try query.integer("from") ?? 0, query["step"] != "-1")
        let texts = query.all("hl").filter { !$0.isEmpty }.prefix(ViewAnswers.columnLimit)
        guard !texts.isEmpty else {
            let level = LogLevel(named: query["than"] ?? "error") ?? .error
            return answer(scan.next(of: level, from: from, isForward: isForward))
        }
        let searchers = try texts.map { try LineSearcher($0, isLiteral: true, ignoresCase: true) }
        let next = scan.next(of: searchers, from: from, isForward: isForward, limit: ViewAnswers.blockLimit)
        // Where to go on: one answer searches part of a long log.
        return json(["n": next.found.logValue, "on": next.continuation.logValue])
    }

    /// A row's number, or null.
    private func answer(_ row: Int?) -> HTTPReply { json(["n": row.logValue]) }

    private func facets(_ query: ViewQuery) throws -> HTTPReply {
        json(LogFacets(of: try scan(query), log.store).value)
    }

    private func command(_ query: ViewQuery) throws -> HTTPReply {
        let filter = ViewFilter(query)
        _ = try log.scans.scan(filter)
        return json(["command": .string(filter.command(log))])
    }

    /// All lines that the filter wants byte for byte, or the records that they are as CSV or JSON lines.
    private func lines(_ query: ViewQuery) throws -> HTTPReply {
        var filter = ViewFilter(query)
        filter.isFolded = false
        let scan = try log.scans.scan(filter)
        let format = LogExport.Format(rawValue: query["format"] ?? "lines")
        guard let format else { throw UsageError("“format” in the address is lines, csv or jsonl") }
        let range = (try query.integer("from"), try query.integer("to"))
        guard format == .lines || range == (nil, nil) else {
            throw UsageError("“from” and “to” in the address are for lines as they are")
        }
        let export = LogExport(scan, log, format, columns: columns(query), from: range.0, to: range.1)
        return HTTPReply(
            status: 200,
            headers: [
                "Content-Type": format.contentType,
                "Content-Disposition": "attachment; filename=\"heartwood.\(format.suffix)\"",
            ],
            body: .stream { export.write(to: $0) })
    }

    private func events(_ query: ViewQuery, known: String?) throws -> HTTPReply {
        let tail = min(max(0, try query.integer("tail") ?? 0), ViewAnswers.rowLimit)
        let filter = ViewFilter(query)
        let scan = try log.scans.scan(filter)
        // A level's number is that of the records that pass the other filters.
        var others = filter
        others.level = nil
        let levels = others == filter ? scan : try log.scans.scan(others)
        let events = ViewEvents(
            log: log, scan: scan, levels: levels, tail: tail, columns: columns(query), known: known)
        return HTTPReply(
            status: 200, headers: ["Content-Type": "text/event-stream"],
            body: .stream { events.run($0, in: places) })
    }

    // MARK: Forms

    private func json(_ value: LogValue, status: Int = 200) -> HTTPReply {
        HTTPReply(status: status, headers: ["Content-Type": "application/json"], body: .bytes(value.json))
    }

    /// What is wrong with a filter, in the page's words: its readers give no options.
    private static func words(for error: UsageError) -> String {
        let words = [
            (
                "; add --fixed to search for it as plain text",
                "; switch off “.*” to search for it as plain text"
            ),
            ("--where expects a condition such as", "A condition has a form such as"),
            ("--since expects a time such as", "“From this time on” expects a time such as"),
            ("--until expects a time such as", "“Before this time” expects a time such as"),
            ("--level: ", ""),
        ]
        return words.reduce(error.message) { text, pair in
            guard let place = text.firstRange(of: pair.0) else { return text }
            return text[..<place.lowerBound] + pair.1 + text[place.upperBound...]
        }
    }

    /// What is wrong with a filter, for the page to show.
    private func problem(_ text: String) -> HTTPReply {
        json(["problem": .string(text)], status: 400)
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
