// swift-format-ignore-file
// CryptoKit, for Tests/check-apple: the declarations that Heartwood uses, with bodies that do nothing.

public import Foundation
public struct SymmetricKey: Sendable { public init<D: ContiguousBytes>(data: D) {} }
public enum AES {
    public enum GCM {
        public struct Nonce: Sendable, Sequence {
            public init<D: DataProtocol>(data: D) throws {}
            public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
        }
        public struct SealedBox {
            public let tag: Data
            public let ciphertext: Data
            public let nonce: Nonce
            public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws {
                fatalError()
            }
        }
        public static func seal<P: DataProtocol, A: DataProtocol>(
            _ m: P, using: SymmetricKey, nonce: Nonce? = nil, authenticating: A
        ) throws -> SealedBox { fatalError() }
        public static func open<A: DataProtocol>(_ b: SealedBox, using: SymmetricKey, authenticating: A)
            throws -> Data
        { fatalError() }
    }
}
