import CHeartwood
import Foundation
import Heartwood
import SuiteSupport
import Testing

/// Keeps the texts that it handles.
private final class ListingLogger: AbstractLogger, @unchecked Sendable {  // `texts` guards itself
    let texts = Locked<[String]>([])

    override func log(_ message: LogMessage) { texts.withLock { $0.append(message.text) } }
}

/// Forks in the middle of a message, on the thread of its caller.
private final class ForkingLogger: AbstractLogger, @unchecked Sendable {  // the locks guard themselves
    let texts = Locked<[String]>([])
    let child = Locked<pid_t>(-1)

    init() { super.init(name: nil, formatter: nil, runsOnCaller: true) }

    override func log(_ message: LogMessage) {
        texts.withLock { $0.append(message.text) }
        if message.text == "fork" {
            let process = forkProcess()
            child.withLock { $0 = process }
        }
    }
}

@Suite(.inTurn) struct ForkTests {
    @Test(
        "After a fork in the middle of logging, parent and child write their own messages, once and whole",
        .disabled(
            if: Load.isSanitized, "the thread sanitizer does not support a fork of a process with threads"))
    func bothGoOn() async throws {
        await #expect(processExitsWith: .success) {
            alarm(60)  // a process that is stuck is a failure, not a wait forever
            let path = NSTemporaryDirectory() + "heartwood-fork-\(getpid())"
            defer { try? FileManager.default.removeItem(atPath: path) }
            let dispatcher = LogDispatcher()
            let file = try FileLogger(directory: path, formatter: nil)
            file.overflowPolicy = .block(upTo: .seconds(60))
            dispatcher.overflowPolicy = .block(upTo: .seconds(60))
            dispatcher.add(file)

            // The Swift runtime has locks of its own, which a fork copies as they are: they are at rest once every type
            // has been used.
            logInfo("warm 0 0", to: dispatcher)
            logError("warm 0 1", to: dispatcher)
            precondition(dispatcher.flush(timeout: .testLimit).isComplete)

            let children = 5
            let share = 4000
            let group = DispatchGroup()
            for thread in 0..<3 {
                DispatchQueue.global().async(group: group) {
                    for number in 0..<share { logInfo("parent \(thread) \(number)", to: dispatcher) }
                }
            }
            var processes: [pid_t] = []
            for child in 0..<children {
                let process = forkProcess()
                if process == 0 {
                    alarm(30)
                    for number in 0..<50 { logInfo("child \(child) \(number)", to: dispatcher) }
                    logError("child \(child) 50", to: dispatcher)
                    _exit(dispatcher.flush(timeout: .seconds(5)).isComplete ? 0 : 3)
                }
                processes.append(process)
                logInfo("parent 3 \(child)", to: dispatcher)
            }
            for process in processes { precondition(Self.status(of: process) == 0, "a child failed") }
            group.wait()
            precondition(dispatcher.flush(timeout: .testLimit).isComplete)

            var next: [String: Int] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: path) where name.hasSuffix(".log")
            {
                let text = try String(contentsOfFile: path + "/" + name, encoding: .utf8)
                precondition(text.hasSuffix("\n"), "\(name) ends in the middle of a line")
                for line in text.split(separator: "\n") {
                    let words = line.split(separator: " ")
                    precondition(words.count == 3, "“\(line)” is no whole line")
                    let key = "\(words[0]) \(words[1])"
                    precondition(
                        Int(words[2]) == next[key, default: 0], "“\(line)” follows \(next[key] ?? 0)")
                    next[key, default: 0] += 1
                }
            }
            for thread in 0..<3 { precondition(next["parent \(thread)"] == share) }
            precondition(next["parent 3"] == children)
            for child in 0..<children { precondition(next["child \(child)"] == 51) }
        }
    }

    @Test(
        "What waits for a parent's loggers is not handled by its child, and takes no room from the child's messages",
        .disabled(
            if: Load.isSanitized, "the thread sanitizer does not support a fork of a process with threads"))
    func waitingMessages() async {
        await #expect(processExitsWith: .success) {
            alarm(60)
            let queue = DispatchQueue(label: "fork")
            let logger = ListingLogger(queue: queue)
            logger.backlogLimit = .kibibytes(16)
            logger.overflowPolicy = .dropNewest
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.handler = { _ in }
            dispatcher.add(logger)
            logInfo("warm", to: dispatcher)
            logError("warm", to: dispatcher)
            precondition(dispatcher.flush(timeout: .testLimit).isComplete)
            // What runs on the queue may still take messages, until it ends.
            queue.sync {}
            queue.suspend()
            for number in 0..<1000 { logInfo("parent \(number)", to: dispatcher) }
            dispatcher.flush(timeout: .zero)
            let child = forkProcess()
            if child == 0 {
                alarm(30)
                for number in 0..<3 { logInfo("child \(number)", to: dispatcher) }
                let isComplete = dispatcher.flush(timeout: .testLimit).isComplete
                let texts = logger.texts.withLock { $0 }
                _exit(isComplete && texts == ["warm", "warm", "child 0", "child 1", "child 2"] ? 0 : 3)
            }
            precondition(Self.status(of: child) == 0, "the child handled other messages than its own")
            queue.resume()
            precondition(dispatcher.flush(timeout: .testLimit).isComplete)
            let texts = logger.texts.withLock { $0 }
            precondition(texts.dropFirst(2).first == "parent 0" && !texts.contains("child 0"))
        }
    }

    @Test(
        "After a fork within a message that its caller handles itself, parent and child go on",
        .disabled(
            if: Load.isSanitized, "the thread sanitizer does not support a fork of a process with threads"))
    func withinMessage() async {
        await #expect(processExitsWith: .success) {
            alarm(60)
            let logger = ForkingLogger()
            let dispatcher = LogDispatcher()
            dispatcher.diagnostics.handler = { _ in }
            dispatcher.add(logger)
            logError("warm", to: dispatcher)
            precondition(dispatcher.flush(timeout: .testLimit).isComplete)
            logError("fork", to: dispatcher)
            let child = logger.child.withLock { $0 }
            if child == 0 {
                alarm(30)
                // The logger was at work: the child never runs it again, and does not wait for it.
                logError("child", to: dispatcher)
                _exit(logger.texts.withLock { $0 } == ["warm", "fork"] ? 0 : 3)
            }
            precondition(Self.status(of: child) == 0, "the child did not go on")
            logError("after it", to: dispatcher)
            precondition(dispatcher.flush(timeout: .seconds(30)).isComplete)
            precondition(logger.texts.withLock { $0 } == ["warm", "fork", "after it"])
        }
    }

    /// How a child ended; one that does not end is killed.
    private static func status(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        for _ in 0..<3000 {
            if waitpid(process, &status, WNOHANG) == process { return status }
            usleep(10_000)
        }
        kill(process, SIGKILL)
        waitpid(process, &status, 0)
        return status
    }
}
