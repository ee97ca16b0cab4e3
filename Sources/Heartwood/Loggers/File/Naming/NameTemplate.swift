/// A template of file names, which writes a label as a name and reads it back.
struct NameTemplate: Sendable, Hashable {
    private enum Piece: Sendable, Hashable {
        case literal(String), date(DatePattern), number(digits: Int), application, process, variant

        var isDate: Bool { if case .date = self { true } else { false } }
        var isNumber: Bool { if case .number = self { true } else { false } }
        /// Where two of them have nothing between them, it cannot be told where one ends.
        var hasDigits: Bool { isNumber || self == .process || self == .variant }
    }

    /// The pieces before the extension.
    private let stem: [Piece]
    /// From the last dot of the template's own text on; may be empty.
    private let fileExtension: String

    private var hasNumber: Bool { stem.contains(where: \.isNumber) }
    private var hasProcess: Bool { stem.contains(.process) }
    var hasVariant: Bool { stem.contains(.variant) }

    static let standard = NameTemplate(
        stem: [.application, .literal(" "), .date(.standard)], fileExtension: ".log")
}

extension NameTemplate {
    /// Reads a template, or throws a ``LogError`` of code `setting`.
    init(_ text: String, defaultDate: DatePattern) throws {
        func refused(_ why: String) -> LogError {
            LogError(.setting, "The file name template \(why)", place: text)
        }
        let written: [BracedPiece]
        do { written = try BracedPiece.pieces(of: text) } catch {
            throw refused("is not valid: \(error.reason)")
        }
        let characters = Array(text)
        var pieces: [Piece] = []
        for piece in written {
            guard case .field(let name, _, let range) = piece else {
                if case .literal(let literal) = piece { pieces.append(.literal(literal)) }
                continue
            }
            let format = range.flatMap { $0.isEmpty ? nil : String(characters[$0]) }
            switch (name, format) {
            case ("app", nil): pieces.append(.application)
            case ("pid", nil): pieces.append(.process)
            case ("variant", nil): pieces.append(.variant)
            case ("date", nil): pieces.append(.date(defaultDate))
            case ("date", let pattern?):
                do {
                    guard let date = try DatePattern(pattern) else {
                        throw refused("has a date that does not sort by time")
                    }
                    pieces.append(.date(date))
                } catch let error as PatternError { throw refused("is not valid: \(error.reason)") }
            case ("number", let digits):
                guard let digits = Int(digits ?? "1"), (1...18).contains(digits) else {
                    throw refused("has a number with an invalid count of digits")
                }
                pieces.append(.number(digits: digits))
            default:
                throw refused("has an unknown field {\(name)\(format.map { ":" + $0 } ?? "")}")
            }
        }
        var fileExtension = ""
        if case .literal(let last)? = pieces.last, let dot = last.lastIndex(of: ".") {
            fileExtension = String(last[dot...])
            pieces.removeLast()
            if dot > last.startIndex { pieces.append(.literal(String(last[..<dot]))) }
        }
        guard !zip(pieces, pieces.dropFirst()).contains(where: { $0.hasDigits && $1.hasDigits }) else {
            throw refused("has two numbers, or a number and a variant, with nothing between them")
        }
        let (dates, numbers) = (pieces.count(where: \.isDate), pieces.count(where: \.isNumber))
        guard dates <= 1, numbers <= 1, pieces.count(where: { $0 == .variant }) <= 1 else {
            throw refused("has the same field twice")
        }
        guard dates + numbers > 0 else {
            throw refused("has neither {date} nor {number}, so the files have no order")
        }
        self.init(stem: pieces, fileExtension: fileExtension)
    }

    func name(for label: LogFileLabel, _ application: String, _ zone: LogTimeZone, variant: String?) -> String
    {
        var text = ""
        for piece in stem {
            switch piece {
            case .literal(let literal): text += literal
            case .application: text += application
            case .date(let date): text += date.format(label.createdAt ?? LogTimestamp(nanoseconds: 0), zone)
            case .number(let digits): text += label.number.padded(to: digits)
            case .process: text += String(label.process ?? 0)
            case .variant: text += label.variant ?? variant ?? ""
            }
        }
        return text + suffix(of: label) + fileExtension
    }

    /// What the template has no field for: `@0002`, `@0002@pid77`, or `@pid77` if it has one for the number.
    ///
    /// It sorts as labels do, in ASCII and in the languages' orders: `@` after the dot of the extension,
    /// numbers with so many digits that they seldom need more, and the number before the process.
    private func suffix(of label: LogFileLabel) -> String {
        let process = hasProcess ? nil : label.process
        let hasSuffix = !hasNumber && (label.number > 1 || process != nil)
        return (hasSuffix ? "@" + label.number.padded(to: 4) : "") + (process.map { "@pid\($0)" } ?? "")
    }

    func label(of name: String, _ application: String, _ zone: LogTimeZone) -> LogFileLabel? {
        guard name.hasSuffix(fileExtension) else { return nil }
        let text = name.dropLast(fileExtension.count)
        return read(stem[...], text, LogFileLabel(createdAt: nil), application, zone)
    }

    private func read(
        _ pieces: ArraySlice<Piece>, _ text: Substring, _ known: LogFileLabel, _ application: String,
        _ zone: LogTimeZone
    ) -> LogFileLabel? {
        var rest = text
        var label = known
        for (index, piece) in zip(pieces.indices, pieces) {
            switch piece {
            case .literal(let text):
                guard rest.skip(text) else { return nil }
            case .application:
                guard rest.skip(application) else { return nil }
            case .date(let pattern):
                label.createdAt = pattern.read(&rest, zone)
                if label.createdAt == nil { return nil }
            case .number:
                guard let number = NameTemplate.number(&rest) else { return nil }
                label.number = number
            case .process:
                guard let number = NameTemplate.number(&rest) else { return nil }
                label.process = Int32(exactly: number).flatMap { $0 == 0 ? nil : $0 }
            case .variant:
                // As short as possible, so that the rest can be read.
                let after = pieces[(index + 1)...]
                let most = rest.prefix(NameTemplate.variantLimit).prefix(while: NameTemplate.isOfVariant)
                for count in 0...most.count {
                    label.variant = String(rest.prefix(count))
                    let found = read(after, rest.dropFirst(count), label, application, zone)
                    if let found { return found }
                }
                return nil
            }
        }
        if !hasNumber, rest.skip("@") {
            guard let number = NameTemplate.number(&rest) else { return nil }
            label.number = number
        }
        if !hasProcess, rest.skip("@pid") {
            guard let number = NameTemplate.number(&rest), let process = Int32(exactly: number), process > 0
            else { return nil }
            label.process = process
        }
        return rest.isEmpty ? label : nil
    }

    /// Reads the digits at the beginning; nil where no digit is there, or too many for a number.
    private static func number(_ text: inout Substring) -> Int? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), number <= LogFileLabel.greatestNumber else { return nil }
        text.removeFirst(digits.count)
        return number
    }

    private static let variantLimit = 64

    private static func isOfVariant(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "._+".contains(character))
    }

    static func cleanedVariant(_ text: String) -> String {
        String(text.prefix(variantLimit).map { isOfVariant($0) ? $0 : "_" })
    }
}
