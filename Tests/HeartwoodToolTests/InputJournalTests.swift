import Foundation
import Heartwood
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import HeartwoodTool

@Suite("What the pipe has read, and a kill", .inTurn)
struct InputJournalTests {
    private let tool: ToolProcess

    init() throws { tool = try ToolProcess() }

    private func bytes(_ journal: InputJournal) -> [UInt8] { Array(journal.leftover) }

    @Test("Whatever was read and not taken is there after a kill at any moment, and nothing else")
    func states() throws {
        let path = tool.scratch.path + "/journal"
        let stop = try StopSignal([])
        let input = tool.scratch.path + "/fifo"
        #expect(mkfifo(input, 0o600) == 0)
        let source = try LineSource(path: input)
        let writer = try #require(FileHandle(forWritingAtPath: input))
        defer { withExtendedLifetime(writer) {} }
        var generator = SeededGenerator(seed: 17)
        var journal: InputJournal? = try InputJournal(path)
        var waiting: [UInt8] = []
        var taken = 0
        var moved = 0
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 300_000, alignment: 16)
        defer { room.deallocate() }
        // Bytes of all kinds, made once: each block is a part of them.
        let pool = (0..<180_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        for step in 0..<Tier.amount(600, full: 1200) {
            // Text, and bytes of all kinds; never a zero at the end, which is what a killed process cannot tell from nothing.
            let start = Int.random(in: 0..<120_000, using: &generator)
            var block = Array(pool[start..<start + Int.random(in: 1...60_000, using: &generator)])
            block[block.count - 1] = 10
            try writer.write(contentsOf: Data(block))
            var got = 0
            while got < block.count {
                let reading = try #require(journal).read(source, into: room, stop: stop, milliseconds: 1000)
                guard case .bytes(let count) = reading else {
                    Issue.record("\(reading)")
                    return
                }
                waiting += room[..<count]
                got += count
            }
            let count = Int.random(in: 0...min(waiting.count, 120_000), using: &generator)
            waiting.removeFirst(count)
            taken += count
            journal?.take(upTo: taken)
            moved += block.count
            #expect(bytes(try #require(journal)) == waiting)
            // Long enough that both halves have been used, and used again.
            guard step % 290 == 289 else { continue }
            // What another process would find after a kill at this moment, and one that was killed before it noted its last read.
            journal = nil
            if step % 580 == 579, !waiting.isEmpty { try forgetRead(path, &waiting) }
            journal = try InputJournal(path)
            taken = 0
            #expect(bytes(try #require(journal)) == waiting)
            waiting.removeAll()
            taken = try #require(journal).total
            journal?.take(upTo: taken)
        }
        #expect(moved > 3 * InputJournal.capacity, "both halves were used several times")
        journal?.finish()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// The word in the file that says what was read and not taken.
    private func state(_ path: String) -> UInt64 {
        guard let file = FileHandle(forReadingAtPath: path), (try? file.seek(toOffset: 8)) != nil,
            let data = try? file.read(upToCount: 8), data.count == 8
        else { return 0 }
        return data.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
    }

    private func isWaiting(_ state: UInt64) -> Bool { state >> 32 & 0x7FFF_FFFF < state & 0xFFFF_FFFF }

    @Test("Zeros at the end of what was read are kept, too, once the process has noted the read")
    func zeros() throws {
        let stop = try StopSignal([])
        let input = tool.scratch.path + "/fifo"
        #expect(mkfifo(input, 0o600) == 0)
        let source = try LineSource(path: input)
        let writer = try #require(FileHandle(forWritingAtPath: input))
        try writer.write(contentsOf: Data([97, 0, 0]))
        let path = tool.scratch.path + "/journal"
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1000, alignment: 16)
        defer { room.deallocate() }
        var journal: InputJournal? = try InputJournal(path)
        _ = journal?.read(source, into: room, stop: stop, milliseconds: 1000)
        journal = nil
        journal = try InputJournal(path)
        #expect(bytes(try #require(journal)) == [97, 0, 0])
        try writer.close()
    }

