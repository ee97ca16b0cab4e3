import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct StatusPolicyTests {
    static let standard: [(Int, StatusAction)] =
        [200, 201, 202, 204, 207, 299].map { ($0, .deliver) }
        + ([408, 425, 429, 500, 502, 503, 504, 507, 509] + Array(520...529)).map { ($0, .retry) }
        + [(413, .split), (400, .isolate), (422, .isolate), (401, .authorize), (403, .authorize)]
        + [
            100, 300, 301, 302, 303, 304, 307, 308, 404, 405, 407, 410, 411, 415, 431, 501, 505, 511, 530,
            599, 0,
        ]
        .map { ($0, .hold) }

    @Test("Every status has the action that the policy's table names", arguments: standard)
    func table(status: Int, action: StatusAction) {
        #expect(StatusPolicy.standard.action(for: status) == action)
    }

    @Test(
        "Targets with rules of their own keep to them",
        arguments: [
            (StatusPolicy.otlp, 500, StatusAction.reject), (.otlp, 502, .retry), (.otlp, 429, .retry),
            (.otlp, 408, .hold), (.otlp, 400, .isolate), (.otlp, 413, .split),
            (.loki, 400, .isolate), (.loki, 260, .hold), (.loki, 204, .deliver), (.loki, 500, .retry),
            (.swiftyBeaver, 200, .deliver), (.swiftyBeaver, 204, .retry), (.swiftyBeaver, 404, .retry),
            (.swiftyBeaver, 401, .authorize), (.journal, 417, .reject), (.journal, 415, .hold),
            (.journal, 503, .retry), (.journal, 202, .deliver),
        ])
    func targets(policy: StatusPolicy, status: Int, action: StatusAction) {
        #expect(policy.action(for: status) == action)
    }
}

@Suite(.inTurn) struct StandardRetryPolicyTests {
    private let policy = StandardRetryPolicy()

    @Test(
        "The ceiling doubles from 1 s to 5 min",
        arguments: [
            (0, 1.0), (1, 1), (2, 2), (3, 4), (4, 8), (9, 256), (10, 300), (11, 300), (1000, 300),
            (.max, 300),
        ])
    func ceiling(failures: Int, seconds: Double) {
        #expect(Backoff().ceiling(failures: failures) == .seconds(seconds))
    }

    @Test(
        "The pause is drawn from nothing to the ceiling", arguments: [(0.0, 0.0), (0.5, 4), (0.999, 7.992)])
    func jitter(random: Double, seconds: Double) throws {
        let failure = DeliveryFailure(cause: .status(503), action: .retry, consecutiveFailures: 4)
        guard case .retry(let pause) = policy.decide(after: failure, random: random) else {
            throw LogError(.setting, "not a retry")
        }
        #expect(abs(pause / .seconds(1) - seconds) < 1e-9)
    }

    @Test(
        "What the server asks for is kept to, between 1 s and 1 h, with up to a tenth more",
        arguments: [
            (Duration.seconds(0), 0.0, 1.0), (.seconds(30), 0, 30), (.seconds(30), 0.5, 31.5),
            (.seconds(1_000_000_000), 0, 3600), (.milliseconds(1500), 0, 1.5),
        ])
    func retryAfter(asked: Duration, random: Double, seconds: Double) {
        let failure = DeliveryFailure(
            cause: .status(429), action: .retry, retryAfter: asked, consecutiveFailures: 1)
        #expect(policy.decide(after: failure, random: random) == .retry(after: .seconds(seconds)))
    }

    @Test(
        "A server that asks for no wait, or for a short one, gets no attempt before the back-off is over",
        arguments: [
            (Duration.zero, 4, 4.0), (.seconds(2), 4, 4.0), (.seconds(5), 4, 5.25), (.zero, 20, 150),
        ])
    func larger(asked: Duration, failures: Int, seconds: Double) {
        let failure = DeliveryFailure(
            cause: .status(503), action: .retry, retryAfter: asked, consecutiveFailures: failures)
        #expect(policy.decide(after: failure, random: 0.5) == .retry(after: .seconds(seconds)))
    }

    @Test(
        "Each action has its decision",
        arguments: [
            (StatusAction.split, RetryDecision.split), (.isolate, .isolate), (.reject, .reject),
            (.hold, .hold(.seconds(300))), (.authorize, .refreshAuthorization),
            (.retry, .retry(after: .zero)),
        ])
    func actions(action: StatusAction, decision: RetryDecision) {
        #expect(
            policy.decide(after: DeliveryFailure(cause: .status(1), action: action), random: 0) == decision)
    }

    @Test(
        "A hold is as long as the server asks for, if that is longer",
        arguments: [(0, 300), (30, 300), (900, 900)])
    func askedHold(asked: Int, seconds: Int) {
        let failure = DeliveryFailure(cause: .status(404), action: .hold, retryAfter: .seconds(asked))
        #expect(policy.decide(after: failure, random: 0) == .hold(.seconds(seconds)))
    }

    @Test("New credentials are asked for once, then the sending is held") func authorization() {
        let failure = DeliveryFailure(
            cause: .status(401), action: .authorize, hasRefreshedAuthorization: true)
        #expect(policy.decide(after: failure, random: 0) == .hold(.seconds(300)))
    }

    @Test(
        "An interrupted line is tried again, a wrong certificate is held",
        arguments: [
            (HTTPTransportError.Reason.timedOut, true), (.connectionLost, true), (.cannotResolve, true),
            (.cannotConnect, true), (.unusableAnswer, true), (.certificateExpired, false),
            (.certificateForOtherHost, false), (.certificateUntrusted, false),
            (.clientCertificateNeeded, false), (.publicKeyNotPinned, false), (.secureProtocol, false),
            (.insecureConnectionRefused, false), (.proxyRefused, false),
        ])
    func transport(reason: HTTPTransportError.Reason, isTransient: Bool) {
        let failure = DeliveryFailure(cause: .transport(HTTPTransportError(reason, "")), action: .retry)
        let expected: RetryDecision = isTransient ? .retry(after: .zero) : .hold(.seconds(300))
        #expect(policy.decide(after: failure, random: 0) == expected)
    }
}

