import Foundation
import Heartwood
import HeartwoodHTTP
import HeartwoodReading
import HeartwoodTestSupport
import Testing

// The code in the comments of the public declarations, word for word; `SampleTests` compares them.

func retryPolicySample() -> any RetryPolicy {
    // sample: Sources/HeartwoodHTTP/Retry/RetryPolicy.swift
    struct Patient: RetryPolicy {
        func decide(after failure: DeliveryFailure, random: Double) -> RetryDecision { .hold(.seconds(60)) }
    }
    // end
    return Patient()
}

func remoteSample() throws {
    // sample: Sources/HeartwoodHTTP/Upload/HTTPLogger.swift
    let remote = try HTTPLogger("https://logs.example.com/ingest", spool: "/var/lib/app/spool")
    remote.decorators = [.bearer(named: "LOG_TOKEN", from: EnvironmentSecrets())]
    LogDispatcher.shared.add(remote, levels: .notice)
    // end
}

func transportSample() -> any HTTPTransport {
    // sample: Sources/HeartwoodHTTP/Transport/HTTPTransport.swift
    struct Echo: HTTPTransport {
        func send(_ request: HTTPRequest) async throws(HTTPTransportError) -> HTTPResponse {
            HTTPResponse(status: 200, body: request.body)
        }
    }
    // end
    return Echo()
}

func connectivitySample() -> any ConnectivityMonitor {
    // sample: Sources/HeartwoodHTTP/Transport/HTTPTransport.swift
    final class Always: ConnectivityMonitor {
        func start(_ changed: @escaping @Sendable (Bool) -> Void) { changed(true) }
        func stop() {}
    }
    // end
    return Always()
}

func encodingSample() -> any RemoteEncoding {
    // sample: Sources/HeartwoodHTTP/Encodings/RemoteEncoding.swift
    struct Lines: RemoteEncoding {
        let contentType = "text/plain"
        func encode(_ batch: RemoteBatch) -> [UInt8] {
            Array(batch.entries.map(\.text).joined(separator: "\n").utf8)
        }
    }
    // end
    return Lines()
}

func decoratorSample(_ logger: HTTPLogger) {
    // sample: Sources/HeartwoodHTTP/Requests/RequestDecorator.swift
    logger.decorators = [.bearer(named: "LOG_TOKEN", from: EnvironmentSecrets()), .header("X-Team", "core")]
    logger.decorators.append(RequestDecorator { $0.with(header: "X-Sent-At", "\(Date.now)") })
    // end
}

func httpSettingsSample() throws {
    // sample: Sources/HeartwoodHTTP/Upload/Settings/HTTPSettings.swift
    var settings = HTTPSettings(encoding: LokiEncoding(labels: ["job": "shop"]))
    settings.sendInterval = .seconds(10)
    let remote = try HTTPLogger("https://logs.example.com", settings: settings)

    remote.compressionLevel = 6  // at any time
    remote.updateSettings { settings in  // several, which take effect together
        settings.countThreshold = nil
        settings.pointThreshold = nil
    }
    // end
}

func fileSettingsSample() throws {
    // sample: Sources/Heartwood/Loggers/File/Engine/FileSettings.swift
    var settings = FileSettings(naming: LogFileNaming(application: "shop"))
    settings.maximumFileSize = .mebibytes(50)
    let file = try FileLogger(directory: "/var/log/shop", settings: settings)

    file.maximumFileCount = 20  // at any time
    file.updateSettings { settings in  // several, which take effect together
        settings.rollingBoundary = .day
        settings.rollingInterval = nil
    }
    // end
}

func configurableSample() {
    // sample: Sources/Heartwood/Dispatcher/ConfigurableLogger.swift
    final class SlackLogger: AbstractLogger, ConfigurableLogger, @unchecked Sendable {
        struct Settings {
            var channel = "#ops"
            var timeout = Duration.seconds(5)
        }
        let orderedSettings = Ordered(wrappedValue: Settings())

        override func log(_ message: LogMessage) {
            guard let text = formatted(message) else { return }
            post(text, to: self.channel)
        }
    }

    let slack = SlackLogger()
    slack.channel = "#billing"
    // end
}

