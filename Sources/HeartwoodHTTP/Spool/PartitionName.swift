import Heartwood

/// The names of partitions: 24 hexadecimal digits, which sort as the partitions were made.
enum PartitionName {
    /// Whether a directory of that name is a partition.
    static func isValid(_ name: String) -> Bool {
        name.utf8.count == 24
            && name.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }

    /// A name that is greater than the newest there is; it starts with the seconds, as an event's id does.
    static func fresh(after newest: String?, at time: LogTimestamp) -> String {
        let digits = String(UInt32(clamping: time.nanoseconds / 1_000_000_000), radix: 16)
        let fresh =
            String(repeating: "0", count: 8 - digits.count) + digits
            + Hexadecimal.encode(RandomBytes.make(8))
        return newest.flatMap { $0 >= fresh ? name(after: $0) : nil } ?? fresh
    }

    /// The name whose digits are the next number; nil after the last.
    private static func name(after name: String) -> String? {
        var digits = Array(name.utf8)
        for index in digits.indices.reversed() {
            guard digits[index] == UInt8(ascii: "f") else {
                digits[index] = digits[index] == UInt8(ascii: "9") ? UInt8(ascii: "a") : digits[index] + 1
                return String(decoding: digits, as: UTF8.self)
            }
            digits[index] = UInt8(ascii: "0")
        }
        return nil
    }
}
