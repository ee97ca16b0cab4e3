/// The number of colors that a terminal shows.
public enum ConsoleColorDepth: Hashable, Sendable {
    /// No colors at all.
    case none
    /// Sixteen colors.
    case ansi
    /// 256 colors.
    case palette
    /// All 24-bit colors.
    case full

    /// Detects the depth from the environment and from whether the stream is a terminal.
    ///
    /// `NO_COLOR` (not empty) switches colors off. `FORCE_COLOR` switches them on even where there is no
    /// terminal: `1` sixteen, `2` 256, `3` full, anything else what the terminal's name says, at least
    /// sixteen; `0` and `false` switch them off. Otherwise `COLORTERM` and `TERM` decide.
    package static func detect(isTerminal: Bool, environment: [String: String]) -> ConsoleColorDepth {
        if environment["NO_COLOR"]?.isEmpty == false { return .none }
        let named = depth(ofTerminal: environment)
        switch environment["FORCE_COLOR"] {
        case "0", "false": return .none
        case "1": return .ansi
        case "2": return .palette
        case "3": return .full
        case nil: return isTerminal ? named : .none
        default: return named == .none ? .ansi : named
        }
    }

    private static func depth(ofTerminal environment: [String: String]) -> ConsoleColorDepth {
        let terminal = environment["TERM"] ?? ""
        if terminal.isEmpty || terminal == "dumb" { return .none }
        let color = environment["COLORTERM"]?.lowercased() ?? ""
        if color == "truecolor" || color == "24bit" { return .full }
        if terminal.hasSuffix("-direct") { return .full }
        return terminal.contains("256") ? .palette : .ansi
    }
}
