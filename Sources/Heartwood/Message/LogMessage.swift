/// A log message: its text, its typed values, and where and when it was logged.
///
/// You can keep a message after the callback returns, and use it on any thread. It holds only its own bytes;
/// the text and the values are decoded each time you ask for them.
public struct LogMessage: Sendable {
    let storage: MessageStorage

    /// The text, in which private values are written as `<private>` or as a hash.
    public var text: String { text(privacy: .redact) }

    /// Returns the text, with private values written as `privacy` says.
    public func text(privacy: LogPrivacyPolicy) -> String {
        var buffer = LogBuffer(capacity: 256)
        buffer.appendText(of: self, privacy: privacy)
        return buffer.text
    }

    /// The level.
    public var level: LogLevel {
        LogLevel(index: storage.record.level) ?? .info
    }

    /// The category; ``LogCategory/default`` unless the call named one.
    public var category: LogCategory { storage.category }

    /// The `context` of the call; 0 unless the call set it.
    public var context: Int { Int(storage.record.context) }

    /// The `tag` of the call, unchanged; nil unless the call set it.
    public var tag: (any Sendable)? { storage.tag }

    /// The source file of the call: `Module/File.swift`.
    public var file: String { storage.site.file }

    /// The name of the source file, without folders and extension.
    public var fileName: String { storage.site.fileName }

    /// The function of the call.
    public var function: String { storage.site.function }

    /// The line of the call.
    public var line: Int { storage.site.line }

    /// The time at which the message was logged.
    public var timestamp: LogTimestamp {
        LogTimestamp(nanoseconds: Int64(bitPattern: storage.record.time))
    }

    /// The number of the message in its dispatcher, without gaps, in the order in which all loggers get
    /// messages.
    public var sequence: UInt64 { storage.record.sequence }

    /// The kernel's number of the thread that logged the message.
    public var threadID: UInt64 { storage.record.thread }

    /// The name of that thread, if it has one; its first 255 bytes.
    ///
    /// A changed name can appear up to two seconds late.
    public var threadName: String? { name(0) }

    /// The label of the dispatch queue that the call ran on, if any; its first 255 bytes.
    public var queueLabel: String? { name(1) }

    /// The name of the task that the call ran in, if it has one; its first 255 bytes.
    public var taskName: String? { name(2) }

    /// The thread's name in UTF-8; empty where it has none.
    var threadNameBytes: UnsafeRawBufferPointer { nameBytes(0) }
    /// The queue's label in UTF-8; empty without one.
    var queueLabelBytes: UnsafeRawBufferPointer { nameBytes(1) }

    /// The task's name in UTF-8; empty where it has none.
    var taskNameBytes: UnsafeRawBufferPointer { nameBytes(2) }

    private func name(_ index: Int) -> String? {
        let bytes = nameBytes(index)
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    private func nameBytes(_ index: Int) -> UnsafeRawBufferPointer {
        var offset = storage.bodyOffset
        for before in 0..<index {
            offset += storage.record.nameSize(before)
        }
        return UnsafeRawBufferPointer(start: storage.bytes + offset, count: storage.record.nameSize(index))
    }

    /// The parts of the text, in their order: literals, and values with their types.
    public var pieces: [LogPiece] {
        var pieces: [LogPiece] = []
        var reader = PieceReader(storage.text)
        while let piece = reader.next() {
            switch piece {
            case .literal(let bytes): pieces.append(.literal(String(decoding: bytes, as: UTF8.self)))
            case .value(let value):
                let name = value.name.map { String(decoding: $0, as: UTF8.self) }
                pieces.append(.value(value.decoded, name: name, privacy: value.privacy))
            }
        }
        return pieces
    }

    /// Returns the named values of the text, with private ones written as `privacy` says.
    public var fields: LogMetadata { fields(privacy: .redact) }

    /// Returns the named values of the text, with private ones written as `privacy` says.
    ///
    /// If a name occurs twice, the first value is used.
    public func fields(privacy: LogPrivacyPolicy) -> LogMetadata {
        decodeFields(storage.text, privacy: privacy)
    }

    /// The fields of the call, the task, the category and the dispatcher, in this precedence.
    public var metadata: LogMetadata { decodeFields(storage.fields, privacy: .reveal) }

    private func decodeFields(_ bytes: UnsafeRawBufferPointer, privacy: LogPrivacyPolicy) -> LogMetadata {
        var fields = LogMetadata()
        var reader = PieceReader(bytes)
        // Nearly all messages have none.
        if reader.skipPlain() { return fields }
        while let piece = reader.next() {
            guard case .value(let value) = piece, let name = value.name else { continue }
            let key = String(decoding: name, as: UTF8.self)
            if fields[key] == nil { fields.appendUnchecked(key, value.decoded(privacy: privacy)) }
        }
        return fields
    }
}
