import Synchronization

extension FileLogger {
    /// Waits until the files that were finished so far are compressed or encrypted: for programs that end
    /// soon.
    package final func finishArchives() { archiver.drain() }

    /// Writes lines that need no formatter, after everything that this thread has logged before, with all
    /// that holds for messages: files are rolled between lines, limits are kept, what no file takes waits or
    /// is counted as dropped.
    ///
    /// A line counts as a message. Levels, filters and the formatter do not apply to it, and the journal does
    /// not keep it.
    ///
    /// - Parameters:
    ///   - block: The lines; not to be touched before `completion` is called.
    ///   - completion: Called on the logger's queue once the lines are written, wait, or were dropped.
    package final func write(_ block: LineBlock, completion: @escaping @Sendable () -> Void) {
        performInOrder { [self] in
            writeBatch()
            open()
            let count = block.ends.count
            counters.received.add(count, ordering: .relaxed)
            counters.delivered.add(count, ordering: .relaxed)
            block.buffer.withUnsafeBytes { engine.write($0, block.ends) }
            block.removeAll()
            settle()
            completion()
        }
    }
}
