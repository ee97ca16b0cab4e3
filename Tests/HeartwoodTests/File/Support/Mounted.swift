import CHeartwood
import Foundation
import SuiteSupport

/// Programs and file systems that tests of real disks need; each test says which, and is skipped where they are missing.
enum Mounted {
    /// Runs a program; its output and errors go nowhere.
    ///
    /// - Returns: whether it ended with 0.
    @discardableResult
    static func run(_ arguments: String...) -> Bool {
        (try? ChildProcess(arguments[0], Array(arguments.dropFirst())))?.wait()?.isSuccess == true
    }

    /// Starts a program that serves a file system until it is unmounted.
    ///
    /// It must not go into the background by itself.
    static func serve(_ arguments: String...) throws -> ChildProcess {
        try ChildProcess(arguments[0], Array(arguments.dropFirst()))
    }

    /// Unmounts file systems, whoever uses them, and ends the program that served them.
    static func stop(_ server: ChildProcess, _ mounts: String...) {
        for mount in mounts { run("umount", "-l", mount) }
        server.signal(SIGTERM)
        server.wait(upTo: .seconds(30))
    }

    /// Waits until something holds.
    ///
    /// - Returns: false after half a minute.
    static func wait(until condition: () -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: 30)
        while !condition() {
            guard Date() < deadline else { return false }
            usleep(10_000)
        }
        return true
    }

    /// Whether this user may mount, and the programs are there; prints what is missing.
    static func has(_ programs: String..., for what: String) -> Bool {
        guard geteuid() == 0 else {
            print("skipped: only root can mount what \(what) needs")
            return false
        }
        let variable = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let path = variable.split(separator: ":").map { String($0) } + ["/usr/sbin", "/sbin"]
        for program in programs where !path.contains(where: { access("\($0)/\(program)", X_OK) == 0 }) {
            print("skipped: \(what) needs \(program)")
            return false
        }
        return true
    }

    /// Whether ext4 in a file can be mounted here; prints why not.
    static func hasLoop(for what: String, _ programs: String...) -> Bool {
        guard has("mkfs.ext4", for: what), programs.allSatisfy({ has($0, for: what) }) else { return false }
        guard let disk = try? Disk(Scratch(inMemory: true)) else {
            print("skipped: \(what) needs a loop device, which cannot be had here")
            return false
        }
        disk.unmount()
        return true
    }

    /// An ext4 in a file, written to the file only when the kernel has to: what is in the file is what a power cut leaves.
    final class Disk {
        let image: String
        let mount: String
        private let snapshot: String
        private let scratch: Scratch

        init(_ scratch: Scratch) throws {
            self.scratch = scratch
            image = scratch.path + "/image"
            mount = scratch.path + "/mount"
            snapshot = scratch.path + "/snapshot"
            mkdir(mount, 0o700)
            mkdir(snapshot, 0o700)
            guard truncateFile(image, 24 << 20), Mounted.run("mkfs.ext4", "-q", "-F", image),
                Mounted.run("mount", "-o", "loop,commit=300", image, mount)
            else { throw CocoaError(.featureUnsupported) }
        }

        /// What the directory `logs` would be after a power cut now.
        func afterPowerCut<Result>(_ body: (String) throws -> Result) throws -> Result {
            guard Mounted.run("cp", "--sparse=always", image, image + ".copy"),
                Mounted.run("mount", "-o", "loop", image + ".copy", snapshot)
            else { throw CocoaError(.fileReadUnknown) }
            defer { Mounted.run("umount", snapshot) }
            return try body(snapshot + "/logs")
        }

        func unmount() { Mounted.run("umount", mount) }
    }

    private static func truncateFile(_ path: String, _ size: Int) -> Bool {
        FileManager.default.createFile(atPath: path, contents: nil) && truncate(path, off_t(size)) == 0
    }
}
