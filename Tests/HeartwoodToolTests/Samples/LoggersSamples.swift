import Heartwood
import HeartwoodTestSupport

// The code of Docs/Loggers.md and of the comments of the loggers named there, word for word; `SampleTests` compares them.

extension LogCategory {
    fileprivate static let storage = LogCategory("storage")
}

private struct Request {
    var path = "/"
}

private func answer(_ request: Request) async throws {}
private func ship() async throws {}
private func show(_ message: LogMessage) {}

private struct Store {
    func save(to dispatcher: LogDispatcher) {}
}

private func loggersPageFirst() throws {
    // sample: Docs/Loggers.md
    LogDispatcher.shared.add(ConsoleLogger(), levels: .info)
    LogDispatcher.shared.add(try FileLogger(directory: "/var/log/shop"), levels: .debug)
    LogDispatcher.shared.add(SystemLogger(), levels: .warning)
    // end
}

private func loggersPageFlight(_ items: Int) async throws {
    // sample: Docs/Loggers.md
    let file = try FileLogger(directory: "/var/log/shop")
    file.flightRecorder = FlightRecorder()
    LogDispatcher.shared.add(file, levels: .verbose)  // also what is held back

    try await FlightRecorder.withRecording {
        logDebug("cart has \(items, as: "items") items")  // in the file only if the next line is
        if items == 0 { logError("an empty cart was paid for") }
        try await ship()
    }
    // end
}

private func loggersPageSystem() {
    // sample: Docs/Loggers.md
    let system = SystemLogger()  // journald where its socket is there, else /dev/log; Apple: the unified log
    system.program = "shop"
    system.facility = .daemon
    let collector = SystemLogger(.tcp(host: "logs.example.org", port: 601), name: "collector")
    let router = SystemLogger(.udp(host: "192.0.2.1", format: .rfc3164), name: "router")
    for logger in [system, collector, router] { LogDispatcher.shared.add(logger, levels: .notice) }
    // end
}

private func loggersPageMemory() {
    // sample: Docs/Loggers.md
    let memory = MemoryLogger()
    memory.maximumCount = 5000
    LogDispatcher.shared.add(memory, levels: .debug)
    let slow = memory.messages(
        since: SystemClock().now() + .seconds(-60), levels: .warning, category: "net.*", containing: "timeout"
    )
    // end
    _ = slow
}

private func loggersPageStream(_ memory: MemoryLogger) async {
    // sample: Docs/Loggers.md
    let live = memory.stream(of: .levels(.warning), replaying: true)
    for await message in live {
        print(message.timestamp.date, message.level, message.text)
    }
    // end
}

private func messagesComment() async {
    // sample: Sources/Heartwood/Loggers/Memory/LogDispatcher+Messages.swift
    for await message in LogDispatcher.shared.messages(levels: .warning) { show(message) }
    // end
}

/// Called by a test: what the page shows must hold.
func loggersPageRecording() async throws {
    // sample: Docs/Loggers.md
    let recorder = RecordingLogger()
    let dispatcher = LogDispatcher()
    dispatcher.add(recorder)
    logError("disk \(3, as: "disk") failed", category: .storage, to: dispatcher)

    try recorder.expect(.error, containing: "disk", category: .storage)
    try recorder.expect(count: 1, with: ["disk": 3])
    try recorder.expectNone(above: .error)
    try await recorder.waitFor(.error, containing: "failed", within: .seconds(5))
    // end
}

private func systemComment() {
    // sample: Sources/Heartwood/Loggers/System/SystemLogger.swift
    let system = SystemLogger()  // journald, else /dev/log; on Apple's systems the unified log
    LogDispatcher.shared.add(system, levels: .notice)
    let collector = SystemLogger(.tcp(host: "logs.example.org", port: 601))
    LogDispatcher.shared.add(collector, levels: .info)
    // end
}

private func memoryComment() async {
    // sample: Sources/Heartwood/Loggers/Memory/MemoryLogger.swift
    let memory = MemoryLogger()
    LogDispatcher.shared.add(memory, levels: .debug)
    let failures = memory.messages(levels: .error, category: "net.*")
    for await message in memory.stream() { show(message) }
    // end
    _ = failures
}

private func flightComment(_ file: FileLogger) {
    // sample: Sources/Heartwood/Filters/FlightRecorder.swift
    let recorder = FlightRecorder()
    file.flightRecorder = recorder
    LogDispatcher.shared.add(file, levels: .verbose)

    func handle(_ request: Request) async throws {
        try await FlightRecorder.withRecording {
            logDebug("asked for \(request.path)")  // written only if this request fails
            try await answer(request)
        }
    }
    // end
}

private func expectationsComment(_ store: Store) async throws {
    // sample: Sources/HeartwoodTestSupport/RecordingLogger+Expectations.swift
    let recorder = RecordingLogger()
    let dispatcher = LogDispatcher()
    dispatcher.add(recorder)
    store.save(to: dispatcher)
    try recorder.expect(.error, containing: "disk", category: .storage)
    try recorder.expect(count: 2, .info, containing: "retry")
    try recorder.expectNone(above: .error)
    try recorder.expectOrder("opened", "disk", "closed")
    try await recorder.waitFor(.notice, containing: "saved", within: .seconds(5))
    // end
}
