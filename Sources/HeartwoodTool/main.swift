import Heartwood
LogDispatcher.shared.add(ConsoleLogger())
let id = 17, ms = 12.5, s = "a\u{1b}[31mb\n"
logInfo("request \(id, as: "request_id") took \(ms, as: "ms", format: .fixed(2)) ms \(ms) \(s)")
logError(
    "failed \("x@y", privacy: .private) \(0xff, format: .hex) \(true)", category: LogCategory("pay"),
    metadata: ["a": 1, "b": "x y"])
logWarning("careful")
logDebug(s + "plain")
logNotice("last, no flush")
