/// A file as it was when the log was opened.
struct LogStart: Sendable {
    let part: Int
    let path: String
    let isPlain: Bool
    /// The size of the file.
    let size: Int
    /// How much of its text was there; a later line is one that came.
    let limit: Int
}
