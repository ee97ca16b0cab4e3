/// An object that gives its own representation in events.
public protocol CustomEventRepresentable {
    /// Valid JSON, of any kind.
    ///
    /// What it throws, or text that is no JSON, becomes the error of every scope that is open: nothing of them is stored.
    func customEventRepresentation() throws -> String
}
