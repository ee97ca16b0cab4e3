import CoreFixtures
import Foundation
import HeartwoodTestSupport
import SuiteSupport
import Testing

@testable import Heartwood

/// A file of a secret, as an administrator or a container has mounted it, and who reads it.
private struct SecretMount: Sendable {
    /// What comes of it.
    enum Outcome: Sendable, Equatable {
        case read
        /// Read, and reported to be readable by others.
        case told
        /// Refused, with these words.
        case refused(String)
    }

    /// What is done before, as root in an empty directory of mode 0755, in a namespace of mounts of its own.
    let script: String
    var isKey = false
    /// Who reads, with the groups; root as user 0.
    var user: UInt32 = 1234
    let outcome: Outcome

    /// The volume of a Kubernetes secret.
    static func volume(_ mode: String, _ group: String = "root", root: String = "1777") -> String {
        """
        mkdir v v/..2026; echo secret > v/..2026/token; chmod \(mode) v/..2026/token
        chown root:\(group) v/..2026/token v/..2026; chmod \(root) v
        ln -s ..2026 v/..data; ln -s ..data/token v/token; ln -s v/token token
        """
    }

    static func file(_ mode: String, _ owner: String = "1234") -> String {
        "echo secret > token; chmod \(mode) token; chown \(owner) token"
    }

    /// Files in a directory of a mode, and a link to the token there.
    static func linked(_ mode: String, _ script: String) -> String {
        "mkdir d; chmod \(mode) d; cd d; \(script); cd ..; ln -s d/../d/./token token"
    }

    static let all = containers + own + linked + readOnly + others

    private static let containers: [SecretMount] = [
        SecretMount(script: file("0444", "root"), outcome: .read),
        SecretMount(script: file("0444", "root"), user: 0, outcome: .read),
        SecretMount(script: file("0400", "root"), outcome: .refused("user 1234 cannot read the secret file")),
        SecretMount(script: file("0440", "root:2000"), outcome: .read),
        SecretMount(script: volume("0444"), outcome: .read),
        SecretMount(script: volume("0444"), user: 0, outcome: .read),
        SecretMount(script: volume("0400"), user: 0, outcome: .read),
        SecretMount(script: volume("0400"), outcome: .refused("`fsGroup`")),
        SecretMount(script: volume("0440", "2000"), outcome: .read),
        SecretMount(script: volume("0440", "2000"), isKey: true, outcome: .read),
        SecretMount(script: volume("0444", root: "0755"), isKey: true, outcome: .read),
        SecretMount(
            script: volume("0444", root: "0777"), outcome: .refused("a directory of its path; remove")),
        SecretMount(
            script: volume("0444", root: "0775"), outcome: .refused("a directory of its path; remove")),
    ]

    private static let own: [SecretMount] = [
        SecretMount(script: file("0600"), outcome: .read),
        SecretMount(script: file("0400"), isKey: true, outcome: .read),
        SecretMount(script: file("0640"), outcome: .told),
        SecretMount(script: file("0604"), outcome: .told),
        SecretMount(script: file("0640"), isKey: true, outcome: .refused("chmod 600")),
        SecretMount(script: file("0644", "root"), isKey: true, user: 0, outcome: .told),
        SecretMount(script: file("0660"), outcome: .refused("other users can change the secret file")),
        SecretMount(script: file("0602"), outcome: .refused("other users can change the secret file")),
        SecretMount(
            script: file("0664", "root"), outcome: .refused("other users can change the secret file")),
        SecretMount(script: file("0644", "4321"), outcome: .refused("chown it to root or user 1234")),
        SecretMount(script: file("0600", "4321"), user: 0, outcome: .refused("belongs to user 4321")),
    ]

    private static let linked: [SecretMount] = [
        SecretMount(
            script: linked("0777", file("0600")),
            outcome: .refused("a directory of its path; remove")),
        SecretMount(
            script: linked("0777", file("0444", "root")),
            outcome: .refused("a directory of its path; remove")),
        SecretMount(
            script: linked("1777", file("0600")),
            outcome: .read),
        SecretMount(
            script: linked("0755", "echo secret > ../x; ln -s ../x token; chown -h 4321 token"),
            outcome: .refused("a link of its path belongs to user 4321")),
        SecretMount(
            script: linked("0755", "chown 4321 .; echo secret > token"),
            outcome: .refused("a directory of its path belongs to user 4321")),
        SecretMount(
            script: "mkdir d; chmod 700 d; echo secret > d/token; chmod 444 d/token; ln -s d/token token",
            outcome: .refused("user 1234 cannot enter the directory")),
        // A slash and a combining character are one character for Swift, and two names for the system.
        SecretMount(
            script: """
                mkdir -p u/x/\u{301}d; echo secret > s; chown 4321 u/x; ln -s ../../../s u/x/\u{301}d/token
                ln -s u/x/\u{301}d/token token
                """,
            outcome: .refused("a directory of its path belongs to user 4321")),
        SecretMount(script: "ln -s token token", outcome: .refused("cannot read the secret file")),
        SecretMount(script: "ln -s missing token", outcome: .refused("no such secret file")),
    ]

