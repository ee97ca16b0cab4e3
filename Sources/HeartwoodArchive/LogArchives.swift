import CZlib
public import Heartwood

/// Compression and encryption of logs, and keys for private values.
///
/// Code that uses `LogArchiveFormat.gzip`, `LogArchiveFormat.encrypted` or `PrivacyKey` needs nothing but the
/// import. Call ``register()`` where none of these is used by name: before a configuration is loaded that
/// asks for compression or encryption, and before a `LogFileReader` reads compressed or encrypted files.
///
/// ```swift
/// import Heartwood
/// import HeartwoodArchive
///
/// LogArchives.register()
/// try LogConfiguration.load("/etc/shop/logging.json").apply()
/// ```
public enum LogArchives {
    /// Makes compression and encryption available to the whole program.
    ///
    /// Any thread may call it, any number of times; only the first call has an effect.
    public static func register() { _ = registration }

    private static let registration: Void = {
        SystemCrypto.keepUntilExit()
        ArchiveLibraries.register(SystemArchiveLibrary())
    }()
}

/// zlib and libcrypto; CryptoKit and CommonCrypto on Apple's systems.
struct SystemArchiveLibrary: ArchiveLibrary {
    func compress(_ bytes: [UInt8]) throws -> [UInt8] { try GzipMember.compress(bytes) }

    func makeDecompressor() -> any Decompressor { Inflater() }

    func code(for bytes: [UInt8], key: Secret) throws -> [UInt8] {
        try Digest.hmacSHA256(key: key, bytes)
    }

    func writeKeystream(_ key: Secret, counter: [UInt8], to memory: UnsafeMutableRawBufferPointer) -> Bool {
        AESCTR.writeKeystream(key, counter: counter, to: memory)
    }

    func seal(_ bytes: [UInt8], key: Secret, nonce: [UInt8], header: [UInt8]) throws -> [UInt8] {
        try AESGCM.seal(bytes, key: key, nonce: nonce, header: header)
    }

    func open(_ sealed: [UInt8], key: Secret, nonce: [UInt8], header: [UInt8]) -> [UInt8]? {
        AESGCM.open(sealed, key: key, nonce: nonce, header: header)
    }
}

/// Decompresses gzip of any number of members with zlib, as `gzip -dc` does.
///
/// Zero bytes after a member are the padding of tapes and block devices, and no damage. What follows them is
/// not read: gzip ignores it as well, but says so.
///
/// Not thread-safe: owned by the reader.
private final class Inflater: Decompressor {
    private var stream = z_stream()
    private var isOpen = false
    private(set) var isComplete = true
    private(set) var hasEnded = false
    /// Whether a member was read to its end, so that padding may follow.
    private var isAfterMember = false
    private var isInPadding = false

    deinit { if isOpen { inflateEnd(&stream) } }

    func copy() -> (any Decompressor)? {
        let other = Inflater()
        (other.isComplete, other.hasEnded) = (isComplete, hasEnded)
        (other.isAfterMember, other.isInPadding) = (isAfterMember, isInPadding)
        guard isOpen else { return other }
        guard inflateCopy(&other.stream, &stream) == Z_OK else { return nil }
        other.isOpen = true
        return other
    }

    func decompress(
        _ input: inout UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
    ) throws -> (count: Int, isDamaged: Bool) {
        var produced = 0
        while !input.isEmpty, produced < room.count {
            if !isOpen, isAfterMember, skipPadding(&input) {
                hasEnded = !input.isEmpty
                return (produced, hasEnded)
            }
            if !isOpen { try open() }
            stream.next_in = UnsafeMutablePointer(
                mutating: input.baseAddress?.assumingMemoryBound(to: Bytef.self))
            stream.avail_in = uInt(input.count)
            stream.next_out = room.baseAddress.map { ($0 + produced).assumingMemoryBound(to: Bytef.self) }
            stream.avail_out = uInt(room.count - produced)
            let result = inflate(&stream, Z_NO_FLUSH)
            input = UnsafeRawBufferPointer(rebasing: input[(input.count - Int(stream.avail_in))...])
            produced = room.count - Int(stream.avail_out)
            isComplete = result == Z_STREAM_END
            switch result {
            case Z_STREAM_END:
                close()
                isAfterMember = true
            case Z_OK: break
            case Z_BUF_ERROR: return (produced, false)
            default:
                // A member begins with two bytes that tell it from other data.
                hasEnded = isAfterMember && stream.total_in <= 2
                close()
                return (produced, true)
            }
        }
        return (produced, false)
    }

    /// Takes zero bytes from the front of `input`; returns whether there is padding.
    private func skipPadding(_ input: inout UnsafeRawBufferPointer) -> Bool {
        let rest = input.drop { $0 == 0 }
        if rest.count < input.count { isInPadding = true }
        input = UnsafeRawBufferPointer(rebasing: rest)
        return isInPadding
    }

    private func close() {
        inflateEnd(&stream)
        isOpen = false
    }

    private func open() throws {
        stream = z_stream()
        let size = Int32(MemoryLayout<z_stream>.size)
        guard inflateInit2_(&stream, 15 + 16, zlibVersion(), size) == Z_OK else {
            throw LogError(.file, "not enough memory to decompress")
        }
        isOpen = true
    }
}

extension LogArchiveFormat {
    /// Compressed with gzip, in the background.
    public static var gzip: LogArchiveFormat {
        LogArchives.register()
        return LogArchiveFormat(.gzip)
    }

    /// Encrypted with AES-256-GCM from their first line on, and compressed as well when they are finished.
    ///
    /// Needs `FileLogger.archiveKey`; while there is no key nothing is written, and lines wait.
    public static var encrypted: LogArchiveFormat {
        LogArchives.register()
        return LogArchiveFormat(.encrypted)
    }
}
