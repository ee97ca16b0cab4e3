import Heartwood

// The code of Docs/Extending.md, word for word; `SampleTests` compares them.

// sample: Docs/Extending.md
/// Writes in capitals, and leaves out heartbeats.
let shout = LogFormatter { message in
    if message.category == .heartbeat { return nil }
    return "\(message.level): \(message.text.uppercased())"
}
// end

// sample: Docs/Extending.md
extension LogCategory {
    static let heartbeat = LogCategory("heartbeat")
}
// end

// sample: Docs/Extending.md
/// Level, time and fields as tab-separated values.
let tabSeparated = LogFormatter { message, output in
    output.append(message.level.name)
    output.append(UInt8(ascii: "\t"))
    output.append(rfc3339: message.timestamp)
    output.append(UInt8(ascii: "\t"))
    output.appendText(of: message, privacy: .redact, escaping: .escape)
    for (name, value) in message.fields {
        output.append(UInt8(ascii: "\t"))
        output.appendEscaped(name)
        output.append(UInt8(ascii: "="))
        output.appendEscaped("\(value)")
    }
    return true
}
// end

func formatterUse(_ file: FileLogger) {
    // sample: Docs/Extending.md
    let console = ConsoleLogger(formatter: shout)
    file.formatter = tabSeparated
    // end
    LogDispatcher.shared.add(console)
}
