import Foundation

/// Others on the same work, built and run in turn with ours, so that both see the same machine.
struct Peers {
    let runs: Int
    let runner: Runner

    private struct Peer: Sendable {
        let name: String
        let program: String
        let arguments: @Sendable (String) -> [String]
        /// The scenario that it is compared with, and the part of its results; nil compares it with every part.
        let scenario: String
        var part: String? = ""
        /// Whether its instructions can be counted: no thread of it runs in circles while it waits.
        var isCounted = false
    }

    private static let lines = "1000000"
    private static let all = [
        Peer(
            name: "spdlog async", program: "spdlog", arguments: { ["call", $0, "0", "1"] }, scenario: "call",
            part: "mean"),
        Peer(
            name: "spdlog sync", program: "spdlog", arguments: { ["sync", $0, lines, "1"] }, scenario: "file"),
        Peer(
            name: "spdlog async", program: "spdlog", arguments: { ["async", $0, lines, "1"] },
            scenario: "file"),
        Peer(
            name: "write, 64 KiB pieces", program: "write", arguments: { ["pieces", $0, lines] },
            scenario: "file"),
        Peer(
            name: "write, line by line", program: "write", arguments: { ["lines", $0, lines] },
            scenario: "file"),
        Peer(
            name: "spdlog async", program: "spdlog", arguments: { ["async", $0, lines, "1"] },
            scenario: "journal"),
        Peer(
            name: "write, line by line", program: "write", arguments: { ["lines", $0, lines] },
            scenario: "journal"),
        Peer(
            name: "spdlog async", program: "spdlog", arguments: { ["call", $0, "0", "1"] },
            scenario: "call-journal", part: "mean"),
        Peer(
            name: "spdlog sync", program: "spdlog", arguments: { ["sync", $0, lines, "4"] },
            scenario: "file-4"),
        Peer(
            name: "spdlog async", program: "spdlog", arguments: { ["async", $0, lines, "4"] },
            scenario: "file-4"),
        Peer(
            name: "spdlog sync", program: "spdlog", arguments: { ["sync", $0, lines, "16"] },
            scenario: "file-16"),
        Peer(
            name: "quill", program: "quill", arguments: { ["call", $0, "0", "1"] }, scenario: "call",
            part: "mean"),
        Peer(
            name: "fmtlog", program: "fmtlog", arguments: { ["call", $0, "0", "1"] }, scenario: "call",
            part: "mean"),
        Peer(
            name: "quill", program: "quill", arguments: { ["call", $0, "0", "4"] }, scenario: "call-4",
            part: "mean"),
        Peer(
            name: "fmtlog", program: "fmtlog", arguments: { ["call", $0, "0", "4"] }, scenario: "call-4",
            part: "mean"),
        Peer(
            name: "quill", program: "quill", arguments: { ["call", $0, "0", "16"] }, scenario: "call-16",
            part: "mean"),
        Peer(
            name: "fmtlog", program: "fmtlog", arguments: { ["call", $0, "0", "16"] }, scenario: "call-16",
            part: "mean"),
        Peer(name: "quill", program: "quill", arguments: { ["async", $0, lines, "1"] }, scenario: "file"),
        Peer(name: "fmtlog", program: "fmtlog", arguments: { ["async", $0, lines, "1"] }, scenario: "file"),
        Peer(name: "quill", program: "quill", arguments: { ["async", $0, lines, "4"] }, scenario: "file-4"),
        Peer(
            name: "fmtlog", program: "fmtlog", arguments: { ["async", $0, lines, "4"] }, scenario: "file-4"),
        Peer(
            name: "spdlog sync", program: "spdlog", arguments: { ["sync", $0, lines, "1"] },
            scenario: "formats", part: nil, isCounted: true),
        Peer(
            name: "quill", program: "quill", arguments: { ["async", $0, lines, "1"] }, scenario: "formats",
            part: nil),
        Peer(
            name: "fmtlog", program: "fmtlog", arguments: { ["async", $0, lines, "1"] },
            scenario: "formats", part: nil),
        Peer(
            name: "spdlog with flush", program: "spdlog", arguments: { ["flush", $0, "20000", "1"] },
            scenario: "synchronous", part: "mean"),
        Peer(
            name: "write", program: "write", arguments: { ["calls", $0, "20000"] }, scenario: "synchronous",
            part: "mean"),
        Peer(
            name: "SQLite, prepared INSERT", program: "sqlite", arguments: { ["normal", $0, "200000"] },
            scenario: "sqlite-save", part: "normal"),
    ]

