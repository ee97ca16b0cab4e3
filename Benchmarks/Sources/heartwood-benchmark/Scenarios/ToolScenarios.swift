import Foundation

/// The tool `heartwood` beside the programs that do the same today, in turn, on the same lines.
///
/// A run measures ours and each other one once: wall time, and in the parts that begin with `cpu` the processor's. What was written
/// is compared byte by byte where both write the same. Programs that are not installed are left out, and standard error says so.
///
/// `HEARTWOOD_TOOL` is the path of the tool, by default `.build/release/heartwood` of the package. The lines come from the file
/// `HEARTWOOD_BENCHMARK_LOG`, repeated, or are made up as sshd writes them. `HEARTWOOD_BENCHMARK_MIB` is their total size, by default
/// 256 MiB. Scenarios that read records also use lines as an application writes them.
struct ToolScenario: Scenario {
    /// A program and the shell command that runs it: `IN` is the file of lines, `OUT` a directory that is empty.
    struct Peer: Sendable {
        let program: String
        let command: String
    }

    let name: String
    let unit = "s"
    let isDefault = false
    /// Our command; `TOOL` is the tool.
    let command: String
    var peers: [Peer] = []
    /// What proves the work, run after each command, and must end with 0; `OUT` is what the command wrote.
    let proof: String
    /// Whether the proof holds for the others as well.
    var provesPeers = false
    /// Whether the lines of an application are read as well.
    var readsApplication = false

    static let all = [
        ToolScenario(
            name: "pipe", command: "TOOL pipe -q -d OUT/logs --max-size 16MiB --keep 0 IN",
            peers: [
                Peer(program: "multilog", command: "multilog t s16777215 n10000 OUT/logs < IN"),
                Peer(program: "svlogd", command: "mkdir OUT/logs && svlogd -tt -b 65536 OUT/logs < IN"),
                Peer(program: "rotatelogs", command: "mkdir OUT/logs && rotatelogs OUT/logs/log 16M < IN"),
            ], proof: "cat OUT/logs/*.log | cut -c34- | cmp - IN"),
        ToolScenario(
            name: "pipe-raw", command: "TOOL pipe -q --raw -d OUT/logs --max-size 16MiB --keep 0 IN",
            peers: [
                Peer(program: "multilog", command: "multilog t s16777215 n10000 OUT/logs < IN"),
                Peer(program: "rotatelogs", command: "mkdir OUT/logs && rotatelogs OUT/logs/log 16M < IN"),
            ], proof: "cat OUT/logs/*.log | cmp - IN"),
        ToolScenario(
            name: "pipe-json", command: "TOOL pipe -q --json -d OUT/logs --max-size 16MiB --keep 0 IN",
            peers: [Peer(program: "multilog", command: "multilog t s16777215 n10000 OUT/logs < IN")],
            proof: "test $(cat OUT/logs/*.log | wc -l) = $(wc -l < IN)"),
        ToolScenario(
            name: "grep", command: "TOOL grep 'Invalid user' IN > OUT/found",
            peers: [Peer(program: "grep", command: "grep 'Invalid user' IN > OUT/found")],
            proof: "grep 'Invalid user' IN | cmp - OUT/found", provesPeers: true),
        ToolScenario(
            name: "grep-gzip", command: "TOOL grep 'Invalid user' IN.gz > OUT/found",
            peers: [Peer(program: "zgrep", command: "zgrep 'Invalid user' IN.gz > OUT/found")],
            proof: "grep 'Invalid user' IN | cmp - OUT/found", provesPeers: true),
        ToolScenario(
            name: "grep-level", command: "TOOL grep --level error 'disconnect' IN > OUT/found",
            peers: [Peer(program: "grep", command: "grep 'disconnect' IN > OUT/found")],
            proof: "grep 'error: .*disconnect' IN | cmp - OUT/found"),
        ToolScenario(
            name: "cat", command: "TOOL cat IN > OUT/copy",
            peers: [Peer(program: "cat", command: "cat IN > OUT/copy")],
            proof: "cmp IN OUT/copy", provesPeers: true),
        ToolScenario(
            name: "cat-fields", command: "TOOL cat --fields time,level,message IN > OUT/found",
            proof: "test $(grep -c ^20 OUT/found) = $(wc -l < IN)", readsApplication: true),
        ToolScenario(
            name: "cat-where-level", command: "TOOL cat --where level=error IN > OUT/found",
            proof: "grep -E '^[-0-9:. ]+ ERROR |: error: ' IN | cmp - OUT/found", readsApplication: true),
        ToolScenario(
            name: "stats", command: "TOOL stats IN > OUT/found",
            proof: "head -n 1 OUT/found | tr -d , | grep -q \"^$(wc -l < IN) messages\"",
            readsApplication: true),
        ToolScenario(
            name: "pipe-traces",
            command: "TOOL pipe -q --line-time --join traces -d OUT/logs --max-size 16MiB --keep 0 IN",
            proof: "cat OUT/logs/*.log | cut -c34- | cmp - IN", readsApplication: true),
    ]

