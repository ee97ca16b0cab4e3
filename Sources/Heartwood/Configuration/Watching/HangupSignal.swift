import CHeartwood
import Dispatch

/// `SIGHUP`, for as many observers as like; the handler is there while there is one.
///
/// The handler writes a byte into a pipe, and calls the handler that was there before. What was there before
/// is put back when the last observer ends, unless another handler was installed meanwhile.
enum HangupSignal {
    /// An observer; it is called until it ends.
    final class Observation: Sendable {
        private let isEnded = Locked(false)

        fileprivate init() {}

        deinit { end() }

        /// Ends the calls, but for one that is under way.
        func end() {
            let isFirst = isEnded.withLock { isEnded in
                defer { isEnded = true }
                return !isEnded
            }
            if isFirst { HangupSignal.remove(ObjectIdentifier(self)) }
        }
    }

    private struct State {
        var observers: [(id: ObjectIdentifier, queue: DispatchQueue, call: @Sendable () -> Void)] = []
        var source: (any DispatchSourceRead)?
    }

    // MARK: Guarded by 'state'
    private static let state = Locked(State())

    /// Has `call` called on `queue` after each signal; several that come together count as one.
    ///
    /// - Returns: nil where the system has no pipe for it.
    static func observe(on queue: DispatchQueue, _ call: @escaping @Sendable () -> Void) -> Observation? {
        let observation = Observation()
        let isInstalled = state.withLock { state in
            if state.observers.isEmpty {
                let descriptor = hw_hangup_install()
                if descriptor < 0 { return false }
                if state.source == nil { state.source = makeSource(descriptor) }
            }
            state.observers.append((ObjectIdentifier(observation), queue, call))
            return true
        }
        return isInstalled ? observation : nil
    }

    /// What reads the pipe, for as long as the process lives.
    private static func makeSource(_ descriptor: Int32) -> any DispatchSourceRead {
        let source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: .global(qos: .utility))
        source.setEventHandler { HangupSignal.arrived() }
        source.activate()
        return source
    }

    private static func arrived() {
        if !hw_hangup_take() { return }
        for observer in state.withLock({ $0.observers }) { observer.queue.async(execute: observer.call) }
    }

    private static func remove(_ id: ObjectIdentifier) {
        state.withLock { state in
            state.observers.removeAll { $0.id == id }
            if state.observers.isEmpty { hw_hangup_uninstall() }
        }
    }
}
