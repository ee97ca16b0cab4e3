import CHeartwood
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// The journal on real file systems that become full while it is in use.
@Suite(.serialized, .heavy, .secondTier) struct JournalMountTests {
    /// A file system in a file.
    private struct Volume {
        let scratch = Scratch()
        var mount: String { scratch.path + "/mount" }

        /// Nil where it cannot be mounted here; prints why.
        init?(_ kind: String) {
            guard Mounted.has("mkfs.\(kind)", "mount", for: "the journal on \(kind)") else { return nil }
            let image = scratch.path + "/image"
            mkdir(mount, 0o700)
            // The least that all of them accept.
            let size: Int64 = kind == "ext4" ? 32 << 20 : kind == "xfs" ? 320 << 20 : 128 << 20
            guard FileManager.default.createFile(atPath: image, contents: nil),
                truncate(image, off_t(size)) == 0,
                Mounted.run("mkfs.\(kind)", "-q", image), Mounted.run("mount", "-o", "loop", image, mount)
            else {
                print("skipped: \(kind) in a file cannot be mounted here")
                return nil
            }
        }

        /// Takes all the room that there is; false if there was none.
        @discardableResult
        func fill() -> Bool {
            let file = open(mount + "/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
            defer { close(file) }
            var wasRoom = false
            for size in [1 << 20, 4096, 512, 1] {
                let zeros = [UInt8](repeating: 1, count: size)
                while write(file, zeros, size) == size { wasRoom = true }
                fsync(file)
            }
            return wasRoom
        }

        func unmount() { Mounted.run("umount", "-l", mount) }
    }

    @Test(
        "A full disk under the journal loses no message of a process that lives, and it is in use when there is room again",
        arguments: ["ext4", "xfs", "btrfs"])
    func full(kind: String) throws {
        guard let volume = Volume(kind) else { return }
        defer { volume.unmount() }
        let fixture = JournalFixture()
        fixture.isFull.value = false
        let dispatcher = fixture.makeDispatcher(volume.mount + "/journal", ring: .mebibytes(1))
        defer { dispatcher.journal = nil }
        guard case .active = dispatcher.journalStatus else {
            Issue.record("\(dispatcher.journalStatus)")
            return
        }
        // The log is elsewhere: this is about the journal.
        dispatcher.add(try fixture.makeLogger())
        let padding = String(repeating: "x", count: 200)
        var count = 0
        func log(_ messages: Int) {
            for _ in 0..<messages {
                logInfo("\(count) \(padding)", to: dispatcher)
                count += 1
            }
        }
        log(500)
        sync()
        volume.fill()
        // Several times round the ring: each page of it is stored again.
        for _ in 0..<20 {
            log(1000)
            sync()
            volume.fill()
        }
        #expect(dispatcher.flush(timeout: .testLimit).unfinished.isEmpty)
        print("\(kind), while the disk was full: \(dispatcher.journalStatus)")
        for report in fixture.reports.value { print("\(kind): \(report.text)") }
        unlink(volume.mount + "/filler")
        sync()
        waitUntil {
            log(1)
            dispatcher.drainNow()
            if case .active = dispatcher.journalStatus { return dispatcher.isJournaled }
            return false
        }
        #expect(dispatcher.flush(timeout: .testLimit).isComplete)
        let numbers = fixture.lines().compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
        #expect(numbers == Array(0..<count))
        #expect(dispatcher.statistics.dropped == 0)
    }
}
