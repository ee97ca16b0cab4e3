import Foundation
import Heartwood
import HeartwoodEvents
import HeartwoodHTTP
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("heartwood spool", .inTurn)
struct SpoolCommandTests {
    let tool: ToolProcess
    var spool: String { tool.scratch.path + "/spool" }

    init() throws { tool = try ToolProcess() }

    /// Leaves messages behind that were never sent.
    private func fill(_ count: Int) throws {
        let dispatcher = LogDispatcher()
        let logger = try HTTPLogger("http://127.0.0.1:1/", spool: spool)
        logger.isPaused = true
        dispatcher.add(logger)
        for number in 0..<count {
            log(
                "record \(number)\u{1b}", level: number % 2 == 0 ? .error : .info,
                category: LogCategory("shop"), metadata: ["half": .integer(Int64(number / 2))],
                to: dispatcher)
        }
        dispatcher.removeAll()
    }

    private struct Entry: Decodable {
        let message: String
        let level: String
        let id: String
    }

    private func entries(_ lines: some Sequence<UInt8>) throws -> [Entry] {
        try Array(lines).split(separator: 0x0A).map { try JSONDecoder().decode(Entry.self, from: Data($0)) }
    }

    @Test("Listing shows every message on a line of its own, the oldest first, and removes none")
    func lists() async throws {
        try fill(2000)
        for _ in 0..<2 {
            let outcome = try await tool.run("spool", spool)
            #expect(outcome.code == 0, "\(outcome.error)")
            let lines = outcome.output.split(separator: "\n")
            let expected = (0..<2000).map { number in
                let level = number % 2 == 0 ? "error  " : "info   "
                return "Z \(level) shop record \(number)\\u{1b} {half=\(number / 2)}"
            }
            ToolProcess.expectSame(lines.map { String($0.dropFirst(23)) }, expected)
            #expect(outcome.error.contains("2,000 messages are queued, "))
        }
        let cut = try await tool.shell("\"$HEARTWOOD\" spool '\(spool)' | head -n 1")
        #expect(cut.output.contains("record 0"))
        let quiet = try await tool.run("spool", spool, "-q")
        #expect(quiet.error.isEmpty)
    }

    @Test(
        "An export is JSON, for its owner only, overwrites nothing, and is complete before anything is removed"
    )
    func exports() async throws {
        try fill(700)
        let file = tool.scratch.path + "/unsent.ndjson"
        let outcome = try await tool.run("spool", "--export", file, spool)
        #expect(outcome.code == 0, "\(outcome.error)")
        #expect(outcome.error.contains("700 messages written to \(file)"))
        let messages = try entries(Data(contentsOf: URL(fileURLWithPath: file))).map(\.message)
        #expect(messages == (0..<700).map { "record \($0)\u{1b}" })
        let attributes = try FileManager.default.attributesOfItem(atPath: file)
        #expect(attributes[.posixPermissions] as? Int == 0o600)

        let again = try await tool.run("spool", "--export", file, "--clear", spool)
        #expect(again.code == 1)
        #expect(again.error.contains("the file already exists"))
        let full = try await tool.shell("\"$HEARTWOOD\" spool --export - --clear '\(spool)' > /dev/full")
        #expect(full.code == 1 && full.error.contains("No space left"), "\(full.error)")
        let piped = try await tool.run("spool", "--export", "-", "--clear", "-q", spool)
        #expect(piped.code == 0, "\(piped.error)")
        #expect(try entries(piped.output.utf8).count == 700, "the failures before have removed nothing")
        let empty = try await tool.run("spool", spool)
        #expect(empty.code == 0 && empty.output.isEmpty && empty.error.contains("nothing waits"))
    }

    @Test("--clear removes everything, and says how much")
    func clears() async throws {
        try fill(3)
        let outcome = try await tool.run("spool", "--clear", spool)
        #expect(outcome.code == 0 && outcome.error.contains("3 messages removed"))
        #expect(try UnsentMessages(directory: spool).count == 0)
    }

