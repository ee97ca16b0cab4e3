import Foundation

/// Nanoseconds of steady time.
@inline(__always)
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Processor seconds that the process has used.
func processorSeconds() -> Double {
    var usage = rusage()
    getrusage(.init(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Peak memory of the process in bytes.
func peakMemory() -> Int {
    guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
    for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
        return (Int(line.filter(\.isNumber)) ?? 0) * 1024
    }
    return 0
}

/// Runs `body` on as many threads at once, and returns when all have ended.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    if count == 1 { return body(0) }
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        let thread = Thread {
            body(index)
            group.leave()
        }
        thread.start()
    }
    group.wait()
}

/// The value below which this part of the sorted values lies.
func percentile(_ sorted: [Double], _ part: Double) -> Double {
    if sorted.isEmpty { return 0 }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
}

func median(_ values: [Double]) -> Double { percentile(values.sorted(), 0.5) }

/// A directory that is there while `body` runs.
func withTemporaryDirectory<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = NSTemporaryDirectory() + "heartwood-benchmark-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
}