func secretSample(_ fetch: @escaping @Sendable (String) throws -> String) -> any SecretProvider {
    // sample: Sources/Heartwood/Secrets/SecretProvider.swift
    struct Vault: SecretProvider {
        let fetch: @Sendable (String) throws -> String
        func secret(named name: String) throws -> Secret { Secret(try fetch(name)) }
    }
    // end
    return Vault(fetch: fetch)
}

private func post(_ text: String, to channel: String) {}

// sample: Sources/Heartwood/Dispatcher/AbstractLogger.swift
final class SlackLogger: AbstractLogger, @unchecked Sendable {
    @Ordered var channel = "#ops"

    override func log(_ message: LogMessage) {
        guard let text = formatted(message) else { return }
        post(text, to: channel)
    }
}
// end

func namingSample() -> LogFileNaming {
    // sample: Sources/Heartwood/Loggers/File/Naming/LogFileNaming.swift
    let naming = LogFileNaming(
        writing: { label in "trace-\(String(label.number, radix: 16)).log" },
        reading: { name in
            guard name.hasPrefix("trace-"), name.hasSuffix(".log") else { return nil }
            return Int(name.dropFirst(6).dropLast(4), radix: 16)
                .map { LogFileLabel(createdAt: nil, number: $0) }
        })
    // end
    return naming
}

func schemeSample() throws -> FileLogger {
    // sample: Sources/Heartwood/Loggers/File/Naming/LogFilePolicy.swift
    // Keeps the files of errors longer than the others.
    let errorsLast = LogFilePolicy(removalOrder: { files in
        files.filter { !$0.name.contains("errors") } + files.filter { $0.name.contains("errors") }
    })
    let file = try FileLogger(directory: "/var/log/shop", settings: FileSettings(filePolicy: errorsLast))
    // end
    return file
}

func readerSample(_ logs: String, _ yesterday: LogTimestamp) async throws {
    // sample: Sources/HeartwoodReading/Files/LogFileReader.swift
    let reader = LogFileReader(directory: logs)
    for try await line in try reader.lines(from: yesterday) where line.level == .error { print(line.text) }
    // end
}

func processorSample(_ file: FileLogger) {
    @Sendable func upload(_ path: String) throws {}
    // sample: Sources/Heartwood/Loggers/File/Retention/LogArchiveProcessor.swift
    file.archiveProcessor = LogArchiveProcessor { finished in
        try upload(finished.path)
        return .remove
    }
    // end
}

func fileLoggerSample() throws {
    // sample: Sources/Heartwood/Loggers/File/FileLogger.swift
    let file = try FileLogger(directory: "/var/log/shop")
    file.maximumFileSize = .mebibytes(50)
    file.rollingBoundary = .day
    LogDispatcher.shared.add(file, levels: .info)
    // end
}

func maskSample(_ file: FileLogger) {
    // sample: Sources/Heartwood/Message/LogLevelMask.swift
    file.levels = .info  // info, notice, warning, error, fatal
    file.levels = [.error, .debug]  // these two, and no others
    file.levels = .warning.union([.audit])
    // end
}

// sample: Sources/Heartwood/Message/LogCategory.swift
extension LogCategory {
    static let billing = LogCategory("billing")
}
// end

// sample: Sources/Heartwood/Message/LogLevel.swift
extension LogLevel {
    static let access = LogLevel(bit: 8, name: "access", severity: .notice)
}
// end

