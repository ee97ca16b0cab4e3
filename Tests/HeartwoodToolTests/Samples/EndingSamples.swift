import Heartwood

// The code of two comments, word for word; `SampleTests` compares them.

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
