/// Bytes as hexadecimal digits.
package enum Hexadecimal {
    /// The digits, in lowercase.
    package static let digits = Array("0123456789abcdef".utf8)

    /// Two digits for each byte, in lowercase.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var output: [UInt8] = []
        for byte in bytes {
            output.append(digits[Int(byte >> 4)])
            output.append(digits[Int(byte & 15)])
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The bytes of an even number of digits; nil for anything else.
    package static func decode(_ text: some StringProtocol) -> [UInt8]? {
        let values = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
        guard values.count % 2 == 0, !values.contains(nil) else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { (values[$0] ?? 0) << 4 | (values[$0 + 1] ?? 0) }
    }
}
