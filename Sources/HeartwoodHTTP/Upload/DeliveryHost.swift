import Heartwood

/// Where a ``DeliveryShell`` runs: gives it the time, carries its requests and wakes it.
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
    /// Sends messages, and calls ``DeliveryShell/finish(_:)`` with the outcome.
    func start(_ job: UploadJob)
    /// Asks for acknowledgements; ``DeliveryEvent/acknowledged(_:)`` follows.
    func start(_ job: ReceiptJob)
    /// Calls the hook for new credentials; ``DeliveryEvent/refreshed`` follows.
    func refresh(_ hook: @escaping @Sendable () async -> Void)
    /// Reports to the user; `lastError` is how the last request failed.
    func report(_ report: DeliveryReport, lastError: String?)
    /// The figures have changed; `isIdle` when nothing is pending or in flight.
    func publish(_ figures: HTTPStatistics, oldest: LogTimestamp?, isIdle: Bool)
}
