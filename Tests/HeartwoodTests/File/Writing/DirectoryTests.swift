import CHeartwood
import Foundation
import SuiteSupport
import Testing

@testable import Heartwood

/// Threats T6 and T7, goal G14: nothing planted in the directory is opened, followed, replaced or removed.
@Suite(.inTurn) struct DirectoryTests {
    private let scratch = Scratch()

    private func mode(_ path: String) -> UInt32 {
        var info = stat()
        lstat(path, &info)
        return UInt32(info.st_mode) & 0o7777
    }

    @Test("Missing directories are made with the mode asked for", arguments: [0o700, 0o750] as [UInt32])
    func makesDirectories(_ mode: UInt32) throws {
        _ = try Directory(scratch.path + "/a/b/c/", policy: .init(mode: FileMode(UInt16(mode))))
        for path in ["/a", "/a/b", "/a/b/c"] { #expect(self.mode(scratch.path + path) == mode) }
    }

    @Test(
        "A directory that others may write to is refused, unless that is accepted",
        arguments: [0o770, 0o707, 0o1777] as [UInt16])
    func foreignWriters(_ mode: UInt16) throws {
        mkdir(scratch.logs, 0o700)
        chmod(scratch.logs, mode_t(mode))
        let error = #expect(throws: LogError.self) { try Directory(scratch.logs) }
        #expect(error?.code == .unsafe)
        _ = try Directory(scratch.logs, policy: .init(acceptsShared: true))
    }

    @Test("A path that is no directory, or is empty, is refused with the reason")
    func noDirectory() throws {
        scratch.write("", to: "file")
        #expect(throws: LogError.self) { try Directory(scratch.logs + "/file") }
        #expect(throws: LogError.self) { try Directory(scratch.logs + "/file/below") }
        #expect(throws: LogError.self) { try Directory("") }
    }

    @Test(
        "A new file has exactly the mode asked for, and never takes the place of another",
        arguments: [0o600, 0o640, 0o664] as [UInt32])
    func creates(_ mode: UInt32) throws {
        let directory = try Directory(scratch.logs)
        _ = try directory.create("a.log", mode: mode)
        #expect(self.mode(scratch.logs + "/a.log") == mode)
        #expect(throws: SystemFailure(.open, EEXIST)) { try directory.create("a.log", mode: mode) }
    }

    @Test(
        "A name that leads out of the directory is refused by every call",
        arguments: ["", ".", "..", "../x", "a/b", "/etc/passwd", "a\0b"])
    func badNames(_ name: String) throws {
        let directory = try Directory(scratch.logs)
        _ = try directory.create("ok", mode: 0o600)
        #expect(throws: SystemFailure.refused(.badName)) { try directory.create(name, mode: 0o600) }
        #expect(throws: SystemFailure.refused(.badName)) { try directory.open(name) }
        #expect(throws: SystemFailure.refused(.badName)) { try directory.remove(name) }
        #expect(throws: SystemFailure.refused(.badName)) { try directory.status(name) }
        #expect(throws: SystemFailure.refused(.badName)) { _ = try directory.rename("ok", to: name) }
        #expect(throws: SystemFailure.refused(.badName)) { try directory.replace(name, with: "ok") }
        #expect(throws: SystemFailure.refused(.badName)) { try directory.pointLink(name, to: "ok") }
        #expect(throws: SystemFailure.refused(.badName)) { try directory.pointLink("link", to: name) }
    }

    @Test("A symbolic link, a pipe, a directory and a second name are refused, and the victim is untouched")
    func planted() throws {
        let directory = try Directory(scratch.logs)
        let victim = scratch.path + "/victim"
        _ = FileManager.default.createFile(atPath: victim, contents: Data("precious".utf8))
        symlink(victim, scratch.logs + "/link")
        mkfifo(scratch.logs + "/pipe", 0o600)
        mkdir(scratch.logs + "/directory", 0o700)
        link(victim, scratch.logs + "/hard")
        for name in ["link", "pipe", "directory"] {
            #expect(throws: SystemFailure.refused(.notRegular)) { try directory.open(name) }
            #expect(throws: SystemFailure(.open, EEXIST)) { try directory.create(name, mode: 0o600) }
        }
        #expect(throws: SystemFailure.refused(.linked)) { try directory.open("hard") }
        #expect(FileManager.default.contents(atPath: victim) == Data("precious".utf8))
    }

    @Test("A pipe that nothing writes to is refused at once where a file is to be read")
    func plantedPipe() async {
        let path = scratch.logs
        await #expect(processExitsWith: .success) { [path = path as String] in
            alarm(60)  // to open it would wait forever
            let directory = try Directory(path)
            mkfifo(path + "/pipe", 0o600)
            #expect(throws: SystemFailure.refused(.notRegular)) {
                try directory.open("pipe", for: .reading, acceptsLinked: true)
            }
            #expect(throws: SystemFailure.refused(.notRegular)) { try directory.hold("pipe") }
        }
    }

    @Test("A rename never takes the place of another file, with links and without", arguments: [false, true])
    func rename(_ lacksLinks: Bool) throws {
        let calls = SystemCalls { call in lacksLinks && call == .link ? .fails(EPERM) : nil }
        let directory = try Directory(scratch.logs, calls: calls)
        for name in ["a", "b"] { scratch.write(name, to: name) }
        #expect(throws: SystemFailure.self) { _ = try directory.rename("a", to: "b") }
        #expect(scratch.text("a") == "a")
        #expect(scratch.text("b") == "b")
        #expect(try directory.rename("a", to: "c"))
        #expect(scratch.names() == ["b", "c"])
    }

    @Test("A file that is compressed while the directory is listed is in the list, by one of its names")
    func listedWhileCompressed() throws {
        let naming = LogFileNaming(application: "t")
        let name = naming.name(
            for: LogFileLabel(createdAt: LogTimestamp(nanoseconds: 1_790_000_000_000_000_000)))
        let path = scratch.logs + "/" + name
        let isWaiting = Locked(false)
        let calls = SystemCalls { call in
            guard call == .status, isWaiting.withLock({ $0 }) else { return nil }
            // The names have been read, and this is the first that is looked at.
            isWaiting.withLock { $0 = false }
            Foundation.rename(path, path + ".gz")
            return nil
        }
        let directory = try Directory(scratch.logs, calls: calls)
        scratch.write("lines", to: name)
        isWaiting.withLock { $0 = true }
        let inventory = FileInventory()
        try inventory.refresh(directory, naming)
        #expect(inventory.entries.map(\.name) == [name + ".gz"])
    }

    @Test("The link to the current file replaces a link, but nothing else")
    func currentLink() throws {
        let directory = try Directory(scratch.logs)
        try directory.pointLink("current", to: "a.log")
        try directory.pointLink("current", to: "b.log")
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: scratch.logs + "/current") == "b.log")
        scratch.write("precious", to: "notes")
        #expect(throws: SystemFailure.refused(.notRegular)) { try directory.pointLink("notes", to: "b.log") }
        #expect(scratch.text("notes") == "precious")
    }

    @Test("A directory that was moved away is found out, and its path is opened again")
    func moved() throws {
        let directory = try Directory(scratch.logs)
        #expect(directory.isInPlace)
        Foundation.rename(scratch.logs, scratch.path + "/elsewhere")
        #expect(!directory.isInPlace)
        try directory.reopen()
        #expect(directory.isInPlace)
        #expect(scratch.names(scratch.path) == ["elsewhere", "logs"])
    }

    @Test("The names of a directory are all there, and each once")
    func lists() throws {
        let directory = try Directory(scratch.logs)
        for number in 0..<500 { scratch.write("", to: "\(number)") }
        #expect(Set(try directory.names()) == Set((0..<500).map { "\($0)" }))
        #expect(try directory.names().count == 500)
    }

    @Test("A directory in it is opened where it is one of this user's, and no link")
    func subdirectories() throws {
        let directory = try Directory(scratch.logs)
        let inner = try directory.subdirectory("inner", isMade: true)
        #expect(mode(scratch.logs + "/inner") == 0o700)
        _ = try inner.create("a")
        #expect(try directory.subdirectory("inner").names() == ["a"])
        #expect(try directory.subdirectory("inner", isMade: true).names() == ["a"])
        symlink(scratch.logs + "/inner", scratch.logs + "/link")
        scratch.write("text", to: "file")
        #expect(throws: SystemFailure(.open, ENOTDIR)) { try directory.subdirectory("link") }
        #expect(throws: SystemFailure(.open, ENOTDIR)) { try directory.subdirectory("file", isMade: true) }
        #expect(throws: SystemFailure(.open, ENOENT)) { try directory.subdirectory("missing") }
        #expect(throws: SystemFailure.refused(.badName)) { try directory.subdirectory("..") }
        #expect(try directory.subdirectories() == ["inner"])
        try directory.move("file", into: inner)
        #expect(try inner.regularFiles().map(\.size).sorted() == [0, 4])
        try directory.removeDirectory("inner")
        try directory.removeDirectory("inner")
        #expect(try directory.names() == ["link"])
    }

    #if os(Linux)
    @Test("A spool has one owner, who keeps it where the program closes all of its descriptors")
    func spoolLock() async {
        let (path, data) = (scratch.logs, scratch.path)
        await #expect(processExitsWith: .success) { [path = path as String, data = data as String] in
            let first = try Directory(path, for: .spool)
            _ = try first.create("a")
            let error = #expect(throws: LogError.self) { try Directory(path, for: .spool) }
            #expect(error?.code == .inUse)
            for number in TakenNumbers.openNumbers(of: path) { close(number) }
            // Both are opened again, and the lock is taken again.
            #expect(try first.status("a") != nil)
            #expect(throws: LogError.self) { try Directory(path, for: .spool) }
            // Another one has the lock by now: nothing is opened without it.
            let taken = TakenNumbers(of: path, data: data)
            let second = try Directory(path, for: .spool)
            #expect(taken.numbers.count == 2)
            #expect(throws: SystemFailure(.lock, EBADF)) { try first.create("b") }
            #expect(try second.names().sorted() == ["a", "lock"])
        }
    }
    #endif

    @Test("A spool is no link and not of others, and neither is what is read in it")
    func spoolOwner() throws {
        mkdir(scratch.logs, 0o700)
        symlink(scratch.logs, scratch.path + "/link")
        #expect(throws: LogError.self) { try Directory(scratch.path + "/link", for: .spool) }
        _ = try Directory(scratch.path + "/link")
        let spool = try Directory(scratch.logs, for: .spool)
        scratch.write("text", to: "a")
        link(scratch.logs + "/a", scratch.logs + "/b")
        #expect(throws: SystemFailure.refused(.linked)) { try spool.open("a", for: .reading) }
    }

    @Test("A file is replaced as a whole: where that fails at any call, the old one is there")
    func store() throws {
        for count in 0..<20 {
            let left = Locked(Int.max)
            let calls = SystemCalls { _ in
                left.withLock { left in
                    left -= 1
                    return left == 0 ? .fails(EIO) : nil
                }
            }
            let directory = try Directory(scratch.logs, calls: calls)
            scratch.write("old", to: "a")
            left.withLock { $0 = count }
            let isStored =
                (try? directory.store(Array("new".utf8), as: "a", through: "a.new", synchronizes: true))
                != nil
            let hasFailed = left.withLock { $0 <= 0 } && count > 0
            left.withLock { $0 = .max }
            #expect(scratch.text("a") == (isStored ? "new" : "old"))
            #expect(isStored || hasFailed)
            #expect(!scratch.names().contains("a.new"))
        }
    }

    @Test("A path that begins with ~/ is in the home directory, and makes no directory called ~")
    func homeDirectory() throws {
        let home = try #require(HomeDirectory.path)
        #expect(try HomeDirectory.expand("~/lj-logs/x") == home + "/lj-logs/x")
        #expect(try HomeDirectory.expand("~") == home)
        #expect(try HomeDirectory.expand("/var/~/log") == "/var/~/log")
        #expect(try HomeDirectory.expand("logs~") == "logs~")
        #expect(throws: LogError.self) { try HomeDirectory.expand("~root/logs") }
        #expect(throws: LogError.self) { try Directory("~nobody/logs") }
    }
}
