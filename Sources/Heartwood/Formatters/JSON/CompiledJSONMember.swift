/// The `,"key":` of a member, after which bytes of others can be read.
typealias MemberKey = (bytes: UnsafeRawPointer, size: Int)

/// A member of an object, ready to be written: without references, for each message looks at all of them.
struct CompiledJSONMember: Sendable {
    let kind: JSONMember.Kind
    /// Where its `,"key":` begins among those of all members, with its value where that is the same in every
    /// object.
    let start: Int32
    let size: Int32

    private static let threadLabel = CompiledThreadLabel(ThreadLabel())

    /// Adds the member's key to `buffer`.
    init(_ member: JSONMember, to buffer: inout LogBuffer) {
        let start = buffer.count
        if member.kind != .fields {
            buffer.append(UInt8(ascii: ","))
            buffer.append(json: member.key)
            buffer.append(UInt8(ascii: ":"))
        }
        if member.kind == .constant { buffer.append(json: member.constant) }
        kind = member.kind
        (self.start, size) = (Int32(start), Int32(buffer.count - start))
    }

    /// Adds `key` and the value, if the message has it and it does not come out of fields.
    ///
    /// - Returns: whether values of the text may have names, where it is the text; otherwise nil.
    @inline(__always)
    func append(
        _ message: LogMessage, _ privacy: LogPrivacyPolicy, key: MemberKey,
        to output: inout LogBuffer
    ) -> Bool? {
        let storage = message.storage
        switch kind {
        case .time(let style):
            output.append(key: key)
            append(message.timestamp, style, to: &output)
        case .level(let style):
            output.append(key: key)
            append(message, style, to: &output)
        case .category:
            if storage.hasDefaultCategory { return nil }
            output.append(key: key)
            output.append(json: message.category.name)
        case .message, .messageOrDash:
            output.append(key: key)
            output.append(UInt8(ascii: "\""))
            let start = output.count
            let hasNames = output.append(insideOfJSON: message, privacy)
            if case .messageOrDash = kind, output.count == start { output.append(UInt8(ascii: "-")) }
            output.append(UInt8(ascii: "\""))
            return hasNames
        case .context:
            if message.context == 0 { return nil }
            output.append(key: key)
            output.append(message.context)
        case .file, .line, .function:
            storage.withSite { append($0, key, to: &output) }
        case .thread:
            output.append(key: key)
            output.appendDecimal(message.threadID)
        case .threadLabel:
            output.append(key: key)
            output.append(UInt8(ascii: "\""))
            let start = output.count
            CompiledJSONMember.threadLabel.append(message, to: &output)
            output.makeJSONSafe(from: start)
            output.append(UInt8(ascii: "\""))
        case .threadName: output.append(key: key, name: message.threadNameBytes)
        case .queue: output.append(key: key, name: message.queueLabelBytes)
        case .task: output.append(key: key, name: message.taskNameBytes)
        case .sequence:
            output.append(key: key)
            output.appendDecimal(message.sequence)
        case .constant: output.append(key: key)
        case .fields, .traceID, .spanID, .error, .reserved: break
        }
        return nil
    }

    private func append(_ site: CallSite, _ key: MemberKey, to output: inout LogBuffer) {
        if site.fileInJSON.isEmpty { return }
        output.append(key: key)
        switch kind {
        case .file: output.append(json: site.file, inside: site.fileInJSON)
        case .function: output.append(json: site.function, inside: site.functionInJSON)
        default: output.append(site.line)
        }
    }

    private func append(_ moment: LogTimestamp, _ style: JSONTime, to output: inout LogBuffer) {
        switch style {
        case .rfc3339:
            output.append(UInt8(ascii: "\""))
            output.append(rfc3339: moment)
            output.append(UInt8(ascii: "\""))
        case .milliseconds:
            output.append(UInt8(ascii: "\""))
            output.append(iso8601: moment)
            output.append(UInt8(ascii: "\""))
        case .unixSeconds:
            let (seconds, nanosecond) = moment.nanoseconds.magnitude.quotientAndRemainder(
                dividingBy: 1_000_000_000)
            if moment.nanoseconds < 0 { output.append(UInt8(ascii: "-")) }
            output.append(seconds)
            output.append(UInt8(ascii: "."))
            output.appendDecimal(Int(nanosecond), width: 9)
        case .unixMilliseconds: output.append(moment.nanoseconds.dividedDown(by: 1_000_000))
        }
    }

    private func append(_ message: LogMessage, _ style: JSONLevel, to output: inout LogBuffer) {
        let level = message.level
        switch style {
        case .name:
            output.append(jsonLevelOf: message)
        case .upperName: output.append(json: level.name.uppercased())
        case .syslog: output.append(level.syslogSeverity)
        case .swiftyBeaver:
            switch level.severity {
            case .fatal: output.append(5)
            case .error: output.append(4)
            case .warning: output.append(3)
            case .notice, .info: output.append(2)
            case .debug: output.append(1)
            default: output.append(0)
            }
        }
    }
}

extension LogBuffer {
    /// Adds the key of a member, which lies among others.
    @inline(__always)
    fileprivate mutating func append(key: MemberKey) {
        append(readableBeyond: key.bytes, key.size)
    }

    @inline(__always)
    fileprivate mutating func append(key: MemberKey, name: UnsafeRawBufferPointer) {
        if name.isEmpty { return }
        append(key: key)
        append(json: name)
    }

    /// Adds the name of the level as a JSON string.
    @inline(__always)
    mutating func append(jsonLevelOf message: LogMessage) {
        append(UInt8(ascii: "\""))
        if append(standardLevelOf: message) { return append(UInt8(ascii: "\"")) }
        truncate(to: count - 1)
        append(json: message.level.name)
    }
}
