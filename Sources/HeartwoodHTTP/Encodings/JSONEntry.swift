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
        output.append("\",\"level\":" as StaticString)
        output.append(json: entry.levelName)
        append("category", entry.category, to: &output)
        append("message", entry.text, to: &output)
        append(entry.allFields, avoiding: ownKeys, to: &output)
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

    static func append(_ key: StaticString, _ text: String?, to output: inout LogBuffer) {
        guard let text else { return }
        output.append(",\"" as StaticString)
        output.append(key)
        output.append("\":" as StaticString)
        output.append(json: text)
    }

    static func append(_ key: StaticString, _ number: some BinaryInteger, to output: inout LogBuffer) {
        output.append(",\"" as StaticString)
        output.append(key)
        output.append("\":" as StaticString)
        output.append(number)
    }
}

extension LogBuffer {
    /// A copy of the bytes.
    var array: [UInt8] { withUnsafeBytes { Array($0) } }
}
