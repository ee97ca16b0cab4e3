import Dispatch

/// What the engine and the archiver tell, passed on to the diagnostics and, off the logging queues, to hooks.
extension FileLogger {
    final func handle(_ event: FileEvent) {
        switch event {
        case .rolled(let name): tellRolled(name, onRoll)
        case .foundFinished(let name): tellRolled(name, onFinishLeftover ?? onRoll)
        case .removed(let name): tellRemoved(name)
        case .disturbed(let name, let place):
            let what = (place == .removed ? "removed" : "renamed or replaced") + " by another program"
            report(.note, "\(name) was \(what); logging continues in another file", key: name)
        case .closed(let name):
            report(
                .note,
                "the program has closed the descriptor of \(name), which is opened again; let it close only"
                    + " what it has opened", key: "\(self.name) closed")
        case .repaired(let name, let bytes):
            report(.damaged, "a torn last line of \(bytes) bytes was cut off \(name)", key: name)
        case .failed(let failure, let name, let waiting):
            let need = failure.call == .changeMode ? " (encrypted files need permissions of files)" : ""
            report(
                .writeFailed, "\(name ?? directoryPath): \(failure)\(need); \(waiting) lines wait",
                key: "\(self.name) \(failure.call)")
        case .continued(let name, let failure):
            report(
                .writeFailed,
                "\(name) is continued, because no other file can be created (\(failure)); will try again",
                key: "\(self.name) roll")
        case .missing(.locks):
            let why = "the file system of \(directoryPath) has no locks, so "
            report(
                .setting,
                settings.isShared
                    ? why + "each process writes to a file of its own, though `isShared` is set; let no two"
                        + " of them use this directory"
                    : why + "files are written without: let no other process or logger use this directory",
                key: "\(self.name) locks")
        case .missing(.modes):
            report(
                .setting,
                "the file system of \(directoryPath) has no permissions of files, so `fileMode` has no"
                    + " effect there", key: "\(self.name) modes")
            // Which files are finished only their order tells.
            enqueueArchives()
        case .missing(.attributes):
            report(
                .setting,
                "the file system of \(directoryPath) has no extended attributes, so the archive processor"
                    + " gets files that stay there once in each run of the program",
                key: "\(self.name) attributes")
        case .locked(let reason):
            report(
                .setting, "not writing, because the log encryption key cannot be used: \(reason)",
                key: "\(self.name) key")
        case .unusable(let error, let name):
            let failure = error as? SystemFailure
            if let refusal = failure?.refusal {
                let why = refusal.explanation
                return report(.damaged, "\(name) in \(directoryPath) was refused: \(why)", key: name)
            }
            report(
                .writeFailed,
                "\(name) in \(directoryPath) cannot be used, so logging continues without it: \(error)",
                key: "\(name) \(failure.map { "\($0.call)" } ?? "")")
        case .dropped(let records, let failure):
            let why = failure.map { "\($0)" } ?? "the limit of waiting lines is reached"
            report(.messagesDropped, "\(records) messages dropped in total: \(why)")
        case .resumed(let dropped):
            report(.note, "writing continues; \(dropped) messages were dropped in total")
        case .advice(let text): report(.setting, text, key: text)
        }
    }

    /// Reports something about this logger; its name is the key unless given.
    final func report(_ kind: LogDiagnostics.Kind, _ text: @autoclosure () -> String, key: String? = nil) {
        diagnostics.report(kind, "\(name): \(text())", key: key ?? name)
    }

    private func tellRemoved(_ name: String) {
        if let onDelete { hookQueue.enqueue { onDelete(name) } }
    }

    private func tellRolled(_ name: String, _ hook: (@Sendable (LogFileInfo) -> Void)?) {
        if let hook, let info = describe(name) { hookQueue.enqueue { hook(info) } }
        if usesArchiver { archiver.enqueue([name]) }
    }

    /// Called on the archiver's queue.
    final func handle(_ event: FileArchiver.Event) {
        switch event {
        case .archived(_, let archive):
            if let onArchive, let info = describe(archive) { hookQueue.enqueue { onArchive(info) } }
        case .removed(let name): tellRemoved(name)
        case .failed(let name, let why):
            report(.writeFailed, "\(name) could not be archived, will try again: \(why)", key: name)
        }
    }

    /// A file that the engine knows; any thread.
    final func describe(_ name: String) -> LogFileInfo? {
        inventory.entries.last { $0.name == name }
            .map { LogFileInfo($0, directory, isFinished: true, opens: true) }
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
        workIfAlone()
        return done.wait(upTo: .seconds(30)) && result.withLock { $0 }
    }
}

/// Records that no call has logged: headers, and announcements of a loss.
extension FileLogger {
    /// The header of a new file, as a record; empty for none.
    final func header() -> [UInt8] { headerOfNewFile.map(record) ?? [] }

    private func record(_ header: String) -> [UInt8] {
        var output = LogBuffer(capacity: header.utf8.count + 16)
        output.append(header)
        return finished(&output)
    }

    /// How each new file begins: with the header that is set, and a record of a formatter that is known.
    final var beginning: FileBeginning {
        var beginning = FileBeginning()
        // A header that a subclass makes may differ from file to file.
        if let header = self.fileHeader, headerOfNewFile == header { beginning.header = record(header) }
        guard repairsTornLines else { return beginning }
        switch formatter {
        case is JSONLinesFormatter: beginning.isJSON = true
        case is LineFormatter, is LogfmtFormatter: beginning.isJSON = false
        default: break
        }
        return beginning
    }

    /// The record that tells how many messages were dropped, and why.
    final func announcement(_ count: Int, _ failure: SystemFailure?) -> [UInt8] {
        let message = LogMessage.ofLoss(count, because: failure, at: clock.now())
        var output = LogBuffer()
        guard formatter?.format(message, into: &output) == true, output.count > 0 else {
            return FileEngine.plainAnnouncement(count, failure)
        }
        return finished(&output)
    }

    private func finished(_ output: inout LogBuffer) -> [UInt8] {
        finishRecord(in: &output, from: 0)
        return output.withUnsafeBytes { Array($0) }
    }
}
