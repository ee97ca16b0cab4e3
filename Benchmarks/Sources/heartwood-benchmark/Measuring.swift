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

/// Instructions of a program for each line that it writes, counted by valgrind: the same on a busy machine.
enum InstructionCount {
    static var isAvailable: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/valgrind") }

    /// This program without debug information, which valgrind does not understand.
    static func program(in directory: String) throws -> String {
        let copy = directory + "/program"
        _ = try output(of: "/usr/bin/env", ["strip", "-g", "-o", copy, CommandLine.arguments[0]])
        return copy
    }

    /// The difference between many lines and few, by which starting and ending do not count.
    ///
    /// With `function`, part of a symbol, only what threads do in that function is counted.
    static func perLine(inside function: String? = nil, _ command: (Int) -> [String]) throws -> Double {
        let (few, many) = (1_000, 6_000)
        let counts = try [few, many].map { lines in
            var options = ["--tool=callgrind", "--callgrind-out-file=/dev/null"]
            if let function { options.append("--toggle-collect=*\(function)*") }
            let text = try output(of: "/usr/bin/valgrind", options + command(lines), errors: true)
            let count = text.firstMatch(of: /Collected : (\d+)/).flatMap { Double($0.output.1) }
            guard let count else { throw WrongResult("valgrind counted nothing: \(text.suffix(200))") }
            return count
        }
        return (counts[1] - counts[0]) / Double(many - few)
    }
}

/// Runs a program, and returns what it prints, or says of errors.
func output(of program: String, _ arguments: [String], errors: Bool = false) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = errors ? FileHandle.nullDevice : pipe
    process.standardError = errors ? pipe : FileHandle.nullDevice
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw WrongResult("\(program) failed") }
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
}
