import CHeartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// Parts of records at the end of a file, which a full disk left, and files whose state cannot be found out.
@Suite(.inTurn) struct FilePartTests: FileBench {
    let clock = ManualClock()
    let disk: SimulatedDisk

    init() { disk = Self.makeDisk(clock) }

    private var texts: [String] { names.map(text) }

    private func retry(_ engine: FileEngine) {
        clock.advance(by: .seconds(1))
        engine.tick()
    }

    /// Has a call of a process fail as often as `count` says.
    private func fail(_ kernel: SimulatedKernel, _ call: SystemCall, _ count: Int = .max) {
        var left = count
        kernel.fault = { made in
            guard made == call, left > 0 else { return nil }
            left -= 1
            return EIO
        }
    }

    @Test(
        "A part of a record that cannot be cut off is completed, so that the record is in the file once (promises 4, 8)",
        arguments: [3, 9, 10])
    func completesPart(_ room: Int) throws {
        let kernel = makeKernel()
        let engine = try makeEngine(kernel)
        write("first", to: engine)
        disk.capacity = disk.used + room
        fail(kernel, .truncate)
        write("whole line", to: engine)
        #expect(texts == ["first\n" + "whole line\n".prefix(room)])
        #expect(!engine.rollNow(), "a file with a part of a record is not finished")
        disk.capacity = .max / 4
        retry(engine)
        write("last", to: engine)
        #expect(texts == ["first\nwhole line\nlast\n"])
        #expect(engine.counters.written == 3 && engine.counters.dropped == 0)
        kernel.fault = { _ in nil }
        #expect(engine.rollNow())
    }

