import Heartwood
import HeartwoodTestSupport

@testable import HeartwoodHTTP

/// The settings of a world's logger: how they begin, and how they change.
struct SimulatedSettings {
    /// How often the condition was asked, in all and since the world has looked.
    ///
    /// After many times in a row it says yes, so that a delivery that asks forever comes to an end and is found.
    private let asked = Locked((all: 0, inARow: 0))
    /// What every request must show: it changes with each change.
    private(set) var version = 0
    private(set) var all: DeliverySettings
    /// Those with which a logger is made: nothing of the program is set yet, its credentials neither.
    let bare: DeliverySettings
    /// The shortest interval that there was.
    private(set) var shortestInterval = Duration.seconds(60)
    /// Whether its policy and limits lose nothing.
    let keepsEverything: Bool

    static func makeBare(spool: SpoolSettings, neverDrops: Bool) throws -> DeliverySettings {
        var chosen = HTTPSettings(encoding: SimulatedEncoding(), spoolSettings: spool)
        chosen.deadLetterLimit = .mebibytes(64)
        return DeliverySettings(
            chosen: chosen, name: "world",
            address: try HTTPAddress("https://logs.example.com/in", allowsInsecureHTTP: false),
            transport: NoTransport(), flushWait: .zero, neverDrops: neverDrops)
    }

    init(neverDrops: Bool, hasSlowLine: Bool, _ random: inout SeededGenerator) throws {
        func dice(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }
        var spool = SpoolSettings()
        spool.segmentCount = [3, 20, 100_000][dice(3)]
        let isSmall = !neverDrops && dice(12) == 0
        if isSmall {
            spool.maximumBytes = .kibibytes([4, 16][dice(2)])
            spool.overflow = [.dropOldest, .dropNewest, .dropBelow(.error)][dice(3)]
        }
        let isAging = dice(12) == 0
        if isAging { spool.maximumAge = .seconds([300, 4000][dice(2)]) }
        bare = try Self.makeBare(spool: spool, neverDrops: neverDrops)
        all = bare
        all.maximumMessagesPerRequest = [1, 2, 3, 5, 8, 100, nil][dice(7)]
        if hasSlowLine { all.maximumMessagesPerRequest = nil }
        all.countThreshold = [nil, 2, 5, 300][dice(4)]
        all.sendInterval = .seconds([1, 10, 60][dice(3)])
        let canRefresh = dice(2) == 0
        all.acknowledgementTimeout = .seconds(120)
        if canRefresh {
            let refresh: @Sendable () async -> Void = {}
            all.refreshAuthorization = refresh
        }
        let policy = dice(8)
        if policy == 0 { all.retryPolicy = ScroogeRetryPolicy(dropCount: 4) }
        if policy == 1 { all.retryPolicy = NextIntervalPolicy() }
        keepsEverything = !isSmall && !isAging && (policy > 0 || neverDrops)
        all.decorators = Self.decorators(version)
        shortestInterval = all.sendInterval
    }

    private static func decorators(_ version: Int) -> [RequestDecorator] {
        [
            RequestDecorator { $0.with(header: "Authorization", "Bearer token") },
            RequestDecorator { $0.with(header: "X-Version", String(version)) },
        ]
    }

    /// The steps by which a program sets them, one property after the other, in any order.
    func steps(_ random: inout SeededGenerator) -> [DeliverySettings] {
        var changes: [(inout DeliverySettings) -> Void] = [
            { $0.retryPolicy = all.retryPolicy },
            { $0.maximumMessagesPerRequest = all.maximumMessagesPerRequest },
            { $0.countThreshold = all.countThreshold },
            { $0.sendInterval = all.sendInterval },
            { $0.decorators = all.decorators },
            { $0.isPaused = all.isPaused },
            { $0.sendCondition = all.sendCondition },
        ]
        changes.shuffle(using: &random)
        var settings = bare
        var steps = changes.map { change in
            change(&settings)
            return settings
        }
        steps.append(all)
        return steps
    }

    /// Changes one of them.
    mutating func change(_ random: inout SeededGenerator) {
        func dice(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &random) }
        version += 1
        all.decorators = Self.decorators(version)
        switch dice(6) {
        case 0: all.isPaused.toggle()
        case 1: all.sendInterval = .seconds([1, 10, 60][dice(3)])
        case 2: all.countThreshold = [nil, 1, 4][dice(3)]
        case 3: all.isInBackground.toggle()
        case 4: setCondition(all.sendCondition == nil)
        default: all.maximumMessagesPerRequest = [1, 4, nil][dice(3)]
        }
        shortestInterval = min(shortestInterval, all.sendInterval)
    }

    /// How often the condition was asked in all; the next ones count as the first in a row.
    func takeQuestions() -> Int {
        asked.withLock { asked in
            asked.inARow = 0
            return asked.all
        }
    }

    private mutating func setCondition(_ isSet: Bool) {
        let asked = asked
        let never: @Sendable () -> Bool = {
            asked.withLock { asked in
                asked.all += 1
                asked.inARow += 1
                return asked.inARow > 500
            }
        }
        all.sendCondition = isSet ? never : nil
    }

    /// Nothing stops the delivery any more.
    mutating func heal() {
        version += 1
        all.decorators = Self.decorators(version)
        all.isPaused = false
        setCondition(false)
        all.retryPolicy = StandardRetryPolicy()
    }

    /// A policy that leaves every failure to the next interval.
    private struct NextIntervalPolicy: RetryPolicy {
        func decide(after failure: DeliveryFailure, random: Double) -> RetryDecision { .retryAtNextInterval }
    }

    private struct NoTransport: HTTPTransport {
        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            throw HTTPTransportError(.other, "")
        }
    }
}
