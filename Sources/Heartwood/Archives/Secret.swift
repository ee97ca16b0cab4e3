/// A password, token or key, which is never printed.
///
/// Interpolating, logging, dumping or reflecting it shows `<secret>`. The bytes are shared by copies and go
/// when the last copy goes.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let bytes: [UInt8]

    /// Makes a secret from a string.
    public init(_ text: String) { bytes = Array(text.utf8) }

    /// Makes a secret from bytes.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// Whether the secret is empty.
    package var isEmpty: Bool { bytes.isEmpty }

    /// The number of bytes.
    package var count: Int { bytes.count }

    /// Calls a function with the bytes of the secret.
    ///
    /// - Parameter body: The function. The pointer is valid only while it runs; do not copy the bytes
    ///   elsewhere.
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes(body)
    }

    /// Returns the secret as a string, to send it where it is needed; invalid UTF-8 is replaced.
    ///
    /// Named so that it is easily found in a review.
    public func revealed() -> String { String(decoding: bytes, as: UTF8.self) }

    /// Whether two secrets are equal, compared in a time that depends only on their lengths.
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
