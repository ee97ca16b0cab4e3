/// A piece of a text with fields in braces, as patterns and the templates of file names are: `{name}` or
/// `{name:format}`, with `{{` and `}}` for braces.
enum BracedPiece {
    case literal(String)
    /// The name begins at the character `position`, and ends at the first colon; the format is the characters
    /// after that.
    case field(name: String, position: Int, format: Range<Int>?)

    /// Splits a text; between two fields, there is one literal at most.
    ///
    /// - Throws: ``PatternError`` for a brace without the other, and for line breaks and control characters.
    static func pieces(of text: String) throws(PatternError) -> [BracedPiece] {
        let characters = Array(text)
        var pieces: [BracedPiece] = []
        var literal = ""
        var index = 0
        while index < characters.count {
            let character = characters[index]
            let isDouble = index + 1 < characters.count && characters[index + 1] == character
            switch character {
            case "{" where isDouble, "}" where isDouble:
                literal.append(character)
                index += 2
            case "{":
                guard let close = characters[index...].firstIndex(of: "}") else {
                    throw PatternError(text, at: index, "Unmatched brace; write {{ for a literal brace")
                }
                if !literal.isEmpty { pieces.append(.literal(literal)) }
                literal = ""
                let colon = characters[index..<close].firstIndex(of: ":")
                let name = String(characters[index + 1..<(colon ?? close)])
                pieces.append(
                    .field(name: name, position: index + 1, format: colon.map { $0 + 1..<close }))
                index = close + 1
            case "}":
                throw PatternError(text, at: index, "Unmatched brace; write }} for a literal brace")
            default:
                if character.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" }) {
                    throw PatternError(
                        text, at: index, "A pattern must not contain line breaks or control characters")
                }
                literal.append(character)
                index += 1
            }
        }
        if !literal.isEmpty { pieces.append(.literal(literal)) }
        return pieces
    }
}
