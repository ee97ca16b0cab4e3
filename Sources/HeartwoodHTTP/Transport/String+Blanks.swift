extension Substring {
    /// The text without blanks, tabs and line ends at both ends.
    func trimmingBlanks() -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || ($0 >= 0x09 && $0 <= 0x0D) }
        guard let first = utf8.firstIndex(where: { !isBlank($0) }),
            let last = utf8.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(self[first...last])
    }
}

extension String {
    /// The text without blanks, tabs and line ends at both ends.
    func trimmingBlanks() -> String { self[...].trimmingBlanks() }
}
