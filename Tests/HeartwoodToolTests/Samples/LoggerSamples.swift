import Foundation
import Heartwood

// The code of Docs/Extending.md, word for word; `SampleTests` compares them.

// sample: Docs/Extending.md
/// Keeps the newest lines in memory, for a screen that shows them.
let recent = CallbackLogger(name: "recent", state: [String](), formatter: LineFormatter()) { lines, _, line in
    lines.append(line)
    if lines.count > 100 { lines.removeFirst() }
}
// end

func loggerUse() {
    // sample: Docs/Extending.md
    LogDispatcher.shared.add(recent, levels: .notice)
    let lines = recent.withState { lines in lines }
    // end
    print(lines)
}

func batchedUse(_ send: @escaping @Sendable (String) throws -> Void) -> AbstractLogger {
    // sample: Docs/Extending.md
    let batches = CallbackLogger(state: "", formatter: JSONLinesFormatter()) { text, _, line in
        text += line + "\n"
    } batchDidEnd: { text in
        defer { text = "" }
        try send(text)
    }
    // end
    return batches
}

// sample: Docs/Extending.md
/// Writes messages in batches to something that takes bytes.
final class BatchLogger: AbstractLogger, @unchecked Sendable {
    /// How a line begins.
    @Ordered var prefix = ""

    private var batch = LogBuffer()
    private let write: (String) -> Bool

    init(write: @escaping (String) -> Bool) {
        self.write = write
        super.init(name: "batches", formatter: LineFormatter())
    }

    override func log(_ message: LogMessage) {
        let start = batch.count
        batch.append(prefix)
        guard formatted(message, into: &batch) else { return batch.truncate(to: start) }
        batch.append(UInt8(ascii: "\n"))
    }

    override func batchDidEnd() {
        let text = batch.text
        batch.removeAll()
        if text.isEmpty { return }
        if write(text) {
            noteWritten(text.utf8.count)
        } else {
            let count = text.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
            reportDeferredFailure(of: count, "the batch was refused")
        }
    }
}
// end

private func post(_ text: String, to channel: String, for person: String?) {}

func settingsSample() {
    // sample: Docs/Extending.md
    final class TeamLogger: AbstractLogger, ConfigurableLogger, @unchecked Sendable {
        struct Settings {
            /// Where messages are posted.
            var channel = "#ops"
            /// Whom a message is addressed to; nil addresses nobody.
            var mention: String?
        }
        let orderedSettings = Ordered(wrappedValue: Settings())

        override func log(_ message: LogMessage) {
            guard let text = formatted(message) else { return }
            post(text, to: self.channel, for: self.mention)  // with `self.`
        }
    }

    let team = TeamLogger()
    team.mention = "@anna"
    // end
}

// sample: Docs/Extending.md
/// What another library calls for each of its messages.
func bridge(_ text: String, file: String, line: Int, at date: Date) {
    let message = LogMessage(
        "\(text)", level: .info, category: LogCategory("library"), timestamp: LogTimestamp(date), file: file,
        function: "", line: line)
    LogDispatcher.shared.log(message)
}

/// A facade that knows the place, and nothing else.
func report(_ text: String, file: String = #fileID, function: String = #function, line: Int = #line) {
    log(text, level: .error, file: file, function: function, line: line)
}
// end
