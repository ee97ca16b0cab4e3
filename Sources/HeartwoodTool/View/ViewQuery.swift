/// The path and the query of a request's target.
struct ViewQuery: Sendable {
    /// The parts of the path, decoded, without empty ones.
    let path: [String]
    private let pairs: [(name: String, value: String)]

    /// Reads a target; nil where it is not valid.
    init?(_ target: String) {
        guard target.hasPrefix("/") else { return nil }
        let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path: [String] = []
        for part in halves[0].split(separator: "/") {
            guard let text = ViewQuery.decoded(part, plusIsSpace: false) else { return nil }
            path.append(text)
        }
        var pairs: [(String, String)] = []
        for pair in halves.count > 1 ? halves[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = ViewQuery.decoded(sides[0], plusIsSpace: true),
                let value = ViewQuery.decoded(sides.count > 1 ? sides[1] : "", plusIsSpace: true)
            else { return nil }
            pairs.append((name, value))
        }
        self.path = path
        self.pairs = pairs
    }

    /// The first value under a name that is not empty.
    subscript(name: String) -> String? { pairs.first { $0.name == name && !$0.value.isEmpty }?.value }

    /// All values under a name.
    func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// A whole number under a name; nil where there is none.
    ///
    /// - Throws: ``UsageError`` where the value is another.
    func integer(_ name: String) throws -> Int? {
        try self[name].map { text in
            guard let number = Int(text) else {
                throw UsageError("“\(name)” in the address is not a whole number (got “\(text)”)")
            }
            return number
        }
    }

    /// A time under a name, which is in milliseconds; one that nanoseconds cannot express is the nearest that they can.
    ///
    /// - Throws: ``UsageError`` where the value is no whole number.
    func nanoseconds(_ name: String) throws -> Int64? {
        try integer(name).map { milliseconds in
            let (time, isTooLarge) = Int64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
            return isTooLarge ? (milliseconds < 0 ? .min : .max) : time
        }
    }

    private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst(), let low = rest.popFirst(), let left = digit(high),
                    let right = digit(low)
                else { return nil }
                bytes.append(left << 4 | right)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(0x20)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
