import Heartwood

/// Decides everything about delivery: events go in with the time, actions come out.
///
/// It has no clock, queue, disk or network. Its invariants, which the simulation checks at every step:
///
/// 1. Nothing is sent before ``DeliveryEvent/added(atFirstUse:)`` and after ``DeliveryEvent/closing``.
/// 2. One attempt is in flight at a time.
/// 3. After a failed attempt nothing is sent before time has passed, but for the halves of a refused piece,
///    and those only as long as ``RefusalWatch`` allows.
/// 4. A message is removed, set aside or dropped only by an action that says so.
/// 5. Each call ends with exactly one of: an attempt under way, a time to come back at, or rest.
struct DeliveryEngine: Sendable {
    /// How long a store that begins with its first use waits for that.
    static let grace = Duration.seconds(1)
    /// How long everything stays when a server refuses every message.
    static let refusalPause = Duration.seconds(300)
    /// The shortest pause after a failed attempt, whatever a policy says.
    static let shortestPause = Duration.milliseconds(100)

    private enum Phase: Sendable {
        case detached, idle, asking, sending, settling, refreshing
    }

    /// What follows once the store has settled what an answer said.
    private enum NextStep: Equatable, Sendable {
        case proceed
        case newRound
        case pause(until: Duration)
        case nextInterval
        case hold
        case refresh
    }

    private var rules: DeliveryRules
    private var phase = Phase.detached
    private var isClosing = false
    /// With ``DeliveryEvent/added(atFirstUse:)`` when to start; nil: it has started.
    private var beginning: Duration?
    private var pace = SendingPace()
    private var failures = FailureRecord()
    private var refusals = RefusalWatch()
    private var receipts = ReceiptLedger()
    /// Whether every message was tried and refused: after the pause all of them come back.
    private var comesBack = false
    /// Whether the store has nothing to send until something is confirmed.
    private var isBlocked = false
    private var isConnected: Bool?
    private var isAllowed = false
    private var deadline: Duration?
    private var began = Duration.zero
    private var lastExchange = Duration.zero
    /// How many messages the answer at hand settles, and what follows then.
    private var settled = 0
    private var nextStep = NextStep.proceed
    /// Until when the server that gave the last answer wants no requests; nil: it did not say.
    private var askedUntil: Duration?
    private var actions: [DeliveryAction] = []

    /// Makes an engine that sends nothing yet.
    init(_ rules: DeliveryRules) { self.rules = rules }

    /// Whether an attempt is under way.
    var isBusy: Bool { phase != .detached && phase != .idle }

    /// Whether a process that ends has something to wait for: an attempt, or the confirmation of one.
    var isAwaited: Bool { isBusy || deadline != nil && !receipts.isEmpty && reachesServer }

    /// Takes an event, and returns what is to be done.
    mutating func handle(_ event: DeliveryEvent, _ moment: DeliveryMoment) -> [DeliveryAction] {
        actions = []
        if !moment.hasOpenBatch { refusals.batchEnded() }
        apply(event, moment)
        // What the actions settle must be seen before anything is decided.
        if actions.contains(where: \.changesStore) || phase == .settling {
            actions.append(.look)
        } else {
            proceed(moment)
        }
        return actions
    }

    private mutating func apply(_ event: DeliveryEvent, _ moment: DeliveryMoment) {
        switch event {
        case .added(let atFirstUse):
            (phase, isClosing, deadline) = (.idle, false, nil)
            beginning = atFirstUse ? moment.now + Self.grace : nil
            pace.beginRound(of: moment.waiting)
        case .closing: isClosing = true
        case .removed: detach()
        case .ending(let until):
            beginning = nil
            deadline = until
            receipts.hurry(at: moment.now)
            pace.beginRound(of: moment.waiting)
        case .stored(let points):
            beginning = nil
            pace.stored(points: points, moment, rules)
        case .timer: break
        case .rules(let new): change(to: new, moment)
        case .network(let isThere):
            if isThere, isConnected == false { sendEarly(moment) }
            isConnected = isThere
        case .sendNow, .flush:
            beginning = nil
            if case .sendNow = event { sendEarly(moment) } else { pace.beginRound(of: moment.waiting) }
        case .credentialsChanged:
            pace.endPause()
            pace.beginRound(of: moment.waiting)
        case .condition(let allows):
            guard phase == .asking else { return }
            phase = .idle
            isAllowed = allows
            if !allows { pace.leaveToInterval(moment, rules) }
        case .empty: nothingToSend(moment)
        case .answered(let answer): if phase == .sending { conclude(answer, moment) }
        case .refreshed: if phase == .refreshing { phase = .idle }
        case .acknowledged(let confirmed): polled(confirmed ?? [], moment)
        case .looked: looked(moment)
        case .setAsideFailed(let records):
            actions.append(.keep)
            settled = max(0, settled - records)
            refusals.kept(records)
        case .discarded: forgetPieces()
        }
    }

