/// The bytes of a tar archive (POSIX ustar), file after file.
///
/// Names longer than 100 bytes are cut at their beginning, so that what tells files apart stays.
struct TapeArchive {
    /// The header of a file, and its content up to a multiple of 512 bytes.
    ///
    /// - Parameters:
    ///   - name: The path in the archive.
    ///   - content: The content; less than 8 GiB.
    ///   - seconds: The time of the last change, in seconds since 1970.
    /// - Returns: the bytes.
    static func entry(_ name: String, _ content: [UInt8], modified seconds: Int) -> [UInt8] {
        var header = [UInt8](repeating: 0, count: 512)
        func put(_ text: some Sequence<UInt8>, at offset: Int) {
            for (index, byte) in text.enumerated() { header[offset + index] = byte }
        }
        func octal(_ value: Int, digits: Int) -> [UInt8] {
            let text = String(max(0, value), radix: 8)
            return Array(
                (String(repeating: "0", count: max(0, digits - text.utf8.count)) + text).utf8.suffix(digits))
        }
        put(name.utf8.suffix(100), at: 0)
        put(octal(0o600, digits: 7), at: 100)
        put(octal(0, digits: 7), at: 108)
        put(octal(0, digits: 7), at: 116)
        put(octal(content.count, digits: 11), at: 124)
        put(octal(seconds, digits: 11), at: 136)
        put([UInt8](repeating: UInt8(ascii: " "), count: 8), at: 148)
        header[156] = UInt8(ascii: "0")
        put("ustar\u{0}00".utf8, at: 257)
        // The sum is made with its own field full of spaces.
        put(octal(header.reduce(0) { $0 + Int($1) }, digits: 6) + [0, UInt8(ascii: " ")], at: 148)
        let padding = (512 - content.count % 512) % 512
        return header + content + [UInt8](repeating: 0, count: padding)
    }

    /// What ends an archive.
    static let end = [UInt8](repeating: 0, count: 1024)
}
