import Heartwood

// The program of Docs/GettingStarted.md, word for word; `SampleTests` compares them.

func gettingStarted() throws {
    // sample: Docs/GettingStarted.md
    let text = try FileLogger(directory: "logs")
    let json = try FileLogger(directory: "logs-json", formatter: JSONLinesFormatter())

    LogDispatcher.shared.add(ConsoleLogger())
    LogDispatcher.shared.add(text, levels: .info)
    LogDispatcher.shared.add(json, levels: .info)

    let order = 4711
    let email = "jane@example.com"

    logDebug("reading the catalog")
    logInfo("shop is open")
    logInfo("order \(order, as: "order") took \(12.5, as: "ms") ms", metadata: ["route": "/cart"])
    logError("cannot charge the card of \(email, privacy: .private)")
    // end
}
