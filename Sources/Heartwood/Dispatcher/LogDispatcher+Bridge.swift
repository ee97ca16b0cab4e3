import CHeartwood

extension LogDispatcher {
    /// Takes a message of another logging library, whose call sites are known only while the program runs.
    ///
    /// Everything else is as for a call of Heartwood's own: the thread, the task and their fields are the caller's.
    ///
    /// - Parameters:
    ///   - text: The text; nobody takes anything in it for a format.
    ///   - level: The level.
    ///   - category: The category.
    ///   - file: Where the call stands: `Module/File.swift`.
    ///   - function: The function that it stands in.
    ///   - line: The line that it stands in.
    ///   - metadata: The fields; asked for only if somebody wants the message.
    package func acceptForeign(
        _ text: String, _ level: LogLevel, _ category: LogCategory, file: String, function: String, line: Int,
        metadata: () -> LogMetadata
    ) {
        guard wants(level, category) else { return }
        // Levels by source file are looked at only for what has passed, and only where there are any.
        if hw_source_levels_load(), !LogSourceLevels.wants(level, category, named: file) { return }
        let fields = EncodedMetadata(metadata()).bytes
        let text = LogText(text)
        fields.withUnsafeBytes { fields in
            var call = Call(
                text: UnsafeRawBufferPointer(start: text.buffer.base, count: text.count),
                level: level.rawValue, category: category, context: 0,
                site: CallSiteTable.shared.id(file: file, function: function, line: line))
            call.fields = fields
            intake.pointee.accept(&call, nil)
        }
        text.recycle()
    }
}
