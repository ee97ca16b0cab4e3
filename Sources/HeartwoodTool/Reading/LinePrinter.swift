import CHeartwood
import Heartwood

/// Shows lines on standard output: as they are in a pipe, coloured and harmless on a terminal.
struct LinePrinter {
    private let isColoured: Bool
    private let isTerminal = Terminal.output.isTerminal
    private var pending = ""
    /// The names of the files in front of lines, where there are several.
    var showsFile = false

    init(_ arguments: Arguments) throws {
        switch arguments.value("--color") ?? "auto" {
        case "auto": isColoured = isTerminal && getenv("NO_COLOR") == nil
        case "always": isColoured = true
        case "never": isColoured = false
        case let other: throw UsageError("--color is auto, always or never, and not “\(other)”")
        }
    }

    /// Adds a line, with the parts of it that were looked for made bold.
    mutating func print(_ line: LogLine, matches: [Range<String.Index>] = []) {
        if showsFile { pending += line.file + ": " }
        let colour = isColoured ? LinePrinter.colour(of: line.level) : nil
        if let colour { pending += colour }
        if isColoured, !matches.isEmpty {
            var index = line.text.startIndex
            for match in matches where match.lowerBound >= index {
                pending += harmless(line.text[index..<match.lowerBound])
                pending += "\u{1b}[1;7m" + harmless(line.text[match]) + "\u{1b}[0m" + (colour ?? "")
                index = match.upperBound
            }
            pending += harmless(line.text[index...])
        } else {
            pending += harmless(line.text[...])
        }
        if colour != nil { pending += "\u{1b}[0m" }
        pending += "\n"
        if pending.utf8.count > 1 << 16 { flush() }
    }

    /// Writes what was added; ends the program when nobody reads it any more.
    mutating func flush() {
        guard !pending.isEmpty else { return }
        pending.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let written = hw_write_quietly(1, rest.baseAddress, rest.count)
                if written > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest[written...])
                } else if hw_errno() == EAGAIN {
                    _ = hw_wait_writable(1, -1)
                } else if hw_errno() != EINTR {
                    exit(hw_errno() == EPIPE ? 0 : 1)  // the reader has seen enough
                }
            }
        }
        pending.removeAll(keepingCapacity: true)
    }

    /// On a terminal, controls and what changes the direction of writing are shown, and not obeyed.
    private func harmless(_ text: Substring) -> String {
        guard isTerminal else { return String(text) }
        guard text.unicodeScalars.contains(where: LinePrinter.isHarmful) else { return String(text) }
        var result = ""
        for scalar in text.unicodeScalars {
            if LinePrinter.isHarmful(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 9: false
        case 0..<32, 127..<160, 0x200e, 0x200f, 0x202a...0x202e, 0x2066...0x2069, 0x2028, 0x2029: true
        default: false
        }
    }

    private static func colour(of level: LogLevel?) -> String? {
        switch level?.severity {
        case .fatal?: "\u{1b}[1;31m"
        case .error?: "\u{1b}[31m"
        case .warning?: "\u{1b}[33m"
        case .notice?: "\u{1b}[36m"
        case .debug?, .verbose?: "\u{1b}[2m"
        default: nil
        }
    }
}
