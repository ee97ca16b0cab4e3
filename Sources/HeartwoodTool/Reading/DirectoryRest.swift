import CHeartwood
import Heartwood

/// Names the files of a directory that are not read, so that a part of the logs is not taken for all of them.
struct DirectoryRest {
    /// A sentence; nil where everything is read.
    let description: String?

    init(_ directory: String, besides files: [String]) {
        guard let stream = opendir(directory) else {
            description = nil
            return
        }
        defer { closedir(stream) }
        let read = Set(files.map { String($0.split(separator: "/").last ?? "") })
        var rest: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            // A link leads to a file that is read, and what begins with a dot is the loggers' own.
            if name.hasPrefix(".") || name.hasSuffix(ArchiveStage.unfinished) || read.contains(name) {
                continue
            }
            let status = try? SystemCalls().status(path: directory + "/" + name)
            if status?.kind == .directory { rest.append(name + "/") }
            // An archive whose log is still there is read as that one.
            let (log, stage, _) = ArchiveStage.split(name)
            let hasCopy =
                stage == .plain
                ? ArchiveStage.allCases.contains { read.contains(name + $0.rawValue) } : read.contains(log)
            if status?.kind == .regular, !hasCopy { rest.append(name) }
        }
        guard !rest.isEmpty else {
            description = nil
            return
        }
        rest.sort()
        var shown = LogBuffer()
        shown.appendEscaped(rest.prefix(5).joined(separator: ", "))
        let others = rest.count > 5 ? " and \(rest.count - 5) more" : ""
        description = "\(directory): not read: \(shown.text)\(others); to read a file or a directory, name it"
    }
}
