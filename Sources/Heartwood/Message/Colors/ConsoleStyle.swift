/// The style of text on a terminal.
public struct ConsoleStyle: Hashable, Sendable {
    /// The color of the text; the terminal's color unless given.
    package var foreground: ConsoleColor?
    /// The color of the background; the terminal's color unless given.
    package var background: ConsoleColor?
    /// Whether the text is bold.
    package var isBold: Bool
    /// Whether the text is faint.
    package var isFaint: Bool

    /// Makes a style.
    ///
    /// - Parameters:
    ///   - foreground: The color of the text; nil, the default, keeps the terminal's color.
    ///   - background: The color of the background; nil, the default, keeps the terminal's color.
    ///   - isBold: Whether the text is bold; `false` unless given.
    ///   - isFaint: Whether the text is faint; `false` unless given.
    public init(
        _ foreground: ConsoleColor? = nil, background: ConsoleColor? = nil, isBold: Bool = false,
        isFaint: Bool = false
    ) {
        self.foreground = foreground
        self.background = background
        self.isBold = isBold
        self.isFaint = isFaint
    }

    /// De-emphasized text.
    static let faint = ConsoleStyle(isFaint: true)
    /// The terminal's default style.
    public static let plain = ConsoleStyle()

    /// The escape sequence (ECMA-48, SGR) that begins this look; empty where there is nothing to say.
    func sequence(_ depth: ConsoleColorDepth) -> [UInt8] {
        if depth == .none { return [] }
        var codes: [String] = []
        if isBold { codes.append("1") }
        if isFaint { codes.append("2") }
        if let foreground { codes.append(ConsoleStyle.code(foreground.reduced(to: depth), base: 30)) }
        if let background { codes.append(ConsoleStyle.code(background.reduced(to: depth), base: 40)) }
        return codes.isEmpty ? [] : Array("\u{1b}[\(codes.joined(separator: ";"))m".utf8)
    }

    static let reset = Array("\u{1b}[0m".utf8)

    private static func code(_ color: ConsoleColor, base: Int) -> String {
        switch color {
        case .ansi(let index): index < 8 ? "\(base + Int(index))" : "\(base + 60 + Int(min(index, 15)) - 8)"
        case .palette(let index): "\(base + 8);5;\(index)"
        case .rgb(let red, let green, let blue): "\(base + 8);2;\(red);\(green);\(blue)"
        }
    }
}