    @Test("--send delivers everything once, with the token, the header and the compression asked for")
    func sends() async throws {
        try fill(2500)
        let server = try LoopbackServer(answers: [.status(503)])
        defer { server.stop() }
        let token = try tool.file("token", Array("s3cret\n".utf8))
        chmod(token, 0o600)
        let outcome = try await tool.run(
            "spool", spool, "--send", server.address + "/in", "--encoding", "ndjson", "--token-file", token,
            "--header", "X-Team: shop: eu", "--gzip")
        #expect(outcome.code == 0, "\(outcome.error)")
        #expect(outcome.error.contains("2,500 messages delivered, 0 rejected, 0 wait"))
        #expect(!outcome.error.contains("s3cret"))
        var all: [Entry] = []
        for request in server.stored {
            #expect(request.headers["Authorization"] == "Bearer s3cret")
            #expect(request.headers["X-Team"] == "shop: eu")
            #expect(request.headers["Content-Type"] == "application/x-ndjson")
            #expect(request.headers["Content-Encoding"] == "gzip")
            _ = try tool.file("body.gz", request.body)
            all += try entries(try await tool.shell("gzip -dc body.gz").output.utf8)
        }
        ToolProcess.expectSame(all.map(\.message), (0..<2500).map { "record \($0)\u{1b}" })
        #expect(Set(all.map(\.id)).count == 2500)
        #expect(try UnsentMessages(directory: spool).count == 0)
    }

    @Test("What a dead server did not take stays, and what one refuses is set aside; both are told")
    func failures() async throws {
        try fill(5)
        let dead = try await tool.run("spool", "--send", "http://127.0.0.1:1/", "--patience", "1s", spool)
        #expect(dead.code == 1)
        #expect(dead.error.contains("5 messages could not be delivered and are kept: "), "\(dead.error)")
        let server = try LoopbackServer { request in
            request.text.contains("record 3") ? .status(400) : .ok
        }
        defer { server.stop() }
        let picky = try await tool.run("spool", "--send", server.address, spool)
        #expect(picky.code == 1)
        #expect(picky.error.contains("4 messages delivered, 1 rejected, 0 wait"), "\(picky.error)")
        let aside = try String(contentsOfFile: spool + "/rejected.ndjson", encoding: .utf8)
        #expect(aside.contains("record 3"))
    }

