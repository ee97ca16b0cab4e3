/// A piece of the open batch that is kept while others are sent.
struct ParkedPiece: Equatable {
    /// The ids between which its records lie.
    let range: ClosedRange<UInt64>
    /// Whether the server has received it, and will confirm that later; otherwise it has refused it.
    let isUnconfirmed: Bool
}
