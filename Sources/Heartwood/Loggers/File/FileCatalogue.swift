import CHeartwood

/// What a directory's file names cannot say, in a small text file beside the logs.
///
/// It is rewritten as a whole, under another name that then replaces it. When it is lost, the logger judges by names,
/// sizes and times alone: it may go on with a file that was finished by call, and repeat the work on an archive.
package struct FileCatalogue: Sendable, Hashable {
    /// The newest file that is finished; it and all before it are never written to again.
    package var finished: LogFileLabel?
    /// When the file with the fixed active name was begun.
    package var active: LogFileLabel?
    /// Archives that the archive processor has dealt with, in order.
    package var processed: [String] = []

    package init() {}

    private static let firstLine = "heartwood catalogue 1"

    // MARK: Text

    package init(text: String) {
        self.init()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
        guard lines.first.map(String.init) == FileCatalogue.firstLine else { return }
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "finished": finished = FileCatalogue.label(parts[1])
            case "active": active = FileCatalogue.label(parts[1])
            case "processed": processed.append(parts[1])
            default: break  // written by a newer version
            }
        }
    }

    package var text: String {
        var text = FileCatalogue.firstLine + "\n"
        if let finished { text += "finished \(FileCatalogue.text(finished))\n" }
        if let active { text += "active \(FileCatalogue.text(active))\n" }
        for name in processed where !name.contains("\n") { text += "processed \(name)\n" }
        return text
    }

    private static func text(_ label: LogFileLabel) -> String {
        "\(label.begun.map { String($0.nanoseconds) } ?? "-") \(label.number) \(label.process ?? 0)"
    }

    private static func label(_ text: String) -> LogFileLabel? {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let number = Int(parts[1]), let process = Int32(parts[2]) else { return nil }
        guard parts[0] == "-" || Int64(parts[0]) != nil else { return nil }
        return LogFileLabel(
            begun: Int64(parts[0]).map { LogTimestamp(nanoseconds: $0) }, number: number,
            process: process == 0 ? nil : process)
    }

    // MARK: File

    package static func name(_ naming: LogFileNaming) -> String { ".\(naming.application).catalogue" }

    /// Reads the catalogue; an empty one where there is none, or none that can be read.
    package static func load(_ directory: LogDirectory, _ naming: LogFileNaming) -> FileCatalogue {
        guard let (file, status) = try? directory.open(name(naming), writing: false) else {
            return FileCatalogue()
        }
        var bytes = [UInt8](repeating: 0, count: min(status.size, 1 << 20))
        let count = bytes.withUnsafeMutableBytes { (try? directory.calls.read(file.number, $0, at: 0)) ?? 0 }
        return FileCatalogue(text: String(decoding: bytes.prefix(count), as: UTF8.self))
    }

    /// Replaces the catalogue.
    package func store(_ directory: LogDirectory, _ naming: LogFileNaming) throws {
        let name = FileCatalogue.name(naming)
        let temporary = name + ".\(getpid()).new"
        try directory.remove(temporary)
        let file = try directory.create(temporary, mode: 0o600)
        do {
            var failure: SystemFailure?
            let bytes = Array(text.utf8)
            bytes.withUnsafeBytes { bytes in
                var written = 0
                while written < bytes.count, failure == nil {
                    do throws(SystemFailure) {
                        let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                        written += try directory.calls.write(file.number, rest, quietly: true)
                    } catch {
                        failure = error
                    }
                }
            }
            if let failure { throw failure }
            try directory.replace(name, with: temporary)
        } catch {
            _ = try? directory.remove(temporary)
            throw error
        }
    }
}
