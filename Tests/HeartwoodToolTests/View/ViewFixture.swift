import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Heartwood

@testable import HeartwoodTool

/// A directory of logs that is viewed in this process.
final class ViewFixture {
    static let token = "0123456789abcdef0123456789abcdef"

    let scratch: URL
    let directory: String
    private(set) var log: ViewLog
    private(set) var server: ViewServer

    /// Writes files and opens them; `redact` is what is given to `--redact`.
    init(
        _ files: [(name: String, bytes: [UInt8])] = [], key: (any SecretProvider)? = nil,
        redact: String? = nil
    ) throws {
        scratch = FileManager.default.temporaryDirectory.appendingPathComponent(
            "heartwood-\(UUID().uuidString)")
        directory = scratch.appendingPathComponent("logs").path
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for (name, bytes) in files {
            try Data(bytes).write(to: URL(fileURLWithPath: directory + "/" + name))
        }
        let words = redact.map { ["--redact=\($0)"] } ?? []
        let arguments = try Arguments(parsing: words, options: ViewCommand.options)
        log = ViewLog(
            paths: [directory], key: key, redaction: try LogSelection.redaction(arguments),
            redactionNames: redact)
        try log.start()
        server = try ViewServer(log, token: ViewFixture.token)
    }

    deinit {
        server.stop()
        try? FileManager.default.removeItem(at: scratch)
    }

    var port: Int {
        Int(server.address.split(separator: "/")[1].split(separator: ":")[1]) ?? 0
    }

    /// Adds bytes to the end of a file, which is made if it is missing.
    func append(_ text: String, to name: String) throws {
        let path = directory + "/" + name
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    /// Waits until all files that were there are indexed.
    func indexed() async -> Bool { await reaches { $0.store.progress.isComplete } }

    /// Waits until the log is as wanted.
    func reaches(_ isReached: (ViewLog) -> Bool) async -> Bool {
        (try? await eventually("the log is as wanted") { isReached(log) }) != nil
    }

    /// Asks for a part of the interface.
    func get(_ target: String) -> RawClient.Answer? {
        RawClient.get("/\(ViewFixture.token)/\(target)", port: port)
    }

    /// All lines that a filter wants, as the page saves them.
    func lines(_ query: String) -> [UInt8]? { get("api/lines" + (query.isEmpty ? "" : "?" + query))?.body }

    /// The numbers and messages of some rows.
    func rows(_ query: String) throws -> [(number: Int, message: String)] {
        guard let answer = get("api/rows?" + query) else { return [] }
        let content = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
        return (content?["rows"] as? [[Any]] ?? []).map { ($0[0] as? Int ?? .max, $0[4] as? String ?? "") }
    }
}
