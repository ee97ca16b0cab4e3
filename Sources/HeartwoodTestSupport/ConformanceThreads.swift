import Dispatch
import Heartwood

/// Threads that are waited for.
struct ConformanceThreads {
    private let group = DispatchGroup()

    func start(_ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async(group: group, execute: body)
    }

    func wait() { group.wait() }
}
