import CHeartwood
import Dispatch

/// What dead processes have left for one logger and was not delivered yet, and when to try again.
///
/// Invariant: while something is left, there is a try ahead: the logger's next message, the next flush or the timer.
final class LoggerRecovery: @unchecked Sendable {  // see the MARKs
    // MARK: Constants (any thread)
    private unowned let logger: AbstractLogger
    private let inbox: LoggerInbox
    private let right: RunningRight

    private static let interval = DispatchTimeInterval.seconds(1)

    // MARK: Owned by the running thread
    /// What is still to be recovered, and to be tried now or again.
    @exclusivity(unchecked) private var recoveries: [@Sendable () -> Void] = []
    /// How many journals have something that was not delivered to the logger yet.
    @exclusivity(unchecked) private var unrecovered = 0
    /// What looks again for journals that could not be opened.
    @exclusivity(unchecked) private var looks: [@Sendable () -> Void] = []

    init(_ logger: AbstractLogger, _ inbox: LoggerInbox, _ right: RunningRight) {
        self.logger = logger
        self.inbox = inbox
        self.right = right
    }

    /// Whether something that a dead process has left could not be delivered so far.
    var isUnfinished: Bool {
        right.check()
        return unrecovered > 0 || !recoveries.isEmpty
    }

    // MARK: - Asking for a try

    /// Has `work` done before the logger's next message, at the next flush, or after a second, whichever is first: what
    /// is set right after the logger was added holds for it as well.
    ///
    /// Called by the drain.
    func trySoon(_ work: @escaping @Sendable () -> Void) {
        inbox.push { [self] in recoveries.append(work) }
        startTimer()
    }

    /// What was left by `journals` dead processes cannot be delivered yet: `work` will try again.
    func tryAgain(_ journals: Int, _ work: @escaping @Sendable () -> Void) {
        right.check()
        recoveries.append(work)
        unrecovered += journals
        startTimer()
    }

    /// Some journals could not be opened, so their owners are unknown: `work` will try again.
    func lookAgain(_ work: @escaping @Sendable () -> Void) {
        right.check()
        looks.append(work)
        startTimer()
    }

    private func startTimer() {
        if hw_forked_child_load() { return }
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + LoggerRecovery.interval) {
            [weak logger] in
            guard let logger else { return }
            logger.node.inbox.push { if logger.node.dispatcher != nil { logger.node.recovery.run() } }
        }
    }

    // MARK: - Trying

    /// Delivers what comes before the logger's first message; later tries have times of their own.
    @inline(__always)
    func runBeforeMessage() {
        right.check()
        if !recoveries.isEmpty, unrecovered == 0 { run() }
    }

    /// Delivers what dead processes have left, as far as is possible now.
    func run() {
        right.check()
        let work = recoveries + looks
        forget()
        for work in work { work() }
    }

    /// Leaves what was not delivered to others.
    func forget() {
        right.check()
        (recoveries, unrecovered, looks) = ([], 0, [])
    }
}
