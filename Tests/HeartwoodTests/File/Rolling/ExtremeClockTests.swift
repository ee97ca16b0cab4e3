import CHeartwood
import Foundation
import HeartwoodSystem
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Clocks that show times at the ends of what a timestamp can say, and beyond; such a one shows the end itself.
@Suite(.inTurn) struct ExtremeClockTests: FileBench {
    let clock = ManualClock()
    let disk: SimulatedDisk

    init() { disk = Self.makeDisk(clock) }

    /// The first and last of all, as in the years 1 and 9999; and those around 1970, and where the last second begins.
    static let moments = [
        Int64.min, -9_223_372_036_000_000_000, -500_000_000, 0, 9_223_372_036_000_000_000, .max,
    ]
    .map { LogTimestamp(nanoseconds: $0) }
    static let zones = ["GMT", "Europe/Paris", "America/New_York"].compactMap { LogTimeZone($0) }
    static let templates = ["{app} {date}.log", "{app}-{date:yyyy-MM-dd}.log", "{app} {date:yyyy}.log"]

    @Test(
        "Whatever time the clock shows, lines are written and files are rolled and continued (promise 7)",
        arguments: moments, [nil] + LogCalendarBoundary.allCases)
    func files(_ moment: LogTimestamp, _ boundary: LogCalendarBoundary?) throws {
        for zone in Self.zones {
            disk.removeFolder()
            disk.makeFolder(owner: 1000, mode: 0o700)
            clock.setWall(moment)
            var settings = FileSettings.unlimited(naming: try LogFileNaming(application: "t", zone: zone))
            settings.rolling = RollingPolicy(interval: .seconds(86_400), boundary: boundary, zone: zone)
            settings.retention.maximumAge = .seconds(3600)
            for run in 0..<2 {
                let engine = FileEngine(
                    directory: try Directory("/logs", calls: SystemCalls(kernel: makeKernel())),
                    settings: settings, clock: clock)
                write("\(run) one", to: engine)
                clock.advance(by: .milliseconds(1))
                engine.tick()
                _ = engine.untilTick
                write("\(run) two", to: engine)
                engine.close()
            }
            #expect(names.count <= 2)
            let engine = FileEngine(
                directory: try Directory("/logs", calls: SystemCalls(kernel: makeKernel())),
                settings: settings, clock: clock)
            engine.rollNow()
            write("last", to: engine)
            engine.close()
            #expect(
                names.flatMap { text($0).split(separator: "\n") } == [
                    "0 one", "0 two", "1 one", "1 two", "last",
                ])
        }
    }

    @Test("A name that was made of any time can be read again", arguments: moments, zones)
    func names(_ moment: LogTimestamp, _ zone: LogTimeZone) throws {
        for template in Self.templates {
            let naming = try LogFileNaming(application: "t", template: template, zone: zone)
            let name = naming.name(for: LogFileLabel(createdAt: moment))
            let label = try #require(naming.recognize(name), "\(name)")
            #expect(naming.name(for: naming.next(at: moment, after: label, process: nil)) != name)
        }
    }

    @Test(
        "A calendar's boundary after any time is not before it", arguments: moments,
        LogCalendarBoundary.allCases)
    func boundaries(_ moment: LogTimestamp, _ boundary: LogCalendarBoundary) {
        for zone in Self.zones {
            let next = boundary.next(after: moment, in: zone)
            #expect(next > moment || next.nanoseconds == .max)
        }
    }

    @Test("Days are counted also where a timestamp does not reach")
    func days() {
        #expect(CivilTime.days(1, 1, 1) == -719_162)
        #expect(CivilTime.days(1970, 1, 1) == 0)
        #expect(CivilTime.days(9999, 12, 31) == 2_932_896)
        for day in stride(from: -800_000, through: 3_000_000, by: 997) {
            let civil = CivilTime(secondsSince1970: day * 86_400)
            #expect(CivilTime.days(civil.year, civil.month, civil.day) == day)
        }
        #expect(LogTimestamp(nearestTo: -9_223_372_037, 145_224_192).nanoseconds == .min)
        #expect(LogTimestamp(nearestTo: 9_223_372_036, 854_775_807).nanoseconds == .max)
        #expect(LogTimestamp(nearestTo: 9_223_372_037, 0).nanoseconds == .max)
        #expect(LogTimestamp(nearestTo: -1, 500_000_000).nanoseconds == -500_000_000)
    }

    @Test("The time of a record stops at the ends of the range, and messages keep their order there")
    func ticks() {
        #expect(JournalClock(ticks: 1000, wall: .max - 5, rate: 1).time(of: 2000).nanoseconds == .max)
        #expect(JournalClock(ticks: 2000, wall: .min + 5, rate: 1).time(of: 1000).nanoseconds == .min)
        #expect(JournalClock(ticks: 0, wall: 7, rate: .nan).time(of: 1000).nanoseconds == 7)
        var clock = TickClock()
        #expect(clock.ordered(.max) == .max)
        #expect(clock.ordered(.max - 10) == .max)
        #expect(clock.ordered(.min) == .min)
        #expect(clock.ordered(0) == 0)
    }

    @Test("A clock beyond 2262 shows the last moment, and one before 1970 its own")
    func system() {
        let wrapped = Int64(truncatingIfNeeded: 253_402_214_400 &* 1_000_000_000)
        #expect(SystemClock.unwrapped(wrapped, seconds: 253_402_214_400) == .max)
        #expect(SystemClock.unwrapped(-62_135_596_800 &* 1_000_000_000, seconds: -62_135_596_800) == .min)
        #expect(SystemClock.unwrapped(-5, seconds: -1) == -5)
    }

    @Test("Messages are formatted and written at any time", arguments: moments)
    func messages(_ moment: LogTimestamp) throws {
        let message = LogMessage("text", timestamp: moment)
        let formatters: [LogFormatter] = [
            LineFormatter(), JSONLinesFormatter(), LogfmtFormatter(), SyslogFormatter(),
            try PatternFormatter("{time} {local:HH:mm} {message}"),
        ]
        for formatter in formatters {
            #expect(formatter.format(message)?.contains("text") == true)
        }
    }

    @Test("The time of a file can be set to the ends of the range")
    func setModified() throws {
        let scratch = Scratch(inMemory: true)
        let path = scratch.path + "/file"
        let file = open(path, O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        for moment in Self.moments { try? SystemCalls().setModified(file, nanoseconds: moment.nanoseconds) }
        #expect(try SystemCalls().status(file).size == 0)
    }
}
