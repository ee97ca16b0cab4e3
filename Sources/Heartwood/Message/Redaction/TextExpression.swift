/// A regular expression for UTF-8.
///
/// Unchecked: the compiler does not know that an expression made of text holds no closures; it is never
/// changed, and matching with one from several threads is safe.
struct TextExpression: @unchecked Sendable {
    private let expression: Regex<AnyRegexOutput>

    /// Compiles an expression in Swift's syntax.
    ///
    /// Swift's parser goes one level of the stack deeper for each group and each set, and has no bound.
    init(_ text: String) throws(LogError) {
        var (depth, most) = (0, 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") { depth += 1 }
            if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") { depth = max(0, depth - 1) }
            most = max(most, depth)
            if depth > LogValue.maximumDepth {
                throw LogError(
                    .setting,
                    "Invalid regular expression: groups are nested more than \(LogValue.maximumDepth) deep"
                )
            }
        }
        do {
            // Swift's compiler of expressions needs some kilobytes of stack for each group.
            expression =
                try most <= ValueDepth.shallow
                ? Regex(text) : DetachedThread.onLargeStack { Result { try Regex(text) } }.get()
        } catch {
            throw LogError(.setting, "Invalid regular expression “\(text)”: \(error)")
        }
    }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool { firstRange(in: bytes, from: 0) != nil }

    /// Where it matches first, at or after an index.
    func firstRange(in bytes: UnsafeRawBufferPointer, from start: Int) -> Range<Int>? {
        let text = TextExpression.text(UnsafeRawBufferPointer(rebasing: bytes[start...]))
        guard let match = text.firstMatch(of: expression) else { return nil }
        let lower = text.utf8.distance(from: text.startIndex, to: match.range.lowerBound)
        let upper = text.utf8.distance(from: text.startIndex, to: match.range.upperBound)
        return start + lower..<start + upper
    }

    /// The bytes as text of the same length: a question mark stands for what is no UTF-8.
    private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        if LogBuffer.isUTF8(bytes) { return String(decoding: bytes, as: UTF8.self) }
        var copy = Array(bytes)
        var index = 0
        while index < copy.count {
            let length = LogBuffer.sequenceLength(bytes, at: index)
            if length == 0 { copy[index] = UInt8(ascii: "?") }
            index += max(1, length)
        }
        return String(decoding: copy, as: UTF8.self)
    }
}
