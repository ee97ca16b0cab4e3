import CHeartwoodTool
import Heartwood
import HeartwoodArchive
import HeartwoodHTTP

/// The page, and the policy that keeps everything else out of it.
struct ViewPage: Sendable {
    /// The page: one file, with its style and its script in it.
    let bytes: [UInt8]
    /// The value of `Content-Security-Policy`: the page's one script and one style by their hashes, and
    /// nothing else.
    let policy: String

    init() {
        func text(_ part: hw_page_part) -> String {
            var count = 0
            let bytes = hw_page_bytes(part, &count)
            return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
        }
        // All parts see one another; nothing else does.
        let parts = [HW_PAGE_STATE, HW_PAGE_LIST, HW_PAGE_TOOLS, HW_PAGE_RECORD]
        let all = "\n\"use strict\";\n(() => {\n" + parts.map(text).joined(separator: "\n") + "})();\n"
        let text = ViewPage.fill(
            "script", with: all,
            in: ViewPage.fill(
                "style", with: "\n" + text(HW_PAGE_CSS), in: text(HW_PAGE_HTML)))
        bytes = Array(text.utf8)
        let script = ViewPage.hash(of: "script", in: text)
        let style = ViewPage.hash(of: "style", in: text)
        policy = [
            "default-src 'none'", "script-src \(script)", "style-src \(style)", "img-src data:",
            "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }

    /// Puts a text into an empty element.
    private static func fill(_ element: String, with content: String, in text: String) -> String {
        guard let place = text.firstRange(of: "<\(element)></\(element)>") else { return text }
        return text[..<place.lowerBound] + "<\(element)>\(content)</\(element)>" + text[place.upperBound...]
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
