import Heartwood
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

extension HTTPLogger {
    /// How many attempts were started, once everything that was logged and asked for so far is handled; one that the server
    /// has not seen yet counts, too.
    func attempts() async -> Int {
        await withCheckedContinuation { continuation in
            performInOrder { [self] in
                let isBusy = runtime.shell.isBusy
                continuation.resume(returning: httpStatistics.requests + (isBusy ? 1 : 0))
            }
        }
    }

    /// Whether everything that was logged so far is on the disk, asked in its turn.
    func isSettledInTurn() async -> Bool {
        await withCheckedContinuation { continuation in
            performInOrder { [self] in continuation.resume(returning: isSettled) }
        }
    }

    /// Until the figures satisfy a condition.
    ///
    /// Conditions must be such that once true they stay true: what lies between two looks is not seen.
    func figures(
        _ sourceLocation: SourceLocation = #_sourceLocation, satisfy condition: (HTTPStatistics) -> Bool
    ) async {
        try? await eventually("the figures are as \(sourceLocation) wants them") {
            condition(httpStatistics)
        }
    }
}
