import CHeartwood

/// What a journal's records are encrypted with: the keystream of AES-256 in counter mode, by a key of this
/// journal alone.
///
/// 1. The key is made at random with the journal, and is in its header encrypted by the user's key
///    (AES-256-GCM).
/// 2. A byte of the ring is joined by exclusive or with the keystream's byte of its position. Positions grow
///    as long as the journal is in use, so that no byte of the keystream is used for two messages.
/// 3. The text of a large message has a stream of its own, by the position of its record.
struct JournalPad: Sendable {
    /// Which stream a byte is of.
    enum Stream {
        case ring
        case large(UInt64)

        /// The upper half of the counter.
        fileprivate var number: UInt64 {
            switch self {
            case .ring: 0
            case .large(let position): position | 1 << 63
            }
        }
    }

    private let key: Secret
    private let library: any ArchiveLibrary

    private static let nonceSize = 12
    private static let keySize = 32
    /// How many bytes of the header the encrypted key takes.
    static let wrappedSize = nonceSize + keySize + FrameCipher.tagSize

    private init(key: Secret) throws {
        self.key = key
        library = try ArchiveLibraries.registered(for: "Encryption")
    }

    /// Makes a key, and encrypts it by the user's.
    static func make(_ cipher: FrameCipher, salt: UInt64) throws -> (pad: JournalPad, wrapped: [UInt8]) {
        let bytes = random(keySize)
        let nonce = random(nonceSize)
        let sealed = try cipher.seal(bytes, nonce: nonce, header: header(salt))
        return (try JournalPad(key: Secret(bytes: bytes)), nonce + sealed)
    }

    /// The key of a journal that is there.
    ///
    /// - Throws: ``LogError`` of code `secret` where there is no key, or not the one that the journal was
    ///   made with.
    init(unwrapping wrapped: [UInt8], _ cipher: FrameCipher?, salt: UInt64) throws {
        guard let cipher else {
            throw LogError(.secret, "It is encrypted; set the key that it was made with")
        }
        guard
            let bytes = cipher.open(
                Array(wrapped.dropFirst(Self.nonceSize)), nonce: Array(wrapped.prefix(Self.nonceSize)),
                header: Self.header(salt)), bytes.count == Self.keySize
        else { throw LogError(.secret, "It is encrypted with another key") }
        try self.init(key: Secret(bytes: bytes))
    }

    private static func random(_ count: Int) -> [UInt8] {
        // The system's, which is fit for keys.
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }

    private static func header(_ salt: UInt64) -> [UInt8] { Array("heartwood journal".utf8) + bytes(salt) }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// The keystream's bytes from one place on; nil where the library refuses.
    func bytes(_ stream: Stream, from start: UInt64, count: Int) -> [UInt8]? {
        let skipped = Int(start & 15)
        var bytes = [UInt8](repeating: 0, count: (skipped + count + 15) & ~15)
        let counter = Self.bytes(stream.number) + Self.bytes(start >> 4)
        guard bytes.withUnsafeMutableBytes({ library.writeKeystream(key, counter: counter, to: $0) }) else {
            return nil
        }
        return Array(bytes[skipped..<skipped + count])
    }

    /// Some bytes encrypted, or decrypted; nil where the library refuses.
    func applied(to bytes: UnsafeRawBufferPointer, _ stream: Stream, from start: UInt64) -> [UInt8]? {
        guard var result = self.bytes(stream, from: start, count: bytes.count) else { return nil }
        for index in result.indices { result[index] ^= bytes[index] }
        return result
    }
}

/// The keystream for all places of a ring, made before a call needs it: a call then only joins it with its
/// bytes.
///
/// Invariants:
/// 1. Its byte at a place of the ring is that of the position which that place has until it is freed.
/// 2. It is memory of the process alone, and never in a file.
///
/// Owned by the ring's consumer; producers only read what is theirs.
final class RingPad {
    let base: UnsafeMutableRawPointer
    private let capacity: Int
    private var pad: JournalPad?

    /// How much is made at a time.
    private static let piece = 64 * 1024

    /// Nil where there is no memory for it.
    init?(capacity: Int) {
        guard let base = MemoryMap.fresh(capacity) else { return nil }
        self.base = base
        self.capacity = capacity
    }

    deinit { munmap(base, capacity) }

    /// Has the pad be another one's, for a ring that begins at a position; false where it cannot be made.
    func begin(_ pad: JournalPad, at position: UInt64) -> Bool {
        self.pad = pad
        return fill(from: position, to: position &+ UInt64(capacity))
    }

    /// Makes the pad of places that are free again; false where it cannot be made.
    func fill(from start: UInt64, to end: UInt64) -> Bool {
        guard let pad else { return false }
        var position = start
        while position < end {
            let offset = Int(position & UInt64(capacity - 1))
            let count = min(RingPad.piece, Int(end - position), capacity - offset)
            guard let bytes = pad.bytes(.ring, from: position, count: count) else { return false }
            bytes.withUnsafeBytes {
                (base + offset).copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: count)
            }
            position &+= UInt64(count)
        }
        return true
    }
}
