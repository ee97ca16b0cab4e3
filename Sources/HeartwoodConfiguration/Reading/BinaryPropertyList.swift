import Heartwood

/// How large a binary property list becomes when its references are followed.
///
/// In the format ("bplist00") objects refer to others by number, and any number of times: forty lists of two
/// references each, to the next one, are a trillion values in 300 bytes. The system's decoder follows them
/// all. This looks at each object once.
///
///     header   "bplist00"
///     objects  marker (kind, count), then content; lists and tables hold numbers of objects
///     offsets  where each object begins
///     trailer  32 bytes: sizes of offsets and references, how many objects, which is the first,
///              where the offsets are
enum BinaryPropertyList {
    /// The number of values, counted as often as they are referred to, or something above `limit`; 0 where
    /// the bytes are no such list, whose errors the decoder reports.
    static func size(of bytes: [UInt8], limit: Int) -> Int {
        guard bytes.starts(with: "bplist".utf8), let reader = Reader(bytes, limit: limit) else { return 0 }
        var sizes: [Int: Int] = [:]
        var walk = Walk(reader: reader)
        return walk.size(of: reader.top, &sizes, depth: 0)
    }

    /// Deeper than any list that is read.
    private static let deepest = 128

    private struct Walk {
        let reader: Reader

        mutating func size(of object: Int, _ sizes: inout [Int: Int], depth: Int) -> Int {
            if let known = sizes[object] { return known }
            // A list that holds itself has no size: it is above any limit.
            if depth > deepest { return reader.limit + 1 }
            var size = 1
            for child in reader.children(of: object) {
                size = min(reader.limit + 1, size + self.size(of: child, &sizes, depth: depth + 1))
                if size > reader.limit { break }
            }
            sizes[object] = size
            return size
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        let limit: Int
        let top: Int
        private let offsetSize: Int
        private let referenceSize: Int
        private let count: Int
        private let table: Int

        init?(_ bytes: [UInt8], limit: Int) {
            guard bytes.count >= 40 else { return nil }
            (self.bytes, self.limit) = (bytes, limit)
            let trailer = bytes.count - 32
            (offsetSize, referenceSize) = (Int(bytes[trailer + 6]), Int(bytes[trailer + 7]))
            guard (1...8).contains(offsetSize), (1...8).contains(referenceSize),
                let count = Reader.number(bytes, trailer + 8, 8),
                let top = Reader.number(bytes, trailer + 16, 8),
                let table = Reader.number(bytes, trailer + 24, 8), table <= trailer,
                count <= (trailer - table) / offsetSize
            else { return nil }
            (self.count, self.top, self.table) = (count, top, table)
        }

        /// A number of so many bytes, the most significant first; nil where it is not there, or none of an
        /// `Int`.
        private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
            guard start >= 0, start <= bytes.count - size else { return nil }
            return Int(exactly: bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }

        /// The objects that a list or a table refers to; none where the bytes are damaged.
        func children(of object: Int) -> [Int] {
            guard (0..<count).contains(object),
                let place = Reader.number(bytes, table + object * offsetSize, offsetSize), place < bytes.count
            else { return [] }
            let kind = bytes[place] >> 4
            guard kind == 0xA || kind == 0xB || kind == 0xC || kind == 0xD else { return [] }
            var start = place + 1
            var elements = Int(bytes[place] & 15)
            if elements == 15 {
                guard start < bytes.count, bytes[start] >> 4 == 1 else { return [] }
                let width = 1 << Int(bytes[start] & 15)
                guard width <= 8, let number = Reader.number(bytes, start + 1, width) else { return [] }
                elements = number
                start += 1 + width
            }
            let references = elements.multipliedReportingOverflow(by: kind == 0xD ? 2 : 1)
            guard !references.overflow, start <= bytes.count,
                references.partialValue <= (bytes.count - start) / referenceSize
            else { return [] }
            return (0..<references.partialValue).compactMap {
                Reader.number(bytes, start + $0 * referenceSize, referenceSize)
            }
        }
    }
}
