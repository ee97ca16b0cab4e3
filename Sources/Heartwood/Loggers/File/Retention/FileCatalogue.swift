import CHeartwood

/// What a directory's file names cannot say, in a small text file beside the logs.
///
/// It is rewritten as a whole, under another name that then replaces it. When it is lost, the logger judges
/// by names, sizes, times and locks alone: it may continue a file that was finished by call, and repeat the
/// work on an archive.
struct FileCatalogue: Sendable, Hashable {
    /// The newest file that is finished.
    var finished: LogFileLabel?
    /// Files up to ``finished`` that are not: others write to them, or their process has ended and may
    /// continue them.
    var open: Set<String> = []
    /// When the file with the fixed active name was created.
    var active: LogFileLabel?
    /// Files that the archive processor has dealt with, in order.
    var processed: [String] = []

    init() {}

    /// Whether a file is never written to again, as far as the catalogue knows.
    func isFinished(_ name: String, _ label: LogFileLabel) -> Bool {
        guard let finished else { return false }
        return label <= finished && !open.contains(name)
    }

    // MARK: Text

    private static let firstLine = "heartwood catalogue 1"

    init(text: String) {
        self.init()
        let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
        guard lines.first.map(String.init) == FileCatalogue.firstLine else { return }
        for line in lines.dropFirst() {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "finished": finished = FileCatalogue.label(parts[1])
            case "active": active = FileCatalogue.label(parts[1])
            case "open": open.insert(parts[1])
            case "processed": processed.append(parts[1])
            default: break  // written by a newer version
            }
        }
    }

    var text: String {
        var text = FileCatalogue.firstLine + "\n"
        if let finished { text += "finished \(FileCatalogue.text(finished))\n" }
        if let active { text += "active \(FileCatalogue.text(active))\n" }
        for name in open.sorted() where !name.contains("\n") { text += "open \(name)\n" }
        for name in processed where !name.contains("\n") { text += "processed \(name)\n" }
        return text
    }

    private static func text(_ label: LogFileLabel) -> String {
        "\(label.createdAt.map { String($0.nanoseconds) } ?? "-") \(label.number) \(label.process ?? 0)"
    }

    private static func label(_ text: String) -> LogFileLabel? {
        let parts = text.split(separator: " ")
        guard parts.count == 3, let number = Int(parts[1]), let process = Int32(parts[2]) else { return nil }
        guard parts[0] == "-" || Int64(parts[0]) != nil else { return nil }
        return LogFileLabel(
            createdAt: Int64(parts[0]).map { LogTimestamp(nanoseconds: $0) }, number: number,
            process: process == 0 ? nil : process)
    }
}