    /// Puts the state back to before the last bytes came, as if the process had been killed between read and note.
    private func forgetRead(_ path: String, _ waiting: inout [UInt8]) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: 8)
        let data = try #require(try file.read(upToCount: 8))
        var word = data.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        word -= UInt64(min(waiting.count, 5))
        try file.seek(toOffset: 8)
        try file.write(contentsOf: withUnsafeBytes(of: word) { Data($0) })
        try file.close()
    }

    @Test("A file that is no journal of the input is refused and left as it is, and one in use is refused")
    func refusals() throws {
        let other = try tool.file("other", Array("not a journal".utf8))
        #expect(throws: LogError.self) { try InputJournal(other) }
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "not a journal")
        let path = tool.scratch.path + "/journal"
        let first = try InputJournal(path)
        let error = #expect(throws: LogError.self) { try InputJournal(path) }
        #expect("\(try #require(error))".contains("another process"))
        withExtendedLifetime(first) {}
    }

    @Test("The lock ends with its owner, also while a child that was forked meanwhile has the file open")
    func lockIsOpened() throws {
        let path = tool.scratch.path + "/journal"
        var first: InputJournal? = try InputJournal(path)
        // What a child has between its fork and the beginning of its program.
        let inherited = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            Int32($0)
        }
        .filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
        }
        .map { dup($0) }
        defer { inherited.forEach { close($0) } }
        try #require(inherited.count == 1)
        withExtendedLifetime(first) {}
        first = nil
        _ = try InputJournal(path)
    }

    @Test(
        "SIGKILL at any moment loses no line that was read: counted over many kills",
        arguments: [[], ["--join", "indented", "--join-wait", "1ms"]])
    func kills(options: [String]) async throws {
        let journal = tool.scratch.appendingPathComponent("journal").path
        let ends = Pipe()
        let reader = ends.fileHandleForReading.fileDescriptor
        let writer = EndlessWriter(to: ends.fileHandleForWriting)
        writer.start()
        var generator = SeededGenerator(seed: 4)
        let arguments = ["pipe", "-d", tool.logs, "--quiet", "--journal", journal, "--keep", "0"] + options
        var (kills, leftovers) = (0, 0)
        var state: UInt64 = 0
        while kills < Tier.amount(2, full: 12) || leftovers == 0 {
            let child = try tool.start(arguments, input: .descriptor(reader))
            // The moment: bytes were read, and not all of their lines are in the dispatcher's journal.
            let before = state
            while child.isRunning, !(state != before && isWaiting(state)) {
                try await Task.sleep(for: .microseconds(200))
                state = self.state(journal + ".input")
            }
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...5, using: &generator)))
            child.signal(SIGKILL)
            guard await child.ended().isSignal else {
                writer.finish()
                Issue.record("the pipe ended before its input")
                return
            }
            kills += 1
            state = self.state(journal + ".input")
            if isWaiting(state) { leftovers += 1 }
        }
        writer.finish()
        let error = try tool.file("error")
        let last = try tool.start(arguments, input: .descriptor(reader), error: .file(error))
        let isSuccess = await last.ended().isSuccess
        let words = try String(contentsOfFile: error, encoding: .utf8)
        #expect(isSuccess, "\(words)")
        let texts = try tool.messages().filter { !$0.contains("recovered") }
        // A line that a kill has cut is in two records; the one that was copied at that moment may be there twice.
        var (next, cut, repeated) = (0, "", 0)
        for text in texts {
            let wanted = "line \(next) of the input"
            if cut.isEmpty ? text == wanted : cut + text == wanted {
                (next, cut) = (next + 1, "")
            } else if cut.isEmpty, next > 0, text == "line \(next - 1) of the input" {
                repeated += 1
            } else if wanted.hasPrefix(cut + text) {
                cut += text
            } else {
                Issue.record("“\(text)” in place of line \(next), after \(kills) kills")
                return
            }
        }
        let count = writer.count
        print(
            "input journal: \(kills) kills, \(next) of \(count) lines, \(leftovers) times something was left, \(repeated) twice"
        )
        #expect(next == count && cut.isEmpty)
        #expect(repeated <= kills)
        #expect(!FileManager.default.fileExists(atPath: journal + ".input"))
    }
}
