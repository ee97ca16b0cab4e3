/// The console's own layout of a message.
final class ConsoleLayout: Sendable {
    let palette: ConsolePalette
    let showsSource: Bool
    let showsTime: Bool
    private let time: DateText
    /// The sequences of what has the same style in all messages.
    private let sequences: [ConsoleColorDepth: (details: [UInt8], category: [UInt8], fields: [UInt8])]

    init(
        palette: ConsolePalette = .standard, zone: LogTimeZone = .local, showsSource: Bool = true,
        showsTime: Bool = true
    ) {
        self.palette = palette
        sequences = [ConsoleColorDepth.ansi, .palette, .full].reduce(into: [:]) { sequences, depth in
            sequences[depth] = (
                palette.details.sequence(depth), palette.categoryName.sequence(depth),
                palette.fields.sequence(depth)
            )
        }
        time = DateText(.time, zone: zone)
        self.showsSource = showsSource
        self.showsTime = showsTime
    }

    func append(
        _ message: LogMessage, to output: inout LogBuffer, depth: ConsoleColorDepth,
        privacy: LogPrivacyPolicy, escaping: LogBuffer.Escaping = .escape
    ) {
        let styles = sequences[depth] ?? ([], [], [])
        /// Appends something in a style; nothing of that where it is empty.
        func append(in sequence: [UInt8], _ body: (inout LogBuffer) -> Void) {
            let start = output.count
            output.append(sequence)
            let empty = output.count
            body(&output)
            if output.count == empty { return output.truncate(to: start) }
            if !sequence.isEmpty { output.append(ConsoleStyle.reset) }
        }
        if showsTime {
            append(in: styles.details) { time.append(message.timestamp, to: &$0) }
            output.append(UInt8(ascii: " "))
        }
        append(in: depth == .none ? [] : palette.style(of: message).sequence(depth)) {
            $0.append(paddedLevelOf: message)
        }
        output.append(UInt8(ascii: " "))
        if !message.storage.hasDefaultCategory {
            append(in: styles.category) { $0.append(safe: message.category.name) }
            output.append(UInt8(ascii: " "))
        }
        output.appendText(of: message, privacy: privacy, escaping: escaping)
        append(in: styles.fields) { $0.append(fieldsOf: message) }
        guard showsSource else { return }
        append(in: styles.details) { output in
            message.storage.withPlace { place in
                if place.isEmpty { return }
                output.append("  " as StaticString)
                output.append(place)
            }
        }
    }
}
