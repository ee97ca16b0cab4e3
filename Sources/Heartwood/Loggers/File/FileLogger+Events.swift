import Dispatch

/// What the engine tells, passed on: to the diagnostics, and to the user's hooks, off the logging queues.
extension FileLogger {
    final func handle(_ event: FileEvent) {
        switch event {
        case .rolled(let name): tellRolled(name, didRoll)
        case .foundFinished(let name): tellRolled(name, didFinishLeftover ?? didRoll)
        case .removed(let name):
            if let didDelete { hookQueue.async { didDelete(name) } }
        case .disturbed(let name, let place):
            let what = place == .removed ? "removed" : "renamed or replaced"
            diagnostics.report(
                .note,
                "\(self.name): \(name) was \(what) by another program; logging continues in another file",
                key: name)
        case .repaired(let name, let bytes):
            diagnostics.report(
                .damaged, "\(self.name): a torn last line of \(bytes) bytes was cut off \(name)", key: name)
        case .failed(let failure, let name, let waiting):
            diagnostics.report(
                .writeFailed, "\(self.name): \(name ?? directoryPath): \(failure); \(waiting) lines wait",
                key: "\(self.name) \(failure.call)")
        case .locked(let reason):
            diagnostics.report(
                .setting, "\(self.name): not writing, because the log encryption key is missing: \(reason)",
                key: "\(self.name) key")
        case .refused(let refusal, let name):
            diagnostics.report(
                .damaged, "\(self.name): \(name) in \(directoryPath) was refused: \(refusal.explanation)",
                key: name)
        case .unusable(let failure, let name):
            diagnostics.report(
                .writeFailed,
                "\(self.name): \(name) in \(directoryPath) cannot be used, so logging continues without it: \(failure)",
                key: "\(name) \(failure.call)")
        case .dropped(let records, let failure):
            let why = failure.map { "\($0)" } ?? "the limit of waiting lines is reached"
            diagnostics.report(
                .messagesDropped, "\(self.name): \(records) messages dropped in total: \(why)", key: self.name
            )
        case .resumed(let dropped):
            diagnostics.report(
                .note, "\(self.name): writing continues; \(dropped) messages were dropped in total",
                key: self.name)
        case .advice(let text):
            diagnostics.report(.setting, "\(self.name): \(text)", key: text)
        }
    }

    private func tellRolled(_ name: String, _ hook: (@Sendable (LogFileInfo) -> Void)?) {
        if let hook, let info = describe(name) { hookQueue.async { hook(info) } }
        if archiveFormat != .plain || archiveProcessor != nil { archiver.enqueue([name]) }
    }

    // MARK: Archives

    /// What the archiver tells, on its own queue.
    final func handle(_ event: FileArchiver.Event) {
        switch event {
        case .archived(_, let archive):
            if let didArchive, let info = describe(archive) { hookQueue.async { didArchive(info) } }
        case .removed(let name):
            if let didDelete { hookQueue.async { didDelete(name) } }
        case .failed(let name, let why):
            diagnostics.report(
                .writeFailed, "\(self.name): \(name) could not be archived, will try again: \(why)",
                key: name)
        }
    }

    /// A file that the engine knows; any thread.
    final func describe(_ name: String) -> LogFileInfo? {
        inventory.entries.last { $0.name == name }.map {
            LogFileInfo($0, directory, active: nil, isFinished: true)
        }
    }

    /// Has the engine make room for an archive; called on the archiver's queue, for which no caller waits.
    final func makeRoom(_ bytes: Int, of label: LogFileLabel) -> Bool {
        let result = Locked(false)
        let done = Semaphore()
        perform { [weak self] in
            let hasRoom = self?.engine.makeRoom(forArchive: bytes, of: label) ?? false
            result.withLock { $0 = hasRoom }
            done.signal()
        }
        return done.wait(upTo: .seconds(30)) && result.withLock { $0 }
    }
}

extension LogDirectory.Refusal {
    /// What is wrong, for a person.
    var explanation: String {
        switch self {
        case .badName: "its name contains a path separator"
        case .notRegular: "it is a symbolic link, a pipe, a device or a directory"
        case .foreignOwner: "it belongs to another user"
        case .linked: "it has a second name (a hard link)"
        }
    }
}

/// Records that no call has logged: headers, and announcements of a loss.
extension FileLogger {
    /// The header of a new file, as a record; empty for none.
    final func header() -> [UInt8] { headerOfNewFile.map(record) ?? [] }

    private func record(_ header: String) -> [UInt8] {
        var output = LogBuffer(capacity: header.utf8.count + 16)
        output.append(header)
        finishRecord(in: &output, from: 0)
        return output.withUnsafeBytes { Array($0) }
    }

    /// How each new file begins: with the header that is set, and a record of a formatter that is known.
    final var beginning: FileBeginning {
        var beginning = FileBeginning()
        // One that a subclass makes may differ from file to file.
        if let header = fileHeader, headerOfNewFile == header { beginning.header = record(header) }
        if repairsTornLines {
            switch formatter {
            case is JSONLinesFormatter: beginning.isJSON = true
            case is LineFormatter, is LogfmtFormatter: beginning.isJSON = false
            default: break
            }
        }
        return beginning
    }

    /// The record that tells how many messages were dropped, and why.
    final func announcement(_ count: Int, _ failure: SystemFailure?) -> [UInt8] {
        let message = LogMessage.ofLoss(count, because: failure, at: clock.now())
        var output = LogBuffer()
        if formatter?.format(message, into: &output) ?? false, output.count > 0 {
            finishRecord(in: &output, from: 0)
            return output.withUnsafeBytes { Array($0) }
        }
        return FileEngine.plainAnnouncement(count, failure)
    }
}