    private static let readOnly: [SecretMount] = [
        SecretMount(script: bound("d", file("0666", "4321")), outcome: .read),
        SecretMount(script: bound("d", file("0666", "4321")), isKey: true, user: 0, outcome: .read),
        SecretMount(script: bound("d/token", file("0666", "4321")), outcome: .read),
        SecretMount(script: bound("d/token", file("0644")), isKey: true, outcome: .read),
        SecretMount(
            script: bound("d/token", file("0666", "4321") + "; chmod 777 ."),
            outcome: .refused("a directory of its path; remove")),
        SecretMount(
            script: bound("d", file("0666", "4321"))
                + "; mkdir s; chmod 777 s; ln -s ../d/token s/token; chown -h 4321 s/token; ln -sf s/token token",
            outcome: .refused("a directory of its path; remove")),
        SecretMount(
            script: bound("d", file("0666", "4321"))
                + "; mkdir s; ln -s ../d/token s/token; chown -h 4321 s/token; ln -sf s/token token",
            outcome: .refused("a link of its path belongs to user 4321")),
    ]

    /// A file in a directory; one of the two is mounted read-only.
    static func bound(_ place: String, _ script: String) -> String {
        """
        mkdir d; cd d; \(script); cd ..
        mount --bind \(place) \(place); mount -o remount,bind,ro \(place); ln -s d/token token
        """
    }

    private static let others: [SecretMount] = [
        SecretMount(
            script: "mkfifo token; chown 1234 token; chmod 600 token", outcome: .refused("regular file")),
        SecretMount(script: "mkdir token", outcome: .refused("regular file")),
        SecretMount(script: "echo > token; chmod 444 token", outcome: .refused("is empty")),
        SecretMount(script: "head -c 70000 /dev/zero > token; chmod 444 token", outcome: .refused("64 KiB")),
        SecretMount(script: "true", outcome: .refused("create or mount it")),
        SecretMount(
            script: "touch token; chmod 444 token; mv token t; ln -s t/token token",
            outcome: .refused("no such secret file")),
    ]

    /// Makes the files as root, reads them as the user, and says what came of it.
    func outcome(in directory: String) throws -> Outcome {
        var lines = "umask 022; cd '\(directory)'; chmod 755 .; \(script)"
        if script.contains("mount --bind") {
            typealias Unshare = @convention(c) (Int32) -> Int32
            let newMounts: Int32 = 0x2_0000
            let unshare = unsafeBitCast(dlsym(nil, "unshare"), to: Unshare?.self)
            guard unshare?(newMounts) == 0 else {
                print("skipped: this container may not mount")
                return outcome
            }
            lines = "mount --make-rprivate /; " + lines
        }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-ec", lines]
        try process.run()
        process.waitUntilExit()
        if process.terminationStatus != 0 { return .refused("the script failed") }
        if user != 0 {
            var groups: [gid_t] = [2000]
            guard setgroups(1, &groups) == 0, setgid(user) == 0, setuid(user) == 0 else {
                return .refused("cannot become another user: \(errno)")
            }
        }
        let reports = Locked<[String]>([])
        LogDiagnostics.shared.handler = { report in reports.withLock { $0.append(report.text) } }
        let secrets = FileSecrets(directory: directory)
        do {
            for _ in 0..<3 {
                let secret = isKey ? try secrets.key(named: "token") : try secrets.secret(named: "token")
                if secret != Secret("secret") { return .refused("another secret") }
            }
        } catch { return .refused("\(error)") }
        let told = reports.withLock { $0 }
        if told.isEmpty { return .read }
        return told.count == 1 && told[0].contains("chmod 600") ? .told : .refused("\(told)")
    }
}

@Suite(.inTurn) struct SecretsTests {
    private let scratch = Scratch()

