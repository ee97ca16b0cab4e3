extension FileLogger: ReopeningLogger {
    /// Closes the file after what this thread has logged before; the next line opens it again, or a new one
    /// where it was taken away.
    ///
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
