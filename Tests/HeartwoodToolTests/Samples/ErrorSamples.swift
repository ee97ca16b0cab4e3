import Foundation
import Heartwood

private struct Card {}
private func charge(_ card: Card) throws {}
private struct Request { var headers: [String: String] = [:] }
private struct Money { let amount, currency: String }

// sample: Sources/Heartwood/Message/LogValueConvertible.swift
extension Money: LogValueConvertible {
    var logValue: LogValue { ["amount": .decimal(amount), "currency": .string(currency)] }
}
// end

private func errors(_ card: Card, _ order: Int) {
    // sample: Docs/ErrorsAndTraces.md
    do {
        try charge(card)
    } catch {
        logError("payment failed", error: error, metadata: ["order": order])
    }
    // end
}

private func fields(_ name: String, _ attempts: Int, _ quota: Int) {
    // sample: Sources/Heartwood/Message/LogFields.swift
    logInfo("signed in", metadata: ["name": name, "attempts": attempts, "quota": quota as Int?])
    // end

    // sample: Docs/ErrorsAndTraces.md
    logInfo("signed in", metadata: ["name": name, "attempts": attempts])
    // end
}

private func traces(_ request: Request, _ header: String) {
    do {
        // sample: Sources/Heartwood/Message/LogTrace.swift
        let trace = LogTrace(traceparent: request.headers["traceparent"] ?? "")?.child() ?? LogTrace.random()
        withLogTrace(trace) {
            logInfo("order accepted")  // has trace_id and span_id
        }
        // end
    }
    do {
        // sample: Docs/ErrorsAndTraces.md
        let trace = LogTrace(traceparent: header)?.child() ?? .random()
        withLogTrace(trace) {
            logInfo("order accepted")
        }
        // end
    }
}
