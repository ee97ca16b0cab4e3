#if os(Linux)
import CoreFixtures
import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodHTTP

/// A server and its clients are killed again and again, both with `kill -9` and at random moments (F27).
@Suite(.inTurn) struct ServerKillTests {
    /// A collector that keeps each body in a file, behind a line with its key, before it answers.
    ///
    /// The file has its name only when it is whole: client and collector are killed at any moment.
    private static let collector = """
        import http.server, os, signal, sys, threading, uuid
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            def do_POST(self):
                if lives and not lives[0].is_alive(): lives[0].start()
                size = int(self.headers["Content-Length"])
                body = self.rfile.read(size)
                if len(body) < size:
                    self.close_connection = True
                    return
                part = f"{sys.argv[2]}/part-{uuid.uuid4()}"
                with open(part, "wb") as file: file.write(f"{self.headers['Idempotency-Key']}\\n".encode() + body)
                os.rename(part, part.replace("part-", "body-"))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()
            def log_message(self, *arguments): pass
        class Server(http.server.ThreadingHTTPServer): allow_reuse_address = True
        # Some time after the first request it dies.
        lives = [threading.Timer(float(life), lambda: os.kill(os.getpid(), signal.SIGKILL)) for life in sys.argv[3:]]
        Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
        """

    @Test(
        "Nothing that was flushed is lost when server and client are killed, and repetitions have the same key"
    )
    func bothKilled() async throws {
        guard let python = RealProgram.find("python3") else { return }
        let directory = try TemporaryDirectory()
        try directory.write("collector.py", Array(Self.collector.utf8))
        let stored = directory.path + "/stored"
        try FileManager.default.createDirectory(atPath: stored, withIntermediateDirectories: false)
        let port = RealProgram.freePort()
        let (path, address) = (directory.path, "http://127.0.0.1:\(port)")
        func start(_ lifetime: [String] = []) throws -> RealProgram {
            try RealProgram(
                python, [path + "/collector.py", String(port), stored] + lifetime, in: path,
                listeningOn: port)
        }
        var random = SeededNumbers(11)
        for round in 0..<(!Tier.isFull ? 4 : 30) {
            let server = try start(["0.\(random.next() % 90 + 10)"])
            let first = round * 1_000_000
            let lifetime = UInt32(random.next() % 200_000 + 20_000)
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = path as String, address = address as String, first = first as Int,
                    lifetime = lifetime as UInt32
                ] in
                try await KillTests.child(path, address, first, lifetime)
            }
            // Whichever ends last: the port must be free for the next.
            server.kill()
        }
        let server = try start()
        let dispatcher = LogDispatcher()
        let logger = try KillTests.logger(path, address, dispatcher)
        #expect(await logger.deliver(timeout: .testLimit))
        dispatcher.removeAll()
        server.stop()

        let obliged = try KillTests.obliged(directory)
        let (numbers, repetitions) = try Self.delivered(stored)
        let missing = obliged.filter { !numbers.contains($0) }
        #expect(!obliged.isEmpty && missing.isEmpty, "\(missing.count) of \(obliged.count) are missing")
        print("\(obliged.count) obligations, \(numbers.count) delivered, \(repetitions) repetitions")
    }

    /// The numbers that were stored, each once after removing repetitions by key, and how many those were.
    private static func delivered(_ folder: String) throws -> (Set<Int>, Int) {
        var bodies: [String: Data] = [:]
        var numbers: Set<Int> = []
        var repetitions = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("body-")
        {
            let content = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
            let end = try #require(content.firstIndex(of: 0x0A))
            let key = String(decoding: content[..<end], as: UTF8.self)
            let body = Data(content[(end + 1)...])
            if let known = bodies[key] {
                #expect(known == body, "a key stands for different records")
                repetitions += 1
                continue
            }
            bodies[key] = body
            let list = try JSONSerialization.jsonObject(with: body) as? [[String: Any]]
            for number in try #require(list).compactMap({ $0["number"] as? Int }) {
                #expect(numbers.insert(number).inserted, "\(number) came under two keys")
            }
        }
        return (numbers, repetitions)
    }
}
#endif
