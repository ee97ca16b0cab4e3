import Dispatch
import Synchronization

/// Rolling by call, the disk, and looking at the files.
extension FileLogger {
    /// Finishes the file after what this thread has logged before; the next line begins another one.
    ///
    /// Works before the first line as well: then the newest file of an earlier run is finished. A file
    /// without lines stays as it is. Never waits.
    ///
    /// - Parameter completion: Called off the logging queues; false where the file could not be finished, or
    ///   no other one can be created: it is written to then.
    public final func rollNow(completion: (@Sendable (Bool) -> Void)? = nil) {
        finishFile(keepsEmpty: true, completion)
    }

    /// Does the same; also with a file without lines unless `keepsEmpty`.
    package final func finishFile(keepsEmpty: Bool, _ completion: (@Sendable (Bool) -> Void)? = nil) {
        performInOrder { [self] in
            writeBatch()
            open()
            let isDone = engine.rollNow(keepsEmpty: keepsEmpty)
            settle()
            if let completion { hookQueue.enqueue { completion(isDone) } }
        }
    }

    /// Finishes the file after what was logged before; the next line begins another one.
    ///
    /// - Returns: false where the file could not be finished.
    @discardableResult
    public final func rollNow() async -> Bool {
        await withCheckedContinuation { continuation in
            rollNow { continuation.resume(returning: $0) }
            workIfAlone()
        }
    }

    /// Opens the file of the next line, or creates it, after what this thread has logged before.
    ///
    /// - Parameter timeout: How long to wait for that at most; inside of a hook it does not.
    package final func openFile(timeout: Duration) {
        performInOrder { [self] in
            writeBatch()
            open()
            engine.openFile()
            settle()
        }
        _ = waitUntilIdle(timeout: timeout)
    }

    /// Puts everything that was logged before on the disk itself, to survive a power cut; `flush` does less.
    ///
    /// Inside of a hook of this logger it does so at once. After a failure, what was written before it may
    /// never reach the disk, as kernels forget what they could not write: a later success speaks for what was
    /// written since.
    ///
    /// - Parameter timeout: How long to wait at most.
    /// - Returns: whether it is done; false after the time, or where a line still waits or the disk failed.
    @discardableResult
    public final func synchronize(timeout: Duration = .seconds(10)) -> Bool {
        if isInHook { return synchronizeNow() }
        let result = Locked(false)
        performInOrder { [self] in
            let isDone = synchronizeNow()
            result.withLock { $0 = isDone }
        }
        return waitUntilIdle(timeout: timeout) && result.withLock { $0 }
    }

    private func synchronizeNow() -> Bool {
        // A header or an announcement that is being made is part of what would be written.
        if engine.isRunning { return false }
        writeBatch()
        engine.retry()
        defer { settle() }
        return (try? engine.synchronize()) != nil && engine.isIdle
    }

    /// The files of this logger's naming, the newest first.
    ///
    /// Reads the directory, on the caller's thread. Who asks may be about to remove files: for a second, the
    /// file is looked at before each write, so that no line that this thread logs afterwards goes into one
    /// that is gone.
    ///
    /// - Throws: ``LogError`` where the directory cannot be read.
    public final func logFiles() throws -> [LogFileInfo] {
        performInOrder { [self] in engine.lookClosely(forWhile: true) }
        let inventory = FileInventory()
        try LogFileInfo.reading(directory) {
            try inventory.refresh(directory, self.naming, settings.filePolicy)
        }
        let active = activeName.withLock { $0 }
        return inventory.readable.reversed().map { entry in
            // Finished, and the lock says that no one writes to it all the same.
            let isFinished =
                entry.stage == .plain && entry.name != active && entry.name != self.naming.activeName
                && entry.isFinished && directory.isFree(entry.name)
            return LogFileInfo(entry, directory, active: active, isFinished: isFinished, opens: true)
        }
    }

