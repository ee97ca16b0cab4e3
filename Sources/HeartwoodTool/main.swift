import Heartwood
final class Print: AbstractLogger, @unchecked Sendable {
    override func log(_ message: LogMessage) { print(formatted(message) ?? "-") }
}
LogDispatcher.shared.add(Print(formatter: LineFormatter()), levels: .debug)
LogDispatcher.shared.add(Print(name: "json", formatter: JSONLinesFormatter()))
let id = 17, ms = 12.5, s = "a\u{1b}[31mb\n", o: Int? = nil
logInfo("request \(id, as: "request_id") took \(ms, as: "ms", format: .fixed(2)) ms \(ms) \(s)")
logError("failed \(o) \("x@y", privacy: .private) \(0xff, format: .hex) \(true)", category: LogCategory("pay"), metadata: ["a": 1, "b": "x y"])
logVerbose("not here")
logDebug(s + "plain")
withLogContext(["req": 5]) { logNotice("ctx \([1,2,3], as: "list")") }
LogDispatcher.shared.flush()
print(LogDispatcher.shared.statistics)
