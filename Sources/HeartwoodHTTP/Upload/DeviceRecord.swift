#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Heartwood

/// The facts themselves, some of which are kept in the spool's directory from start to start.
struct DeviceRecord: Codable, Sendable, Equatable {
    var uuid = UUID().uuidString
    var firstStart = 0.0
    var lastStart = 0.0
    var starts = 0
    var firstAppVersion: String?
    var firstAppBuild: Int?
    var userName: String?

    /// Counts a start, and keeps the record in `directory` where there is one.
    static func started(
        in directory: Directory?, at time: LogTimestamp, version: String?, build: Int?
    ) -> DeviceRecord {
        var record = directory.flatMap(load) ?? DeviceRecord()
        if record.starts == 0 { record.firstStart = time.secondsSince1970 }
        record.firstAppVersion = record.firstAppVersion ?? version ?? MachineFacts.appVersion
        record.firstAppBuild = record.firstAppBuild ?? build ?? MachineFacts.appBuild
        // The file may say anything.
        record.starts = max(0, min(record.starts, .max - 1)) + 1
        record.lastStart = time.secondsSince1970
        if UUID(uuidString: record.uuid) == nil { record.uuid = UUID().uuidString }
        record.store(in: directory)
        return record
    }

    /// Keeps the user's name for later starts; an empty one ends that, and nil changes nothing.
    mutating func keep(user: String?, in directory: Directory?) {
        guard let user, user != userName ?? "" else { return }
        userName = user.isEmpty ? nil : user
        store(in: directory)
    }

    private static func load(_ directory: Directory) -> DeviceRecord? {
        guard let (file, _) = try? directory.open("device.json", for: .reading),
            let bytes = try? directory.calls.contents(of: file.number, limit: 65_536)
        else { return nil }
        return try? ValueDepth.decode(DeviceRecord.self, json: bytes)
    }

    /// Replaces the file as a whole; a failure costs a count of starts, and nothing else.
    private func store(in directory: Directory?) {
        guard let directory, let bytes = try? JSONEncoder().encode(self) else { return }
        try? directory.store(Array(bytes), as: "device.json", through: "device.tmp")
    }

    /// The dictionary, with what `facts` lets through.
    func dictionary(_ facts: DeviceFacts, version: String?, build: Int?, user: String?) -> LogMetadata {
        var fields = LogMetadata()
        if facts.contains(.system) {
            fields["os"] = .string(MachineFacts.system)
            fields["osVersion"] = .string(MachineFacts.version)
        }
        if facts.contains(.host) {
            fields["hostName"] = .string(ProcessFacts.host)
            fields["deviceName"] = .string(ProcessFacts.host)
        }
        if facts.contains(.model) { fields["deviceModel"] = .string(MachineFacts.model) }
        if facts.contains(.app) {
            fields["appVersion"] = (version ?? MachineFacts.appVersion).map { .string($0) }
            fields["appBuild"] = (build ?? MachineFacts.appBuild).map { .integer(Int64($0)) }
            fields["firstAppVersion"] = firstAppVersion.map { .string($0) }
            fields["firstAppBuild"] = firstAppBuild.map { .integer(Int64($0)) }
        }
        if facts.contains(.starts) {
            fields["firstStart"] = .double(firstStart)
            fields["lastStart"] = .double(lastStart)
            fields["starts"] = .integer(Int64(starts))
        }
        if facts.contains(.identity) { fields["uuid"] = .string(uuid) }
        if facts.contains(.user), let user = user ?? userName, !user.isEmpty {
            fields["userName"] = .string(user)
        }
        return fields
    }
}
