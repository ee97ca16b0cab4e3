import Heartwood
import HeartwoodArchive
import HeartwoodHTTP

/// The page, and the policy that keeps everything else out of it.
struct ViewPage: Sendable {
    /// The bytes of `page.html`.
    let bytes: [UInt8]
    /// The value of `Content-Security-Policy`: the page's one script and one style by their hashes, and nothing else.
    let policy: String

    init(bytes: [UInt8] = PackageResources.page_html) {
        self.bytes = bytes
        let text = String(decoding: bytes, as: UTF8.self)
        let script = ViewPage.hash(of: "script", in: text)
        let style = ViewPage.hash(of: "style", in: text)
        policy = [
            "default-src 'none'", "script-src \(script)", "style-src \(style)", "img-src data:",
            "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    /// The hash of what is in an element, as the policy wants it.
    private static func hash(of element: String, in text: String) -> String {
        guard let start = text.firstRange(of: "<\(element)>"),
            let end = text[start.upperBound...].firstRange(of: "</\(element)>")
        else { return "'none'" }
        return "'sha256-\(base64(Digest.sha256(Array(text[start.upperBound..<end.lowerBound].utf8))))'"
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var text = ""
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let number = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(place <= group.count ? alphabet[number >> (18 - 6 * place) & 63] : "=")
            }
        }
        return text
    }
}
