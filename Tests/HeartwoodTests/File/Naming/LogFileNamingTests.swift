import Foundation
import SuiteSupport
import Testing

@testable import Heartwood

@Suite(.inTurn) struct LogFileNamingTests {
    static let createdAt = moment("2026-10-25T00:30:15.042Z")

    @Test("The default name is the application and the time in UTC")
    func defaultName() {
        let naming = LogFileNaming(application: "shop")
        let label = LogFileLabel(createdAt: Self.createdAt)
        #expect(naming.name(for: label) == "shop 2026-10-25--00-30-15-042.log")
        #expect(naming.recognize("shop 2026-10-25--00-30-15-042.log") == label)
    }

    @Test(
        "What a template writes it reads back, with number and process",
        arguments: [
            ("{app} {date}.log", "UTC", "shop 2026-10-25--00-30-15-042@0003@pid77.log"),
            ("{app} {date}.log", "Europe/Paris", "shop 2026-10-25--02-30-15-042+0200@0003@pid77.log"),
            ("{date:yyyyMMddTHHmmss}-{app}", "UTC", "20261025T003015-shop@0003@pid77"),
            ("{app}-{pid}-{date:yyyy-MM-dd-HH}.txt", "UTC", "shop-77-2026-10-25-00@0003.txt"),
            ("{app}.{number:6}.log", "UTC", "shop.000003@pid77.log"),
            ("{app} {date:yyyy-MM-dd}#{number}.log", "UTC", "shop 2026-10-25#3@pid77.log"),
            ("{{{app}}}.{number}.l{{og", "UTC", "{shop}.3@pid77.l{og"),
            ("{app:}.{number:}.log", "UTC", "shop.3@pid77.log"),
        ])
    func roundTrip(_ template: String, _ zoneName: String, _ expected: String) throws {
        let naming = try LogFileNaming(application: "shop", template: template, zone: zone(zoneName))
        let label = LogFileLabel(createdAt: Self.createdAt, number: 3, process: 77)
        let name = naming.name(for: label)
        #expect(name == expected)
        let read = try #require(naming.recognize(name))
        #expect(read.number == 3)
        #expect(read.process == 77)
        #expect(naming.name(for: read) == name)
    }

    @Test(
        "A template that cannot be ordered, read back or kept in the directory is refused",
        arguments: [
            "", "{app}.log", "{date:dd-MM}.log", "{date:yyyy-ss}", "{app} {when}.log", "{date",
            "../{date}.log",
            "logs/{date}.log", ".{date}.log", "{number}{pid}.log", "{number} {number}", "{date:yyyyyyyy}",
            "{number:0}", "a}{number}.log", "{number}.l{og", "a\n{number}.log",
        ])
    func refused(_ template: String) {
        #expect(throws: LogError.self) { try LogFileNaming(application: "shop", template: template) }
    }

    @Test(
        "A file of somebody else is never taken for our own",
        arguments: [
            "shopping 2026-10-25--00-30-15-042.log", "shop2 2026-10-25--00-30-15-042.log",
            "shop 2 2026-10-25--00-30-15-042.log", "shop 2026-10-25--00-30-15-042.txt",
            "shop 2026-10-25--00-30-15-042.log.bak", "shop 2026-10-25--00-30-15-042 copy.log",
            "shop 2026-13-25--00-30-15-042.log", "shop 2026-02-30--00-30-15-042.log",
            "shop 2026-10-25--24-30-15-042.log", "shop 2026-10-25--00-30-15-42.log", "shop .log", "shop.log",
            "Shop 2026-10-25--00-30-15-042.log", "shop 2026-10-25--00-30-15-042@02.log",
            "shop 2026-10-25--00-30-15-042 2.log",
            "shop 2026-10-25--00-30-15-042@0001.log", "shop 2026-10-25--00-30-15-042@-002.log",
            "shop  2026-10-25--00-30-15-042.log", "shop +026-10-25--00-30-15-042.log",
            "shop 2026-10-25--00-30-15-042@0001@pid0.log", "shop 2026-10-25--00-30-15-042@pid77.log",
            "shop ２026-10-25--00-30-15-042.log", "shop 2026-10-25--00-30-15-€.log",
            "shop 2026-10-25--00-30-15-042@99999999999999999999.log",
        ])
    func foreign(_ name: String) {
        #expect(LogFileNaming(application: "shop").recognize(name) == nil)
    }

