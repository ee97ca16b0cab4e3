/// Notices that the wall clock was set forward; the ages of files are then not believed for an hour.
struct ClockWatch {
    /// The two clocks when they were last compared.
    private var last: (wall: LogTimestamp, steady: Duration)?
    private var distrustedUntil = Duration.zero

    mutating func compare(_ wall: LogTimestamp, _ steady: Duration) {
        if let last, wall - last.wall > (steady - last.steady) + .seconds(3600) {
            distrustedUntil = steady + .seconds(3600)
        }
        last = (wall, steady)
    }

    /// Whether the wall clock tells how old a file is.
    func isTrusted(at steady: Duration) -> Bool { steady >= distrustedUntil }
}
