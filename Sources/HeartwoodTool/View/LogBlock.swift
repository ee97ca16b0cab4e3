/// Some successive lines of a file, and what is known of them.
struct LogBlock: Sendable {
    /// The file.
    let part: Int
    /// Where the block begins in the file's text.
    let offset: Int
    /// How many bytes of text it has.
    var count: Int
    /// What its lines say.
    var facts: BlockFacts
    /// What applies to lines at its beginning that say nothing of themselves.
    var carry: LineCarry
}
