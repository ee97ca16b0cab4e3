import Heartwood

/// What a file logger is whose directory cannot be used: it counts and reports the messages that are lost.
final class FailedFile: AbstractLogger, @unchecked Sendable {  // constants
    private let reason: String

    init(name: String, error: any Error) {
        reason = String(describing: error)
        super.init(name: name)
    }

    override func log(_ message: LogMessage) { reportFailure(reason) }
}