    /// The store has unparked all pieces.
    private mutating func forgetPieces() {
        refusals.batchEnded()
        receipts.removeAll()
    }

    private mutating func detach() {
        phase = .detached
        pace.endRound()
        comesBack = false
        refusals = RefusalWatch()
        receipts = ReceiptLedger()
        deadline = nil
    }

    private mutating func change(to new: DeliveryRules, _ moment: DeliveryMoment) {
        let old = rules
        rules = new
        if new.interval != old.interval || new.jitter != old.jitter { pace.intervalChanged(moment, new) }
        if new.isInBackground != old.isInBackground { pace.beginRound(of: moment.waiting) }
        if beginning != nil { beginning = moment.now + Self.grace }
    }

    /// Begins a round, and ends a pause unless the breaker is open.
    private mutating func sendEarly(_ moment: DeliveryMoment) {
        if failures.allowsAttempt(at: moment.now) { pace.endPause() }
        pace.beginRound(of: moment.waiting)
    }

    // MARK: - Sending

    private mutating func proceed(_ moment: DeliveryMoment) {
        guard phase != .detached, !isClosing else { return actions.append(.rest) }
        poll(moment)
        guard phase == .idle else { return }
        if let beginning, moment.now < beginning, moment.waiting > 0 {
            return actions.append(.wait(until: beginning))
        }
        beginning = nil
        let time = nextRequest(moment)
        if time == moment.now { return begin(moment) }
        let poll = reachesServer ? receipts.pollTime : nil
        actions.append([time, poll].compactMap(\.self).min().map { .wait(until: $0) } ?? .rest)
    }

    private var reachesServer: Bool { !rules.isPaused && (rules.isLoopback || isConnected != false) }

    /// How many messages are pending and not parked.
    private func sendable(_ moment: DeliveryMoment) -> Int {
        max(0, moment.waiting - refusals.parked - receipts.records)
    }

    /// When the next request goes out: now or later; nil: not before something happens.
    private mutating func nextRequest(_ moment: DeliveryMoment) -> Duration? {
        if isBlocked, !receipts.isEmpty { return nil }
        isBlocked = false
        // Nothing else is left to find out whether the messages are bad or the server.
        if sendable(moment) == 0, refusals.parked > 0 { startOver(moment) }
        bringBack(moment)
        let waiting = comesBack ? moment.waiting : sendable(moment)
        guard let time = pace.nextRequest(waiting, moment, rules), reachesServer else { return nil }
        guard time == moment.now else { return time }
        // At the end of the process only what the wait suffices for is started.
        let isTooLate = deadline.map { moment.now + lastExchange > $0 } ?? false
        return receipts.isFull || isTooLate ? nil : time
    }

    private mutating func begin(_ moment: DeliveryMoment) {
        if rules.sendCondition != nil && !isAllowed {
            phase = .asking
            return actions.append(.askCondition)
        }
        isAllowed = false
        phase = .sending
        began = moment.now
        pace.began()
        actions.append(
            .send(
                maximumCount: min(rules.maximumMessagesPerRequest.limit ?? .max, failures.width ?? .max),
                probe: refusals.wantsProbe))
    }

    private mutating func nothingToSend(_ moment: DeliveryMoment) {
        guard phase == .sending else { return }
        phase = .idle
        if refusals.parked > 0 {
            if !refusals.forceProbe() { startOver(moment) }
            return
        }
        if !receipts.isEmpty { return isBlocked = true }
        // It cannot be read now, or is parked: it is looked at again at the next interval.
        if moment.waiting > 0 { pace.leaveToInterval(moment, rules) }
    }