    @Test("--resend-rejected takes refused messages out of their file; they are sent once, in their order")
    func resendsRejected() async throws {
        try fill(50)
        let isPicky = Locked(true)
        let server = try LoopbackServer { request in
            let isBad = ["record 7\\u", "record 31\\u", "record 40\\u"].contains { request.text.contains($0) }
            return isBad && isPicky.withLock({ $0 }) ? .status(400) : .ok
        }
        defer { server.stop() }
        let picky = try await tool.run("spool", "--send", server.address, spool)
        #expect(picky.error.contains("47 messages delivered, 3 rejected, 0 wait"), "\(picky.error)")
        isPicky.withLock { $0 = false }

        let refused = try await tool.run("spool", "--resend-rejected", "--clear", spool)
        #expect(
            refused.code == 2 && refused.error.contains("--resend-rejected can be combined only with --send"))
        let alone = try await tool.run("spool", "--resend-rejected", spool)
        #expect(
            alone.code == 0 && alone.error.contains("3 rejected messages are queued again"), "\(alone.error)")
        #expect(!FileManager.default.fileExists(atPath: spool + "/rejected.ndjson"))
        let listed = try await tool.run("spool", spool)
        #expect(listed.output.split(separator: "\n").count == 3)
        let again = try await tool.run("spool", "--resend-rejected", "--send", server.address, spool)
        #expect(again.code == 0, "\(again.error)")
        #expect(again.error.contains("0 rejected messages are queued again"))
        #expect(again.error.contains("3 messages delivered, 0 rejected, 0 wait"))
        let texts = try server.stored.flatMap { request in
            try JSONDecoder().decode([Entry].self, from: Data(request.body)).map(\.message)
        }
        #expect(texts.suffix(3) == [7, 31, 40].map { "record \($0)\u{1b}" })
        #expect(texts.sorted() == (0..<50).map { "record \($0)\u{1b}" }.sorted())
    }

    @Test("An event store is listed and its refused events wait again, but another program does not send it")
    func eventStore() async throws {
        let server = try LoopbackServer(then: .status(503))
        defer { server.stop() }
        do {
            let dispatcher = LogDispatcher()
            let store = try EventStore(server.address, directory: spool, dispatcher: dispatcher)
            let events = try AuditLog(store)
            for number in 0..<20 { events.recordEvent(activity: "event \(number)") }
            #expect(store.flush(timeout: .testLimit))
            store.close()
        }
        let path = spool + "/default/events"
        let listed = try await tool.run("spool", path)
        #expect(listed.code == 0 && listed.error.contains("20 messages are queued"), "\(listed.error)")
        #expect(listed.output.split(separator: "\n").count == 20)
        let sent = try await tool.run("spool", "--send", server.address, path)
        #expect(sent.code == 2 && sent.error.contains("belongs to an event store"), "\(sent.error)")
        let resent = try await tool.run("spool", "--resend-rejected", path)
        #expect(resent.code == 0 && resent.error.contains("0 rejected messages are queued again"))
        #expect(try UnsentMessages(directory: path).count == 20)
    }

    @Test("A store that a living process has is refused by name; one of a dead process is adopted")
    func owners() async throws {
        try fill(2)
        do {
            let owner = try UnsentMessages(directory: spool)
            let refused = try await tool.run("spool", spool)
            #expect(refused.code == 1)
            #expect(
                refused.error.contains("in process \(ProcessInfo.processInfo.processIdentifier), uses this"),
                "\(refused.error)")
            withExtendedLifetime(owner) {}
        }
        // A pipe that is killed while lines wait leaves a file that it had not sealed.
        let outcome = try await tool.shell(
            """
            mkfifo lines
            "$HEARTWOOD" pipe --http http://127.0.0.1:1/ --spool '\(spool)' --quiet lines & PID=$!
            exec 3> lines
            echo 'from the pipe' >&3
            for i in $(seq 300); do
                grep -q 'from the pipe' '\(spool)'/*.seg 2> /dev/null && break; sleep 0.1
            done
            "$HEARTWOOD" spool '\(spool)' 2>&1 | sed "s/$PID/PID/"
            kill -9 $PID; wait $PID 2> /dev/null
            "$HEARTWOOD" spool '\(spool)' 2> /dev/null
            """)
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == 4, "\(outcome.output)\(outcome.error)")
        #expect(lines.first?.contains("Another logger, in process PID, uses this spool") == true)
        #expect(lines.last?.contains("from the pipe") == true)
    }

    @Test("A directory that is not there is not made, and a secret that others can change is not sent")
    func refusals() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        for arguments in [["spool", spool], ["spool", "--send", server.address, spool]] {
            let error = try tool.file("error")
            #expect(try await tool.start(arguments, error: .file(error)).ended().code == 1)
            #expect(
                try String(contentsOfFile: error, encoding: .utf8).contains("no store of unsent messages"))
            #expect(!FileManager.default.fileExists(atPath: spool))
        }
        try fill(1)
        let token = try tool.file("token", Array("open".utf8))
        chmod(token, 0o646)
        let outcome = try await tool.run("spool", "--send", server.address, "--token-file", token, spool)
        #expect(outcome.code == 1)
        #expect(outcome.error.contains("chmod go-w"))
        #expect(server.requests.isEmpty)
    }
}
