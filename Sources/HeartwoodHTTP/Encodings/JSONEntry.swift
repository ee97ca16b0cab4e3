import Heartwood

/// An entry as a JSON object, with the keys of `JSONLinesFormatter` and an `id`.
enum JSONEntry {
    private static let ownKeys: Set<String> = [
        "time", "level", "category", "message", "context", "file", "line", "function", "thread",
        "thread_name",
        "queue", "task", "seq", "id",
    ]

    /// Adds the objects of entries, with `separator` between two of them.
    ///
    /// By their address: an entry that a loop takes out of an array is copied, with all its strings.
    static func append(_ entries: [RemoteEntry], between separator: UInt8, to output: inout LogBuffer) {
        entries.withUnsafeBufferPointer { entries in
            guard let first = entries.baseAddress else { return }
            for index in entries.indices {
                if index > 0 { output.append(separator) }
                append(first + index, to: &output)
            }
        }
    }

    static func append(_ entry: RemoteEntry, to output: inout LogBuffer) {
        withUnsafePointer(to: entry) { append($0, to: &output) }
    }

    private static func append(_ entry: UnsafePointer<RemoteEntry>, to output: inout LogBuffer) {
        output.append("{\"time\":\"" as StaticString)
        output.append(rfc3339: entry.pointee.time)
        output.append(UInt8(ascii: "\""))
        append("level", entry.pointee.levelName, to: &output)
        append("category", entry.pointee.category, to: &output)
        append("message", entry.pointee.text, to: &output)
        if !entry.pointee.fields.isEmpty || !entry.pointee.metadata.isEmpty {
            append(entry.pointee.allFields, avoiding: ownKeys, to: &output)
        }
        if entry.pointee.context != 0 { append("context", entry.pointee.context, to: &output) }
        if !entry.pointee.file.isEmpty {
            append("file", entry.pointee.file, to: &output)
            append("line", entry.pointee.line, to: &output)
            append("function", entry.pointee.function, to: &output)
        }
        if entry.pointee.threadID != 0 { append("thread", entry.pointee.threadID, to: &output) }
        append("thread_name", entry.pointee.threadName, to: &output)
        append("queue", entry.pointee.queueLabel, to: &output)
        append("task", entry.pointee.taskName, to: &output)
        append("seq", entry.pointee.sequence, to: &output)
        append("id", entry.pointee.id, to: &output)
        output.append(UInt8(ascii: "}"))
    }

    /// Adds `,"name":value` for each field; one whose name is taken gets underscores in front.
    static func append(_ fields: LogMetadata, avoiding taken: Set<String>, to output: inout LogBuffer) {
        var taken = taken
        for (name, value) in fields {
            var key = name
            while !taken.insert(key).inserted { key = "_" + key }
            output.append(UInt8(ascii: ","))
            output.append(json: key)
            output.append(UInt8(ascii: ":"))
            output.append(json: value)
        }
    }

    /// Adds a member after others; nothing without a text.
    static func append(_ key: StaticString, _ text: String?, to output: inout LogBuffer) {
        if let text { output.append(member: key, text) }
    }

    static func append(_ key: StaticString, _ number: some FixedWidthInteger, to output: inout LogBuffer) {
        output.append(key: key)
        if let number = UInt64(exactly: number) {
            output.appendDecimal(number)
        } else {
            output.appendDecimal(Int64(number))
        }
    }
}

extension LogBuffer {
    /// A copy of the bytes.
    var array: [UInt8] { withUnsafeBytes { Array($0) } }
}
