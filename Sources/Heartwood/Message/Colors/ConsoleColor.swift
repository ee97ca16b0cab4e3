/// A color on a terminal.
public enum ConsoleColor: Hashable, Sendable {
    /// One of the sixteen colors that every terminal has, 0 to 15.
    ///
    /// 0 to 7 are black, red, green, yellow, blue, magenta, cyan and white; 8 to 15 are the bright ones.
    /// Their exact look depends on the terminal.
    case ansi(UInt8)
    /// One of 256 colors: the sixteen, a cube of 6 × 6 × 6, and 24 grays.
    case palette(UInt8)
    /// Any color; a terminal with fewer colors shows the nearest one.
    case rgb(UInt8, UInt8, UInt8)

    /// Red.
    public static let red = ConsoleColor.ansi(1)
    /// Green.
    public static let green = ConsoleColor.ansi(2)
    /// Yellow.
    public static let yellow = ConsoleColor.ansi(3)
    /// Blue.
    public static let blue = ConsoleColor.ansi(4)
    /// Magenta.
    public static let magenta = ConsoleColor.ansi(5)
    /// Cyan.
    public static let cyan = ConsoleColor.ansi(6)
    /// Gray.
    public static let gray = ConsoleColor.ansi(8)

    /// Returns this color, or the nearest one that a terminal with this depth can show.
    package func reduced(to depth: ConsoleColorDepth) -> ConsoleColor {
        switch (self, depth) {
        case (.ansi, _), (.palette, .palette), (_, .full), (_, .none): return self
        case (.palette(let index), .ansi):
            if index < 16 { return .ansi(index) }
            let (red, green, blue) = ConsoleColor.components(ofPalette: index)
            return .ansi(ConsoleColor.nearest(red, green, blue, in: 0..<16))
        case (.rgb(let red, let green, let blue), .palette):
            return .palette(ConsoleColor.nearest(Int(red), Int(green), Int(blue), in: 16..<256))
        case (.rgb(let red, let green, let blue), .ansi):
            return .ansi(ConsoleColor.nearest(Int(red), Int(green), Int(blue), in: 0..<16))
        }
    }

    private static func nearest(_ red: Int, _ green: Int, _ blue: Int, in range: Range<Int>) -> UInt8 {
        let best = range.min { distance($0, red, green, blue) < distance($1, red, green, blue) }
        return UInt8(clamping: best ?? 7)
    }

    private static func distance(_ index: Int, _ red: Int, _ green: Int, _ blue: Int) -> Int {
        let (r, g, b) = components(ofPalette: UInt8(clamping: index))
        return (r - red) * (r - red) + (g - green) * (g - green) + (b - blue) * (b - blue)
    }

    /// What xterm shows for a number of its palette.
    static func components(ofPalette index: UInt8) -> (Int, Int, Int) {
        let index = Int(index)
        switch index {
        case 0..<16:
            let basic = [
                (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205),
                (229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255),
                (255, 0, 255), (0, 255, 255), (255, 255, 255),
            ]
            return basic[index]
        case 16..<232:
            let level = { (step: Int) in step == 0 ? 0 : 55 + 40 * step }
            let cube = index - 16
            return (level(cube / 36), level(cube / 6 % 6), level(cube % 6))
        default:
            let gray = 8 + 10 * (index - 232)
            return (gray, gray, gray)
        }
    }
}
