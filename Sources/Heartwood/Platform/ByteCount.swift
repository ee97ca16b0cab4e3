/// An amount of storage, with its unit in the name: `.mebibytes(10)`.
///
/// A number is an amount in bytes: `5 * 1024 * 1024`.
public struct ByteCount: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByIntegerLiteral
{
    /// The amount in bytes; never negative.
    public let bytes: Int

    /// Makes an amount in bytes; a negative one counts as zero.
    public init(_ bytes: Int) {
        self.bytes = max(0, bytes)
    }

    /// Makes an amount in bytes from a literal; a negative one counts as zero.
    public init(integerLiteral bytes: Int) {
        self.init(bytes)
    }

    /// Multiplies an amount; the result is at most `Int.max` bytes.
    public static func * (amount: ByteCount, factor: Int) -> ByteCount {
        let (product, overflow) = amount.bytes.multipliedReportingOverflow(by: max(0, factor))
        return ByteCount(overflow ? .max : product)
    }

    /// Zero bytes.
    public static let zero = ByteCount(0)

    /// An amount in bytes.
    public static func bytes(_ count: Int) -> ByteCount { ByteCount(count) }

    /// An amount in units of 1,024 bytes.
    public static func kibibytes(_ count: Int) -> ByteCount { ByteCount(scaled(count, by: 10)) }

    /// An amount in units of 1,048,576 bytes.
    public static func mebibytes(_ count: Int) -> ByteCount { ByteCount(scaled(count, by: 20)) }

    /// An amount in units of 1,073,741,824 bytes.
    public static func gibibytes(_ count: Int) -> ByteCount { ByteCount(scaled(count, by: 30)) }

    private static func scaled(_ count: Int, by shift: Int) -> Int {
        let (product, overflow) = max(0, count).multipliedReportingOverflow(by: 1 << shift)
        return overflow ? .max : product
    }

    /// Parses `10MiB`, `512 KiB`, `1GB`, `64k` or `4096`; units are binary unless they are `kB`, `MB` or
    /// `GB`.
    ///
    /// - Returns: nil where the text is not an amount.
    package init?(parsing text: String) {
        let trimmed = text.filter { !$0.isWhitespace }
        let digits = trimmed.prefix { $0.isNumber || $0 == "." }
        guard let number = Double(digits), number >= 0 else { return nil }
        let factor: Double
        switch trimmed.dropFirst(digits.count).lowercased() {
        case "", "b": factor = 1
        case "k", "kib": factor = 1024
        case "m", "mib": factor = 1024 * 1024
        case "g", "gib": factor = 1024 * 1024 * 1024
        case "kb": factor = 1000
        case "mb": factor = 1_000_000
        case "gb": factor = 1_000_000_000
        default: return nil
        }
        let bytes = number * factor
        guard bytes < 9e18 else { return nil }
        self.init(Int(bytes))
    }

    /// Compares two amounts.
    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }

    /// The amount in a form for people: `10 MiB`, `1.5 KiB`, `17 bytes`.
    public var description: String {
        let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)]
        for (unit, shift) in units where bytes >= 1 << shift {
            let tenths = (Double(bytes) / Double(1 << shift) * 10).rounded() / 10
            let whole = tenths.rounded(.towardZero)
            return tenths == whole ? "\(Int(whole)) \(unit)" : "\(tenths) \(unit)"
        }
        return bytes == 1 ? "1 byte" : "\(bytes) bytes"
    }
}
