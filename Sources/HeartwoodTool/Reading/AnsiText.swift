import CHeartwood
import Heartwood

/// A text without the escape sequences that color it at a terminal, and the colors.
struct AnsiText {
    /// How some of the text looks.
    struct Style: Equatable {
        /// Where it begins, in UTF-16 code units, as JavaScript counts.
        var start = 0
        var count = 0
        /// 0 to 15, the colors of a terminal; nil for the usual one.
        var color: Int?
        var background: Int?
        var isBold = false
        var isDim = false
        var isItalic = false
        var isUnderlined = false
        var isInverse = false

        /// As classes of the page: `f1 b0 bold`.
        var classes: String {
            var words: [String] = []
            let (front, back) = isInverse ? (background, color) : (color, background)
            if let front { words.append("f\(front)") }
            if let back { words.append("b\(back)") } else if isInverse { words.append("inverse") }
            if isBold { words.append("bold") }
            if isDim { words.append("dim") }
            if isItalic { words.append("italic") }
            if isUnderlined { words.append("underlined") }
            return words.joined(separator: " ")
        }

        fileprivate var isPlain: Bool {
            color == nil && background == nil && !isBold && !isDim && !isItalic && !isUnderlined && !isInverse
        }
    }

    private(set) var text = ""
    private(set) var styles: [Style] = []

    init(text: String, styles: [Style]) {
        self.text = text
        self.styles = styles
    }

    /// Reads a text; sequences that do not color it are left out as well.
    init(_ source: String) {
        guard source.utf8.contains(.escape) else {
            text = source
            return
        }
        var style = Style()
        var count = 0
        var rest = Substring(source).unicodeScalars
        func close(_ styles: inout [Style]) {
            if !style.isPlain, count > style.start {
                style.count = count - style.start
                styles.append(style)
            }
            style.start = count
        }
        while let scalar = rest.popFirst() {
            guard scalar == "\u{1B}" else {
                text.unicodeScalars.append(scalar)
                count += scalar.value > 0xFFFF ? 2 : 1
                continue
            }
            guard rest.first == "[" else {
                // A title or a link: up to its end.
                if rest.first == "]" {
                    let end = rest.firstIndex { $0 == "\u{7}" || $0 == "\u{1B}" } ?? rest.endIndex
                    let isTerminator = end < rest.endIndex && rest[end] == "\u{1B}"
                    rest = rest[end...].dropFirst(isTerminator ? 2 : 1)
                }
                continue
            }
            rest = rest.dropFirst()
            let parameters = rest.prefix { (0x20...0x3F).contains($0.value) }
            rest = rest[parameters.endIndex...]
            guard let end = rest.popFirst(), end == "m" else { continue }
            close(&styles)
            AnsiText.apply(String(parameters), &style)
        }
        close(&styles)
    }

    private static func apply(_ parameters: String, _ style: inout Style) {
        let codes = parameters.split(omittingEmptySubsequences: false) { $0 == ";" || $0 == ":" }
            .map { $0.isEmpty ? 0 : Int($0.prefix(6)) ?? -1 }
        var rest = codes[...]
        while let code = rest.popFirst() {
            switch code {
            case 0: style = Style(start: style.start)
            case 1: style.isBold = true
            case 2: style.isDim = true
            case 3: style.isItalic = true
            case 4: style.isUnderlined = true
            case 7: style.isInverse = true
            case 22: (style.isBold, style.isDim) = (false, false)
            case 23: style.isItalic = false
            case 24: style.isUnderlined = false
            case 27: style.isInverse = false
            case 30...37: style.color = code - 30
            case 38: style.color = color(&rest)
            case 39: style.color = nil
            case 40...47: style.background = code - 40
            case 48: style.background = color(&rest)
            case 49: style.background = nil
            case 90...97: style.color = code - 82
            case 100...107: style.background = code - 92
            default: break
            }
        }
    }

    /// One of 256 or of 16 million colors, as the nearest of 16.
    private static func color(_ rest: inout ArraySlice<Int>) -> Int? {
        switch rest.popFirst() {
        case 5:
            guard let number = rest.popFirst(), (0...255).contains(number) else { return nil }
            if number < 16 { return number }
            if number >= 232 { return [0, 8, 7, 15][(number - 232) / 6] }
            let cube = number - 16
            return nearest(cube / 36 * 51, cube / 6 % 6 * 51, cube % 6 * 51)
        case 2:
            let parts = rest.prefix(3)
            rest = rest.dropFirst(3)
            guard parts.count == 3, parts.allSatisfy({ (0...255).contains($0) }) else { return nil }
            return nearest(parts[parts.startIndex], parts[parts.startIndex + 1], parts[parts.startIndex + 2])
        default: return nil
        }
    }

    private static func nearest(_ red: Int, _ green: Int, _ blue: Int) -> Int {
        let most = max(red, green, blue)
        if most - min(red, green, blue) < 40 { return most < 64 ? 0 : most < 128 ? 8 : most < 216 ? 7 : 15 }
        let half = most / 2
        let hue = (red > half ? 1 : 0) + (green > half ? 2 : 0) + (blue > half ? 4 : 0)
        return hue + (most > 200 ? 8 : 0)
    }

    /// Calls `body` with a line without escape sequences.
    static func withPlain<Result>(
        _ line: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        guard let plain = stripped(line) else { return body(line) }
        return plain.withUnsafeBytes(body)
    }

    /// A value without the escape sequences that its own escapes have hidden, as `\u001b` in JSON.
    static func plain(_ value: String) -> String {
        var value = value
        let text = value.withUTF8 { stripped(UnsafeRawBufferPointer($0)) }
        return text.map { String(decoding: $0, as: UTF8.self) } ?? value
    }

    /// The bytes of a line without escape sequences; nil where there are none.
    static func stripped(_ line: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let base = line.baseAddress?.assumingMemoryBound(to: UInt8.self),
            memchr(base, 0x1B, line.count) != nil
        else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(line.count)
        var index = 0
        while index < line.count {
            if line[index] == .escape {
                index += max(1, hw_escape_sequence(base, line.count, index))
            } else {
                output.append(line[index])
                index += 1
            }
        }
        return output
    }
}
