import Heartwood

/// What is going to happen to a process: answers on their way, in the order in which they come.
struct SimulatedAgenda {
    private var entries: [(due: Duration, duty: SimulatedLife.Duty)] = []

    /// When the next one comes.
    var nextTime: Duration? { entries.first?.due }

    /// Plans a duty, after those that are planned for the same time.
    mutating func plan(_ duty: SimulatedLife.Duty, at due: Duration) {
        let place = entries.firstIndex { $0.due > due } ?? entries.count
        entries.insert((due, duty), at: place)
    }

    /// Takes out the next one that is due at `time`.
    mutating func take(at time: Duration) -> SimulatedLife.Duty? {
        guard let next = entries.first, next.due <= time else { return nil }
        return entries.removeFirst().duty
    }

    mutating func removeAll() { entries = [] }
}
