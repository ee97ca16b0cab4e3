import Foundation
import Heartwood
import HeartwoodConfiguration
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite("HTTP loggers of configurations", .inTurn)
struct HTTPConfigurationTests {
    init() { LogConfiguration.register(.http) }

    @Test("A logger is made with its settings, and moved to another server without losing what is stored")
    func moves() async throws {
        let (first, second) = (
            try LoopbackServer { _ in .status(503) }, try LoopbackServer { _ in .status(200) }
        )
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        setenv("HEARTWOOD_TEST_TOKEN", "s3cr3t", 1)
        let directory = try TemporaryDirectory()
        var configuration: LogConfiguration = [
            "loggers": [
                "remote": [
                    "kind": "http", "url": "\(first.address)",
                    "encoding": ["kind": "json", "wrappingKey": "logs"],
                    "headers": [
                        "X-Team": "core",
                        "X-Key": ["prefix": "k ", "secret": ["environment": "HEARTWOOD_TEST_TOKEN"]],
                    ],
                    "authorization": ["bearer": ["environment": "HEARTWOOD_TEST_TOKEN"]],
                    "spool": "\(directory.path)/spool", "sendInterval": "1h", "pointThreshold": 1,
                    "level": "error",
                    "jitter": 0, "requestTimeout": "20s", "spoolLimit": "1 MiB", "flushWait": "0s",
                ]
            ]
        ]
        try configuration.apply(to: dispatcher)
        let remote = try #require(dispatcher.configuredLogger(named: "remote") as? HTTPLogger)
        #expect(remote.sendInterval == .seconds(3600))
        #expect(remote.requestTimeout == .seconds(20))
        #expect(remote.spoolSettings.maximumBytes == .mebibytes(1))
        #expect(remote.pointThreshold == 1)
        logError("one", to: dispatcher)
        await dispatcher.flush(timeout: .testLimit)
        await remote.figures { $0.requests >= 1 }
        #expect(first.requests.first?.headers["X-Team"] == "core")
        #expect(first.requests.first?.headers["X-Key"] == "k s3cr3t")
        #expect(first.requests.first?.headers["Authorization"] == "Bearer s3cr3t")

        configuration["loggers", "remote", "url"] = "\(second.address)"
        configuration["loggers", "remote", "headers"] = nil
        try configuration.apply(to: dispatcher)
        #expect(dispatcher.configuredLogger(named: "remote") === remote)
        remote.sendNow()
        await remote.figures { $0.acknowledged >= 1 }
        #expect(second.requests.last?.headers["X-Team"] == nil)
        #expect(second.requests.last?.headers["Authorization"] == "Bearer s3cr3t")
        let body = String(decoding: second.requests.last?.body ?? [], as: UTF8.self)
        #expect(body.hasPrefix("{\"logs\":[") && body.contains("\"one\""))
        dispatcher.removeAll()
    }

