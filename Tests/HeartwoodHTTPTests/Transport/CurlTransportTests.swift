#if os(Linux)
import Heartwood
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@Suite(.inTurn) struct CurlTransportTests {
    private func post(
        _ server: LoopbackServer, _ body: String = "hello", timeout: Duration = .seconds(10)
    ) throws -> HTTPRequest {
        HTTPRequest(
            endpoint: try HTTPEndpoint(server.address + "/in"), headers: ["Content-Type": "text/plain"],
            body: Array(body.utf8), timeout: timeout)
    }

    @Test("A request arrives as it was written, and the answer comes back") func exchange() async throws {
        let server = try LoopbackServer(answers: [.status(202, headers: ["X-Kind": " a b "], body: "taken")])
        let response = try await CurlTransport().send(
            try post(server).with(header: "X-Empty", "").with(header: "X-One", "1"))
        #expect(response.status == 202)
        #expect(response.text == "taken")
        #expect(response.headers["x-kind"] == "a b")
        #expect(!response.isBodyCut)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/in")
        #expect(request.text == "hello")
        #expect(request.headers["content-type"] == "text/plain")
        #expect(request.headers["x-one"] == "1")
        #expect(request.headers["x-empty"] == "")
        #expect(request.headers["accept-encoding"] == "identity")
        #expect(request.headers["cookie"] == nil)
    }

    @Test("Methods and empty bodies are sent as they are", arguments: ["GET", "PUT", "POST", "DELETE"])
    func methods(method: String) async throws {
        let server = try LoopbackServer()
        let request = HTTPRequest(method: method, endpoint: try HTTPEndpoint(server.address))
        #expect(try await CurlTransport().send(request).status == 200)
        #expect(server.requests.first?.method == method)
        #expect(server.requests.first?.headers["content-type"] == nil)
    }

    @Test("One connection serves many requests") func reuse() async throws {
        let server = try LoopbackServer()
        let transport = CurlTransport()
        let began = ContinuousClock.now
        for _ in 0..<5 { _ = try await transport.send(try post(server)) }
        #expect(server.requests.count == 5)
        // libcurl gives up a connection that nobody has used for two minutes, which a busy machine may make of it.
        #expect(server.connectionCount == 1 || ContinuousClock.now - began > .seconds(100))
    }

    @Test("A redirect is not followed") func redirect() async throws {
        let other = try LoopbackServer()
        let server = try LoopbackServer(answers: [.redirect(to: other.address + "/elsewhere")])
        let request = try post(server).with(header: "Authorization", "Basic c2VjcmV0")
        #expect(try await CurlTransport().send(request).status == 307)
        #expect(other.requests.isEmpty)
    }

    @Test(
        "Each way to fail has its reason",
        arguments: [
            (LoopbackAnswer.lost, HTTPTransportError.Reason.connectionLost),
            (.resetInAnswer, .connectionLost), (.shorterThanSaid, .connectionLost),
            (.resetWhileReading, .connectionLost), (.refused, .connectionLost),
            (.garbage, .unusableAnswer), (.endlessHeader, .unusableAnswer),
        ])
    func failures(answer: LoopbackAnswer, reason: HTTPTransportError.Reason) async throws {
        let server = try LoopbackServer(then: answer)
        let body = String(repeating: "x", count: 300_000)
        let error = await #expect(throws: HTTPTransportError.self) {
            try await CurlTransport().send(try post(server, body))
        }
        #expect(error?.reason == reason, "\(String(describing: error))")
        #expect(error?.isTransient == true)
    }

    @Test("A silent or trickling server is left when the time is over", arguments: [true, false])
    func deadline(isSilent: Bool) async throws {
        let server = try LoopbackServer(then: isSilent ? .silence : .trickle(every: .milliseconds(20)))
        let error = await #expect(throws: HTTPTransportError.self) {
            try await CurlTransport().send(try post(server, timeout: .milliseconds(300)))
        }
        #expect(error?.reason == .timedOut)
        #expect(error?.isRequestCut == false)
    }

    @Test("On a slow line a request takes its time as long as it moves") func slowLine() async throws {
        let server = try LoopbackServer(then: .ok.readSlowly(bytesPerSecond: 400_000))
        let body = String(repeating: "x", count: 1_000_000)
        let began = ContinuousClock.now
        let response = try await CurlTransport().send(try post(server, body, timeout: .milliseconds(800)))
        #expect(response.status == 200)
        #expect(server.requests.first?.body.count == body.utf8.count)
        #expect(ContinuousClock.now - began > .seconds(1))
    }

    @Test("A request that moves no more is ended, and known to be incomplete") func stuckLine() async throws {
        let server = try LoopbackServer(then: .ok.readSlowly(bytesPerSecond: 100))
        let body = String(repeating: "x", count: 1_000_000)
        let error = await #expect(throws: HTTPTransportError.self) {
            try await CurlTransport().send(try post(server, body, timeout: .milliseconds(500)))
        }
        #expect(error?.reason == .timedOut)
        #expect(error?.isRequestCut == true)
        #expect(error?.message.contains("the request has not moved for 0.5 seconds, with ") == true)
    }

    @Test(
        "The server never receives all of a request that counts as cut off, even if it reads on afterwards",
        arguments: [60_000, 100_000, 150_000, 300_000, 1_000_000])
    func cutForGood(size: Int) async throws {
        let isOver = Gate()
        let server = try LoopbackServer { request in
            // Asked for the first time before it reads the body.
            if request.body.isEmpty { isOver.pass() }
            return .ok
        }
        let body = String(repeating: "x", count: size)
        let transport = CurlTransport()
        let error = await #expect(throws: HTTPTransportError.self) {
            try await transport.send(try post(server, body, timeout: .milliseconds(300)))
        }
        isOver.open()
        await server.requests(reach: 1)
        let isCut = try #require(error).isRequestCut
        #expect(server.requests.map { $0.body.count == size } == [!isCut])
    }

    @Test("Of a huge answer 64 KiB are read, whatever it claims to be", arguments: [true, false])
    func huge(gzipped: Bool) async throws {
        let server = try LoopbackServer(then: .huge(bytes: 200_000_000, gzipped: gzipped))
        let response = try await CurlTransport().send(try post(server))
        #expect(response.status == 200)
        #expect(response.body.count == HTTPResponse.bodyLimit)
        #expect(response.isBodyCut)
    }

    @Test("A cancelled task ends its request and leaves the transport usable") func cancellation()
        async throws
    {
        let server = try LoopbackServer(answers: [.silence])
        let transport = CurlTransport()
        let request = try post(server, timeout: .seconds(60))
        let task = Task { try await transport.send(request) }
        await server.requests(reach: 1)
        task.cancel()
        let result = await task.result
        #expect(throws: HTTPTransportError(.cancelled, "the task was cancelled")) { try result.get() }
        #expect(try await transport.send(request).status == 200)
    }

    @Test("A task that was cancelled before it began sends nothing") func cancelledBefore() async throws {
        let server = try LoopbackServer()
        let request = try post(server)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await CurlTransport().send(request)
        }
        let result = await task.result
        #expect(throws: HTTPTransportError.self) { try result.get() }
        #expect(server.requests.isEmpty)
    }

    @Test("Many requests at once do not wait for each other") func concurrent() async throws {
        let server = try LoopbackServer { .ok.delayed(by: .milliseconds($0.text == "slow" ? 500 : 0)) }
        let transport = CurlTransport()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<20 {
                let request = try post(server, number == 0 ? "slow" : "quick")
                group.addTask { try await transport.send(request).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses == Array(repeating: 200, count: 20))
    }

    @Test("Nobody there and no such name are told apart") func unreachable() async throws {
        let server = try LoopbackServer()
        let address = server.address
        server.stop()
        let nobody = await #expect(throws: HTTPTransportError.self) {
            try await CurlTransport().send(HTTPRequest(endpoint: try HTTPEndpoint(address)))
        }
        #expect(nobody?.reason == .cannotConnect)
        let noName = await #expect(throws: HTTPTransportError.self) {
            try await CurlTransport().send(
                HTTPRequest(endpoint: try HTTPEndpoint("https://no-such-host.invalid")))
        }
        #expect(noName?.reason == .cannotResolve)
    }

    @Test(
        "Plain http to another machine, and fields that cannot be sent, are refused before anything is sent")
    func refusals() async throws {
        let far = HTTPRequest(endpoint: try HTTPEndpoint("http://192.0.2.1/"))
        let error = await #expect(throws: HTTPTransportError.self) { try await CurlTransport().send(far) }
        #expect(error?.reason == .insecureConnectionRefused)
        let server = try LoopbackServer()
        let forged = await #expect(throws: HTTPTransportError.self) {
            try await CurlTransport().send(try post(server).with(header: "X-A", "1\r\nX-B: 2"))
        }
        #expect(forged?.reason == .unusableRequest)
        #expect(server.requests.isEmpty)
    }
}
#endif
