/// Tells a message that a server will never take from a server that takes nothing.
///
/// A refused piece is halved until a single message is refused. It is set aside only if the server has taken
/// another message since the search began; if not, it is parked, and other messages are tried: the next one
/// first, then those that are as new as possible. After ``suspectLimit`` refused messages or ``searchLimit``
/// refusals without one success the address counts as broken: everything stays. After a pause a few more
/// messages are tried, the oldest and the newest that were not refused yet, and so on until all were; then
/// they are tried again from the beginning. One success ends the suspicion, brings the parked messages back,
/// and allows the bad ones among them to be set aside.
struct RefusalWatch: Sendable {
    /// How many refused messages without a success make the address count as broken.
    static let suspectLimit = 3
    /// How many refusals without a success make the address count as broken, those of larger pieces included.
    static let searchLimit = 15
    /// How many refusals a broken address is asked for after each pause.
    static let probeLimit = 4
    /// How many messages may be set aside for each success.
    static let creditLimit = 20

    private var isSearching = false
    private var credit = 0
    /// Whether the address counts as broken.
    private var isSuspicious = false
    /// How many pieces were refused since the search began, or since the last pause.
    private var refusals = 0
    private var isProbeForced = false
    /// How many messages are parked since they were refused without a success.
    private var suspects = 0
    /// How many messages are parked since they could not be set aside.
    private var kept = 0

    /// How many messages are parked.
    var parked: Int { suspects + kept }

    /// Whether something was refused, and nothing is known to be taken.
    private var isUnproven: Bool { isSearching && credit == 0 }

    /// Whether the next piece should be as new as possible.
    var wantsProbe: Bool {
        isUnproven && (isProbeForced || (isSuspicious ? refusals > 0 : suspects > 1))
    }

    /// Whether enough was refused: everything stays for a while.
    var isEnough: Bool {
        guard isUnproven else { return false }
        return isSuspicious
            ? refusals >= Self.probeLimit : suspects >= Self.suspectLimit || refusals >= Self.searchLimit
    }

    /// The server has taken something; returns whether messages come back that were parked since they were
    /// refused.
    mutating func accepted() -> Bool {
        credit = Self.creditLimit
        (isSuspicious, isProbeForced, refusals) = (false, false, 0)
        guard suspects > 0 else { return false }
        suspects = 0
        return true
    }

    /// A batch was settled to its end.
    mutating func batchEnded() { self = RefusalWatch() }

    /// A piece of so many messages was refused: it is split, set aside or parked.
    ///
    /// One that the server refuses for now, and not for good, is never set aside.
    mutating func refused(_ records: Int, isFinal: Bool = true) -> DeliveryAction {
        if !isSearching { (isSearching, credit) = (true, 0) }
        if credit == 0 { refusals += 1 }
        if records > 1 { return .split }
        if credit > 0, isFinal {
            credit -= 1
            return .setAside
        }
        suspects += 1
        return .park(receipt: nil)
    }

    /// So many messages were parked since they could not be set aside; they come back only when nothing else
    /// is left.
    ///
    /// A success says nothing about the disk: if it brought them back, each success would have all of them
    /// refused again.
    mutating func kept(_ records: Int) { kept += records }

    /// The store has nothing to send but newer pieces; returns whether these were not asked for yet.
    mutating func forceProbe() -> Bool {
        guard isUnproven, !wantsProbe else { return false }
        isProbeForced = true
        return true
    }

    /// Everything is on hold; with `startsOver` all parked messages come back.
    mutating func held(startsOver: Bool) {
        if startsOver { (suspects, kept) = (0, 0) }
        (isSuspicious, isProbeForced, refusals) = (true, false, 0)
    }
}
