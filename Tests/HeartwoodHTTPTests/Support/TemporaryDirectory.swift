import CoreFixtures
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport

@testable import HeartwoodHTTP

/// A directory of a test's own, which goes with it.
final class TemporaryDirectory {
    private let scratch: Scratch
    var path: String { scratch.path }

    // Fast: in memory, where the system has such a place, for tests that make thousands of files.
    init(isFast: Bool = false) throws { scratch = Scratch(inMemory: isFast) }

    func names(_ subdirectory: String = "") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path + "/" + subdirectory)) ?? []).sorted()
    }

    func segments() -> [String] { names().filter { $0.hasSuffix(".seg") } }

    func read(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: URL(fileURLWithPath: path + "/" + name))
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: path + "/" + name) }

    /// What a process that dies now leaves: a copy of everything.
    func snapshot() throws -> TemporaryDirectory {
        let copy = try TemporaryDirectory(isFast: path.hasPrefix("/dev/shm"))
        for name in names() where name != "lock" {
            try FileManager.default.copyItem(atPath: path + "/" + name, toPath: copy.path + "/" + name)
        }
        return copy
    }
}

extension TemporaryDirectory {
    /// Opens the spool of this directory, with the default settings but for the changes.
    func openSpool(_ clock: ManualClock, _ change: (inout SpoolSettings) -> Void) throws -> Spool {
        var settings = SpoolSettings()
        change(&settings)
        return try Spool(
            directory: path + "/spool", settings: settings, clock: clock, calls: FaultyKernel.calls)
    }
}

/// Whether tests take their time: `HEARTWOOD_LONG` is set.
let isLongRun = Tier.isLong
