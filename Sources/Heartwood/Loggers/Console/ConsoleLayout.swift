/// The console's own layout of a message.
struct ConsoleLayout {
    let palette: ConsolePalette
    let showsSource: Bool
    let showsTime: Bool
    private let zone: LogTimeZone
    private var second: Int64 = .min
    private var secondText: [UInt8] = []

    init(
        palette: ConsolePalette = .standard, zone: LogTimeZone = .local, showsSource: Bool = true,
        showsTime: Bool = true
    ) {
        self.palette = palette
        self.zone = zone
        self.showsSource = showsSource
        self.showsTime = showsTime
    }

    mutating func append(
        _ message: LogMessage, to output: inout LogBuffer, depth: ConsoleColorDepth,
        privacy: LogPrivacyPolicy, escaping: LogBuffer.Escaping = .escape
    ) {
        let colored = depth != .none
        let faint = ConsoleStyle.faint.sequence(depth)
        if showsTime {
            output.append(faint)
            append(message.timestamp, to: &output)
            if colored { output.append(ConsoleStyle.reset) }
            output.append(UInt8(ascii: " "))
        }
        let style = palette.style(of: message).sequence(depth)
        output.append(style)
        output.append(paddedLevel: message.level)
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
        if colored { output.append(ConsoleStyle.reset) }
    }

    /// Adds `10:20:30.123` in the zone; the text of the second is kept from one message to the next.
    private mutating func append(_ moment: LogTimestamp, to output: inout LogBuffer) {
        let (number, nanosecond) = CivilTime.split(moment.nanoseconds)
        if number != second {
            second = number
            let offset = Int64(zone.secondsFromUTC(at: number))
            var text = LogBuffer(capacity: 16)
            text.append(seconds: CivilTime(seconds: number + offset, nanosecond: 0))
            text.append(UInt8(ascii: "."))
            secondText = text.withUnsafeBytes { Array($0) }
        }
        output.append(secondText)
        output.appendDecimal(nanosecond / 1_000_000, width: 3)
    }
}
