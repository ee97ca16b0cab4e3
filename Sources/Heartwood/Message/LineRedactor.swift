import CHeartwood

/// Takes the secrets out of the lines of a log, whatever program wrote it: JSON stays JSON, and a line
/// stays a line.
package struct LineRedactor {
    package let rules: RedactionRules
    /// How many secrets each rule has found, by the rules' names.
    package private(set) var counts: [String: Int] = [:]
    /// How many more lines the private key at hand may have; 0 outside of one.
    private var keyLines = 0
    private var found: [Int] = []

    package init(_ rules: RedactionRules) {
        self.rules = rules
    }

    /// Adds lines without their secrets, with their newlines; all of them are whole but for the last, which
    /// may lack its newline.
    package mutating func append(_ block: UnsafeRawBufferPointer, to output: inout LogBuffer) {
        var look = RedactionPlan.Look()
        // Up to `index`, everything is written.
        var index = 0
        while index < block.count {
            var start = index
            if keyLines == 0 {
                let suspect = rules.nextSuspect(in: block, from: index, &look)
                start = suspect
                while start > index, block[start - 1] != .newline { start -= 1 }
                if suspect == block.count { start = suspect }
                output.append(UnsafeRawBufferPointer(rebasing: block[index..<start]))
                if start == block.count { return }
            }
            var end = start
            if let base = block.baseAddress, let newline = memchr(base + start, 0x0A, block.count - start) {
                end = base.distance(to: newline)
            } else {
                end = block.count
            }
            appendLine(UnsafeRawBufferPointer(rebasing: block[start..<end]), to: &output)
            if end < block.count { output.append(UInt8(ascii: "\n")) }
            index = end + 1
        }
    }

    /// Adds a text without its secrets.
    package mutating func append(_ text: String, to output: inout LogBuffer) {
        text.withBytes { append($0, to: &output) }
    }

    private mutating func appendLine(_ line: UnsafeRawBufferPointer, to output: inout LogBuffer) {
        if keyLines > 0, let key = keyLine(line) {
            if !key.isEmpty {
                return rules.append(line, edits: [(key, Array("<private-key>".utf8))], to: &output)
            }
            return output.append(line)
        }
        found.removeAll(keepingCapacity: true)
        rules.append(line, to: &output, &found)
        for rule in found { counts[rules.rules[rule].name, default: 0] += 1 }
        if !found.isEmpty, beginsKey(line) { keyLines = 200 }
    }

    private func beginsKey(_ line: UnsafeRawBufferPointer) -> Bool {
        if let seen = SeenText(line) { return seen.bytes.withUnsafeBytes(beginsKey) }
        guard let begin = line.firstRange(of: SecretShapes.keyBegin, from: 0) else { return false }
        return line.firstRange(of: SecretShapes.keyEnd, from: begin.upperBound) == nil
            && line.firstRange(of: SecretShapes.keyLabel, from: begin.upperBound) != nil
    }

    /// The part to replace in a further line of a private key; nil if the line is not part of the key.
    private mutating func keyLine(_ line: UnsafeRawBufferPointer) -> Range<Int>? {
        if let seen = SeenText(line) {
            return seen.bytes.withUnsafeBytes { keyLine($0) }.map(seen.place)
        }
        keyLines -= 1
        // What is in front of the last word is what a logger writes in front of each line.
        var last = line.count
        while last > 0, line[last - 1].isBlank { last -= 1 }
        var start = last
        if let end = line.firstRange(of: SecretShapes.keyEnd, from: 0) {
            keyLines = 0
            start = end.lowerBound
            let close = line.firstRange(of: SecretShapes.keyDashes, from: end.upperBound)
            last = close?.upperBound ?? line.count
        } else {
            while start > 0, SecretShapes.Alphabet.token.contains(line[start - 1]) { start -= 1 }
            let isHeader = line.first?.isCapital == true && line.contains(.colon)
            if start > 0, !line[start - 1].isBlank || last - start < 16, !isHeader {
                keyLines = 0
                return nil
            }
            if isHeader { start = 0 }
        }
        return start..<last
    }
}

extension RedactionRules {
    /// A part of a text, and its replacement.
    typealias Edit = (place: Range<Int>, text: [UInt8])

