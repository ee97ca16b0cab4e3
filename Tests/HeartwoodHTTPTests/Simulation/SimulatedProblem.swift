/// Something that must not happen in a world.
struct SimulatedProblem: Error {
    let text: String

    init(_ text: String) { self.text = text }
}
