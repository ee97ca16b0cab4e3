import CHeartwood
import CSQLite
import Heartwood

/// How queries compare texts: functions of SQL that see every byte of texts of any length.
///
/// SQLite's own LIKE and GLOB take a text to end at a zero byte, and refuse patterns of more than 50,000
/// bytes.
enum TextFunctions {
    /// Adds the functions to a connection: `contains_text(text, lowercased)`, which ignores the case of ASCII
    /// letters, and `matches_name(name, pattern)`.
    static func add(to connection: OpaquePointer) {
        let kind = SQLITE_UTF8 | SQLITE_DETERMINISTIC
        sqlite3_create_function_v2(
            connection, "contains_text", 2, kind, nil,
            { context, _, values in
                let isFound = TextFunctions.text(values?[0], contains: TextFunctions.bytes(values?[1]))
                sqlite3_result_int(context, isFound ? 1 : 0)
            }, nil, nil, nil)
        sqlite3_create_function_v2(
            connection, "matches_name", 2, kind, nil,
            { context, _, values in
                let pattern = NamePattern(String(decoding: TextFunctions.bytes(values?[1]), as: UTF8.self))
                let isMatch = pattern.matches(Array(TextFunctions.bytes(values?[0]))[...])
                sqlite3_result_int(context, isMatch ? 1 : 0)
            }, nil, nil, nil)
    }

    private static func bytes(_ value: OpaquePointer?) -> UnsafeBufferPointer<UInt8> {
        // In this order: the size is that of the text.
        let start = sqlite3_value_text(value)
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    private static func text(_ value: OpaquePointer?, contains part: UnsafeBufferPointer<UInt8>) -> Bool {
        let text = bytes(value)
        if text.count < part.count { return false }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: text.count) { lowercased in
            for (index, byte) in text.enumerated() { lowercased[index] = TextFunctions.lowercased(byte) }
            return hw_find(lowercased.baseAddress, text.count, part.baseAddress, part.count) != nil
        }
    }

    /// The text with the ASCII letters in lower case.
    static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map { lowercased($0) }, as: UTF8.self)
    }

    @inline(__always)
    private static func lowercased(_ byte: UInt8) -> UInt8 {
        byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte
    }
}
