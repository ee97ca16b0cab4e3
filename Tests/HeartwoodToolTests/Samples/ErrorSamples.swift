import Foundation
import Heartwood

private struct Request { var headers: [String: String] = [:] }
private struct Money { let amount, currency: String }

// sample: Sources/Heartwood/Message/LogValueConvertible.swift
extension Money: LogValueConvertible {
    var logValue: LogValue { ["amount": .decimal(amount), "currency": .string(currency)] }
}
// end

private func fields(_ name: String, _ attempts: Int, _ quota: Int?, _ method: String) {
    // sample: Sources/Heartwood/Message/LogMetadata.swift
    logInfo("signed in", metadata: ["name": name, "attempts": attempts, "quota": quota])
    // end
    // sample: Sources/Heartwood/Message/LogMetadata.swift
    logInfo(
        "done", metadata: ["http": .object(["method": method, "status": 200]), "path": .array(["a", 1])])
    // end
}

private func traces(_ request: Request) {
    // sample: Sources/Heartwood/Message/LogTrace.swift
    let trace = LogTrace(traceparent: request.headers["traceparent"] ?? "")?.child() ?? LogTrace.random()
    withLogTrace(trace) {
        logInfo("order accepted")  // has trace_id and span_id
    }
    // end
}
