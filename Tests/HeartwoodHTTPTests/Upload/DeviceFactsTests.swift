import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

@Suite(.inTurn) struct DeviceFactsTests {
    @Test("Starts are counted from run to run, and what was first stays") func starts() throws {
        let directory = try TemporaryDirectory()
        let place = try Directory(directory.path, for: .spool)
        let first = DeviceRecord.started(
            in: place, at: LogTimestamp(nanoseconds: 1_000_000_000), version: "1", build: 1)
        let second = DeviceRecord.started(
            in: place, at: LogTimestamp(nanoseconds: 9_000_000_000), version: "2", build: 2)
        #expect(second.uuid == first.uuid && second.starts == 2)
        let facts = second.dictionary(.all, version: "2", build: 2, user: "ann")
        #expect(facts["firstStart"] == 1.0 && facts["lastStart"] == 9.0 && facts["starts"] == 2)
        #expect(facts["firstAppVersion"] == "1" && facts["appVersion"] == "2" && facts["firstAppBuild"] == 1)
        #expect(facts["userName"] == "ann" && facts["os"] != nil && facts["deviceModel"] != nil)
        guard case .string(let version) = facts["osVersion"] else {
            Issue.record("no version")
            return
        }
        #expect(version.split(separator: ".").count == 3)
    }

    @Test("The version that was known first stays first, also where the first start knew none") func late()
        throws
    {
        let directory = try TemporaryDirectory()
        let place = try Directory(directory.path, for: .spool)
        let time = LogTimestamp(nanoseconds: 1_000_000_000)
        let none = DeviceRecord.started(in: place, at: time, version: nil, build: nil)
        #expect(none.dictionary(.app, version: nil, build: nil, user: nil).isEmpty)
        _ = DeviceRecord.started(in: place, at: time, version: "2", build: nil)
        let third = DeviceRecord.started(in: place, at: time, version: "3", build: 30)
        let facts = third.dictionary(.app, version: "3", build: 30, user: nil)
        #expect(facts["firstAppVersion"] == "2" && facts["appVersion"] == "3")
        #expect(facts["firstAppBuild"] == 30 && facts["appBuild"] == 30)
    }

    @Test(
        "A user's name is kept from start to start, until it is set to nothing, by the initializer or later",
        arguments: [true, false])
    func userName(isGiven: Bool) throws {
        let directory = try TemporaryDirectory()
        func run(_ change: (inout HTTPSettings) -> Void) throws -> LogMetadata {
            let dispatcher = LogDispatcher()
            var settings = HTTPSettings()
            settings.isPaused = true
            if isGiven { change(&settings) }
            let logger = try HTTPLogger(
                "http://127.0.0.1:1/", settings: settings, spool: directory.path + "/spool")
            if !isGiven { logger.updateSettings(change) }
            dispatcher.add(logger)
            #expect(dispatcher.flush(timeout: .testLimit).isComplete)
            defer { dispatcher.removeAll(timeout: .testLimit) }
            return logger.deviceDictionary
        }
        #expect(try run { _ in }["userName"] == nil)
        #expect(try run { $0.userName = "ann" }["userName"] == "ann")
        #expect(try run { _ in }["userName"] == "ann")
        #expect(try run { $0.userName = "bob" }["userName"] == "bob")
        #expect(try run { $0.deviceFacts = [.system] }["userName"] == nil)
        #expect(try run { _ in }["userName"] == "bob")
        #expect(try run { $0.userName = "" }["userName"] == nil)
        #expect(try run { _ in }["userName"] == nil)
    }

    @Test("A record with numbers at their limits is counted on without an overflow") func extremes() throws {
        let directory = try TemporaryDirectory()
        let place = try Directory(directory.path, for: .spool)
        for starts in ["9223372036854775807", "-9223372036854775808"] {
            let json =
                #"{"uuid":"no uuid","firstStart":1e308,"lastStart":-1e308,"starts":\#(starts),"firstAppBuild":9223372036854775807}"#
            try directory.write("device.json", Array(json.utf8))
            chmod(directory.path + "/device.json", 0o600)
            let record = DeviceRecord.started(
                in: place, at: LogTimestamp(nanoseconds: 0), version: nil, build: nil)
            #expect(record.starts == (starts.hasPrefix("-") ? 1 : Int.max))
            #expect(UUID(uuidString: record.uuid) != nil && record.firstAppBuild == Int.max)
        }
    }

    @Test("Each part can be left out, and a user's name is there only if it was set") func choice() {
        let record = DeviceRecord()
        #expect(record.dictionary([], version: "1", build: 1, user: "ann").isEmpty)
        #expect(record.dictionary(.identity, version: nil, build: nil, user: nil).map(\.key) == ["uuid"])
        #expect(record.dictionary(.user, version: nil, build: nil, user: "").isEmpty)
    }

    @Test("A damaged record is started") func damaged() throws {
        let directory = try TemporaryDirectory()
        try directory.write("device.json", Array("{nonsense".utf8))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o600], ofItemAtPath: directory.path + "/device.json")
        let place = try Directory(directory.path, for: .spool)
        let record = DeviceRecord.started(
            in: place, at: LogTimestamp(nanoseconds: 0), version: nil, build: nil)
        #expect(record.starts == 1)
    }
}
