import Foundation
package import Heartwood

/// A temporary directory for one test, removed with its content when the object is released.
package final class Scratch: Sendable {
    package let path: String

    /// Makes the directory; `inMemory` on a file system without a disk, where there is one, for tests that make very many
    /// files.
    package init(inMemory: Bool = false) {
        let memory = "/dev/shm"
        let base =
            inMemory && access(memory, W_OK) == 0 ? memory : FileManager.default.temporaryDirectory.path
        // In small letters: in capitals one in 300 looks like a number of a bank account.
        path = base + "/heartwood-\(getpid())-\(UUID().uuidString.lowercased())"
        mkdir(path, 0o700)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package var logs: String { path + "/logs" }

    /// The names in a directory, sorted; hidden ones left out.
    package func names(_ directory: String? = nil, hidden: Bool = false) -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: directory ?? logs)) ?? []
        return all.filter { hidden || !$0.hasPrefix(".") }.sorted()
    }

    package func text(_ name: String) -> String {
        let data = FileManager.default.contents(atPath: logs + "/" + name) ?? Data()
        return String(decoding: data, as: UTF8.self)
    }

    package func write(_ text: String, to name: String) {
        mkdir(logs, 0o700)
        _ = FileManager.default.createFile(atPath: logs + "/" + name, contents: Data(text.utf8))
    }

    package func append(_ text: String, to name: String) {
        guard let file = FileHandle(forWritingAtPath: logs + "/" + name) else { return }
        file.seekToEndOfFile()
        file.write(Data(text.utf8))
    }

    /// The texts of the files that a naming made, oldest first.
    package func texts(_ naming: LogFileNaming) -> [String] {
        let files = names().compactMap { name in naming.recognize(name).map { (name, $0) } }
        return files.sorted { $0.1 < $1.1 }.map { self.text($0.0) }
    }

    /// The lines of the files that a naming made, oldest first.
    package func lines(_ naming: LogFileNaming) -> [String] {
        var text = texts(naming).joined()
        if let active = naming.activeName { text += self.text(active) }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    package func size(_ name: String) -> Int {
        (try? SystemCalls().status(path: logs + "/" + name).size) ?? 0
    }

    package var total: Int {
        names(hidden: true).filter { !$0.hasPrefix(".") }.reduce(0) { $0 + size($1) }
    }
}

/// A moment from its ISO 8601 text, for tables.
package func moment(_ text: String) -> LogTimestamp {
    let formatter = ISO8601DateFormatter()
    formatter.formatOptions =
        text.contains(".") ? [.withInternetDateTime, .withFractionalSeconds] : [.withInternetDateTime]
    guard let date = formatter.date(from: text) else { fatalError("\(text) is no date") }
    return LogTimestamp(nanoseconds: Int64((date.timeIntervalSince1970 * 1000).rounded()) * 1_000_000)
}

package func zone(_ name: String) -> LogTimeZone {
    guard let zone = LogTimeZone(name) else { fatalError("\(name) is no zone") }
    return zone
}
