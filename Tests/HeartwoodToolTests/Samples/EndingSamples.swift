import Heartwood

// The code of Docs/EndingAProgram.md and of two comments, word for word; `SampleTests` compares them.

func endingSample() throws {
    // sample: Docs/EndingAProgram.md
    LogDispatcher.shared.add(try FileLogger(directory: "/var/log/shop"))
    LogDispatcher.flushOnSignals([.term, .int], timeout: .seconds(5))
    // end
}

func signalsSample() {
    // sample: Sources/Heartwood/Dispatcher/LogDispatcher+Signals.swift
    LogDispatcher.flushOnSignals([.term, .int])
    // end
}

// sample: Sources/Heartwood/Message/MeasuredTag.swift
struct Snapshot: MeasuredTag {
    let pixels: [UInt8]
    var tagSize: ByteCount { .bytes(pixels.count) }
}
// end
