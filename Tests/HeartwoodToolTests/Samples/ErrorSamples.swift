import Foundation
import Heartwood

private struct Request { var headers: [String: String] = [:] }
private struct Money { let amount, currency: String }

// sample: Sources/Heartwood/Message/LogValueConvertible.swift
extension Money: LogValueConvertible {
    var logValue: LogValue { ["amount": .decimal(amount), "currency": .string(currency)] }
}
// end

private func fields(_ name: String, _ attempts: Int, _ quota: Int) {
    // sample: Sources/Heartwood/Message/LogFields.swift
    logInfo("signed in", metadata: ["name": name, "attempts": attempts, "quota": quota as Int?])
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
