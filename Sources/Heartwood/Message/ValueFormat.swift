/// A format as a record carries it: what to do, and two small numbers.
@usableFromInline
struct ValueFormat: Sendable, Equatable {
    @usableFromInline
    enum Kind: UInt8, Sendable {
        case plain, padded, hex, octal, binary, bytes, fixed, scientific, iso8601, isoDate, isoTime,
            unixSeconds, swiftDate
    }
    @usableFromInline let kind: Kind
    @usableFromInline let first: UInt8
    @usableFromInline let second: UInt8

    @usableFromInline
    init(_ kind: Kind, _ first: Int, _ second: Int) {
        self.kind = kind
        self.first = UInt8(clamping: first)
        self.second = UInt8(clamping: second)
    }

    static let plain = ValueFormat(.plain, 0, 0)
}