    /// Adds a text without its secrets, and their rules to `found`; JSON stays JSON.
    func append(
        _ text: UnsafeRawBufferPointer, to output: inout LogBuffer, _ found: inout [Int], depth: Int = 0
    ) {
        if let (edits, rules) = editsOfJSON(text, depth) {
            found += rules
            return append(text, edits: edits, to: &output)
        }
        // Colored JSON, as `jq` prints it.
        let visible = SeenText(text)
        guard let seen = visible, var (edits, rules) = seen.bytes.withUnsafeBytes({ editsOfJSON($0, depth) })
        else {
            let secrets = secrets(in: text, seen: visible)
            found += secrets.map(\.rule)
            return append(text, without: secrets, to: &output)
        }
        edits = edits.map { (seen.place(of: $0.place), $0.text) }
        for secret in unseenSecrets(of: seen, in: text)
        where !edits.contains(where: { $0.place.overlaps(secret.range) }) {
            var shown = LogBuffer()
            append(UnsafeRawBufferPointer(rebasing: text[secret.range]), secret.rule, to: &shown)
            edits.append((secret.range, shown.withUnsafeBytes { Array($0) }))
            rules.append(secret.rule)
        }
        edits.sort { $0.place.lowerBound < $1.place.lowerBound }
        found += rules
        append(text, edits: edits, to: &output)
    }

    /// Adds a text with replacements.
    func append(_ text: UnsafeRawBufferPointer, edits: [Edit], to output: inout LogBuffer) {
        var index = 0
        for edit in edits {
            output.append(UnsafeRawBufferPointer(rebasing: text[index..<edit.place.lowerBound]))
            output.append(edit.text)
            index = edit.place.upperBound
        }
        output.append(UnsafeRawBufferPointer(rebasing: text[index...]))
    }

    /// What replaces the secrets of JSON, and the rules that found them; nil for another text.
    private func editsOfJSON(_ text: UnsafeRawBufferPointer, _ depth: Int) -> ([Edit], [Int])? {
        // JSON strings cannot contain control characters: such a text can only be colored JSON.
        guard depth < 4, RedactionRules.mayBeJSON(text), !text.contains(.escape), !text.contains(0x08) else {
            return nil
        }
        var redactor = JSONRedactor(bytes: text, rules: self, depth: depth)
        return redactor.read() ? (redactor.edits, redactor.found) : nil
    }

    fileprivate static func mayBeJSON(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let first = text.first(where: { !$0.isBlank }), let last = text.last(where: { !$0.isBlank })
        else {
            return false
        }
        return first == .openBrace && last == .closeBrace || first == .openBracket && last == .closeBracket
    }
}

/// Takes the secrets out of a text of JSON, string by string, so that its escapes hide nothing and are not
/// broken.
private struct JSONRedactor {
    let bytes: UnsafeRawBufferPointer
    let rules: RedactionRules
    let depth: Int
    private(set) var edits: [RedactionRules.Edit] = []
    /// The rules that found something.
    private(set) var found: [Int] = []
    private var index = 0
    private var plain: [UInt8] = []
    /// Whether the next text is the name of the object's value.
    private var isName = false
    /// How the object's value is hidden, where its name says so.
    private var named: RedactionPlan.Hiding?

    init(bytes: UnsafeRawBufferPointer, rules: RedactionRules, depth: Int) {
        (self.bytes, self.rules, self.depth) = (bytes, rules, depth)
    }

    /// Finds what is to be replaced; false where the text is no JSON, as far as it must be read.
    mutating func read() -> Bool {
        while index < bytes.count {
            let start = index
            switch bytes[start] {
            case UInt8(ascii: "\""):
                guard let close = close(of: start) else { return false }
                index = close + 1
                let inside = start + 1..<close
                let rules = rules
                let value = valueStart()
                var hiding: RedactionPlan.Hiding?
                if value != nil {
                    hiding = withPlain(inside) { rules.hiding($0) } ?? (isWord("value", inside) ? named : nil)
                }
                readString(inside)
                if let value, let hiding {
                    guard hideValue(from: value, hiding) else { return false }
                } else {
                    noteName(inside, isKey: value != nil)
                }
            case 0x30...0x39, .hyphen:
                while index < bytes.count, isOfNumber(bytes[index]) { index += 1 }
                let secrets = rules.secrets(in: UnsafeRawBufferPointer(rebasing: bytes[start..<index]))
                if secrets.isEmpty { continue }
                var text = LogBuffer()
                text.append(UInt8(ascii: "\""))
                rules.append(
                    UnsafeRawBufferPointer(rebasing: bytes[start..<index]), without: secrets, to: &text)
                text.append(UInt8(ascii: "\""))
                replace(start..<index, text)
                found += secrets.map(\.rule)
            case .openBrace, .closeBrace:
                (named, isName) = (nil, false)
                index += 1
            case .tab, .newline, .carriageReturn, .space, .comma, .colon, .openBracket, .closeBracket:
                index += 1
            case _ where bytes[start].isLetter: index += 1  // of true, false and null
            default: return false
            }
        }
        return true
    }

    private mutating func replace(_ place: Range<Int>, _ text: borrowing LogBuffer) {
        edits.append((place, text.withUnsafeBytes { Array($0) }))
    }