    @Test("What an earlier run left goes out with the configured credentials, from the first request on")
    func credentialsAtRestart() async throws {
        setenv("HEARTWOOD_RESTART_TOKEN", "s3cr3t", 1)
        let directory = try TemporaryDirectory()
        let server = try LoopbackServer { request in
            request.headers["Authorization"] == "Bearer s3cr3t" ? .ok : .status(401)
        }
        for run in 0..<3 {
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.handler = { _ in }
            let address = run == 0 ? "http://127.0.0.1:1" : server.address
            let configuration: LogConfiguration = [
                "loggers": [
                    "remote": [
                        "kind": "http", "url": "\(address)", "encoding": "ndjson",
                        "spool": "\(directory.path)/spool", "exitWait": "0s", "compressionLevel": 6,
                        "authorization": ["bearer": ["environment": "HEARTWOOD_RESTART_TOKEN"]],
                    ]
                ]
            ]
            try configuration.apply(to: dispatcher)
            let remote = try #require(dispatcher.configuredLogger(named: "remote") as? HTTPLogger)
            for number in 0..<400 { logInfo("run \(run) line \(number)", to: dispatcher) }
            await dispatcher.flush(timeout: .testLimit)
            if run > 0 { #expect(await remote.deliver(timeout: .testLimit)) }
            dispatcher.removeAll()
        }
        #expect(server.requests.count >= 4)
        #expect(server.requests.allSatisfy { $0.headers["Authorization"] == "Bearer s3cr3t" })
    }

    @Test("Facts, points, retries and acknowledgements can be set from a file")
    func furtherSettings() throws {
        let dispatcher = LogDispatcher()
        dispatcher.diagnostics.handler = { _ in }
        let configuration: LogConfiguration = [
            "loggers": [
                "remote": [
                    "kind": "http", "url": "https://a.example",
                    "encoding": ["kind": "splunk", "channel": "c"],
                    "levelWeights": ["warning": 4, "error": 9], "deviceFacts": ["system", "app"],
                    "appVersion": "1.2", "appBuild": 34, "retryPolicy": "scrooge",
                    "acknowledgementTimeout": "2m",
                ]
            ]
        ]
        try configuration.apply(to: dispatcher)
        let remote = try #require(dispatcher.configuredLogger(named: "remote") as? HTTPLogger)
        #expect(remote.levelWeights == LevelWeights([.warning: 4, .error: 9]))
        #expect(remote.deviceFacts == [.system, .app])
        #expect(remote.deviceDictionary["appVersion"] == "1.2" && remote.deviceDictionary["appBuild"] == 34)
        #expect(remote.retryPolicy is ScroogeRetryPolicy)
        #expect(remote.acknowledgementTimeout == .seconds(120))
        dispatcher.removeAll()
    }

    @Test(
        "Mistakes are told with their places",
        arguments: [
            (
                #""url": "https://a.example""#,
                "x:1:2: loggers.r: missing setting “encoding”; use json, ndjson or an object with “kind”"
            ),
            (
                #""encoding": "json", "url": "ftp://a.example""#,
                "loggers.r.url: the address must start with https:// or http:// [ftp://a.example]"
            ),
            (#""encoding": "json", "url": "http://a.example""#, "allowsInsecureHTTP"),
            (
                #""encoding": "jsno", "url": "https://a.example""#,
                "loggers.r.encoding: “jsno” is not a valid choice; did you mean “json”?"
            ),
            (
                #""encoding": {"kind": "otlp"}, "url": "https://a.example""#,
                "loggers.r.encoding: missing setting “service”; use a string in double quotes"
            ),
            (
                #""encoding": "json", "url": "https://a.example", "authorization": {"bearer": "token"}"#,
                "loggers.r.authorization.bearer: a configuration must not contain a secret; use {\"environment\": \"NAME\"} or {\"file\": \"PATH\"}"
            ),
            (
                #""encoding": "json", "url": "https://a.example", "headers": {"a b": "c"}"#,
                "loggers.r.headers.a b: “a b” is not a valid header field name"
            ),
            (
                #""encoding": "json", "url": "https://a.example", "sendIntervall": 3"#,
                "loggers.r: unknown setting “sendIntervall”: did you mean “sendInterval”?"
            ),
        ])
    func mistakes(settings: String, message: String) {
        let error = #expect(throws: LogConfigurationError.self) {
            try LogConfiguration(
                parsing: "{\"loggers\": {\"r\": {\"kind\": \"http\", \(settings)}}}", name: "x"
            ).check()
        }
        #expect(error?.problems.count == 1)
        #expect(
            error?.description.contains(message.replacing("x:1:2: ", with: "")) == true,
            "\(error.map { "\($0)" } ?? "")")
    }

    @Test("An address that cannot be used leaves the one before")
    func address() throws {
        let logger = try HTTPLogger("https://a.example")
        #expect(throws: LogError.self) { try logger.setAddress("http://b.example") }
        #expect(logger.endpoint.description == "https://a.example/")
        try logger.setAddress("https://b.example/x")
        #expect(logger.endpoint.description == "https://b.example/x")
    }
}
