import Heartwood

/// What the delivery of a logger reports to ``LogDiagnostics``, with the texts.
enum DeliveryReport: Equatable, Sendable {
    /// The server cannot be used as it is set up, for that reason; everything is kept.
    case held(DeliveryFailure.Cause)
    /// The server refuses every message; everything is kept.
    case refusesEverything
    /// The policy would drop messages, and this store never does.
    case keptInsteadOfDropped
    /// Acknowledgements of so many pieces did not come in time, so the pieces are sent again.
    case unacknowledged(Int)
    /// The server took so many messages, and threw them away.
    case discarded(Int, note: String?)
    /// The server rejected a message, which is in the dead letters unless it is lost.
    case rejected(reason: String, isLost: Bool)
    /// The server rejected a message, which is kept since the dead letters cannot be written.
    case notSetAside(reason: String, place: String?, cause: Int32)
    /// The limit of the dead letters has removed so many of them.
    case deadLettersRemoved(Int, limit: ByteCount)
    /// So many stored messages cannot be decoded.
    case unreadable(Int)
    /// The disk did not accept so many messages before the logger was removed.
    case lostAtRemoval(Int)
    /// So many messages were in memory only when the process ended.
    case lostAtExit(Int)
    /// The store could not be opened again.
    case memoryOnly(String)
    /// The store met an error.
    case storeError(String, isDamage: Bool)
    /// The system has no thread for requests.
    case noThread

    var kind: LogDiagnostics.Kind {
        switch self {
        case .held, .refusesEverything, .keptInsteadOfDropped, .memoryOnly, .noThread: .setting
        case .unreadable, .storeError(_, isDamage: true): .damaged
        default: .writeFailed
        }
    }

    /// How many messages, or requests, it is about.
    var count: Int {
        switch self {
        case .unacknowledged(let count), .discarded(let count, _), .deadLettersRemoved(let count, _),
            .unreadable(let count), .lostAtRemoval(let count), .lostAtExit(let count):
            count
        case .noThread: 0
        default: 1
        }
    }

    /// What makes reports of a logger alike.
    func key(logger name: String, lastError: String?) -> String {
        switch self {
        case .held: name + "hold" + (lastError ?? "no answer")
        case .refusesEverything, .keptInsteadOfDropped: name + "hold"
        case .unacknowledged: name + "unacknowledged"
        case .discarded, .rejected: name + "rejected"
        case .notSetAside: name + "unwritten"
        case .deadLettersRemoved: name + "removed"
        case .lostAtRemoval: name + "unsaved"
        case .lostAtExit: name + "lost"
        case .unreadable, .memoryOnly, .storeError: name
        case .noThread: "sending"
        }
    }

    /// The text; `lastError` is how the last request failed.
    func text(logger name: String, lastError: String?) -> String {
        "\(name): \(message(lastError))"
    }

    private func message(_ lastError: String?) -> String {
        let last = lastError ?? "no answer"
        return switch self {
        case .held(let cause): "\(Self.problem(cause)); all messages are kept: \(last)"
        case .refusesEverything:
            "the server rejects every message, so its address may be wrong; all messages are kept: \(last)"
        case .keptInsteadOfDropped:
            "the retry policy drops messages; this store keeps them: \(last)"
        case .unacknowledged(let count):
            "the server did not acknowledge \(count) requests in time; they are sent again"
        case .discarded(let count, let note):
            "the server discarded \(count) messages: \(note ?? "no reason given")"
        case .rejected(let reason, let isLost):
            "the server rejected a message (\(reason)); it is "
                + (isLost ? "lost" : "in rejected.ndjson in the spool's directory")
        case .notSetAside(let reason, let place, let cause):
            LogError(
                .file,
                "the server rejected a message (\(reason)), and rejected.ndjson cannot be written; "
                    + "the message is kept",
                place: place, cause: cause
            ).description
        case .deadLettersRemoved(let count, let limit):
            "rejected.ndjson has reached deadLetterLimit, \(limit): the oldest rejected messages, "
                + "\(count) of them, were removed"
        case .unreadable: "stored messages of another version cannot be read"
        case .lostAtRemoval(let count):
            "\(count) messages were lost: the disk did not accept them before the logger was removed"
        case .lostAtExit(let count):
            "\(count) messages are lost: they were in memory only, and the server has not accepted them "
                + "before the end of the process; give the logger a `spool`"
                + (lastError.map { ": \($0)" } ?? "")
        case .memoryOnly(let error): "unsent messages are kept in memory only: \(error)"
        case .storeError(let error, _): error
        case .noThread: "no thread could be created for sending: messages wait until one can"
        }
    }

    private static func problem(_ cause: DeliveryFailure.Cause) -> String {
        switch cause {
        case .status: "the server rejects the requests because of their setup"
        case .transport(let error) where error.reason != .unusableRequest:
            "the server cannot be reached with this setup, so nothing is sent"
        case .transport, .local: "the requests cannot be created, so nothing is sent"
        }
    }
}
