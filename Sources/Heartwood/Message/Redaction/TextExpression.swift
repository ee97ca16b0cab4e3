/// A regular expression for UTF-8.
///
/// Unchecked: the compiler does not know that an expression made of text holds no closures; it is never
/// changed, and matching with one from several threads is safe.
struct TextExpression: @unchecked Sendable {
    private let expression: Regex<AnyRegexOutput>
    private static let maximumDepth = 64

    /// Compiles an expression in Swift's syntax.
    ///
    /// Swift's parser recurses for each group and each set. It limits the depth of groups, but not of sets.
    init(_ text: String) throws(LogError) {
        var depth = 0
        for byte in text.utf8 {
            if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") { depth += 1 }
            if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") { depth = max(0, depth - 1) }
            if depth > TextExpression.maximumDepth {
                throw LogError(
                    .setting,
                    "Invalid regular expression: groups are nested more than \(Self.maximumDepth) deep"
                )
            }
        }
        do {
            // Each group needs some kilobytes of stack.
            expression = try DetachedThread.onLargeStack { Result { try Regex(text) } }.get()
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
        if bytes.isUTF8 { return String(decoding: bytes, as: UTF8.self) }
        var copy = Array(bytes)
        var index = 0
        while index < copy.count {
            let length = bytes.sequenceLength(at: index)
            if length == 0 { copy[index] = UInt8(ascii: "?") }
            index += max(1, length)
        }
        return String(decoding: copy, as: UTF8.self)
    }
}
