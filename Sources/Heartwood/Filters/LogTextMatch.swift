import CHeartwood

/// A condition that a text must meet: its beginning, its end, a part of it, or the whole.
///
/// ```swift
/// logger.filter = .message(.contains("timeout", "refused")) && !.file(.ends(with: "Tests.swift"))
/// ```
///
/// If you pass several strings, one of them must match. Matching is case-sensitive unless `ignoringCase` is
/// true.
public struct LogTextMatch: Sendable {
    private enum Kind { case prefix, part, suffix, whole }

    private enum Condition: Sendable {
        case texts([[UInt8]], Kind, ignoresCase: Bool)
        case expression(TextExpression)
    }
    private let condition: Condition

    private init(_ texts: [String], _ kind: Kind, _ ignoresCase: Bool) {
        let texts = texts.map { Array((ignoresCase ? $0.lowercased() : $0).utf8) }
        condition = .texts(texts, kind, ignoresCase: ignoresCase)
    }

    private init(_ expression: TextExpression) { condition = .expression(expression) }

    /// The text starts with one of these strings.
    public static func starts(with texts: String..., ignoringCase: Bool = false) -> LogTextMatch {
        LogTextMatch(texts, .prefix, ignoringCase)
    }

    /// The text contains one of these strings.
    public static func contains(_ texts: String..., ignoringCase: Bool = false) -> LogTextMatch {
        LogTextMatch(texts, .part, ignoringCase)
    }

    /// The text ends with one of these strings.
    public static func ends(with texts: String..., ignoringCase: Bool = false) -> LogTextMatch {
        LogTextMatch(texts, .suffix, ignoringCase)
    }

    /// The text equals one of these strings.
    public static func equals(_ texts: String..., ignoringCase: Bool = false) -> LogTextMatch {
        LogTextMatch(texts, .whole, ignoringCase)
    }

    /// A regular expression in Swift's syntax matches a part of the text.
    ///
    /// A condition costs a few microseconds per text, and much more for some expressions.
    ///
    /// - Throws: ``LogError`` of code `setting` if the expression is not valid.
    public static func matches(_ expression: String) throws -> LogTextMatch {
        LogTextMatch(try TextExpression(expression))
    }

    /// Whether a text meets the condition.
    package func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { matches(UnsafeRawBufferPointer($0)) }
    }

    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        switch condition {
        case .expression(let expression): expression.matches(bytes)
        case .texts(let texts, let kind, ignoresCase: false):
            texts.contains { LogTextMatch.matches(bytes, $0, kind) }
        case .texts(let texts, let kind, ignoresCase: true):
            LogTextMatch.withLowercased(bytes) { bytes in
                texts.contains { LogTextMatch.matches(bytes, $0, kind) }
            }
        }
    }

    private static func matches(_ bytes: UnsafeRawBufferPointer, _ text: [UInt8], _ kind: Kind) -> Bool {
        if bytes.count < text.count { return false }
        return switch kind {
        case .prefix: bytes.prefix(text.count).elementsEqual(text)
        case .suffix: bytes.suffix(text.count).elementsEqual(text)
        case .whole: bytes.elementsEqual(text)
        case .part: text.isEmpty || bytes.firstRange(of: text, from: 0) != nil
        }
    }

    private static func withLowercased(
        _ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        if bytes.allSatisfy({ $0 < 0x80 }) {
            return bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }.withUnsafeBytes(body)
        }
        return Array(String(decoding: bytes, as: UTF8.self).lowercased().utf8).withUnsafeBytes(body)
    }
}
