import Heartwood

/// Files of bytes as they came: the last line may be without a newline, and is not torn then.
final class RawFileLogger: FileLogger, @unchecked Sendable {  // adds no state
    override var repairsTornLines: Bool { false }
}