    // MARK: - Conclusions

    private mutating func conclude(_ answer: DeliveryAnswer, _ moment: DeliveryMoment) {
        phase = .settling
        lastExchange = moment.now - began
        settled = answer.delivered + answer.refused + answer.unreadable
        (nextStep, askedUntil) = (.proceed, nil)
        let open = answer.records - answer.delivered - answer.refused
        var unparks = false
        if answer.delivered > 0 {
            failures.accepted(whole: false)
            unparks = refusals.accepted()
        }
        switch answer.outcome {
        case .nothingReadable: break
        case .tooLarge: actions.append(.split)
        case .accepted, .received:
            if answer.refused > 0, answer.refused == answer.records {
                settled = answer.unreadable
                refuse(answer.records)
            } else {
                unparks = refusals.accepted() || unparks
                succeed(answer, moment)
            }
        case .failed(let cause, let action, let retryAfter):
            if answer.delivered + answer.refused > 0 { actions.append(.settleItems) }
            let failure = failures.failed(
                cause, action, retryAfter: retryAfter, canRefresh: rules.refreshAuthorization != nil,
                at: moment.now)
            act(rules.retryPolicy.decide(after: failure, random: moment.random), failure, open, moment)
        }
        // The piece at hand is settled first: a store may change its place when pieces come back.
        if unparks { actions.append(.unpark(andKept: false)) }
    }

    private mutating func succeed(_ answer: DeliveryAnswer, _ moment: DeliveryMoment) {
        failures.accepted(whole: true)
        failures.passed(answer.records, limit: rules.maximumMessagesPerRequest.limit)
        settled = answer.records + answer.unreadable
        if answer.delivered + answer.refused > 0 {
            actions.append(.settleItems)
        } else if case .received(let receipt) = answer.outcome {
            // A server that has forgotten its receipts begins with the same ones: the older piece was lost
            // there.
            if receipts.add(receipt, answer.records, at: moment.now) { actions.append(.resend([receipt])) }
            actions.append(.park(receipt: receipt))
        } else {
            actions.append(.complete)
        }
    }

    private mutating func act(
        _ decision: RetryDecision, _ failure: DeliveryFailure, _ open: Int, _ moment: DeliveryMoment
    ) {
        switch decision {
        case .retry(let delay):
            repeatLater(failure, open)
            pauseLater(delay, failure, moment)
        case .retryAtNextInterval,
            .refreshAuthorization where failure.hasRefreshedAuthorization:
            // New credentials were refused, or there is no way to get any: asking again at once would flood
            // the server and the hook.
            repeatLater(failure, open)
            nextStep = .nextInterval
        case .split where failure.retryAfter != nil: refuseForNow(open, failure, moment)
        case .split, .isolate: refuse(open)
        case .reject:
            actions.append(.setAside)
            settled += open
            if failures.rejectedBatch() { nextStep = .hold }
        case .hold(let delay):
            actions.append(.report(.held(failure.cause)))
            pauseLater(delay, failure, moment)
        case .refreshAuthorization:
            failures.refreshed()
            nextStep = .refresh
        case .dropOldest(let count):
            nextStep = .nextInterval
            if rules.neverDrops { return actions.append(.report(.keptInsteadOfDropped)) }
            actions.append(.dropOldest(count))
            forgetPieces()
            failures.answeredAboutData()
        }
    }

    /// Sends the piece again, in halves if the network or a proxy cut the request off: the whole would be cut
    /// off again.
    ///
    /// Since the server cannot have the whole, its halves may go under keys of their own.
    private mutating func repeatLater(_ failure: DeliveryFailure, _ open: Int) {
        actions.append(.countRetry)
        guard case .transport(let error) = failure.cause, error.isRequestCut else { return }
        failures.brokeOff(open)
        if open > 1 { actions.append(.split) }
    }