    @Test(
        "What Docker, Kubernetes and administrators mount is read, and what others can exchange is refused",
        arguments: SecretMount.all.indices)
    func mounted(index: Int) async {
        guard geteuid() == 0 else { return print("skipped: only root can give files to other users") }
        await #expect(processExitsWith: .success) {
            [index = index as Int, directory = scratch.path as String] in
            let mounted = SecretMount.all[index]
            let outcome = try mounted.outcome(in: directory)
            if case .refused(let words) = mounted.outcome, case .refused(let text) = outcome {
                #expect(text.contains(words), "\(mounted.script): \(text)")
                #expect(!text.contains("secret\n"))
            } else {
                #expect(outcome == mounted.outcome, "\(mounted.script)")
            }
        }
    }

    @Test("On a file system that is mounted read-only, owners and permissions do not matter")
    func readOnly() {
        func step(
            _ path: String, _ kind: FileStatus.Kind, owner: UInt32, _ mode: UInt32, _ isReadOnly: Bool
        ) -> SecretPath.Step {
            SecretPath.Step(
                path: path,
                status: FileStatus(
                    identity: FileStatus.Identity(device: 1, inode: 1), kind: kind, size: 6, links: 1,
                    owner: owner, mode: mode, modifiedNanoseconds: 0),
                isReadOnly: isReadOnly)
        }
        for (file, directory, isKey, place) in [
            (true, true, false, nil), (true, true, true, nil), (false, true, false, "/run/v/token"),
            (true, false, false, "/run/v"),
        ] as [(Bool, Bool, Bool, String?)] {
            let way = SecretPath(
                [
                    step("/", .directory, owner: 0, 0o755, false),
                    step("/run/v", .directory, owner: 7, 0o777, directory),
                    step("/run/v/token", .symbolicLink, owner: 7, 0o777, directory),
                ], file: step("/run/v/token", .regular, owner: 7, 0o666, file), user: 1234)
            #expect(way.refusal(isKey: isKey)?.place == place)
            #expect(!way.isExposed(isKey: isKey))
        }
    }

    @Test("A secret that is exchanged, as Kubernetes does it, is read as one of the two, each time")
    func exchanged() throws {
        let path = scratch.path
        @Sendable func rotate(_ number: Int) {
            mkdir(path + "/..\(number)", 0o700)
            let token = number.isMultiple(of: 2) ? "one" : "two"
            _ = FileManager.default.createFile(
                atPath: path + "/..\(number)/token", contents: Data(token.utf8),
                attributes: [.posixPermissions: 0o600])
            symlink("..\(number)", path + "/..new")
            rename(path + "/..new", path + "/..data")
            try? FileManager.default.removeItem(atPath: path + "/..\(number - 1)")
        }
        rotate(1)
        symlink("..data/token", path + "/token")
        // An exchange disturbs two looks at most, and a reading has a hundred: with 20 exchanges for each
        // reading, none runs out of looks, however slow it is.
        let readings = Locked<Int?>(1)
        let thread = Thread {
            var number = 1
            while let limit = readings.withLock({ $0 }) {
                if number > 20 * limit {
                    sched_yield()
                } else {
                    number += 1
                    rotate(number)
                }
            }
        }
        thread.start()
        defer { readings.withLock { $0 = nil } }
        let secrets = FileSecrets(directory: path)
        var counts: [String: Int] = [:]
        for reading in 1...3000 {
            readings.withLock { $0 = reading }
            do { counts[try secrets.secret(named: "token").revealed(), default: 0] += 1 } catch {
                counts["\(error)", default: 0] += 1
            }
        }
        #expect(counts["one", default: 0] > 100 && counts["two", default: 0] > 100, "\(counts)")
        #expect(Set(counts.keys) == ["one", "two"], "\(counts)")
    }

    @Test("The line end does not belong to the secret", arguments: ["s3", "s3\n", "s3\r\n", "s3\n\n"])
    func lineEnd(content: String) throws {
        try Data(content.utf8).write(to: URL(filePath: scratch.path + "/token"))
        chmod(scratch.path + "/token", 0o600)
        #expect(try FileSecrets(directory: scratch.path).secret(named: "token") == Secret("s3"))
        #expect(try FileSecrets().key(named: scratch.path + "/token") == Secret("s3"))
    }

    @Test("A secret comes from the environment, and a missing one says which") func environment() throws {
        setenv("HEARTWOOD_TEST_SECRET", "s3", 1)
        #expect(try EnvironmentSecrets(prefix: "HEARTWOOD_").secret(named: "TEST_SECRET").revealed() == "s3")
        #expect(try EnvironmentSecrets().key(named: "HEARTWOOD_TEST_SECRET") == Secret("s3"))
        let error = #expect(throws: LogError.self) {
            try EnvironmentSecrets().secret(named: "HEARTWOOD_NO_SUCH")
        }
        #expect(error?.place == "HEARTWOOD_NO_SUCH")
    }
}