    /// The path of the file that is written; nil if none is open, or it was removed since the last message.
    ///
    /// Asks the file system, and waits for nothing else.
    public final var currentPath: String? {
        guard let name = activeName.withLock({ $0 }), directory.mayHave(name) else { return nil }
        return directoryPath + "/" + name
    }

    /// Makes sure that the file system has what settings promise: locks for files that processes share,
    /// permissions for encrypted ones.
    ///
    /// - Throws: ``LogError`` of code `setting` where it has not.
    package final func check(isShared: Bool, isEncrypted: Bool) throws {
        guard isShared || isEncrypted else { return }
        do {
            try directory.tryCreating(for: self.naming.application, isSecret: isEncrypted)
        } catch  where error.call == .changeMode {
            throw LogError(
                .setting, "Encrypted files need a file system with permissions; choose another directory",
                place: directoryPath, cause: error.number)
        } catch {
            return  // Told with the first line, which waits.
        }
        if isShared, directory.missing.contains(.locks) {
            throw LogError(
                .setting, "`isShared` needs a file system with locks; choose another directory",
                place: directoryPath)
        }
    }

    /// Waits until the files that were finished so far are compressed or encrypted.
    package final func finishArchives() { archiver.drain() }

    /// Writes lines like messages, after everything that this thread has logged before.
    ///
    /// Levels, filters and the formatter do not apply to them, and the journal does not keep them.
    ///
    /// - Parameters:
    ///   - block: The lines; not to be touched before `completion` is called.
    ///   - completion: Called on the logger's queue once the lines are written, wait, or were dropped.
    package final func write(_ block: LineBlock, completion: @escaping @Sendable () -> Void) {
        performInOrder { [self] in
            writeBatch()
            open()
            let count = block.ends.count
            block.buffer.withUnsafeBytes { engine.write($0, block.ends) }
            block.removeAll()
            settle()
            counters.count(received: count, delivered: count)
            completion()
        }
        workIfAlone()
    }
}

extension FileLogger: ReopeningLogger {
    /// Leaves the file after what this thread has logged before, if another program has renamed or removed
    /// it; the next line opens another one.
    ///
    /// A file in its place stays open, and so does one that was renamed while no other file can be created.
    /// A file logger notices by itself, within 5 ms, that its file was renamed or removed. This is for tools
    /// that wait for a program to release its file (`logrotate` with `postrotate kill -HUP`). Never waits.
    public final func reopen() {
        performInOrder { [self] in
            writeBatch()
            engine.reopen()
            settle()
        }
    }
}

extension FileLogger {
    /// For the crash journal: compares a file with what was going to be written, and cuts off a torn record.
    package final func resolve(_ intent: JournalSlot.Intent) throws -> UInt64? {
        let calls = directory.calls
        guard let name = try self.name(of: intent) else { return nil }
        // A backup may have made a second name of it: what it says holds, but nothing of it is cut off.
        let (file, now) = try directory.open(name, for: .reading, acceptsLinked: true)
        guard now.identity == intent.file else { return nil }
        let content = try intent.content(of: file.number, calls)
        let (bytes, mark, isTorn) = content.withUnsafeBytes { intent.arrived(in: $0) }
        if isTorn, !self.isShared, let (file, again) = try? directory.open(name),
            again.identity == now.identity,
            (try? directory.tryLock(file)) == true,
            (try? calls.status(file.number).size) == intent.size + content.count
        {
            try? calls.truncate(file.number, to: intent.size + bytes)
            handle(.repaired(name: name, bytes: content.count - bytes))
        }
        return mark == 0 ? nil : mark
    }

    /// The name that the file of a write has now: it may have been renamed since.
    private func name(of intent: JournalSlot.Intent) throws -> String? {
        if try directory.status(intent.name)?.identity == intent.file { return intent.name }
        return try directory.names().first { try directory.status($0)?.identity == intent.file }
    }
}
