import Heartwood

/// An entry as a JSON object, with the keys of `JSONLinesFormatter` and an `id`.
enum JSONEntry {
    private static let ownKeys: Set<String> = [
        "time", "level", "category", "message", "context", "file", "line", "function", "thread",
        "thread_name",
        "queue", "task", "seq", "id",
    ]

    static func append(_ entry: RemoteEntry, to output: inout LogBuffer) {
        output.append("{\"time\":\"" as StaticString)
        output.append(rfc3339: entry.time)
        output.append(UInt8(ascii: "\""))
        append("level", entry.levelName, to: &output)
        append("category", entry.category, to: &output)
        append("message", entry.text, to: &output)
        if !entry.fields.isEmpty || !entry.metadata.isEmpty {
            append(entry.allFields, avoiding: ownKeys, to: &output)
        }
        if entry.context != 0 { append("context", entry.context, to: &output) }
        if !entry.file.isEmpty {
            append("file", entry.file, to: &output)
            append("line", entry.line, to: &output)
            append("function", entry.function, to: &output)
        }
        append("thread", entry.threadID, to: &output)
        append("thread_name", entry.threadName, to: &output)
        append("queue", entry.queueLabel, to: &output)
        append("task", entry.taskName, to: &output)
        append("seq", entry.sequence, to: &output)
        append("id", entry.id, to: &output)
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