func textSample(_ id: String, _ ms: Double, _ amount: Double, _ email: String, _ number: String) {
    // sample: Sources/Heartwood/Message/LogText.swift
    logInfo("request \(id, as: "request_id") took \(ms, as: "ms", format: .fixed(2)) ms")
    // end

    // sample: Sources/Heartwood/Message/LogCategory.swift
    logInfo("charged \(amount)", category: .billing)
    LogCategory.billing.levels = .debug
    // end

    // sample: Sources/Heartwood/Message/LogCategory.swift
    LogCategory.setLevels(.debug, matching: "net.*")
    LogCategory.setLevels(.warning, matching: "net.http.cookies")
    LogCategory.setLevels(nil, matching: "net.*")  // as if it had never been set
    // end
    // sample: Sources/Heartwood/Message/LogCategory.swift
    LogCategory.setLevels(.debug, matching: "net.*", for: .seconds(600))
    // end

    // sample: Sources/Heartwood/Message/ValueFormats.swift
    logInfo("mail to \(email, privacy: .private), card \(number, privacy: .sensitive)")
    // end

    // sample: Sources/Heartwood/Message/LogContext.swift
    withLogContext(["request_id": id]) {
        logInfo("accepted")  // carries request_id
    }
    // end

    // sample: Sources/Heartwood/Message/LogLevel.swift
    log("GET /", level: .access)
    // end
}

func formatterSample() -> LogFormatter {
    // sample: Sources/Heartwood/Formatters/LogFormatter.swift
    let shout = LogFormatter { message in message.text.uppercased() }
    // end
    return shout
}

func bytesSample() -> LogFormatter {
    // sample: Sources/Heartwood/Formatters/LogFormatter.swift
    let tabs = LogFormatter { message, output in
        output.append(rfc3339: message.timestamp)
        output.append(UInt8(ascii: "\t"))
        output.appendText(of: message, privacy: .redact, escaping: .escape)
        return true
    }
    // end
    return tabs
}

func callbackSample() {
    @Sendable func post(_ line: String, to channel: String) throws {}
    // sample: Sources/Heartwood/Loggers/CallbackLogger.swift
    let counter = CallbackLogger(state: [LogLevel: Int]()) { counts, message in
        counts[message.level, default: 0] += 1
    }
    LogDispatcher.shared.add(counter)
    // end
    // sample: Sources/Heartwood/Loggers/CallbackLogger.swift
    let slack = CallbackLogger(formatter: LineFormatter()) { _, line in try post(line, to: "#ops") }
    // end
    LogDispatcher.shared.add(slack)
}

func recordingSample(_ amount: Double) {
    // sample: Sources/HeartwoodTestSupport/RecordingLogger.swift
    let dispatcher = LogDispatcher()
    let logger = RecordingLogger()
    dispatcher.add(logger)
    logInfo("charged \(amount)", to: dispatcher)
    dispatcher.flush()
    #expect(logger.texts == ["charged 12.5"])
    // end
}

func serverSample() throws {
    // sample: Sources/HeartwoodTestSupport/LoopbackServer.swift
    // Then .ok forever.
    let server = try LoopbackServer(answers: [.status(503, headers: ["Retry-After": "1"]), .lost])
    // end
    server.stop()
}

func journalSample() throws {
    // sample: Sources/Heartwood/Dispatcher/DispatcherJournal.swift
    LogDispatcher.shared.journal = .file("/var/lib/shop/journal")
    LogDispatcher.shared.add(try FileLogger(directory: "/var/log/shop"))
    // end
}

private func facadeReference() {
    // sample: Sources/Heartwood/LogCalls+Place.swift
    func trace(_ text: String, file: String = #fileID, function: String = #function, line: Int = #line) {
        log(text, level: .debug, file: file, function: function, line: line)
    }
    // end
    trace("a facade")
}

func forwarderSample(to target: LogDispatcher) -> AbstractLogger {
    // sample: Sources/Heartwood/Dispatcher/LogDispatcher+Bridge.swift
    let forwarder = CallbackLogger(name: "forwarder") { message in target.log(message) }
    // end
    return forwarder
}
