#if os(Linux)
import Foundation
import SuiteSupport

/// A program that nobody here wrote, started for a test and ended with it.
final class RealProgram {
    private let process: ChildProcess

    /// Where the fault kit lies, beside the project or where the environment says.
    static let kit: String = {
        if let given = ProcessInfo.processInfo.environment["HEARTWOOD_KIT"] { return given }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return root.deletingLastPathComponent().path + "/shared/kit"
    }()

    /// The program's path, or nil with a printed reason.
    static func find(_ names: String...) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map { $0 + "/" } ?? []
        for name in names {
            let places =
                name.hasPrefix("/")
                ? [name] : (["/usr/sbin/", "/usr/bin/", "/usr/local/bin/"] + path).map { $0 + name }
            if let path = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) {
                return path
            }
        }
        print("skipped: \(names.joined(separator: ", ")) is not installed")
        return nil
    }

    /// A port that nobody listens on now.
    static func freePort() -> Int { freePorts(1)[0] }

    /// Ports that nobody listens on now, all different.
    static func freePorts(_ count: Int) -> [Int] {
        let descriptors = (0..<count).map { _ in socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
        defer { for descriptor in descriptors { close(descriptor) } }
        return descriptors.map { descriptor in
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            return withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                    _ = bind(descriptor, generic, length)
                    _ = getsockname(descriptor, generic, &length)
                }
                return Int(UInt16(bigEndian: pointer.pointee.sin_port))
            }
        }
    }

    /// Starts the program, and returns when it listens on the port.
    init(
        _ path: String, _ arguments: [String], in directory: String, environment: [String: String] = [:],
        listeningOn port: Int
    ) throws {
        process = try ChildProcess(path, arguments, in: directory, environment: environment)
        for _ in 0..<1000 {
            if Self.isListening(port) { return }
            usleep(10_000)
        }
    }

    deinit { stop() }

    /// Asks it to end, and ends it when it does not within three seconds.
    func stop() {
        process.signal(SIGTERM)
        process.wait(upTo: .seconds(3))
    }

    /// Ends it as `kill -9` does.
    func kill() {
        process.signal(SIGKILL)
        process.wait(upTo: .seconds(10))
    }

    private static func isListening(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = in_port_t(UInt16(port).bigEndian)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Runs a program to its end, without occupying a thread; its exit code and all that it printed.
    static func run(_ path: String, _ arguments: [String]) async throws -> (code: Int32, output: String) {
        let directory = try TemporaryDirectory()
        let process = try ChildProcess(
            path, arguments, output: .file(directory.path + "/output"), error: .output)
        let code = await process.ended().code
        return (code, String(decoding: try directory.read("output"), as: UTF8.self))
    }

    /// Runs a program to its end; what it printed, or nil when it failed or took more than a minute.
    static func output(_ path: String, _ arguments: [String], input: [UInt8] = []) throws -> String? {
        let directory = try TemporaryDirectory()
        try directory.write("input", input)
        let process = try ChildProcess(
            path, arguments, input: .file(directory.path + "/input"),
            output: .file(directory.path + "/output"))
        return process.wait()?.isSuccess == true
            ? String(decoding: try directory.read("output"), as: UTF8.self) : nil
    }
}
#endif
