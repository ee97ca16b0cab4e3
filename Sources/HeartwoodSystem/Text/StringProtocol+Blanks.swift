extension StringProtocol where SubSequence == Substring {
    /// The text without blanks, tabs and line ends at both ends.
    package func trimmingBlanks() -> String {
        let isBlank: (Character) -> Bool = { $0.isASCII && $0.isWhitespace }
        let rest = drop(while: isBlank)
        guard let last = rest.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(rest[...last])
    }
}
