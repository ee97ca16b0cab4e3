import Heartwood
import HeartwoodLumberjack
import HeartwoodTestSupport

/// A logger that keeps what it gets.
final class Keeper: DDAbstractLogger, @unchecked Sendable {
    private let state = Locked(State())

    private struct State: @unchecked Sendable {
        var messages: [DDLogMessage] = []
        var lines: [String] = []
        var events: [String] = []
    }

    var messages: [DDLogMessage] { state.withLock { $0 }.messages }
    var texts: [String] { messages.map(\.message) }
    /// What the formatter has made of the messages.
    var lines: [String] { state.withLock { $0.lines } }
    var events: [String] { state.withLock { $0.events } }

    override func log(message logMessage: DDLogMessage) {
        let line =
            logFormatter == nil ? logMessage.message : logFormatter?.format(message: logMessage)
        state.withLock { state in
            state.messages.append(logMessage)
            state.events.append("log \(logMessage.message)")
            if let line { state.lines.append(line) }
        }
    }
    override func didAdd() { state.withLock { $0.events.append("added") } }
    override func willRemove() { state.withLock { $0.events.append("removed") } }
    override func flush() { state.withLock { $0.events.append("flushed") } }
}

/// A list that threads share.
final class Notes: Sendable {
    private let notes = Locked<[String]>([])
    var all: [String] { notes.withLock { $0 } }
    func add(_ note: String) { notes.withLock { $0.append(note) } }
}

/// Writes its mark in front of each text.
final class Marker: NSObject, DDLogFormatter {
    let mark: String
    init(_ mark: String) { self.mark = mark }
    func format(message logMessage: DDLogMessage) -> String? { mark + logMessage.message }
}

/// A directory that is removed with everything in it.
final class Folder: Sendable {
    let path = FileManager.default.temporaryDirectory.path + "/lumberjack-" + UUID().uuidString

    init() {
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The names of all files, sorted; the directory must contain only logs.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
    func text(_ name: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path + "/" + name) ?? Data(), as: UTF8.self)
    }
    /// The texts of all logs, in the order of their names.
    var texts: [String] { names.map(text) }
}
