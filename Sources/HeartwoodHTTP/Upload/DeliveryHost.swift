import Heartwood

/// Where a ``DeliveryShell`` runs: what gives it the time, carries its requests and wakes it.
///
/// All members are called like hooks, one at a time.
protocol DeliveryHost: AnyObject {
    /// The steady time.
    var uptime: Duration { get }
    /// The time of day.
    var wallTime: LogTimestamp { get }
    /// A number in 0 ..< 1, evenly spread.
    func draw() -> Double
    /// Calls ``DeliveryShell/wake()`` at that time, and at no other; nil: not at all.
    func wake(at time: Duration?)
    /// Carries a request out; what comes of it goes to ``DeliveryShell/finish(_:)``.
    func start(_ job: UploadJob)
    /// Asks for acknowledgements; the answer goes to ``DeliveryShell/acknowledge(_:)``.
    func start(_ job: ReceiptJob)
    /// Calls the hook for new credentials, and ``DeliveryShell/refreshed()`` when it has returned.
    func refresh(_ hook: @escaping @Sendable () async -> Void)
    /// Tells a person.
    func report(_ kind: LogDiagnostics.Kind, _ text: String, key: String, count: Int)
    /// Counts bytes that were sent.
    func noteWritten(_ bytes: Int)
    /// Messages that were in memory only may be saved now.
    func noteSettled()
    /// The figures have changed; `isIdle` when nothing is pending or in flight.
    func publish(_ figures: HTTPStatistics, oldest: LogTimestamp?, isIdle: Bool)
}

/// What a line of the transcript is about, in Scrooge's words.
enum TranscriptCategory: String {
    case appending = "Appending"
    case network = "Network"
    case sending = "Sending"
    case removing = "Removing"
    case saving = "Saving"
    case timer = "Timer"
}
