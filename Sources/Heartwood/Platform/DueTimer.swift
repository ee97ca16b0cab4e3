/// The timer for whatever its owner has due next.
///
/// Owned by its owner's queue. An owner that is asked often looks at ``serves(_:)`` first, which needs no
/// closure.
package struct DueTimer {
    private var timer: (any LogTimer)?
    private var moment = Duration.zero

    package init() {}

    /// When it fires, as steady time of its clock; nil if it is not armed.
    package var due: Duration? { timer == nil ? nil : moment }

    /// Whether nothing must change for what is due at `moment`, which is nil for never: an earlier timer is
    /// enough.
    package func serves(_ moment: Duration?) -> Bool {
        guard let moment else { return timer == nil }
        return timer != nil && self.moment <= moment
    }

    /// Has `work` called at `moment`, in place of what it was armed for; `work` has its owner call
    /// ``didFire()`` first.
    ///
    /// - Parameters:
    ///   - moment: A steady time of the clock; one that has passed means now.
    ///   - clock: The clock.
    ///   - work: The function to call, once; it waits for nothing.
    package mutating func arm(
        for moment: Duration, of clock: any LogClock, _ work: @escaping @Sendable () -> Void
    ) {
        timer?.cancel()
        self.moment = moment
        timer = clock.schedule(after: max(.zero, moment - clock.uptime()), work)
    }

    /// Notes that it has fired.
    package mutating func didFire() { timer = nil }

    /// Has nothing called.
    package mutating func cancel() {
        timer?.cancel()
        timer = nil
    }
}
