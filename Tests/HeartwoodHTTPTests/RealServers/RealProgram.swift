import Foundation

/// A program that nobody here wrote, started for a test and ended with it.
final class RealProgram {
    private let process = Process()

    /// Where the fault kit lies, beside the project or where the environment says.
    static let kit: String = {
        if let given = ProcessInfo.processInfo.environment["HEARTWOOD_KIT"] { return given }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return root.deletingLastPathComponent().path + "/shared/kit"
    }()

    /// The program's path, or nil with a printed reason.
    static func find(_ names: String...) -> String? {
        for name in names {
            let places =
                name.hasPrefix("/")
                ? [name] : ["/usr/sbin/", "/usr/bin/", "/usr/local/bin/"].map { $0 + name }
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
    init(_ path: String, _ arguments: [String], in directory: String, listeningOn port: Int) throws {
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: directory)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        for _ in 0..<500 where !Self.isListening(port) { usleep(10_000) }
    }

    deinit { stop() }

    func stop() {
        guard process.isRunning else { return }
        process.terminate()
        process.waitUntilExit()
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

    /// Runs a program to its end; what it printed, or nil when it failed.
    static func output(_ path: String, _ arguments: [String], input: [UInt8]? = nil) throws -> String? {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        let source = Pipe()
        process.standardInput = source
        try process.run()
        if let input { try source.fileHandleForWriting.write(contentsOf: Data(input)) }
        try source.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
    }
}
