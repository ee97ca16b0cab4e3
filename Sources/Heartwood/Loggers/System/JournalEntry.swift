import CHeartwood

/// Writes messages as entries of journald's native protocol (systemd's "Native Journal Protocol").
///
/// An entry is a row of fields: `NAME=value` and a newline; or, where the value has a newline itself, the
/// name and a newline, the value's length in 64 bits, the least significant byte first, the value, and a
/// newline. So nothing in a value can pass for a field.
struct JournalEntry {
    let program: String
    let facility: Int
    let privacy: LogPrivacyPolicy
    /// The most bytes of the text; 0: no limit.
    let limit: Int

    /// Adds the entry; `text` adds the message's text, or says that it is to be left out.
    func append(
        _ message: LogMessage, to output: inout LogBuffer, text: (inout LogBuffer) -> Bool
    ) -> Bool {
        let start = output.count
        var isWanted = true
        output.append(journalField: "MESSAGE") { output in
            let start = output.count
            isWanted = text(&output)
            if limit > 0 { output.truncate(from: start, toUTF8: limit) }
        }
        guard isWanted else {
            output.truncate(to: start)
            return false
        }
        output.append(journalField: "PRIORITY") { $0.append(message.level.syslogSeverity) }
        output.append(journalField: "SYSLOG_FACILITY") { $0.append(facility) }
        output.append(journalField: "SYSLOG_IDENTIFIER") { $0.append(program) }
        if !message.file.isEmpty {
            output.append(journalField: "CODE_FILE") { $0.append(message.file) }
            output.append(journalField: "CODE_LINE") { $0.append(message.line) }
            output.append(journalField: "CODE_FUNC") { $0.append(message.function) }
        }
        output.append(journalField: "TID") { $0.append(message.threadID) }
        output.append(journalField: "LOG_TIME") { $0.append(rfc3339: message.timestamp) }
        if message.category != .default {
            output.append(journalField: "CATEGORY") { $0.append(message.category.name) }
        }
        if message.context != 0 {
            output.append(journalField: "CONTEXT") { $0.append(message.context) }
        }
        appendFields(of: message, to: &output)
        return true
    }

    private func appendFields(of message: LogMessage, to output: inout LogBuffer) {
        message.forEachField(
            privacy, reserved: NameList(), naming: JournalFieldName.make, flattensErrors: true, to: &output
        ) {
            name, value, privacy, output in
            // Two names may become one: the journal takes several values of a field.
            let name = String(name.drop { $0 == "_" })
            if name == "FIELD_MESSAGE_ID", value.isShown(by: privacy),
                let id = JournalEntry.identifier(value)
            {
                return output.append(journalField: "MESSAGE_ID") { $0.append(id) }
            }
            output.append(journalField: name) { $0.append(field: value, privacy: privacy) }
        }
    }

    /// The 32 digits of a value that can be the identifier of a kind of message: a UUID, or its digits.
    private static func identifier(_ value: EncodedValue) -> String? {
        let text: String
        let value = value.decoded
        switch value {
        case .uuid: text = value.description
        case .string(let digits): text = digits
        default: return nil
        }
        let digits = text.lowercased().filter { $0 != "-" }
        return digits.utf8.count == 32 && digits.allSatisfy { $0.isASCII && $0.isHexDigit } ? digits : nil
    }
}

extension LogBuffer {
    /// Adds a field whose value `body` adds.
    fileprivate mutating func append(journalField name: String, _ body: (inout LogBuffer) -> Void) {
        append(name)
        let place = count
        append(UInt8(ascii: "="))
        body(&self)
        if memchr(base + place, 0x0A, count - place) != nil {
            replaceEnd(from: place) { bytes, output in
                output.append(UInt8(ascii: "\n"))
                Swift.withUnsafeBytes(of: UInt64(bytes.count - 1).littleEndian) { output.append($0) }
                output.append(UnsafeRawBufferPointer(rebasing: bytes[1...]))
            }
        }
        append(UInt8(ascii: "\n"))
    }

    /// Cuts the text from `start` on to `limit` bytes, or up to three fewer where a character ends before.
    mutating func truncate(from start: Int, toUTF8 limit: Int) {
        if count - start <= limit { return }
        var end = start + limit
        while end > start, base[end] & 0xC0 == 0x80 { end -= 1 }
        truncate(to: end)
    }
}