    /// The server finds the piece too large at the moment, and names a time for the next attempt.
    ///
    /// Nothing is sent until then. A smaller piece may be taken nevertheless, so a large one is split. A
    /// single message is sent again, and passed by only after ``FailureRecord/patience`` of such answers in a
    /// row: a server that answers so forever must not hold up the others. It is never set aside.
    private mutating func refuseForNow(_ open: Int, _ failure: DeliveryFailure, _ moment: DeliveryMoment) {
        var waiting = failure
        waiting.action = .retry
        let decision = rules.retryPolicy.decide(after: waiting, random: moment.random)
        guard case .retry(let delay) = decision else { return refuse(open) }
        if open == 1, failures.isPatient {
            actions.append(.countRetry)
        } else {
            refuse(open, isFinal: false)
        }
        let isHeld = nextStep == .hold
        pauseLater(delay, failure, moment)
        if isHeld { nextStep = .hold }
    }

    /// Pauses once the answer is settled; at least as long as the server has asked for, and the policy allows
    /// it to.
    private mutating func pauseLater(
        _ delay: Duration, _ failure: DeliveryFailure, _ moment: DeliveryMoment
    ) {
        let delay = max(delay, Self.shortestPause)
        askedUntil = failure.retryAfter.map { moment.now + min($0, delay) }
        nextStep = .pause(until: moment.now + delay)
    }

    private mutating func refuse(_ open: Int, isFinal: Bool = true) {
        failures.answeredAboutData()
        // Nothing of it is left to be refused.
        guard open > 0 else { return }
        let action = refusals.refused(open, isFinal: isFinal)
        actions.append(action)
        if action == .setAside { settled += open }
        if action == .park(receipt: nil) { nextStep = .newRound }
        if refusals.isEnough { nextStep = .hold }
    }

    /// The store has settled what was said.
    private mutating func looked(_ moment: DeliveryMoment) {
        guard phase == .settling else { return }
        phase = .idle
        pace.ended(settling: settled, moment, rules)
        switch nextStep {
        case .proceed: break
        case .newRound: pace.beginRound(of: moment.waiting)
        case .pause(let time): pace.pause(until: time, bound: askedUntil)
        case .nextInterval: pace.leaveToInterval(moment, rules)
        case .hold: hold(moment)
        case .refresh:
            if isClosing { return }
            phase = .refreshing
            actions.append(.refreshAuthorization)
        }
    }

    /// Every message was tried and refused: all of them are tried again after a pause.
    ///
    /// They stay parked during the pause, so that a full store can take a new message in the place of a
    /// refused one.
    private mutating func startOver(_ moment: DeliveryMoment) {
        guard !comesBack else { return }
        comesBack = true
        hold(moment)
    }

    /// After the pause, or when the user has ended it, parked messages come back.
    private mutating func bringBack(_ moment: DeliveryMoment) {
        if refusals.parked == 0 { comesBack = false }
        guard comesBack, !pace.isPaused(at: moment.now) else { return }
        comesBack = false
        refusals.held(startsOver: true)
        actions.append(.unpark(andKept: true))
    }

    private mutating func hold(_ moment: DeliveryMoment) {
        actions.append(.report(.refusesEverything))
        refusals.held(startsOver: false)
        failures.refusedEverything(at: moment.now)
        pace.beginRound(of: moment.waiting)
        let end = moment.now + Self.refusalPause
        pace.pause(until: askedUntil.map { max($0, end) } ?? end, bound: askedUntil)
    }

    // MARK: - Acknowledgements

    private mutating func poll(_ moment: DeliveryMoment) {
        let late = receipts.expire(max(.seconds(1), rules.acknowledgementTimeout), at: moment.now)
        if !late.isEmpty {
            isBlocked = false
            actions += [.resend(late), .report(.unacknowledged(late.count))]
            pace.beginRound(of: moment.waiting)
        }
        guard reachesServer, let time = receipts.pollTime, time <= moment.now else { return }
        receipts.polling()
        actions.append(.poll(receipts.receipts))
    }

    private mutating func polled(_ confirmed: [String], _ moment: DeliveryMoment) {
        let (settled, _) = receipts.polled(confirmed, at: moment.now)
        guard !settled.isEmpty else { return }
        isBlocked = false
        actions.append(.confirm(settled))
    }
}
