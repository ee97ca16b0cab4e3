/// The console's own layout of a message.
final class ConsoleLayout: Sendable {
    let palette: ConsolePalette
    let showsSource: Bool
    let showsTime: Bool
    private let time: DateText

    init(
        palette: ConsolePalette = .standard, zone: LogTimeZone = .local, showsSource: Bool = true,
        showsTime: Bool = true
    ) {
        self.palette = palette
        time = DateText(.time, zone: zone)
        self.showsSource = showsSource
        self.showsTime = showsTime
    }

    func append(
        _ message: LogMessage, to output: inout LogBuffer, depth: ConsoleColorDepth,
        privacy: LogPrivacyPolicy, escaping: LogBuffer.Escaping = .escape
    ) {
        let isColored = depth != .none
        let faint = isColored ? ConsoleStyle.faint.sequence(depth) : []
        if showsTime {
            output.append(faint)
            time.append(message.timestamp, to: &output)
            if isColored { output.append(ConsoleStyle.reset) }
            output.append(UInt8(ascii: " "))
        }
        let style = isColored ? palette.style(of: message).sequence(depth) : []
        output.append(style)
        output.append(paddedLevelOf: message)
        if !style.isEmpty { output.append(ConsoleStyle.reset) }
        output.append(UInt8(ascii: " "))
        if !message.storage.hasDefaultCategory {
            output.append(safe: message.category.name)
            output.append(UInt8(ascii: " "))
        }
        output.appendText(of: message, privacy: privacy, escaping: escaping)
        output.append(faint)
        output.append(fieldsOf: message)
        if showsSource {
            message.storage.withPlace { place in
                if place.isEmpty { return }
                output.append("  " as StaticString)
                output.append(place)
            }
        }
        if isColored { output.append(ConsoleStyle.reset) }
    }
}
