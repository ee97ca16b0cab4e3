public import Heartwood
import HeartwoodHTTP
import Synchronization

/// An event's key: 12 bytes, as an ObjectId has them; in JSON its 24 hexadecimal digits.
///
/// Seconds since 1970 (4 bytes), a random number of the process (5), and a counter (3): no two are alike, and
/// later ones are greater as long as the process and its clock go on.
public struct EventID: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    private static let process = UInt64.random(in: 0..<1 << 40)
    private static let counter = Atomic<UInt32>(.random(in: 0..<1 << 24))

    private let seconds: UInt32
    /// The random number and the counter.
    private let rest: UInt64

    private init(seconds: UInt32, rest: UInt64) {
        self.seconds = seconds
        self.rest = rest
    }

    /// Makes a new one for the moment, or for the nearest one between 1970 and 2106.
    public init(at moment: LogTimestamp) {
        let count = Self.counter.add(1, ordering: .relaxed).newValue & 0xFF_FFFF
        self.init(
            seconds: UInt32(clamping: moment.nanoseconds / 1_000_000_000),
            rest: Self.process << 24 | UInt64(count))
    }

    /// Makes a new one for the moment that is greater than another, even where the clock was set back.
    init(at moment: LogTimestamp, after other: EventID?) {
        let fresh = EventID(at: moment)
        guard let other, fresh <= other else {
            self = fresh
            return
        }
        // After the greatest there is no greater one.
        guard other.seconds < .max || other.rest < .max else {
            self = fresh
            return
        }
        let isFull = other.rest == UInt64.max
        self.init(seconds: other.seconds + (isFull ? 1 : 0), rest: isFull ? 0 : other.rest + 1)
    }

    /// Reads 24 hexadecimal digits; nil where the text is something else.
    public init?(_ text: String) {
        guard text.utf8.count == 24, text.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
            let seconds = UInt32(text.prefix(8), radix: 16), let rest = UInt64(text.dropFirst(8), radix: 16)
        else { return nil }
        self.init(seconds: seconds, rest: rest)
    }

    /// Reads the digits.
    ///
    /// - Throws: `DecodingError` when they are no such key.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let id = EventID(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "an event ID must have 24 hexadecimal digits")
        }
        self = id
    }

    /// Writes the digits.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    /// The 24 digits.
    public var description: String {
        let number = withUnsafeBytes(of: seconds.bigEndian) { Hexadecimal.encode($0) }
        return number + withUnsafeBytes(of: rest.bigEndian) { Hexadecimal.encode($0) }
    }

    /// By time, then by process and counter.
    public static func < (left: EventID, right: EventID) -> Bool {
        (left.seconds, left.rest) < (right.seconds, right.rest)
    }
}