    /// Notes where an object says the name of its value: `{"name": "DB_PASSWORD", "value": …}`.
    private mutating func noteName(_ inside: Range<Int>, isKey: Bool) {
        if isKey {
            isName = isWord("name", inside) || isWord("key", inside)
        } else if isName {
            let rules = rules
            named = withPlain(inside) { rules.hiding($0) }
            isName = false
        }
    }

    private func isWord(_ word: StaticString, _ range: Range<Int>) -> Bool {
        range.count == word.utf8CodeUnitCount && bytes.has(word, at: range.lowerBound)
    }

    private func isOfNumber(_ byte: UInt8) -> Bool {
        byte.isDigit || byte == .hyphen || byte == .plus || byte == .period
            || byte | 0x20 == UInt8(ascii: "e")
    }

    /// Where a string ends that begins at a place: its second quotation mark.
    private func close(of start: Int) -> Int? {
        var index = start + 1
        while index < bytes.count {
            if bytes[index] == .quote { return index }
            index += bytes[index] == .backslash ? 2 : 1
        }
        return nil
    }

    /// Where the value begins of which the string in front is the key; nil where that is no key.
    private func valueStart() -> Int? {
        var place = index
        while place < bytes.count, bytes[place].isBlank { place += 1 }
        guard place < bytes.count, bytes[place] == .colon else { return nil }
        place += 1
        while place < bytes.count, bytes[place].isBlank { place += 1 }
        return place < bytes.count ? place : nil
    }

    /// Calls `body` with the inside of a string, with its escapes resolved.
    private mutating func withPlain<Result>(
        _ inside: Range<Int>, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let raw = UnsafeRawBufferPointer(rebasing: bytes[inside])
        guard raw.contains(.backslash) else { return body(raw) }
        JSONTokens.unescape(raw, into: &plain)
        return plain.withUnsafeBytes(body)
    }

    private mutating func readString(_ inside: Range<Int>) {
        var text = LogBuffer(capacity: 0)
        var rulesFound: [Int] = []
        let (rules, depth) = (rules, depth)
        let raw = UnsafeRawBufferPointer(rebasing: bytes[inside])
        if !raw.contains(.backslash), !RedactionRules.mayBeJSON(raw) {
            // Each secret is replaced separately, so that colors between them stay.
            for secret in rules.isClear(raw) ? [] : rules.secrets(in: raw) {
                var escaped = LogBuffer()
                rules.append(raw, only: secret, to: &text)
                text.withUnsafeBytes { escaped.appendInsideOfJSON($0) }
                text.removeAll()
                let start = inside.lowerBound
                replace(secret.range.lowerBound + start..<secret.range.upperBound + start, escaped)
                found.append(secret.rule)
            }
            return
        }
        withPlain(inside) { plain in
            if rules.isClear(plain) { return }
            rules.append(plain, to: &text, &rulesFound, depth: depth + 1)
        }
        if rulesFound.isEmpty { return }
        var escaped = LogBuffer()
        text.withUnsafeBytes { escaped.appendInsideOfJSON($0) }
        replace(inside, escaped)
        found += rulesFound
    }

    /// Replaces the value that begins at a place, unless it says nothing; false where it has no end.
    private mutating func hideValue(from start: Int, _ hiding: RedactionPlan.Hiding) -> Bool {
        let value: Range<Int>
        switch bytes[start] {
        case UInt8(ascii: "\""):
            guard let close = close(of: start) else { return false }
            value = start + 1..<close
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            // Under a word such as `auth`, there are other things as well.
            if hiding.name.traits.contains(.weak) { return true }
            guard let end = bytes.endOfList(from: start, marks: [0x22], close: close) else { return false }
            value = start..<end
            if value.count <= 2 { return true }
        case 0x30...0x39, .hyphen:
            var end = start
            while end < bytes.count, isOfNumber(bytes[end]) { end += 1 }
            value = start..<end
        default: return true
        }
        let isList = bytes[start] == .openBrace || bytes[start] == .openBracket
        let isString = bytes[start] == .quote
        let text = UnsafeRawBufferPointer(rebasing: bytes[value])
        if !isList, !hiding.name.isSecret(text, isNumber: !isString) { return true }
        index = isString ? value.upperBound + 1 : value.upperBound
        var shown = LogBuffer()
        if !isString { shown.append(UInt8(ascii: "\"")) }
        let rules = rules
        withPlain(value) { value in
            let seen = SeenText(value)?.bytes ?? Array(value)
            seen.withUnsafeBytes { rules.append($0, hiding.rule, to: &shown) }
        }
        if !isString { shown.append(UInt8(ascii: "\"")) }
        replace(value, shown)
        found.append(hiding.rule)
        return true
    }
}
