#if os(Linux)
import CCurl
import Foundation
import Heartwood
import HeartwoodConfiguration
import HeartwoodEvents
import HeartwoodHTTP
import HeartwoodReading
import HeartwoodSQLite
import HeartwoodServer
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("What started programs inherit", .inTurn) struct InheritedDescriptorsTests {
    /// Writes to a file which descriptors a program has that is started now, beside those of one that was
    /// started before.
    private static func note(new before: [Int32: String], in path: String) throws {
        let new = try inheritedDescriptors().filter { before[$0.key] == nil }
        if new.isEmpty { return }
        try Data("\(new)".utf8).write(to: URL(fileURLWithPath: path))
    }

    @Test("A program that is started while all loggers work inherits nothing of them (promise 12)")
    func ofLoggers() async throws {
        let scratch = try ToolProcess()
        await #expect(processExitsWith: .exitCode(0)) { [path = scratch.scratch.path as String] in
            alarm(60)
            let before = try inheritedDescriptors()
            let server = try LoopbackServer()
            let dispatcher = LogDispatcher(journal: LogJournal(directory: path + "/journal"))
            dispatcher.diagnostics.handler = { _ in }
            dispatcher.add(ConsoleLogger())
            dispatcher.add(try FileLogger(directory: path + "/logs"))
            dispatcher.add(try SQLiteLogger(path: path + "/log.sqlite"))
            dispatcher.add(SystemLogger(.udp(host: "127.0.0.1", port: 9)))
            dispatcher.add(SystemLogger(.tcp(host: "127.0.0.1", port: server.port)))
            let http = try HTTPLogger(server.address, spool: path + "/spool")
            dispatcher.add(http)
            let settings = path + "/settings.json"
            try Data("{}".utf8).write(to: URL(fileURLWithPath: settings))
            let watch = try LogConfigurationWatch(settings, dispatcher: dispatcher, reloadsOnHangup: true)
            LogDispatcher.flushOnSignals([.term])
            let reading = try LogFileSource(path: "-")
            logError("one", to: dispatcher)
            dispatcher.flush()
            _ = http.deliver(timeout: .seconds(30))
            try InheritedDescriptorsTests.note(new: before, in: path + "/inherited")
            withExtendedLifetime((server, watch, reading)) { exit(0) }
        }
        #expect(scratch.inherited == nil)
    }

    @Test("A program that is started while libcurl looks up a name inherits no socket of that (promise 12)")
    func ofLookup() async throws {
        let scratch = try ToolProcess()
        await #expect(processExitsWith: .exitCode(0)) { [path = scratch.scratch.path as String] in
            alarm(60)
            let before = try inheritedDescriptors()
            guard hw_curl_prepare() != 0, let multi = hw_curl_multi_make(), let easy = curl_easy_init() else {
                exit(8)
            }
            _ = hw_curl_set_text(easy, CURLOPT_URL, "http://heartwood.invalid/")
            curl_multi_add_handle(multi, easy)
            // The sockets of the lookup are there until the next call, whatever comes of it.
            _ = hw_curl_multi_perform(multi)
            try InheritedDescriptorsTests.note(new: before, in: path + "/inherited")
            exit(0)
        }
        #expect(scratch.inherited == nil)
    }

    @Test("The browser that `heartwood view` starts inherits nothing of it (promise 12)")
    func ofBrowser() async throws {
        let tool = try ToolProcess()
        let list = tool.scratch.path + "/list"
        await #expect(processExitsWith: .exitCode(0)) { [list = list as String] in
            alarm(60)
            let before = Set(try inheritedDescriptors().keys)
            let listener = try SocketListener { _, _ in }
            let script = "ls -l /proc/self/fd >\(list).part; mv \(list).part \(list)"
            guard SystemCalls.makeSignalPipe() != nil, HeartwoodTool.Browser.start(["sh", "-c", script])
            else { exit(8) }
            let text = try await eventually("the browser has listed its descriptors") {
                try? String(contentsOfFile: list, encoding: .utf8)
            }
            let now = text.matches(of: /(\d+) -> (.*)/).filter { !$0.2.hasSuffix("/fd") }
                .compactMap { Int32($0.1) }
            withExtendedLifetime(listener) { exit(before.union(0...2).isSuperset(of: now) ? 0 : 9) }
        }
    }
}

extension ToolProcess {
    /// What was noted; nil where that was nothing.
    fileprivate var inherited: String? {
        try? String(contentsOf: scratch.appendingPathComponent("inherited"), encoding: .utf8)
    }
}
#endif
