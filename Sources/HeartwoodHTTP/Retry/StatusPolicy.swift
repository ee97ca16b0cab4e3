/// Which status means what; a table that can be changed row by row.
///
/// ``standard`` suits your own server. It never drops on a guess: what is neither a success, nor known to
/// pass by itself, nor known to be about the data, holds everything and reports.
public struct StatusPolicy: Sendable, Equatable {
    private var exceptions: [Int: StatusAction]
    private var otherwise: StatusAction

    /// Makes a table: 2xx delivers, the listed statuses do as they say, all others do `otherwise`.
    public init(_ exceptions: [Int: StatusAction], otherwise: StatusAction = .hold) {
        self.exceptions = exceptions
        self.otherwise = otherwise
    }

    /// What `status` means.
    public func action(for status: Int) -> StatusAction {
        if let action = exceptions[status] { return action }
        return (200...299).contains(status) ? .deliver : otherwise
    }

    /// The table with some rows changed.
    public func setting(_ action: StatusAction, for statuses: Int...) -> StatusPolicy {
        var copy = self
        for status in statuses { copy.exceptions[status] = action }
        return copy
    }

    /// What passes by itself is retried (408, 425, 429, 500, 502–504, 507, 509, 520–529), 413 splits, 400 and
    /// 422 are about single records, 401 and 403 ask for new credentials; everything else holds, redirects
    /// too.
    public static let standard: StatusPolicy = {
        var table: [Int: StatusAction] = [
            413: .split, 400: .isolate, 422: .isolate, 401: .authorize, 403: .authorize,
        ]
        for status in [408, 425, 429, 500, 502, 503, 504, 507, 509] + Array(520...529) {
            table[status] = .retry
        }
        return StatusPolicy(table)
    }()

    /// OTLP/HTTP: exactly 429, 502, 503 and 504 are repeated; 500 and what else is about the data is not.
    static let otlp = StatusPolicy(
        [
            429: .retry, 502: .retry, 503: .retry, 504: .retry, 413: .split, 400: .isolate, 422: .isolate,
            500: .reject, 501: .reject, 401: .authorize, 403: .authorize,
        ])

    /// Loki: 260 says that the tenant blocks.
    static let loki = standard.setting(.hold, for: 260)

    /// SwiftyBeaver's platform: 200 alone is success, everything else keeps.
    static let swiftyBeaver: StatusPolicy = {
        var table: [Int: StatusAction] = [200: .deliver, 401: .authorize, 403: .authorize, 413: .split]
        for status in 201...299 { table[status] = .retry }
        return StatusPolicy(table, otherwise: .retry)
    }()

    /// systemd-journal-remote: 417 keeps what was complete, so that a repeat would store it twice.
    static let journal = standard.setting(.reject, for: 417).setting(.hold, for: 400, 406, 415)
}

/// What an answer's status means for the batch that was sent.
public enum StatusAction: String, Sendable, Hashable, CaseIterable {
    /// The server has it: delete it here.
    case deliver
    /// The server cannot now: keep it and send the same again later.
    case retry
    /// It was too large: send its halves.
    case split
    /// Something in it is not acceptable: find it by halving, set it aside, deliver the rest.
    case isolate
    /// The server will never take it: set it all aside.
    case reject
    /// A setting is wrong, not the data: keep everything, pause long, report.
    case hold
    /// Our credentials are not accepted: ask for new ones once, then hold.
    case authorize
}