@Suite(.inTurn) struct ScroogeRetryPolicyTests {
    @Test(
        "Scrooge's rule, row by row",
        arguments: [
            (DeliveryFailure.Cause.status(404), 1, RetryDecision.retryAtNextInterval),
            (.status(500), 2, .retryAtNextInterval), (.status(502), 3, .dropOldest(50)),
            (.status(503), 4, .dropOldest(50)), (.status(401), 1, .dropOldest(50)),
            (.status(504), 1, .dropOldest(50)),
            (.transport(HTTPTransportError(.timedOut, "")), 1, .dropOldest(50)),
            (.transport(HTTPTransportError(.cannotConnect, "")), 9, .retryAtNextInterval),
            (.transport(HTTPTransportError(.proxyRefused, "")), 9, .retryAtNextInterval),
        ])
    func rule(cause: DeliveryFailure.Cause, answers: Int, decision: RetryDecision) {
        let failure = DeliveryFailure(
            cause: cause, action: .retry, consecutiveFailures: 9, consecutiveAnswers: answers)
        #expect(ScroogeRetryPolicy().decide(after: failure, random: 0.5) == decision)
    }
}

@Suite(.inTurn) struct RetryAfterTests {
    private let now = LogTimestamp(nanoseconds: 784_111_777_000_000_000)  // 1994-11-06 08:49:37

    @Test(
        "Seconds and dates are understood, nonsense is not",
        arguments: [
            ("0", Duration.zero), ("120", .seconds(120)), (" 7 ", .seconds(7)),
            ("99999999999999999999", .seconds(3_155_760_000)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)), ("Sunday, 06-Nov-94 08:50:37 GMT", .seconds(60)),
            ("Sun Nov  6 08:50:37 1994", .seconds(60)), ("Sun, 06 Nov 1994 08:00:00 GMT", .zero),
            ("Sun 06 Nov 1994 08:50:37 GMT", .seconds(60)), ("Sun, 99 Nov 9999 08:50:37 GMT", nil),
            ("Sun, 06 Nov 9999 99:50:37 GMT", nil),
            ("Mon, 07 Nov 1994 08:49:37 GMT", .seconds(86_400)), ("", nil), ("-1", nil), ("1.5", nil),
            ("soon", nil), ("Sun, 06 Foo 1994 08:50:37 GMT", nil), ("Sun, 06 Nov 1994 25:50:37 GMT", nil),
            ("Sun, 99 Nov 1994 08:50:37 GMT", nil),
            ("Sun, 06 Nov 9994 08:50:37 GMT", .nanoseconds(Int64.max - 784_111_777_000_000_000)), ("١٢", nil),
        ])
    func parse(text: String, expected: Duration?) {
        #expect(RetryAfter.parse(text, now: now) == expected)
    }

    @Test("Leap days are counted") func leap() {
        #expect(RetryAfter.date("Thu, 29 Feb 2024 00:00:00 GMT")?.nanoseconds == 1_709_164_800_000_000_000)
        #expect(RetryAfter.date("Sat, 01 Mar 2025 00:00:00 GMT")?.nanoseconds == 1_740_787_200_000_000_000)
    }
}

@Suite(.inTurn) struct CircuitBreakerTests {
    @Test("It opens at the threshold, lets one try after its time, and closes with a success") func cycle() {
        var breaker = CircuitBreaker(threshold: 3, openTime: .seconds(30))
        breaker.failed(at: .seconds(0))
        breaker.failed(at: .seconds(1))
        #expect(breaker.state(at: .seconds(1)) == .closed)
        breaker.failed(at: .seconds(2))
        #expect(breaker.state(at: .seconds(2)) == .open(until: .seconds(32)))
        #expect(!breaker.allows(at: .seconds(31)))
        #expect(breaker.state(at: .seconds(32)) == .halfOpen)
        #expect(breaker.allows(at: .seconds(32)))
        breaker.failed(at: .seconds(33))
        #expect(!breaker.allows(at: .seconds(34)))
        breaker.succeeded()
        #expect(breaker.state(at: .seconds(34)) == .closed)
        breaker.failed(at: .seconds(35))
        #expect(breaker.allows(at: .seconds(35)))
    }
}
