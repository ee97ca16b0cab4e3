/// The names of fields in systemd's journal.
package enum JournalFieldName {
    /// Fields that the journal or Heartwood gives a meaning.
    private static let reserved: Set<String> = [
        "MESSAGE", "MESSAGE_ID", "PRIORITY", "SYSLOG_FACILITY", "SYSLOG_IDENTIFIER", "SYSLOG_PID",
        "SYSLOG_TIMESTAMP", "SYSLOG_RAW", "CODE_FILE", "CODE_LINE", "CODE_FUNC", "TID", "LOG_TIME", "LOG_ID",
        "CATEGORY", "CONTEXT", "OBJECT_PID",
    ]

    /// The journal's name of a value: `[A-Z0-9_]`, beginning with a letter, at most 64 bytes.
    ///
    /// ASCII letters become uppercase; everything but letters and digits becomes `_`. A name that would then
    /// be empty, begin with a digit or `_`, or be reserved gets the prefix `FIELD_`.
    package static func make(_ name: String) -> String {
        let bytes = name.unicodeScalars.map { scalar -> UInt8 in
            switch scalar {
            case "A"..."Z", "0"..."9": UInt8(truncatingIfNeeded: scalar.value)
            case "a"..."z": UInt8(truncatingIfNeeded: scalar.value - 0x20)
            default: UInt8(ascii: "_")
            }
        }
        let field = String(decoding: bytes, as: UTF8.self)
        let isPlain = field.first.map { $0 >= "A" && $0 <= "Z" } ?? false
        return String((isPlain && !reserved.contains(field) ? field : "FIELD_" + field).prefix(64))
    }
}
