/// Tells a message that a server will never take from a server that takes nothing.
///
/// A refused piece is halved until a single message is refused. It is set aside only if the server has taken another
/// message since the search began; if not, it stays, and the next piece is tried. After ``suspectLimit`` refused
/// messages without one success the address counts as broken: everything stays, and after a pause the oldest message
/// is tried again, and if that is refused one that is as new as possible. Either success ends the suspicion.
struct RefusalWatch: Sendable {
    /// What is done with a refused piece.
    enum Verdict: Equatable, Sendable {
        case split, setAside, park, hold
    }

    private enum Stage: Sendable {
        case usual, recheck, probe
    }

    /// How many refused messages without a success make the address count as broken.
    static let suspectLimit = 3
    /// How many messages may be set aside for each success.
    static let creditLimit = 20

    private var isSearching = false
    private var credit = 0
    private var stage = Stage.usual
    /// How many refused messages are parked.
    private(set) var suspects = 0

    /// Whether the next piece should be as new as possible.
    var wantsProbe: Bool { stage == .probe }

    /// The server has taken something; returns whether parked messages come back.
    mutating func accepted() -> Bool {
        defer { suspects = 0 }
        credit = Self.creditLimit
        stage = .usual
        return suspects > 0
    }

    /// A batch was settled to its end.
    mutating func batchEnded() {
        isSearching = false
        suspects = 0
    }

    /// A piece of so many messages was refused.
    mutating func refused(_ records: Int) -> Verdict {
        if !isSearching {
            isSearching = true
            credit = 0
        }
        if stage == .probe { return .hold }
        if records > 1 { return .split }
        if credit > 0 {
            credit -= 1
            return .setAside
        }
        suspects += 1
        if stage == .recheck {
            stage = .probe
            return .park
        }
        return suspects >= Self.suspectLimit ? .hold : .park
    }

    /// Everything is on hold; parked messages come back.
    mutating func held() {
        suspects = 0
        stage = .recheck
    }
}
