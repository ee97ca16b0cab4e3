public import Heartwood
import HeartwoodArchive

extension RequestDecorator {
    /// Compresses the body with gzip, where that makes it smaller.
    ///
    /// A body that has a `Content-Encoding` already, or fewer than `minimum` bytes (1 KiB by default), stays
    /// as it is. Level 1 is the quickest, 9 the smallest. The logger's own `compression` setting does this
    /// for the encodings that allow it.
    public static func gzip(level: Int = 6, minimum: ByteCount = .kibibytes(1)) -> RequestDecorator {
        RequestDecorator { request in
            guard request.headers["Content-Encoding"] == nil, request.body.count >= minimum.bytes else {
                return request
            }
            let packed = try GzipMember.compress(request.body, level: Int32(min(9, max(1, level))))
            guard packed.count < request.body.count else { return request }
            return request.with(body: packed).with(header: "Content-Encoding", "gzip")
        }
    }

    /// Signs the body as it is sent: a header field with the HMAC-SHA256 in lower-case hexadecimal.
    ///
    /// Put it after whatever changes the body. The field is `X-Signature-256` with the value `sha256=…` by
    /// default.
    ///
    /// - Parameters:
    ///   - key: The key that the server knows too.
    ///   - header: The field with the signature.
    ///   - prefix: The text in front of the hexadecimal digits.
    /// - Returns: the decorator.
    public static func signedWith(
        hmacKey key: Secret, header: String = "X-Signature-256", prefix: String = "sha256="
    ) -> RequestDecorator {
        RequestDecorator { request in
            let code = try Digest.hmacSHA256(key: key, request.body)
            return request.with(header: header, prefix + Hexadecimal.encode(code))
        }
    }
}
