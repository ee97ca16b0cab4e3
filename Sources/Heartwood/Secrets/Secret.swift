/// A password, token or key, which is never printed.
///
/// Interpolating, logging, dumping or reflecting it shows `<secret>`. The bytes are shared by copies and go when
/// the last copy goes.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let bytes: [UInt8]

    /// Takes the UTF-8 of `text`.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// Takes bytes as they are.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// Whether there is nothing in it.
    public var isEmpty: Bool { bytes.isEmpty }

    /// How many bytes it has.
    public var count: Int { bytes.count }

    /// Calls a function with the bytes of the secret.
    ///
    /// - Parameter body: The function. The pointer is valid only while it runs; do not copy the bytes
    ///   elsewhere.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// The secret as text, for the one place that must send it; bytes that are not UTF-8 are replaced.
    ///
    /// Named so that it is easily found in a review.
    public func revealed() -> String { String(decoding: bytes, as: UTF8.self) }

    /// Compares in a time that depends on the lengths only.
    public static func == (left: Secret, right: Secret) -> Bool {
        guard left.bytes.count == right.bytes.count else { return false }
        var difference: UInt8 = 0
        for (one, other) in zip(left.bytes, right.bytes) { difference |= one ^ other }
        return difference == 0
    }

    /// Always `<secret>`.
    public var description: String { "<secret>" }

    /// Always `<secret>`.
    public var debugDescription: String { "<secret>" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
