extension BinaryInteger {
    /// The digits of a number that is not negative, with zeros in front up to a width.
    package func padded(to width: Int) -> String {
        let digits = String(self)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
