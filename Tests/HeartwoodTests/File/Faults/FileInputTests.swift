import CHeartwood
import CoreFixtures
import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Names, labels, catalogues and frames that somebody planted or a fault has damaged: no input ends the process
/// (promise 12).
@Suite(.inTurn) struct FileInputTests {
    private let archives: Void = LogArchives.register()

    private static func namings() throws -> [LogFileNaming] {
        [
            LogFileNaming(application: "t"),
            try LogFileNaming(application: "t", template: "{app}-{date:yyyy-MM-dd}.log"),
            try LogFileNaming(application: "t", template: "{app}.{number:6}.log"),
            try LogFileNaming(application: "t", template: "{app}-{pid}-{date}.log"),
            try LogFileNaming(application: "t", template: "{variant}-{number}-{app}", variant: "1.0"),
            try LogFileNaming(application: "t", zone: zone("Europe/Paris")),
        ]
    }

    @Test(
        "A planted name, however large its numbers, does not end the process or silence the logger",
        arguments: [
            "t 2026-01-01--00-00-00-000@9223372036854775807.log",
            "t 2026-01-01--00-00-00-000@999999999999999.log",
            "t 2261-12-31--23-59-59-999@999999999999999.log",
            "t 2261-12-31--23-59-59-999.log", "t 1678-01-01--00-00-00-000.log",
            "t 2026-01-01--00-00-00-000@0001@pid2147483647.log",
            "t 2026-01-01--00-00-00-000@99999999999999999999999.log",
            "t.999999999999999.log", "t.9223372036854775807.log", "t.000000.log",
        ], [false, true])
    func planted(_ name: String, _ isNumbered: Bool) throws {
        let scratch = Scratch()
        scratch.write("planted\n", to: name)
        let clock = ManualClock()
        var settings = FileSettings.unlimited(
            naming: try LogFileNaming(
                application: "t", template: isNumbered ? "{app}.{number:6}.log" : "{app} {date}.log"))
        settings.rolling.maximumSize = 60
        settings.reusesFiles = false
        let engine = FileEngine(directory: try Directory(scratch.logs), settings: settings, clock: clock)
        var log = RecordLog()
        for _ in 0..<5 { log.write(2, to: engine) }
        #expect(engine.isIdle && engine.counters.dropped == 0)
        let lines = scratch.names().flatMap { scratch.text($0).split(separator: "\n").map(String.init) }
        #expect(lines.filter { $0 != "planted" }.sorted() == log.lines)
    }

    @Test("Random names are read or refused, and what is read has a next label that can be written")
    func randomNames() throws {
        var numbers = SeededNumbers(7)
        let parts = [
            "t", " ", "-", ".log", "@", "@pid", "2026-01-01--00-00-00-000", "9999999999999999999", "0", "1.0",
            "999999999999999", "\u{0}", "/", "..", "é", "+0100", ".gz", ".part", ".hwe", "2261-12-31", "\n",
        ]
        let now = moment("2026-01-01T00:00:00Z")
        for naming in try Self.namings() {
            for _ in 0..<3000 {
                let name = (0..<numbers.number(1...6)).map { _ in numbers.pick(parts) }.joined()
                _ = ArchiveStage.split(name)
                guard let label = naming.recognize(ArchiveStage.split(name).log) else { continue }
                let next = naming.next(at: now, after: label, process: 7)
                #expect(naming.recognize(naming.name(for: next)) != nil, "after \(name)")
            }
        }
    }

    @Test(
        "A planted catalogue of an earlier version with extreme labels neither ends the process nor silences the logger",
        arguments: [
            "finished 9223372036854775807 9223372036854775807 0", "finished -9223372036854775808 1 0",
            "finished - 9223372036854775807 0", "active 9223372036854775807 -9223372036854775808 2147483647",
        ])
    func plantedCatalogue(_ line: String) throws {
        for template in ["{app} {date}.log", "{app}.{number}.log"] {
            let scratch = Scratch()
            scratch.write("heartwood catalogue 1\n\(line)\n", to: ".t.catalogue")
            var settings = FileSettings.unlimited(
                naming: try LogFileNaming(application: "t", template: template))
            settings.rolling.maximumSize = 60
            let engine = FileEngine(
                directory: try Directory(scratch.logs), settings: settings, clock: ManualClock())
            var log = RecordLog()
            for _ in 0..<4 { log.write(2, to: engine) }
            #expect(engine.isIdle && engine.counters.dropped == 0)
            let lines = scratch.names().flatMap { scratch.text($0).split(separator: "\n").map(String.init) }
            #expect(lines.sorted() == log.lines)
        }
    }

    @Test("Random and damaged frames are read without a trap")
    func randomFrames() throws {
        var numbers = SeededNumbers(9)
        let cipher = try FrameCipher(key: Secret(bytes: [UInt8](repeating: 7, count: 32)))
        var encoder = try FrameEncoder(cipher)
        let frame = try encoder.encode(Array("a text\n".utf8), isLast: false)
        for round in 0..<2000 {
            var bytes =
                round % 2 == 0
                ? frame : (0..<numbers.number(0...200)).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
            for _ in 0..<numbers.number(0...6) where !bytes.isEmpty {
                bytes[numbers.number(0...(bytes.count - 1))] = numbers.pick([0, 255, 1, 128])
            }
            var decoder = FrameDecoder(cipher)
            try decoder.feed(bytes) { _ in }
            try decoder.finish { _ in }
        }
        let last = FramePlace(file: encoder.place.file, run: encoder.place.run, number: .max)
        var after = try FrameEncoder(cipher, behind: last)
        _ = try after.encode(Array("x".utf8), isLast: false)
    }
}
