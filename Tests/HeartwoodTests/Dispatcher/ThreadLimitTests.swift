import Foundation
import HeartwoodArchive
import HeartwoodTestSupport
import SuiteSupport
import Synchronization
import Testing

@testable import Heartwood

/// Starts threads that wait; what is returned has them work, and waits for them.
private func crew(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) -> () -> Void {
    let (start, done) = (Gate(), DispatchSemaphore(value: 0))
    for index in 0..<count {
        Thread.detachNewThread {
            start.pass()
            body(index)
            done.signal()
        }
    }
    start.waitForArrival(of: count)
    return {
        start.open()
        for _ in 0..<count { done.wait() }
    }
}

/// Keeps texts, and asks where it is, as loggers of users do.
private final class Careful: AbstractLogger, @unchecked Sendable {
    let texts = Locked<[String]>([])
    /// The thread that ran the last hook.
    let thread = Atomic<UInt64>(0)
    /// What a hook waits for.
    let gate = Gate(isOpen: true)
    override func log(_ message: LogMessage) {
        dispatchPrecondition(condition: .onQueue(queue))
        gate.pass()
        texts.withLock { $0.append(message.text) }
        thread.store(LogThread.current.id, ordering: .relaxed)
        if message.text == "ask" { logInfo("answer", to: node.dispatcher) }
    }
}

@Suite("At the limit of threads", .inTurn) struct ThreadLimitTests {
    /// Why no thread can be created.
    enum Shortage: String, Codable {
        /// Heartwood's own way to create one says so.
        case standIn
        /// The process has reached the limit of its user; no thread of libdispatch's is left.
        case limit

        func set() {
            if self == .standIn { return DetachedThread.refuses.store(true, ordering: .relaxed) }
            // Threads of the pool end when they have been idle for five seconds.
            _ = Semaphore().wait(upTo: .seconds(8))
            ProcessThreads.forbid()
        }
    }

    /// What a program does.
    enum Case: String, Codable, CaseIterable, CustomTestStringConvertible {
        case late, early, settings, removal, exit, child, hooks, timers, mainQueue, ownQueue, stuck
        case waiters, console, archives, exchange, givenQueue
        var testDescription: String { rawValue }
    }

    private let scratch = Scratch()

    @Test("No call waits for a thread, and nothing is lost", arguments: Case.allCases)
    func standIn(place: Case) async { await run(place, .standIn) }

    @Test(
        "The same where the system has none, for another user than root", .secondTier,
        arguments: Case.allCases)
    func limit(place: Case) async {
        guard geteuid() == 0 else { return print("skipped: only root can become another user") }
        await run(place, .limit)
    }

    private func run(_ place: Case, _ shortage: Shortage) async {
        await #expect(processExitsWith: .exitCode(7)) {
            [place = place as Case, shortage = shortage as Shortage, path = scratch.path as String] in
            alarm(60)
            if shortage == .limit {
                chown(path, 54321, 54321)
                guard setgid(54321) == 0, setuid(54321) == 0 else { _exit(1) }
            }
            try ThreadLimitWorld(path, shortage).run(place)
            Foundation.exit(7)
        }
        let text = scratch.names().map { scratch.text($0) }.joined()
        if place == .exit { #expect(text == (0..<1000).map { "\($0)\n" }.joined()) }
    }

    @Test("Where threads can be created again, calls no longer wait, and what has waited is done")
    func recovers() async {
        await #expect(processExitsWith: .exitCode(7)) {
            [path = scratch.path as String] in
            let world = try ThreadLimitWorld(path, .standIn)
            let rolled = Gate()
            world.file.onRoll = { _ in rolled.pass() }
            world.start()
            logInfo("one", to: world.dispatcher)
            world.file.rollNow()
            logInfo("two", to: world.dispatcher)
            #expect(world.careful.thread.load(ordering: .relaxed) == LogThread.current.id)
            #expect(rolled.arrivals == 0)
            DetachedThread.refuses.store(false, ordering: .relaxed)
            let isOver = world.waits {
                logInfo("three", to: world.dispatcher)
                world.dispatcher.flush()
                return world.careful.thread.load(ordering: .relaxed) != LogThread.current.id
            }
            #expect(isOver)
            let isLacking = world.dispatcher.lacksThreads.load(ordering: .relaxed)
            #expect(!isLacking)
            #expect(world.waits { rolled.arrivals == 1 })
            Foundation.exit(7)
        }
    }
}

/// A program with two loggers whose threads are lacking.
private final class ThreadLimitWorld: Sendable {
    let dispatcher = LogDispatcher()
    let file: FileLogger
    let careful = Careful()
    private let directory: String
    private let shortage: ThreadLimitTests.Shortage
    private let reports = Locked<[String]>([])
    private let slowest = Locked<Duration>(.zero)

