import CoreFixtures
import Foundation
import HeartwoodArchive
import SuiteSupport
import Testing

@testable import Heartwood
@testable import HeartwoodReading

@Suite(.inTurn) struct RotatedNameTests {
    @Test(
        "A name says which log the file belongs to",
        arguments: [
            ("shop.log", "shop.log"), ("shop.log.1", "shop.log"), ("shop.log.01", "shop.log"),
            ("shop.log-1", "shop.log"), ("shop.log.0", "shop.log"), ("shop.log.old", "shop.log"),
            ("shop.log.bak", "shop.log"), ("shop.1.log", "shop.log"), ("shop-1.log", "shop-1.log"),
            ("shop.log-20261120", "shop.log"), ("shop.log_20261120", "shop.log"),
            ("shop.log-2026-11-20", "shop.log"), ("shop.log.2026-11-20", "shop.log"),
            ("shop.log.2026-11-20.1", "shop.log"), ("shop.log-20261120.1", "shop.log"),
            ("shop.log-20261120_101502", "shop.log"), ("shop.log-20261120-1763634030", "shop.log"),
            ("shop.log-2026112010", "shop.log"), ("shop.log-20261120101502", "shop.log"),
            ("shop.log.2026-11-20-10", "shop.log"), ("shop.log.2026-11-20_10-15-02", "shop.log"),
            ("shop.log.2026-11", "shop.log"), ("shop.log-202611", "shop.log"),
            ("shop.log.1763634030", "shop.log"), ("shop.log.1763634030123", "shop.log"),
            ("shop-2026-11-20.log-20261121", "shop.log"), ("shop.2026-11-20.log", "shop.log"),
            ("shop-20261120.log", "shop.log"), ("shop20261120_001.log", "shop.log"),
            ("shop-2026-11-20.3.log", "shop.log"), ("shop-11-20-2026-3.log", "shop.log"),
            ("shop_20261120.log", "shop.log"), ("shop-2026-11-20.log.2", "shop.log"),
            ("shop-2026-11-20T10-15-02.123.log", "shop.log"), ("2026-11-20.log", ".log"),
            ("shop.host.me.log.INFO.20261120-101502.1234", "shop.host.me.log.INFO"),
            ("current", "current"), ("@400000006560a1b2075bcd15.s", "current"),
            ("@400000006560a1b2075bcd15.u", "current"), ("syslog.1", "syslog"),
            ("messages-20261120", "messages"), ("shop 1.log", "shop 1.log"),
            ("db-10.1.1.7.log", "db-10.1.1.log"), ("job-1763634030.log", "job-1763634030.log"),
            ("job-202611.log", "job-202611.log"), ("shop-2026-13-20.log", "shop-2026-13-20.log"),
            ("shop 2026-11-20--10-15-02-123.log", "shop 2026-11-20--10-15-02-123.log"),
        ])
    func logs(_ name: String, _ base: String) { #expect(RotatedName(name)?.base == base) }

    @Test(
        "Names of files that are clearly not logs are rejected",
        arguments: [
            "shop.log.swp", "shop.log~", "data.2026", "shop", "shop.txt", "shop.logs", "shop.log.1.swp",
            "shop.log.", "shop.log.x1", "shop.log.INFO", "shop.log.１", "currently", "syslogs", "",
            "@400000006560a1b2075bcd15", "@400000006560a1b2075bcd15.t", "@zz0000006560a1b2075bcd15.s",
            "@ffffffffffffffffffffffff.s", "shop.log.2026-11-20.swp", "shop.log.1.2", "dump-20261120",
        ])
    func others(_ name: String) { #expect(RotatedName(name) == nil) }

    @Test(
        "The names of one log tell which file is older",
        arguments: [
            ["shop.log.10", "shop.log.9", "shop.log.02", "shop.log.1", "shop.log.0", "shop.log"],
            ["shop.10.log", "shop.9.log", "shop.1.log", "shop.log"],
            ["shop.log-20251231", "shop.log-20261119", "shop.log-20261120", "shop.log"],
            ["shop.log.2026-11-19", "shop.log.2026-11-20", "shop.log"],
            ["shop.log.2026-11-20", "shop.log.2026-11-20.1", "shop.log.2026-11-20.10", "shop.log"],
            ["shop.log.2026-11-20-09", "shop.log.2026-11-20-10", "shop.log.2026-11-20-10.1", "shop.log"],
            ["shop.log-20261120-1763634030", "shop.log-20261120-1763637630", "shop.log"],
            ["shop.log-20261120_091502", "shop.log-20261120_101502", "shop.log"],
            ["shop.log.1763634030", "shop.log.1763637630", "shop.log"],
            ["shop-11-20-2025-2.log", "shop-01-19-2026-1.log", "shop-01-19-2026-2.log", "shop.log"],
            ["shop-2026-11-20.log-20261121", "shop-2026-11-20.log", "shop-2026-11-21.log"],
            ["shop-2026-11-20.log.2", "shop-2026-11-20.log.1", "shop-2026-11-20.log", "shop-2026-11-21.log"],
            ["shop20261120.log", "shop20261120_001.log", "shop20261120_002.log", "shop20261121.log"],
            ["@400000006560a1b2075bcd15.s", "@400000006560a1b2175bcd15.s", "@400000006560a1b3075bcd15.s"] + [
                "current"
            ],
        ].map { Array($0) })
    func order(_ names: [String]) throws {
        let read = try names.map { try #require(RotatedName($0)) }
        for (index, older) in read.enumerated() {
            for (other, newer) in read.enumerated() {
                #expect(older.isOlder(than: newer) == (index < other), "\(names[index]) \(names[other])")
            }
        }
    }
}

@Suite(.inTurn) struct LogFileOrderTests {
    private let archives: Void = LogArchives.register()
    private let scratch = Scratch()

    /// Makes files in a shuffled order, gzip where a name says so; the last changed at `time` of its place.
    private func make(_ files: [(name: String, text: String)], time: (Int) -> Int) throws {
        mkdir(scratch.logs, 0o700)
        for (place, file) in files.enumerated().shuffled() {
            let path = scratch.logs + "/" + file.name
            let text = Array(file.text.utf8)
            let bytes = file.name.hasSuffix(".gz") ? try GzipMember.compress(text) : text
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let date = Date(timeIntervalSince1970: 1_795_000_000 + Double(time(place)))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
        }
    }

    private func names() throws -> [String] {
        try LogFileReader(directory: scratch.logs).paths().map { String($0.split(separator: "/").last ?? "") }
    }

    private static let directories: [[String]] = [
        ["shop.log.12.gz", "shop.log.2.gz", "shop.log.1", "shop.log"],
        ["shop.log.10", "shop.log.02", "shop.log.01", "shop.log"],
        ["shop.2.log", "shop.1.log", "shop.log"],
        ["shop.log-20261119.gz", "shop.log-20261120", "shop.log"],
        ["shop.log.2026-11-19.1", "shop.log.2026-11-19.2.gz", "shop.log.2026-11-20.1", "shop.log"],
        ["shop-2026-11-19.log-20261120", "shop-2026-11-20.log-20261121", "shop-2026-11-21.log"],
        ["@400000006560a1b2075bcd15.s", "@400000006560a1b3075bcd15.u", "current"],
        ["shop.log.old", "shop.log"],
        ["shop 2026-11-19--00-00-00-000.log.gz", "shop 2026-11-20--00-00-00-000@0002.log"],
        (1...40).reversed().map { "shop.log.\($0)" } + ["shop.log"],
    ]

    @Test(
        "The names of one log decide, whatever a copy has made of the modification times",
        arguments: directories, ["equal", "forward", "backward", "shuffled"])
    func copied(_ expected: [String], _ times: String) throws {
        let files = expected.map { (name: $0, text: "the text of \($0)\n") }
        let shuffled = files.indices.shuffled()
        try make(files) { place in
            switch times {
            case "equal": 0
            case "forward": place
            case "backward": -place
            default: shuffled[place]
            }
        }
        #expect(try names() == expected)
        let last = try LogFileReader(directory: scratch.logs).lastLines(1).map(\.text)
        #expect(last == ["the text of \(expected[expected.count - 1])"])
    }

    @Test(
        "Where the names contradict the first times in the files, those decide",
        arguments: [
            ["shop.log.1", "shop.log.2.gz", "shop.log.3"], ["shop.1.log", "shop.2.log", "shop.log"],
            ["shop.log.4", "shop.log.5", "shop.log.1", "shop.log.2", "shop.log.3"],
            ["shop-01-12-2026.log", "shop-02-11-2026.log", "shop-03-10-2026.log.gz"].reversed(),
            (1...40).map { "shop.log.\($0)" }, ["shop.log.2", "shop.log-20261120", "shop.log.1", "shop.log"],
        ].map { Array($0) }, [true, false])
    func contradiction(_ expected: [String], isCopied: Bool) throws {
        let files = expected.enumerated().map { place, name in
            let time = "2026-11-20 10:\(place < 10 ? "0" : "")\(place):00"
            return (name: name, text: "\n  at nothing (a.js:1)\n\(time) info number \(place)\n")
        }
        // Numbers alone say so little that equal times are enough to look.
        let isNumbered = !expected[0].contains("-")
        try make(files) { isCopied && isNumbered ? 0 : $0 }
        #expect(try names() == expected)
        let last = try LogFileReader(directory: scratch.logs).lastLines(1).map(\.text)
        #expect(last.first?.hasSuffix("number \(expected.count - 1)") == true)
    }

    @Test("Files of different logs interleave by their modification times, and a copied one by its date")
    func several() throws {
        let expected = [
            "a.log-20240101", "b.log.2", "a.log.2.gz", "node.2.log", "a.log.1", "b.log.1", "node.1.log",
            "b.log",
            "a.log",
        ]
        try make(expected.map { ($0, "x\n") }) { $0 == 0 ? 100 : $0 }
        #expect(try names() == expected)
    }

    @Test("A later touch of an old file does not move the files after it to the end")
    func touched() throws {
        let expected = ["a.log.2", "a.log.1", "a.log", "b.log"]
        try make(expected.map { ($0, "x\n") }) { $0 == 0 ? 100 : $0 }
        #expect(try names() == expected)
    }

    @Test(
        "No file is opened where names and modification times agree, and few are where the names are right",
        arguments: [("forward", 0), ("equal", 16), ("backward", 16)])
    func looks(_ times: String, _ limit: Int) {
        let files = (0..<500).map { place in
            let name = place == 499 ? "shop.log" : "shop.log.\(499 - place)"
            let time = times == "equal" ? 0 : times == "forward" ? place : -place
            return LogFileInfo(
                name: name, path: name, createdAt: nil, number: 1,
                modified: LogTimestamp(nanoseconds: Int64(time)), size: .bytes(1), isActive: false,
                isCompressed: false, isEncrypted: false, isArchived: false)
        }
        var looks = 0
        let order = LogFileOrder { file in
            looks += 1
            let number = Int(file.name.dropFirst("shop.log.".count)) ?? 0
            return LogTimestamp(nanoseconds: Int64(-number))
        }
        #expect(order.sorted(files.shuffled()) { RotatedName($0) }.map(\.name) == files.map(\.name))
        #expect(looks <= limit && (looks > 0) == (limit > 0))
    }

    @Test("Only the first 64 KiB of a file are searched for a time, and what cannot be read has none")
    func starts() throws {
        let recognizer = LineRecognizer()
        func time(_ name: String) -> LogTimestamp? {
            LogFileStart.time(of: scratch.logs + "/" + name, key: nil, recognizer)
        }
        let line = "2026-11-20 10:00:00Z info a\n"
        let far = String(repeating: "text\n", count: 12_000)
        try make(
            [
                ("near.log", far + line), ("far.log", far + far + line), ("cut.log", String(line.dropLast())),
                ("near.log.gz", far + line), ("empty.log", ""),
                ("long.log", String(repeating: "x", count: 99_999)),
            ]) { $0 }
        let expected = moment("2026-11-20T10:00:00Z")
        for name in ["near.log", "near.log.gz", "cut.log"] { #expect(time(name) == expected, "\(name)") }
        for name in ["far.log", "empty.log", "long.log", "missing.log"] {
            #expect(time(name) == nil, "\(name)")
        }
    }
}
