import Heartwood
import HeartwoodTestSupport

@testable import HeartwoodHTTP

/// What is between a world's processes and its server: it carries requests, loses some, and looks at all of them.
struct SimulatedNetwork {
    /// What is known of the disk when a request goes out, as far as it says which requests may come.
    struct DiskHistory {
        var figures: SimulatedDisk.Figures
        var isPartitioned: Bool
        /// Whether settings or the user may have thrown messages away.
        var mayDrop: Bool

        /// Whether messages must come in their order, as far as the disk is asked.
        ///
        /// The others do not wait for a file that could not be read in ten attempts, and it may come back with the next
        /// process; so may what was dropped, where the cursor could not be told, or cannot be read.
        var keepsOrder: Bool { figures.reads < 10 && (!mayDrop || figures.cursorWrites == 0) }

        /// Whether the cursor was always written; that of a new partition needs room for a new file.
        var keepsCursor: Bool {
            figures.cursorWrites == 0 && figures.reads < 10 && !(isPartitioned && figures.longerWrites > 0)
        }
    }

    private(set) var server: SimulatedServer
    private(set) var requests = SimulatedRequests()
    private(set) var isConnected = true
    private var losesRequests = true
    /// The messages of the last request, and those whose request was cut off at the end of a process.
    private var inFlight: [Int] = []
    private(set) var cutOff: Set<Int> = []
    /// Until when the server wants no requests of this process.
    private var quietUntil = Duration.zero

    /// How many bytes a request carries in a second; nil: all at once.
    private(set) var rate: Int?
    /// Whether whoever is between ends each request that takes longer than 30 s, however well it moves.
    private var endsLongRequests = false

    init(_ server: SimulatedServer) { self.server = server }

    // MARK: What happens to it

    mutating func set(_ mode: SimulatedServer.Mode) { server.mode = mode }
    mutating func restartServer() { server.restart() }

    /// Something happened that may cause attempts.
    mutating func press(at now: Duration) { requests.press(at: now) }
    /// A process has started, or the logger was added again.
    mutating func start(at now: Duration) {
        requests.start(at: now)
        quietUntil = .zero
    }

    /// A process has got an answer, which may ask for a pause.
    mutating func note(_ response: HTTPResponse, at now: Duration, _ settings: SimulatedSettings) {
        guard settings.all.retryPolicy is StandardRetryPolicy,
            response.status == 413 || response.status == 429,
            let text = response.headers["Retry-After"], let seconds = Int(text)
        else { return }
        quietUntil = now + .seconds(seconds)
    }

    /// The line is another one from now on: 1 to 100,000 bytes a second.
    mutating func changeLine(_ random: inout SeededGenerator) {
        rate = [1, 3, 10, 100, 100_000][Int.random(in: 0..<5, using: &random)]
        endsLongRequests = Bool.random(using: &random)
    }

    /// The line is as fast as any.
    mutating func endSlowness() { rate = nil }

    mutating func connect(_ isThere: Bool, at now: Duration) {
        if isThere, !isConnected { press(at: now) }
        isConnected = isThere
    }

    /// It loses nothing any more, and the server takes every message from that number on.
    mutating func heal(from number: Int) {
        losesRequests = false
        isConnected = true
        server.mode = .accepts
        server.takeAll(from: number)
    }

    /// A process ended before the answer to its last request came.
    mutating func cutOffLast() { cutOff.formUnion(inFlight) }

    // MARK: Requests

    /// Looks at the messages of a request.
    ///
    /// - Throws: `SimulatedProblem` when a message has not the id that it had before.
    mutating func look(at entries: [RemoteEntry]) throws {
        if let problem = requests.inspect(entries) { throw SimulatedProblem(problem) }
    }

    /// Carries a request with these messages; returns what comes back, and when.
    ///
    /// - Throws: `SimulatedProblem` when there must be no such request.
    mutating func carry(
        _ request: HTTPRequest, _ numbers: [Int], at now: Duration, _ settings: SimulatedSettings,
        _ disk: DiskHistory, _ random: inout SeededGenerator
    ) throws -> SimulatedServer.Reply {
        inFlight = numbers
        let isOrderStrict = !server.hasRefused && disk.keepsOrder
        if let problem = requests.inspect(
            request, numbers, version: settings.version, isOrderStrict: isOrderStrict,
            isRepeatedAlike: isOrderStrict && !server.confirmsLater && disk.keepsCursor)
        {
            throw SimulatedProblem(problem)
        }
        if now < quietUntil { throw SimulatedProblem("a request before the time that the server asked for") }
        if settings.all.isPaused { throw SimulatedProblem("a request while paused") }
        if settings.all.sendCondition != nil {
            throw SimulatedProblem("a request in spite of the condition")
        }
        if losesRequests && Int.random(in: 0..<40, using: &random) == 0 || !isConnected {
            try countFailure(request, at: now, settings, isSearch: false)
            return SimulatedServer.Reply(
                delay: .milliseconds(1), result: .failure(HTTPTransportError(.cannotConnect, "")))
        }
        let way = rate.map { Duration.seconds(request.body.count) / $0 } ?? .zero
        if endsLongRequests, way > request.timeout {
            try countFailure(request, at: now, settings, isSearch: false)
            return SimulatedServer.Reply(
                delay: request.timeout,
                result: .failure(HTTPTransportError(.timedOut, "", isRequestCut: true)))
        }
        let before = server.taken.count
        var reply = server.answer(numbers, &random)
        reply.delay += way
        // What the server takes is bounded by what there is.
        let isTaken = server.taken.count > before || server.confirmsLater && server.mode == .accepts
        if isTaken {
            requests.countSuccess()
        } else {
            // What it had taken already, and says so, is settled by that; the same must not come again and again.
            let isSettled =
                if case .success(let response) = reply.result { response.status == 200 } else { false }
            try countFailure(
                request, at: now, settings,
                isSearch: isSettled && server.mode != .refusesItems || isSearch(numbers))
        }
        return reply
    }

    /// Whether a request with these messages is refused by a server that takes others.
    private func isSearch(_ numbers: [Int]) -> Bool {
        switch server.mode {
        case .tooLarge, .mixesItems: true
        case .losesThenSplits: numbers.allSatisfy(server.taken.contains)
        case .accepts, .isLate, .takesTwice: numbers.contains { server.bad.contains($0) }
        default: false
        }
    }

    private mutating func countFailure(
        _ request: HTTPRequest, at now: Duration, _ settings: SimulatedSettings, isSearch: Bool
    ) throws {
        if let problem = requests.countFailure(
            request, at: now, interval: settings.shortestInterval, isSearch: isSearch,
            isRefusal: server.mode == .refusesItems)
        {
            throw SimulatedProblem(problem)
        }
    }

    /// Carries a question about receipts; returns those that the server confirms, nil without a usable answer.
    ///
    /// - Throws: `SimulatedProblem` when there must be no such request.
    mutating func carry(question request: HTTPRequest, _ random: inout SeededGenerator) throws -> [String]? {
        guard request.headers["Authorization"] == "Bearer token" else {
            throw SimulatedProblem("a question without credentials")
        }
        return server.confirm(request, &random)
    }
}
