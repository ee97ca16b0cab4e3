import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Several processes with one directory for their journals, and what comes from outside of a process.
@Suite(.serialized, .inTurn) struct JournalProcessTests {
    @Test("The environment alone turns the shared dispatcher's journal on")
    func environment() async throws {
        let scratch = Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            setenv("HEARTWOOD_JOURNAL", path + "/journal", 1)
            let isBroken = SystemCalls { $0 == .write ? .fails(EIO) : nil }
            LogDispatcher.shared.diagnostics.handler = { _ in }
            LogDispatcher.shared.add(try JournalScene().makeLogger(path, calls: isBroken))
            logInfo("kept")
            guard case .active = LogDispatcher.shared.journalStatus else { exit(3) }
            kill(getpid(), SIGKILL)
        }
        let dispatcher = JournalScene().makeDispatcher(path)
        dispatcher.add(try JournalScene().makeLogger(path))
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        #expect(scratch.lines(JournalScene.naming).dropFirst() == ["kept", ""])
    }

    @Test(
        "Processes that run at the same time leave each other's journals alone; later ones recover those that died"
    )
    func severalProcesses() async throws {
        let scratch = Scratch()
        let path = scratch.path
        await withTaskGroup(of: Void.self) { group in
            for process in 0..<4 {
                group.addTask {
                    for round in 0..<4 {
                        await #expect(processExitsWith: .signal(SIGKILL)) {
                            [path = path as String, run = process * 4 + round as Int] in
                            let own = path + "/p\(run / 4)"
                            mkdir(own, 0o700)
                            let scene = JournalScene()
                            let dispatcher = LogDispatcher(
                                ringCapacity: .kibibytes(256), journal: .file(path + "/journal"))
                            dispatcher.diagnostics.handler = { _ in }
                            dispatcher.overflowPolicy = .block(upTo: .seconds(60))
                            dispatcher.add(try scene.makeLogger(own))
                            let witness = JournalWitness(own, run: run)
                            Thread.detachNewThread {
                                usleep(UInt32(run) * 2000 + 2000)
                                kill(getpid(), SIGKILL)
                            }
                            var number = 0
                            while true {
                                logInfo("\(run) 0 \(number) x", to: dispatcher)
                                number += 1
                                witness.note(0, number)
                            }
                        }
                    }
                }
            }
        }
        let dispatcher = JournalScene().makeDispatcher(path)
        for process in 0..<4 { dispatcher.add(try JournalScene().makeLogger(path + "/p\(process)")) }
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll()
        dispatcher.journal = nil
        #expect(scratch.names(path + "/journal").isEmpty)
        for process in 0..<4 {
            let own = path + "/p\(process)"
            var next = [Int](repeating: 0, count: 16)
            for name in scratch.names(own + "/logs") {
                let text = try String(contentsOfFile: own + "/logs/" + name, encoding: .utf8)
                for line in text.split(separator: "\n") where !line.hasPrefix("recovered") {
                    let words = line.split(separator: " ").compactMap { Int($0) }
                    #expect(words.count == 3 && words[2] == next[words[0]], "\(line) in \(name)")
                    next[words[0]] += 1
                }
            }
            for run in process * 4..<process * 4 + 4 {
                let returned = JournalWitness(own, run: run).returned(0)
                #expect(
                    next[run] == returned || next[run] == returned + 1,
                    "run \(run): \(next[run]) of \(returned)")
            }
        }
    }

    @Test(
        "After a fork the child leaves its parent's journal alone, and what both have logged is there once",
        .disabled(
            if: Load.isSanitized, "the thread sanitizer does not support a fork of a process with threads"))
    func fork() async throws {
        let scratch = Scratch()
        let path = scratch.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            alarm(60)
            let scene = JournalScene()
            let dispatcher = scene.makeDispatcher(path)
            dispatcher.add(try scene.makeLogger(path))
            logInfo("warm", to: dispatcher)
            logError("warm", to: dispatcher)
            precondition(dispatcher.flush(timeout: .testLimit).isComplete)
            for number in 0..<500 { logInfo("parent \(number)", to: dispatcher) }
            let process = forkProcess()
            if process == 0 {
                for number in 0..<50 { logInfo("child \(number)", to: dispatcher) }
                _exit(dispatcher.flush(timeout: .seconds(5)).isComplete ? 0 : 3)
            }
            for number in 500..<1000 { logInfo("parent \(number)", to: dispatcher) }
            var status: Int32 = 0
            waitpid(process, &status, 0)
            precondition(status == 0, "the child ended with \(status)")
            kill(getpid(), SIGKILL)
        }
        let dispatcher = JournalScene().makeDispatcher(path)
        dispatcher.add(try JournalScene().makeLogger(path))
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll()
        dispatcher.journal = nil
        #expect(scratch.names(path + "/journal").isEmpty)
        let lines = scratch.lines(JournalScene.naming)
        #expect(lines.filter { $0.hasPrefix("child") } == (0..<50).map { "child \($0)" })
        #expect(lines.filter { $0.hasPrefix("parent") } == (0..<1000).map { "parent \($0)" })
    }

    @Test(
        "A forked child that lives on keeps nobody from recovering what its parent has left",
        .disabled(
            if: Load.isSanitized, "the thread sanitizer does not support a fork of a process with threads"))
    func livingChild() async throws {
        let scratch = Scratch()
        let path = scratch.path
        // The child writes a byte when it is there, and ends when it may read one.
        mkfifo(path + "/arrived", 0o600)
        mkfifo(path + "/leave", 0o600)
        let leave = open(path + "/leave", O_RDWR | O_CLOEXEC)
        let arrived = open(path + "/arrived", O_RDWR | O_CLOEXEC)
        defer {
            close(leave)
            close(arrived)
        }
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            alarm(60)
            let isBroken = SystemCalls { $0 == .write ? .fails(EIO) : nil }
            let dispatcher = JournalScene().makeDispatcher(path)
            dispatcher.diagnostics.handler = { _ in }
            dispatcher.add(try JournalScene().makeLogger(path, calls: isBroken))
            // A journal that was given up while the disk was broken, and one of another dispatcher.
            logInfo("parent 0", to: dispatcher)
            dispatcher.flush(timeout: .testLimit)
            dispatcher.journal = nil
            dispatcher.journal = .file(path + "/journal")
            for number in 1..<6 { logInfo("parent \(number)", to: dispatcher) }
            let leave = open(path + "/leave", O_RDONLY | O_NONBLOCK)
            _ = fcntl(leave, F_SETFL, 0)
            let arrived = open(path + "/arrived", O_WRONLY)
            if forkProcess() == 0 {
                var byte: UInt8 = 1
                write(arrived, &byte, 1)
                // Whoever waits for the parent's end waits for the ends of its pipes as well.
                for other in 0..<Int32(clamping: min(sysconf(Int32(_SC_OPEN_MAX)), 1 << 20))
                where other != leave {
                    var status = stat()
                    if fstat(other, &status) == 0, status.st_mode & S_IFMT != S_IFREG { close(other) }
                }
                _ = read(leave, &byte, 1)
                _exit(0)
            }
            var byte: UInt8 = 0
            _ = read(open(path + "/arrived", O_RDONLY), &byte, 1)
            kill(getpid(), SIGKILL)
        }
        let dispatcher = JournalScene().makeDispatcher(path)
        dispatcher.add(try JournalScene().makeLogger(path))
        #expect(await dispatcher.flush(timeout: .testLimit).isComplete)
        dispatcher.removeAll()
        dispatcher.journal = nil
        #expect(scratch.names(path + "/journal").isEmpty)
        let lines = scratch.lines(JournalScene.naming).filter { $0.hasPrefix("parent") }
        #expect(lines == (0..<6).map { "parent \($0)" })
        var byte: UInt8 = 1
        #expect(write(leave, &byte, 1) == 1)
    }
}