    func run() throws -> [Measurement] {
        guard FileManager.default.isExecutableFile(atPath: ToolScenario.tool) else {
            note(
                "\(name) is left out: there is no \(ToolScenario.tool) (swift build -c release --product heartwood)"
            )
            return []
        }
        let input = try ToolScenario.input()
        var measurements = try measure("", command, input, proof: proof)
        if readsApplication {
            measurements += try measure(
                "application", command, ToolScenario.applicationInput(), proof: proof)
        }
        for peer in peers {
            guard (try? shell("command -v \(peer.program)")) == 0 else {
                note("\(name): \(peer.program) is not installed and is left out")
                continue
            }
            measurements += try measure(
                peer.program, peer.command, input, proof: provesPeers ? proof : "true")
        }
        return measurements
    }

    private func measure(
        _ part: String, _ command: String, _ input: String, proof: String
    ) throws -> [Measurement] {
        try withTemporaryDirectory { directory in
            func filled(_ text: String) -> String {
                text.replacingOccurrences(of: "TOOL", with: "'\(ToolScenario.tool)'")
                    .replacingOccurrences(of: "OUT", with: directory).replacingOccurrences(
                        of: "IN", with: input)
            }
            let (cpu, start) = (ToolScenario.childSeconds(), now())
            let code = try shell(filled(command))
            let (seconds, used) = (Double(now() - start) / 1e9, ToolScenario.childSeconds() - cpu)
            try check(code == 0, "\(command) ended with \(code)")
            try check(
                shell(filled(proof)) == 0, "\(part.isEmpty ? "heartwood" : part) did not write what it must")
            return [
                Measurement(part: part, value: seconds),
                Measurement(part: part.isEmpty ? "cpu" : "cpu \(part)", value: used, unit: "s"),
            ]
        }
    }

    private func shell(_ command: String) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    private func note(_ text: String) {
        FileHandle.standardError.write(Data("heartwood-benchmark: \(text)\n".utf8))
    }

    /// Processor seconds of all children that have ended.
    private static func childSeconds() -> Double {
        var usage = rusage()
        getrusage(.init(RUSAGE_CHILDREN.rawValue), &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    // MARK: What is worked on

    private static let tool: String = {
        if let path = ProcessInfo.processInfo.environment["HEARTWOOD_TOOL"] { return path }
        return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent(".build/release/heartwood").path
    }()

    /// The file of lines, made once, with its archive beside it; it is removed when the process ends.
    private static func input() throws -> String { try made.get() }

    private static let made: Result<String, any Error> = Result {
        var block = Data()
        if let log = ProcessInfo.processInfo.environment["HEARTWOOD_BENCHMARK_LOG"] {
            block = try Data(contentsOf: URL(fileURLWithPath: log)).filter { $0 != 0x0D }
        } else {
            for number in 0..<20_000 {
                let text =
                    switch number % 41 {
                    case 0, 9, 18, 27: "Invalid user web\(number)"
                    case 40: "error: Received disconnect"
                    default: "Failed password for root"
                    }
                block += Data(
                    "Dec 10 06:55:46 LabSZ sshd[\(20_000 + number)]: \(text) from 173.234.31.186 port \(number) ssh2\n"
                        .utf8)
            }
        }
        let path = try repeated(block, in: ToolScenario.path("lines"))
        let gzip = Process()
        gzip.executableURL = URL(fileURLWithPath: "/bin/sh")
        gzip.arguments = ["-c", "gzip -k '\(path)'"]
        try gzip.run()
        gzip.waitUntilExit()
        return path
    }

    /// The same for the lines of an application: a time, a level, a thread, a logger, and fields in the text.
    private static func applicationInput() throws -> String { try madeApplication.get() }

    private static let madeApplication: Result<String, any Error> = Result {
        var block = Data()
        let loggers = ["shop.cart", "shop.checkout", "shop.payments.card", "net.http", "auth"]
        for number in 0..<20_000 {
            let level =
                switch number % 50 {
                case 0: "ERROR"
                case 1...4: "WARN"
                case 5...9: "DEBUG"
                default: "INFO"
                }
            let time = String(
                format: "2026-06-16 21:%02d:%02d.%03d", number / 600, number / 10 % 60, number % 10 * 100)
            block += Data(
                ("\(time) \(level) [worker-\(number % 8)] \(loggers[number % 5]): request \(number) served "
                    + "status=\(number % 7 == 0 ? 404 : 200) took=\(number % 1999)ms user=u\(number % 501)\n").utf8)
        }
        return try repeated(block, in: ToolScenario.path("application"))
    }

    private static func path(_ name: String) -> String {
        NSTemporaryDirectory() + "heartwood-benchmark-\(name)-\(getpid()).log"
    }

    /// Fills a file, which is removed when the process ends.
    private static func repeated(_ block: Data, in path: String) throws -> String {
        let environment = ProcessInfo.processInfo.environment
        let size = (environment["HEARTWOOD_BENCHMARK_MIB"].flatMap { Int($0) } ?? 256) << 20
        var block = block
        if block.last != 0x0A { block.append(0x0A) }
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        for _ in 0..<max(1, size / block.count) { try file.write(contentsOf: block) }
        try file.close()
        atexit {
            for name in ["lines", "application"] {
                unlink(ToolScenario.path(name))
                unlink(ToolScenario.path(name) + ".gz")
            }
        }
        return path
    }
}
