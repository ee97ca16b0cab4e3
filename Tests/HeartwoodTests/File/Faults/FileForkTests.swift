import CHeartwood
import Foundation
import SuiteSupport
import Testing

@testable import Heartwood

/// A real fork in the middle of writing.
///
/// The process has no other threads at work: only then may a child do more than `exec`. `ForkTests` has the other case.
@Suite(.inTurn) struct FileForkTests {
    enum Shape: String, CaseIterable, Sendable { case dated, stable, shared, encrypted }

    private static let children = 4
    private static let batches = 5

    @Test(
        "After a fork the child writes its own lines to whole files, and none of those that wait in its parent",
        .enabled(if: !Load.isSanitized, "a sanitizer's own threads do not survive a fork"),
        arguments: Shape.allCases)
    func forks(_ shape: Shape) async throws {
        let scratch = Scratch()
        let (path, name) = (scratch.logs, shape.rawValue)
        await #expect(processExitsWith: .success) { [path = path as String, name = name as String] in
            alarm(60)  // a process that is stuck is a failure, not a wait forever
            let shape = try #require(Shape(rawValue: name))
            exit(try FileForkTests.run(path, FileForkTests.settings(shape)))
        }
        let naming = try Self.settings(shape).naming
        var lines = try shape == .encrypted ? scratch.decryptedLines(naming) : scratch.lines(naming)
        #expect(lines.popLast() == "")
        var next: [String: Int] = [:]
        for line in lines {
            let words = line.split(separator: " ").map(String.init)
            #expect(words.count == 3 && words[2] == "whole", "“\(line)” is torn or mixed")
            #expect(Int(words[1]) == next[words[0], default: 0], "“\(line)” is out of order, or there twice")
            next[words[0], default: 0] += 1
        }
        #expect(next.removeValue(forKey: "parent") == 3 * (Self.batches + Self.children))
        #expect(next.count == Self.children && next.values.allSatisfy { $0 == 3 * Self.batches })
    }

    private static func settings(_ shape: Shape) throws -> FileSettings {
        var settings = FileSettings.unlimited(
            naming: try LogFileNaming(application: "t", activeName: shape == .stable ? "t.log" : nil))
        settings.rolling.maximumSize = 300
        settings.isShared = shape == .shared
        settings.isEncrypted = shape == .encrypted
        settings.archiveKey = FixedKey()
        return settings
    }

    /// What the forking process does.
    ///
    /// - Returns: its exit code.
    private static func run(_ path: String, _ settings: FileSettings) throws -> Int32 {
        let isFull = Locked(false)
        let calls = SystemCalls { call in
            call == .write && isFull.withLock { $0 } ? .fails(ENOSPC) : nil
        }
        let engine = FileEngine(directory: try Directory(path, calls: calls), settings: settings)
        var number = 0
        func write(_ mark: String) {
            let records = (0..<3).map { Array("\(mark) \(number + $0) whole\n".utf8) }
            number += 3
            var ends: [Int] = []
            for record in records { ends.append((ends.last ?? 0) + record.count) }
            records.flatMap { $0 }.withUnsafeBytes { engine.write($0, ends) }
        }
        for _ in 0..<batches { write("parent") }
        for child in 0..<children {
            // These wait in memory, of which the child gets a copy.
            isFull.withLock { $0 = true }
            write("parent")
            let process = forkProcess()
            isFull.withLock { $0 = false }
            if process == 0 {
                alarm(20)
                number = 0
                for _ in 0..<batches { write("child\(child)") }
                let isDone = engine.isIdle && engine.counters.dropped == 0
                engine.close()
                _exit(isDone ? 0 : 3)
            }
            // The first children write at the same time as their parent, the others alone.
            if child < 2 { engine.retry() }
            var status: Int32 = 0
            guard process > 0, waitpid(process, &status, 0) == process, status == 0 else { return 4 }
            engine.retry()
        }
        let isDone = engine.isIdle && engine.counters.dropped == 0
        engine.close()
        return isDone ? 0 : 5
    }
}
