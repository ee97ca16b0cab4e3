import CHeartwood
import Dispatch
import Heartwood
import Synchronization

/// Turns SIGINT, SIGTERM and SIGHUP into a request to end in good order.
///
/// The second signal ends the process at once. A signal that was ignored when the program began, as under `nohup`,
/// stays ignored.
final class StopSignal: Sendable {
    // MARK: Constants (any thread)
    /// Can be read from when a stop was requested: for poll(2).
    let descriptor: Int32
    private let writer: Int32
    nonisolated(unsafe) private let sources: [any DispatchSourceSignal]  // Dispatch makes them safe

    // MARK: Atomics (any thread)
    private let requested: Box

    private final class Box: Sendable {
        let signal = Atomic<Int32>(0)
    }

    /// Takes the signals over.
    ///
    /// - Parameter numbers: The signals that ask for the end.
    /// - Throws: `LogError` where the system has no pipe for it.
    init(_ numbers: [Int32] = [SIGINT, SIGTERM, SIGHUP]) throws {
        guard let (reader, writer) = SystemCalls.makePipe() else {
            throw LogError(.file, "cannot create a pipe for signals", cause: hw_errno())
        }
        descriptor = reader
        self.writer = writer
        let requested = Box()
        self.requested = requested
        let queue = DispatchQueue(label: "heartwood.signals")
        sources = SystemCalls.signalSources(numbers, on: queue) { number in
            let (first, _) = requested.signal.compareExchange(
                expected: 0, desired: number, ordering: .sequentiallyConsistent)
            if !first { _exit(128 + number) }
            _ = hw_write_quietly(writer, [0 as UInt8], 1)
        }
    }

    deinit {
        for source in sources { source.cancel() }
        close(descriptor)
        close(writer)
    }

    /// Whether the process was asked to end.
    var isRequested: Bool { requested.signal.load(ordering: .relaxed) != 0 }

    /// The signal's name, once there was one.
    var name: String? {
        switch requested.signal.load(ordering: .relaxed) {
        case 0: nil
        case SIGINT: "SIGINT"
        case SIGTERM: "SIGTERM"
        default: "SIGHUP"
        }
    }

    /// Ends the process as the signal would have: whoever started it is told the truth.
    func endProcess() {
        let number = requested.signal.load(ordering: .relaxed)
        if number == 0 { return }
        SystemCalls.endProcess(by: number)
        _exit(128 + number)  // not reached, unless the signal is blocked
    }
}