    init(_ path: String, _ shortage: ThreadLimitTests.Shortage) throws {
        directory = path + "/logs"
        self.shortage = shortage
        file = try FileLogger(directory: directory, formatter: nil)
        dispatcher.diagnostics.handler = { [reports] report in reports.withLock { $0.append(report.text) } }
    }

    /// Has no threads, and adds the loggers.
    func start() {
        shortage.set()
        dispatcher.add(file)
        dispatcher.add(careful)
    }

    /// Whether `isTrue` becomes true within half a minute.
    func waits(until isTrue: () -> Bool) -> Bool {
        let pause = Semaphore()
        for _ in 0..<3000 {
            if isTrue() { return true }
            _ = pause.wait(upTo: .milliseconds(10))
        }
        return false
    }

    private var lines: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix("log") }.sorted().flatMap { name in
            let text = (try? String(contentsOfFile: directory + "/" + name, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").map(String.init)
        }
    }

    private var refusals: Int { reports.withLock { $0.count { $0.contains("no thread could be created") } } }

    private func call(_ body: () -> Void) {
        let start = SystemClock().uptime()
        body()
        let took = SystemClock().uptime() - start
        slowest.withLock { $0 = max($0, took) }
    }

    /// Many threads log in all ways; both loggers have all messages, in one order.
    private func logAll(_ work: () -> Void) {
        work()
        #expect(dispatcher.flush().isComplete)
        let texts = careful.texts.withLock { $0 }
        #expect(texts.count == 1201)
        #expect(lines == texts)
        for thread in 0..<4 {
            #expect(
                texts.filter { $0.hasPrefix("\(thread)-") } == (0..<300).map { "\(thread)-\($0)" })
        }
        #expect(slowest.withLock { $0 } < .seconds(2))
    }

    func run(_ place: ThreadLimitTests.Case) throws {
        let work = crew(4) { thread in
            for index in 0..<300 {
                self.call {
                    switch index % 3 {
                    case 0: logInfo("\(thread)-\(index)", to: self.dispatcher)
                    case 1: logError("\(thread)-\(index)", to: self.dispatcher)
                    default: logInfo("\(thread)-\(index)", asynchronous: true, to: self.dispatcher)
                    }
                }
            }
        }
        switch place {
        case .late:
            dispatcher.add(file)
            dispatcher.add(careful)
            logInfo("before", to: dispatcher)
            dispatcher.flush()
            shortage.set()
            logAll(work)
            #expect(refusals == 0)
        case .early:
            start()
            logInfo("before", to: dispatcher)
            logAll(work)
            #expect(refusals == 1)
        case .stuck:
            let work = crew(2) { thread in
                if thread == 0 { return logInfo("stuck", to: self.dispatcher) }
                self.careful.gate.waitForArrival(of: 1)
                for index in 0..<5 { self.call { logInfo("\(index)", to: self.dispatcher) } }
                self.careful.gate.open()
            }
            start()
            try more(place, work)
        case .waiters:
            let counter = CallbackLogger(state: 0) { count, _ in count += 1 }
            let work = crew(4) { thread in
                for _ in 0..<200 {
                    self.call {
                        switch thread {
                        case 0: self.dispatcher.flush()
                        case 1: logInfo("x", asynchronous: true, to: self.dispatcher)
                        case 2: logError("y", to: self.dispatcher)
                        default: _ = counter.withState { $0 }
                        }
                    }
                }
            }
            start()
            dispatcher.add(counter)
            work()
            #expect(counter.withState { $0 } == 400)
            #expect(slowest.withLock { $0 } < .seconds(2))
            #expect(reports.withLock { $0.count } == 1)
        case .exchange:
            // As a configuration adds loggers.
            shortage.set()
            dispatcher.exchange([], for: [file])
            logInfo("one", to: dispatcher)
            #expect(file.statistics.delivered == 1 && refusals == 1)
        case .console:
            let (reader, mayRead) = (StoppedConsole.install(.pipe), Gate())
            Thread.detachNewThread {
                mayRead.pass()
                _ = StoppedConsole.read(reader)
            }
            mayRead.waitForArrival(of: 1)
            start()
            let console = ConsoleLogger(.standardError)
            dispatcher.add(console)
            call { for index in 0..<3000 { logInfo("\(index) of what is not read", to: dispatcher) } }
            #expect(slowest.withLock { $0 } < .seconds(5))
            #expect(dispatcher.flush(timeout: .milliseconds(200)).unfinished == [console.name])
            mayRead.open()
            #expect(dispatcher.flush().isComplete)
            #expect(console.statistics.delivered == 3000)
        default:
            start()
            try more(place) {}
        }
    }

    private func more(_ place: ThreadLimitTests.Case, _ work: () -> Void) throws {
        switch place {
        case .settings:
            let counter = CallbackLogger(state: 0) { count, _ in count += 1 }
            dispatcher.add(counter)
            for number in 0..<50 {
                file.formatter = try PatternFormatter("\(number) {message}")
                logInfo("x", asynchronous: true, to: dispatcher)
                #expect(counter.withState { $0 } == number + 1)
            }
            #expect(lines == (0..<50).map { "\($0) x" })
        case .removal:
            for round in 0..<5 {
                logInfo("\(round)", to: dispatcher)
                #expect(dispatcher.remove(careful))
                #expect(careful.texts.withLock { $0.count } == round + 1)
                #expect(dispatcher.add(careful))
            }
            #expect(dispatcher.removeAll())
            #expect(lines.count == 5)
            var other: LogDispatcher? = LogDispatcher()
            other?.add(careful)
            logInfo("last", to: other)
            other = nil
            #expect(careful.texts.withLock { $0.last } == "last")
        case .exit: for index in 0..<1000 { logInfo("\(index)", asynchronous: true, to: dispatcher) }
        case .child:
            typealias Fork = @convention(c) () -> pid_t
            let fork = unsafeBitCast(dlsym(nil, "fork"), to: Fork.self)
            // With the limit of one thread there is no child either.
            if shortage == .limit { return }
            // In a child hooks are called on no queue.
            dispatcher.remove(careful)
            logInfo("parent", to: dispatcher)
            let child = fork()
            if child == 0 {
                logInfo("child", to: dispatcher)
                _exit(lines.last == "child" ? 0 : 1)
            }
            var status: Int32 = -1
            waitpid(child, &status, 0)
            #expect(status == 0)
            logInfo("parent again", to: dispatcher)
            // The child has a file of its own.
            #expect(lines.sorted() == ["child", "parent", "parent again"])
        case .hooks:
            logInfo("ask", to: dispatcher)
            logInfo("next", to: dispatcher)
            #expect(Set(lines) == ["ask", "answer", "next"])
        case .timers:
            careful.levels = .info
            careful.setLevels(.all, for: .milliseconds(1))
            let isOver = waits {
                logDebug("debug", to: dispatcher)
                let count = careful.texts.withLock { $0.count }
                logDebug("debug", to: dispatcher)
                return careful.texts.withLock { $0.count } == count
            }
            #expect(isOver)
        case .mainQueue:
            // The main thread does not come to it: the others have everything, and a call waits once.
            dispatcher.synchronousTimeout = .milliseconds(200)
            dispatcher.add(Careful(name: "main", queue: .main))
            for index in 0..<5 { call { logInfo("\(index)", to: dispatcher) } }
            #expect(lines.count == 5 && careful.texts.withLock { $0.count } == 5)
            #expect(slowest.withLock { $0 } < .seconds(2))
        case .ownQueue:
            careful.queue.sync { call { logError("inside", to: dispatcher) } }
            #expect(lines == ["inside"] && careful.texts.withLock { $0 } == ["inside"])
        case .stuck:
            dispatcher.synchronousTimeout = .milliseconds(200)
            careful.gate.close()
            work()
            #expect(slowest.withLock { $0 } < .seconds(2))
            #expect(dispatcher.flush().isComplete)
            #expect(lines.count == 6 && careful.texts.withLock { $0.count } == 6)
        case .archives:
            LogArchives.register()
            file.archiveFormat = .gzip
            for number in 0..<5 {
                logInfo("\(number)", to: dispatcher)
                file.rollNow()
            }
            dispatcher.flush()
            call { file.finishArchives() }
            #expect(slowest.withLock { $0 } < .seconds(5))
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(names.count { $0.hasSuffix(".gz") } == 5)
        case .givenQueue:
            let queue = DispatchQueue(label: "given", target: DispatchQueue(label: "target"))
            let given = Careful(name: "given", queue: queue)
            dispatcher.add(given)
            for index in 0..<5 { call { logError("\(index)", to: dispatcher) } }
            #expect(lines.count == 5 && given.texts.withLock { $0.isEmpty })
            call { #expect(dispatcher.flush().unfinished == ["given"]) }
            let counter = CallbackLogger(state: 0, queue: DispatchQueue(label: "counter")) { count, _ in
                count += 1
            }
            dispatcher.add(counter)
            logInfo("counted", to: dispatcher)
            call { #expect(counter.withState { $0 } == 1) }
            #expect(slowest.withLock { $0 } < .seconds(2))
        case .late, .early, .waiters, .console, .exchange: break
        }
    }
}