    func run() throws {
        try withTemporaryDirectory { directory in
            let wanted = Peers.all.filter { runner.wants($0.scenario) }
            if wanted.isEmpty { return }
            let built = build(Set(wanted.map(\.program)), in: directory)
            let peers = wanted.filter { built.contains($0.program) }
            var names: [String] = []
            for peer in peers where !names.contains(peer.scenario) { names.append(peer.scenario) }
            var groups: [BarChart.Group] = []
            for name in names {
                guard let ours = scenarios.first(where: { $0.name == name }) else { continue }
                groups.append(try compare(ours, with: peers.filter { $0.scenario == name }, in: directory))
            }
            guard let plots = runner.options.plots else { return }
            try BarChart(groups: groups).write("peers", in: plots)
        }
    }

    private func compare(
        _ ours: any Scenario, with peers: [Peer], in directory: String
    ) throws -> BarChart.Group {
        var own = Series()
        var theirs: [[Double]] = peers.map { _ in [] }
        for _ in 0..<runs {
            own.add(try ours.run().filter { peers.first?.part == nil ? true : $0.part == peers.first?.part })
            for (index, peer) in peers.enumerated() {
                let file = directory + "/out.log"
                let text = try output(of: directory + "/" + peer.program, peer.arguments(file))
                for ending in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: file + ending)
                }
                guard let value = Double(text) else { throw WrongResult("\(peer.name) printed “\(text)”") }
                theirs[index].append(value)
            }
        }
        for (peer, values) in zip(peers, theirs) {
            runner.report("\(ours.name): \(peer.name)", ours.unit, values)
            guard peer.isCounted, InstructionCount.isAvailable else { continue }
            let count = try InstructionCount.perLine { lines in
                var arguments = peer.arguments(directory + "/out.log")
                arguments[2] = "\(lines)"
                return [directory + "/" + peer.program] + arguments
            }
            runner.report("\(ours.name): \(peer.name)", "instr./line", [count])
        }
        var bars: [BarChart.Bar] = []
        for (part, unit) in own.parts {
            let name = "Heartwood" + (part.isEmpty || part == peers.first?.part ? "" : ", \(part)")
            runner.report("\(ours.name): \(name)", unit ?? ours.unit, own[part])
            if unit != nil { continue }
            bars.append(BarChart.Bar(name: name, unit: ours.unit, values: own[part], isOurs: true))
            for (peer, values) in zip(peers, theirs) where !runner.options.json && !values.isEmpty {
                let (our, their) = (median(own[part]), median(values))
                let ratio = ours.largerIsBetter ? our / their : their / our
                print("    \(name) is \(String(format: "%.2f", ratio)) times as fast as \(peer.name)")
            }
        }
        // What writes without making lines is a bound, no logger; its bar would make the others too short to compare.
        for (peer, values) in zip(peers, theirs) where !peer.arguments("").contains("pieces") {
            bars.append(BarChart.Bar(name: peer.name, unit: ours.unit, values: values, isOurs: false))
        }
        return BarChart.Group(
            title: Peers.titles[ours.name] ?? ours.name,
            note: ours.note, bars: bars)
    }

    private static let titles = [
        "call": "A call, asynchronous", "file": "Lines to a file, 1 thread",
        "file-4": "Lines to a file, 4 threads",
        "file-16": "Lines to a file, 16 threads",
        "formats": "Lines in every format, 1 thread",
        "journal": "Lines to a file, Heartwood with its crash journal",
        "call-journal": "A call, asynchronous, Heartwood with its crash journal",
        "synchronous": "A call that returns when the line is in the kernel",
        "sqlite-save": "Rows to an SQLite database, 500 per transaction",
    ]

    // MARK: - Building

    /// What can be built of these programs; says why of each that cannot.
    private func build(_ programs: Set<String>, in directory: String) -> Set<String> {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Peers").path
        var built: Set<String> = []
        for recipe in PeerRecipe.all(sources: runner.options.peerSources)
        where programs.contains(recipe.name) {
            if let missing = recipe.missing {
                note(missing)
            } else if (try? output(of: "/usr/bin/env", recipe.command(from: sources, in: directory))) != nil {
                built.insert(recipe.name)
            } else {
                note("\(recipe.name) cannot be built: the comparison with it is left out; \(recipe.remedy)")
            }
        }
        return built
    }

    private func note(_ text: String) {
        FileHandle.standardError.write(Data("heartwood-benchmark: \(text)\n".utf8))
    }
}