    @Test("A subclass that takes every file for its own touches only those that it would name so itself")
    func carelessSubclass() {
        final class Careless: LogFileNaming, @unchecked Sendable {
            override func label(of name: String) -> LogFileLabel? {
                LogFileLabel(createdAt: moment("2026-01-01T00:00:00Z"))
            }
        }
        let naming = Careless(application: "shop")
        #expect(naming.recognize("thesis.doc") == nil)
        #expect(naming.recognize("shop 2026-01-01--00-00-00-000.log") != nil)
    }

    @Test(
        "The name of an application cannot lead out of the directory",
        arguments: [
            ("../../etc/passwd", "_.._etc_passwd"), ("a/b", "a_b"), ("...", "log"), ("", "log"),
            ("x\n", "x_"), (" a ", "a"),
        ])
    func cleaned(_ name: String, _ expected: String) {
        #expect(LogFileNaming(application: name).application == expected)
    }

    @Test("Files of one millisecond are numbered, and ordered as they were created")
    func collisions() {
        let naming = LogFileNaming(application: "shop")
        var newest: LogFileLabel?
        var names: [String] = []
        for _ in 0..<12 {
            let next = naming.next(at: Self.createdAt, after: newest, process: nil)
            if let newest { #expect(newest < next) }
            newest = next
            names.append(naming.name(for: next))
        }
        #expect(names[0] == "shop 2026-10-25--00-30-15-042.log")
        #expect(names[11] == "shop 2026-10-25--00-30-15-042@0012.log")
        #expect(names.compactMap(naming.recognize).sorted().map(naming.name(for:)) == names)
    }

    @Test(
        "Names in alphabetical order, as a shell's glob gives them, are files in the order they were created")
    func alphabetical() {
        let naming = LogFileNaming(application: "shop")
        var labels: [LogFileLabel] = []
        for second in 0..<2 {
            for number in [1, 2, 3, 9, 10, 11, 99, 100, 1000, 9999] {
                for process in [nil, 77, 78] as [Int32?] {
                    let createdAt = Self.createdAt + .seconds(second)
                    labels.append(LogFileLabel(createdAt: createdAt, number: number, process: process))
                }
            }
        }
        let names = labels.sorted().map(naming.name(for:))
        #expect(names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) } == names)
        #expect(names.compactMap(naming.recognize) == labels.sorted())
    }

    @Test(
        "A clock that was set back does not change the order of files",
        arguments: [1, 3600, 86_400, 86_400 * 3650] as [Double])
    func clockSetBack(_ seconds: Double) {
        let naming = LogFileNaming(application: "shop")
        let first = naming.next(at: Self.createdAt, after: nil, process: nil)
        let second = naming.next(at: Self.createdAt + .seconds(-seconds), after: first, process: nil)
        let third = naming.next(at: Self.createdAt + .seconds(60), after: second, process: nil)
        #expect(first < second)
        #expect(second < third)
        #expect(naming.recognize(naming.name(for: second)) == second)
    }

    @Test(
        "The system's zone is that of the process, with its distance from UTC unless it never differs from UTC",
        arguments: [
            ("Asia/Kolkata", "shop 2026-10-25--06-00-15-042+0530.log"),
            ("Europe/London", "shop 2026-10-25--01-30-15-042+0100.log"),
            ("Etc/UTC", "shop 2026-10-25--00-30-15-042.log"), ("", "shop 2026-10-25--00-30-15-042.log"),
        ])
    func systemZone(zone: String, expected: String) async throws {
        await #expect(processExitsWith: .success) { [zone = zone as String, expected = expected as String] in
            setenv("TZ", zone, 1)
            tzset()
            let naming = try LogFileNaming(application: "shop", zone: .local)
            let label = LogFileLabel(createdAt: Self.createdAt)
            try #require(naming.name(for: label) == expected)
            try #require(naming.recognize(expected) == label)
        }
    }

    @Test("In the hour that a clock shows twice, names are distinct and in order")
    func ambiguousHour() throws {
        let naming = try LogFileNaming(application: "shop", zone: zone("Europe/Paris"))
        let first = LogFileLabel(createdAt: moment("2026-10-25T00:30:00Z"))
        let second = LogFileLabel(createdAt: moment("2026-10-25T01:30:00Z"))
        #expect(naming.name(for: first) == "shop 2026-10-25--02-30-00-000+0200.log")
        #expect(naming.name(for: second) == "shop 2026-10-25--02-30-00-000+0100.log")
        #expect(naming.recognize(naming.name(for: first)) == first)
        #expect(naming.recognize(naming.name(for: second)) == second)
    }
}
