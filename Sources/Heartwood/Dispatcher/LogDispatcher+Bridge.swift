import CHeartwood
import Dispatch
import Synchronization

// Messages that do not come from a call of Heartwood's own: from a facade, a bridge, another library or a
// dispatcher.

extension LogDispatcher {
    /// Logs an existing message: from a bridge, a wrapper, or a logger of another dispatcher.
    ///
    /// ```swift
    /// let forwarder = CallbackLogger(name: "forwarder") { message in target.log(message) }
    /// ```
    ///
    /// Loggers get the message unchanged: text with typed and private values, level, category, context, tag,
    /// fields, time, source location, thread, queue and task. Only ``LogMessage/sequence`` is that of this
    /// dispatcher. Fields of the current task, the category and the dispatcher are added if the message has
    /// no field with the same name. The levels of the dispatcher, the category, the source file and the
    /// loggers apply as for a call.
    ///
    /// Messages are in the order of the calls, whatever their time stamps are. You can call this on any
    /// thread, also inside loggers, where the call never waits.
    ///
    /// - Parameters:
    ///   - message: The message; made with an initializer of ``LogMessage``, or handed to a logger.
    ///   - asynchronous: False waits until the loggers have handled it, for ``synchronousTimeout`` at most;
    ///     true does not; nil leaves it to ``synchronousLevels``.
    public func log(_ message: LogMessage, asynchronous: Bool? = nil) {
        let (storage, level, category) = (message.storage, message.level, message.category)
        guard wants(level, category) else { return }
        let site = storage.site
        if hw_source_levels_load(), !LogSourceLevels.wants(level, category, named: site.file) { return }
        withSite(CallSiteTable.shared.id(of: site), site.file, site.function, site.line) { id, place in
            withTogether(storage.fields, place) { fields in
                var call = Call(
                    text: storage.text, level: level.rawValue, category: category, context: message.context,
                    site: id)
                call.fields = fields
                call.tag = storage.tag.map(retainedBox)
                call.time = UInt64(bitPattern: message.timestamp.nanoseconds)
                call.thread = message.threadID
                call.threadName = message.threadNameBytes
                call.queueLabel = message.queueLabelBytes
                call.taskName = message.taskNameBytes
                acceptFinished(&call, asynchronous)
            }
        }
    }

    /// Takes a call whose place is known only while the program runs; the thread, the task and their fields
    /// are the caller's.
    ///
    /// Whether the message is wanted was asked before.
    func accept(
        _ text: borrowing LogText, _ level: LogLevel, _ category: LogCategory?, _ context: Int,
        _ tag: (any Sendable)?, _ metadata: LogMetadata?, _ asynchronous: Bool?, file: String,
        function: String, line: Int
    ) {
        let bytes = UnsafeRawBufferPointer(start: text.buffer.base, count: text.count)
        let fields = metadata.map { EncodedMetadata($0).bytes } ?? []
        let site = CallSiteTable.shared.id(file: file, function: function, line: line)
        fields.withUnsafeBytes { fields in
            withSite(site, file, function, line) { id, place in
                withTogether(fields, place) { fields in
                    var call = Call(
                        text: bytes, level: level.rawValue, category: category, context: context, site: id)
                    call.fields = fields
                    call.tag = tag.map(retainedBox)
                    intake.pointee.accept(&call, asynchronous)
                }
            }
        }
    }

    /// Takes a message of another logging library.
    ///
    /// - Parameters:
    ///   - text: The text; nothing in it is taken for a format.
    ///   - level: The level.
    ///   - category: The category.
    ///   - file: The source file of the call: `Module/File.swift`.
    ///   - function: The function of the call.
    ///   - line: The line of the call.
    ///   - error: The error that came with it, which becomes the field `error`; nil for none.
    ///   - metadata: The fields; asked for only if the message is wanted.
    package func acceptForeign(
        _ text: String, _ level: LogLevel, _ category: LogCategory, file: String, function: String, line: Int,
        error: (any Error)? = nil, metadata: () -> LogMetadata
    ) {
        guard isLogEnabled(level, category: category, to: self, file: file) else { return }
        let text = LogText(text)
        let fields = LogMetadata.adding(error, to: metadata())
        accept(text, level, category, 0, nil, fields, nil, file: file, function: function, line: line)
        text.recycle()
    }

    /// Calls `body` with the number of a site, and with the fields that say the place of one that has none.
    private func withSite(
        _ id: UInt32?, _ file: String, _ function: String, _ line: Int,
        _ body: (UInt32, UnsafeRawBufferPointer) -> Void
    ) {
        if let id { return body(id, UnsafeRawBufferPointer(start: nil, count: 0)) }
        let place = EncodedMetadata([
            "source.file": .string(file), "source.function": .string(function),
            "source.line": .integer(Int64(line)),
        ])
        place.bytes.withUnsafeBytes { body(.max, $0) }
    }

    /// Calls `body` with two rows of bytes as one.
    private func withTogether(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        if other.isEmpty { return body(one) }
        if one.isEmpty { return body(other) }
        (Array(one) + Array(other)).withUnsafeBytes(body)
    }
}

extension LogDispatcher {
    /// Removes loggers and adds others at one point of the order of messages: what is logged before goes to
    /// the first, what is logged after it to the others, and nothing to both or to none.
    ///
    /// Does not wait for those that leave: see `waitForRemoved`. One that belongs to another dispatcher is
    /// not added, which is reported.
    package func exchange(_ old: [AbstractLogger], for new: [AbstractLogger]) {
        if old.isEmpty, new.isEmpty { return }
        var arriving: [(logger: AbstractLogger, choice: LogLevelChoice)] = []
        for logger in new {
            if logger.node.attach(to: self) != nil {
                diagnostics.report(.misuse, "\(logger.name) was already added to a dispatcher")
                continue
            }
            logger.node.inbox.setAllowance(2 * ring.capacity + 2 * RecordBatch.usualCapacity)
            arriving.append((logger, logger.levelChoice))
        }
        let leaving = settings.withLock { settings in
            let leaving = settings.loggers.filter { logger in old.contains { $0 === logger } }
            settings.loggers.removeAll { logger in leaving.contains { $0 === logger } }
            // Callers ask for what either wants, from before the exchange until after it.
            settings.loggers += arriving.map(\.logger)
            // With a journal, not before it knows the new ones.
            let asked = isJournaled ? leaving : leaving + settings.loggers
            let gate = asked.reduce(self.gate.load(ordering: .relaxed)) { $0 | $1.levels.rawValue }
            openGate(gate & settings.levels.rawValue)
            return leaving
        }
        submit { [arriving, ring] drain in
            for logger in leaving {
                drain.remove(logger.node)
                logger.node.leave()
            }
            for (logger, choice) in arriving {
                logger.node.start(ring)
                drain.add(logger.node, choice, at: ring.consumed)
            }
        }
        drainNow()
        provideThreads(for: arriving.map(\.logger))
        settings.withLock { updateGate($0) }
        for (logger, choice) in arriving {
            let latest = logger.levelChoice
            if latest.number != choice.number { levelsDidChange(of: logger.node, to: latest) }
        }
    }

    /// Waits until loggers that were removed have written everything, ten seconds at most; inside of a hook
    /// not at all.
    package func waitForRemoved(_ loggers: [AbstractLogger]) {
        if loggers.isEmpty || ThreadState.current.isInHook { return }
        let late = LoggerNode.wait(for: loggers, until: .now() + 10)
        for logger in late {
            diagnostics.report(
                .timedOut, "\(logger.name) did not finish in time; it will be removed later", key: logger.name
            )
        }
    }
}