    @Test(
        "A part of a record that was dropped meanwhile gets an end, so that the next record has a line of its own (promise 8)",
        arguments: [false, true])
    func endsPartOfDropped(isShared: Bool) throws {
        let kernel = makeKernel()
        let engine = try makeEngine(kernel) {
            $0.waitingLimit = .bytes(5)
            $0.isShared = isShared
        }
        write("first", to: engine)
        disk.capacity = disk.used + 3
        fail(kernel, .truncate)
        write("whole line", to: engine)
        #expect(texts == ["first\nwho"] && engine.counters.dropped == 1)
        disk.capacity = .max / 4
        retry(engine)
        write("last", to: engine)
        let lines = texts.joined().split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.first == "first" && lines.dropFirst().first == "who")
        #expect(lines.suffix(2) == ["last", ""] && lines.contains { $0.hasPrefix("1 message dropped here") })
        #expect(engine.counters.written == 2)
    }

    @Test(
        "The lines of another process are not cut off with a part of a record when the size is out of date (promise 4)"
    )
    func keepsLinesOfOthers() throws {
        let kernel = makeKernel(1)
        let engine = try makeEngine(kernel) { $0.isShared = true }
        let other = try makeEngine(makeKernel(2)) { $0.isShared = true }
        write("one", to: engine)
        write("other", to: other)
        disk.capacity = disk.used + 3
        // The first look at the file after the write that is cut short.
        var (hasWritten, hasFailed) = (false, false)
        kernel.fault = { made in
            hasWritten = hasWritten || made == .write
            guard hasWritten, made == .status, !hasFailed else { return nil }
            hasFailed = true
            return EIO
        }
        write("part of a line", to: engine)
        #expect(hasFailed)
        write("part of a line", to: engine)
        #expect(text(names[0]).hasPrefix("one\nother\n"))
        disk.capacity = .max / 4
        kernel.fault = { _ in nil }
        retry(engine)
        #expect(texts == ["one\nother\npart of a line\npart of a line\n"])
    }

    @Test(
        "While another process keeps the lock of shared files, lines go to a file of this process alone, and to the file of all again afterwards (promises 6, 8)"
    )
    func ownFileWithoutLock() throws {
        let kernel = makeKernel(1)
        let engine = try makeEngine(kernel) { $0.isShared = true }
        let other = try makeEngine(makeKernel(2)) { $0.isShared = true }
        write("one", to: engine)
        write("two", to: other)
        let stopped = try Directory("/logs", calls: SystemCalls(kernel: makeKernel(3)))
        let lock = try stopped.openAgain()
        #expect(try stopped.calls.tryLock(lock.number))
        write("three", to: engine)
        write("four", to: engine)
        #expect(texts == ["one\ntwo\n", "three\nfour\n"])
        stopped.calls.unlock(lock.number)
        for index in 5...8 { write("\(index)", to: index % 2 == 0 ? engine : other) }
        #expect(engine.writer?.identity == other.writer?.identity, "all write to one file again")
        #expect(texts.joined().split(separator: "\n").count == 8)
        #expect(engine.isIdle && other.isIdle)
    }

    @Test(
        "A file of others that has the name of the active file by now is neither renamed nor finished by a roll (promise 12)",
        arguments: [nil, "t.log"])
    func rollOfTakenName(_ activeName: String?) throws {
        let engine = try makeEngine(makeKernel(), activeName: activeName)
        write("one", to: engine)
        let name = names[0]
        disk.removeName(name)
        disk.plant(name, "theirs\n", owner: 0, isForeign: true)
        engine.rollNow()
        #expect(disk.violations == [])
        #expect(text(name) == "theirs\n")
        write("two", to: engine)
        #expect(texts.contains("two\n"))
    }

    @Test("A file that gets the next free name when it is finished is finished under that name (promise 8)")
    func finishedUnderCountedName() throws {
        let first = try makeEngine(makeKernel(1), activeName: "t.log")
        write("one", to: first)
        first.rollNow()
        let name = try #require(names.first)
        first.close()
        // What the next file would be called, were it not taken.
        disk.plant("t.log", "two\n", owner: 1000)
        let second = try makeEngine(makeKernel(2), activeName: "t.log")
        second.rollNow()
        second.close()
        #expect(names == [name, name.replacing(".log", with: "@0002.log")])
        let third = try makeEngine(makeKernel(3))
        write("three", to: third)
        #expect(text(names[1]) == "two\n", "it is not continued")
        #expect(texts.last == "three\n")
    }

    @Test(
        "A file that another process finishes and removes between open and lock is not written to (promise 4)"
    )
    func removedBeforeLock() throws {
        let first = makeKernel(1)
        let owner = try makeEngine(first)
        write("one", to: owner)
        owner.close()
        let kernel = makeKernel(2)
        let engine = try makeEngine(kernel)
        var opened = 0
        kernel.interrupt = { [disk] in
            // Just before the lock of the log is taken.
            guard let name = disk.folder?.entries.keys.first(where: { $0.hasSuffix(".log") }), opened >= 0
            else { return }
            opened += 1
            guard opened == 12 else { return }
            opened = -1
            disk.removeName(name)
        }
        for number in 1...3 { write("line \(number)", to: engine) }
        #expect(disk.violations == [])
        #expect(
            texts.joined() == "line 1\nline 2\nline 3\n" || texts.joined() == "one\nline 1\nline 2\nline 3\n")
    }

    @Test(
        "A new file that another process writes to before it is locked is left to that process, which may use another header"
    )
    func writtenBeforeLock() throws {
        let kernel = makeKernel()
        let engine = try makeEngine(kernel)
        kernel.interrupt = { [disk] in
            let logs = disk.folder?.entries.filter { $0.key.hasSuffix(".log") } ?? [:]
            guard logs.count == 1, let file = logs.values.first, file.locks.isEmpty else { return }
            file.data = Array("theirs\n".utf8)
        }
        write("mine", to: engine)
        #expect(texts == ["theirs\n", "mine\n"])
        #expect(disk.violations == [])
    }

    @Test(
        "A file is processed once, although it cannot be removed, or the note cannot be made",
        arguments: [true, false])
    func processedOnce(_ isRemoving: Bool) throws {
        let kernel = makeKernel()
        let engine = try makeEngine(kernel)
        write("one", to: engine)
        engine.rollNow()
        let counting = Counting()
        counting.isRemoving = isRemoving
        let worker = ArchiveWorker(
            directory: engine.directory, inventory: engine.inventory,
            makeRoom: { _, _ in false },
            describe: { [inventory = engine.inventory, directory = engine.directory] name in
                inventory.entries.last { $0.name == name }.map { LogFileInfo($0, directory) }
            }, tell: { _ in })
        var settings = FileArchiver.Settings()
        settings.processor = counting
        for attempt in 0..<4 {
            kernel.fault = { call in
                attempt < 2 && call == (isRemoving ? .unlink : .setAttribute) ? EIO : nil
            }
            for name in engine.finished {
                var name = name
                _ = try? worker.work(on: &name, settings)
            }
        }
        #expect(counting.count == 1)
        #expect(names.count == 1)
    }

    private final class Counting: LogArchiveProcessor, @unchecked Sendable {  // one thread
        var count = 0
        var isRemoving = false

        override func process(_ file: LogFileInfo) throws -> Outcome {
            count += 1
            return isRemoving ? .remove : .keep
        }
    }

    @Test(
        "A roll that leads into a file with the fixed name, which a dead process left torn, ends that line first"
    )
    func rollsIntoTorn() throws {
        let (dead, living) = (makeKernel(101), makeKernel(102))
        let first = try makeEngine(dead, activeName: "t.log")
        write("first", to: first)
        let second = try makeEngine(living, activeName: "t.log") { $0.rolling.maximumSize = 30 }
        write("second, of twenty-nine bytes", to: second)
        clock.advance(by: .seconds(1))
        #expect(first.rollNow())
        write("newer", to: first)
        dead.kill()
        disk.folder?.entries["t.log"]?.data += Array("to".utf8)
        write("third line", to: second)
        #expect(text("t.log") == "newer\nto\nthird line\n")
        #expect(second.counters.written == 2)
    }
}
