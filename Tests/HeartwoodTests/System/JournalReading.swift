@testable import Heartwood

/// Reads entries of journald's native protocol, as its documentation describes them; nothing of it is shared with the
/// logger.
enum JournalReading {
    struct Damaged: Error { let offset: Int }

    /// The fields of an entry, in their order.
    static func fields(_ entry: [UInt8]) throws -> [(name: String, value: [UInt8])] {
        var fields: [(String, [UInt8])] = []
        var index = 0
        while index < entry.count {
            guard let end = entry[index...].firstIndex(of: 0x0A) else { throw Damaged(offset: index) }
            let line = entry[index..<end]
            index = end + 1
            if let equals = line.firstIndex(of: 0x3D) {
                fields.append(
                    (String(decoding: line[..<equals], as: UTF8.self), Array(line[(equals + 1)...])))
                continue
            }
            guard index + 8 < entry.count else { throw Damaged(offset: index) }
            var count = 0
            for place in (0..<8).reversed() { count = count << 8 | Int(entry[index + place]) }
            index += 8
            guard count < entry.count - index, entry[index + count] == 0x0A else {
                throw Damaged(offset: index)
            }
            fields.append(
                (String(decoding: line, as: UTF8.self), Array(entry[index..<index + count])))
            index += count + 1
        }
        return fields
    }

    /// The texts of each field.
    static func texts(_ entry: [UInt8]) throws -> [String: [String]] {
        try fields(entry).reduce(into: [:]) {
            $0[$1.name, default: []].append(String(decoding: $1.value, as: UTF8.self))
        }
    }
}
