import CHeartwood
import Foundation

@testable import Heartwood

/// A directory of a test's own, removed with everything in it when the test lets go of it.
final class Scratch: Sendable {
    let path: String

    /// Makes the directory; `inMemory` on a file system without a disk, where there is one, for tests that make very many
    /// files.
    init(inMemory: Bool = false) {
        let memory = "/dev/shm"
        let base =
            inMemory && access(memory, W_OK) == 0 ? memory : FileManager.default.temporaryDirectory.path
        path = base + "/heartwood-\(getpid())-\(UUID().uuidString)"
        mkdir(path, 0o700)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var logs: String { path + "/logs" }

    /// The names in a directory, sorted; hidden ones left out.
    func names(_ directory: String? = nil, hidden: Bool = false) -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: directory ?? logs)) ?? []
        return all.filter { hidden || !$0.hasPrefix(".") }.sorted()
    }

    func text(_ name: String) -> String {
        let data = FileManager.default.contents(atPath: logs + "/" + name) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    func write(_ text: String, to name: String) {
        mkdir(logs, 0o700)
        _ = FileManager.default.createFile(atPath: logs + "/" + name, contents: Data(text.utf8))
    }

    func append(_ text: String, to name: String) {
        guard let file = FileHandle(forWritingAtPath: logs + "/" + name) else { return }
        file.seekToEndOfFile()
        file.write(Data(text.utf8))
    }

    /// The texts of the files that a naming made, oldest first.
    func texts(_ naming: LogFileNaming) -> [String] {
        let files = names().compactMap { name in naming.recognize(name).map { (name, $0) } }
        return files.sorted { $0.1 < $1.1 }.map { self.text($0.0) }
    }

    /// The lines of the files that a naming made, oldest first.
    func lines(_ naming: LogFileNaming) -> [String] {
        var text = texts(naming).joined()
        if let active = naming.activeName { text += self.text(active) }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The same of encrypted files; each must be whole, and show nothing of its text.
    func decryptedLines(_ naming: LogFileNaming, key: any SecretProvider = FixedKey()) throws -> [String] {
        var text: [UInt8] = []
        for path in try LogFileReader(directory: logs, naming: naming).paths() {
            let bytes = FileManager.default.contents(atPath: path) ?? Data()
            guard bytes.isEmpty || bytes.starts(with: EncryptedFrame.magic) else {
                throw LogError(.damaged, "The file is not encrypted", place: path)
            }
            let source = try LogFileSource(path: path, key: key)
            while let piece = try source.next() { text += piece }
            if let damage = source.damage { throw LogError(.damaged, damage, place: path) }
        }
        return String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    func size(_ name: String) -> Int { (try? SystemCalls().status(path: logs + "/" + name).size) ?? 0 }

    var total: Int {
        names(hidden: true).filter { !$0.hasPrefix(".") }.reduce(0) { $0 + size($1) }
    }
}

/// A fault for the N-th call of a kind, and for some after it.
final class NthFault: Sendable {
    private let state: Locked<(calls: Int, hits: Int)>
    private let call: SystemCall
    private let first: Int
    private let count: Int
    private let fault: SystemCalls.Fault

    init(_ call: SystemCall, first: Int, count: Int = 1, _ fault: SystemCalls.Fault) {
        self.call = call
        self.first = first
        self.count = count
        self.fault = fault
        state = Locked((0, 0))
    }

    /// How often the fault happened.
    var hits: Int { state.withLock { $0.hits } }

    var calls: SystemCalls {
        SystemCalls { call in
            guard call == self.call else { return nil }
            return self.state.withLock { state in
                state.calls += 1
                guard state.calls >= self.first, state.calls < self.first + self.count else { return nil }
                state.hits += 1
                return self.fault
            }
        }
    }
}
