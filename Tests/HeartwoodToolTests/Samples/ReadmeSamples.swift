import Heartwood
import HeartwoodHTTP

// The code of README.md, word for word; `SampleTests` compares them.

func readmeUse() throws {
    // sample: README.md
    let file = try FileLogger(directory: "logs", formatter: JSONLinesFormatter())
    file.maximumFileSize = .mebibytes(50)  // any time, from any thread
    LogDispatcher.shared.add(ConsoleLogger())
    LogDispatcher.shared.add(file, levels: .info)  // a threshold; [.error, .debug] means just these two

    let payments = LogCategory("payments")
    let email = "jane@example.com"
    logInfo("order \(4711, as: "order") took \(12.345, as: "ms", format: .fixed(2)) ms")
    logError("cannot charge \(email, privacy: .private)", category: payments)
    withLogContext(["request_id": "r-17"]) {
        logNotice("in here, every message carries the request", metadata: ["attempt": 2])
    }
    // end
}

// sample: README.md
extension LogCategory { static let payments = LogCategory("payments") }
extension LogLevel { static let audit = LogLevel(bit: 7, name: "audit", severity: .notice) }

let shouting = LogFormatter { message in message.text.uppercased() }
let counter = CallbackLogger(state: 0) { total, message in total += message.level >= .error ? 1 : 0 }
// end

func readmeRemote() throws {
    // sample: README.md
    let remote = try HTTPLogger(
        "https://logs.example.com/ingest", settings: HTTPSettings(encoding: NDJSONEncoding()), spool: "spool")
    remote.decorators = [.bearer(named: "LOG_TOKEN", from: EnvironmentSecrets())]
    LogDispatcher.shared.add(remote, levels: .notice)
    // end
}
